"""The workspaces that are measured on, as files.

python bench/files.py FOLDER JSONL_ROWS YAML_ROWS PARTS (rubrics and judges, and files of 50 rows)

It is a program of its own: a process that starts another lends it the memory that it had, in the
system's count, so the one that measures stays small.
"""

from __future__ import annotations

import datetime as dt
import json
import shutil
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import samples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Row = dict[str, Any]

SCHEMA = Path(__file__).parents[1] / "schema" / "dataset.schema.json"
ROWS_OF_A_SMALL_FILE = 2  # about forty lines
ROWS_OF_A_PART = 50
PARTS_OF_A_DATASET = 5  # that many rubrics to a dataset, in the workspace of many files


def write_all(folder: Path, *, lines: int, yaml: int, parts: int) -> None:
    """Write all that is measured on."""
    write_lines(folder, lines)
    write_yaml(folder / "one", yaml)
    write_schemas(folder)
    write_parts(folder / "many", parts)


def write_lines(folder: Path, number: int) -> None:
    """Write the JSONL files, side by side: a row is made once."""
    order = samples.shuffled_ids(number)
    forms: dict[str, Callable[[Row, int], Row]] = {
        "clean": lambda row, _: row,
        "shuffled": lambda row, index: {**row, "id": f"question_{order[index]:07}"},
        "bad": samples.with_fault,
        "own": samples.with_own_keys,
    }
    write_rubrics(folder / "one", samples.RUBRICS)
    write_rubrics(folder / "rag", samples.MANY_RUBRICS)
    write_bundle(folder / "rag")
    with ExitStack() as stack:

        def start(path: Path) -> Any:
            path.parent.mkdir(parents=True, exist_ok=True)
            return stack.enter_context(path.open("w", encoding="utf-8"))

        targets = [(start(folder / f"one/datasets/{name}.jsonl"), forms[name]) for name in forms]
        targets.append((start(folder / "rag/datasets/rag.jsonl"), samples.with_bundle))
        tenth = start(folder / "one/datasets/tenth.jsonl")
        first = start(folder / "one/datasets/first.jsonl")
        for index, row in enumerate(samples.rows(number)):
            for file, form in targets:
                file.write(json.dumps(form(row, index)) + "\n")
            if index < number // 10:
                tenth.write(json.dumps(row) + "\n")
            if index == 0:
                first.write(json.dumps(row) + "\n")


def write_yaml(folder: Path, number: int) -> None:
    """Write the YAML datasets `clean`, `bad` and `small`."""
    write_rubrics(folder, samples.RUBRICS)
    bad = (samples.with_fault(row, index) for index, row in enumerate(samples.rows(number)))
    _write(folder / "datasets" / "clean.yaml", yaml_of(samples.rows(number)))
    _write(folder / "datasets" / "bad.yaml", yaml_of(bad))
    _write(folder / "datasets" / "small.yaml", yaml_of(samples.rows(ROWS_OF_A_SMALL_FILE)))


def write_schemas(folder: Path) -> None:
    """Write the schema of a dataset, and that of one row: JSONL is checked line by line."""
    whole = json.loads(SCHEMA.read_text(encoding="utf-8"))
    row = {"$schema": whole["$schema"], "$ref": "#/$defs/row", "$defs": whole["$defs"]}
    _write(folder / "row.schema.json", [json.dumps(row, indent=2)])
    _write(folder / "dataset.schema.json", [json.dumps(whole, indent=2)])


def write_parts(folder: Path, parts: int) -> None:
    """Write a workspace of that many rubrics and judges, and a fifth as many datasets."""
    shutil.rmtree(folder, ignore_errors=True)
    today = dt.datetime.now(tz=dt.UTC).date().isoformat()
    write_rubrics(folder, parts, judged=True)
    for number in range(parts):
        _write(folder / "judges" / f"judge_{number}.yaml", [_judge(number, today)])
    datasets = max(1, parts // PARTS_OF_A_DATASET)
    rows = samples.rows(datasets * ROWS_OF_A_PART)
    for number in range(datasets):
        first = number * ROWS_OF_A_PART
        some = [
            {**next(rows), "rubric_ref": f"rubric/quality_{(first + place) % parts}@1.0.0"}
            for place in range(ROWS_OF_A_PART)
        ]
        _write(folder / "datasets" / f"part_{number}.yaml", yaml_of(some))


def write_rubrics(folder: Path, number: int, *, judged: bool = False) -> None:
    """Write that many rubrics, each with a judge of its own where they are judged."""
    for each in range(number):
        _write(folder / "rubrics" / f"quality_{each}.yaml", [_rubric(each, judged=judged)])


def write_bundle(folder: Path) -> None:
    """Write the bundle `rag`: rows of it have a context."""
    texts = {"type": "array", "items": {"type": "string"}, "minItems": 1}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "required": ["context"],
        "properties": {"context": texts},
    }
    _write(folder / "bundles" / "rag.schema.json", [json.dumps(schema, indent=2)])


def yaml_of(rows: Iterable[Row]) -> Iterator[str]:
    """Yield the pieces of a YAML dataset, laid out as people do."""
    yield "questions:\n"
    for row in rows:
        for place, (key, value) in enumerate(row.items()):
            yield f"  {' ' if place else '-'} {key}:{_value(value)}"


def _value(value: Any) -> str:
    if isinstance(value, list):
        return "\n" + "".join(f"      - {_scalar(item)}\n" for item in value)
    if isinstance(value, dict):
        pairs = value.items()
        return "\n" + "".join(f"      {key}: {_scalar(item)}\n" for key, item in pairs)
    return f" {_scalar(value)}\n"


def _scalar(value: Any) -> str:
    return json.dumps(value) if isinstance(value, str) and ": " in value else str(value)


def _write(path: Path, pieces: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        file.writelines(pieces)


def _rubric(number: int, *, judged: bool) -> str:
    judge = f"""\
  - id: judged
    kind: llm_judge
    judge_prompt_ref: judge/judge_{number}@1.0.0
    threshold: 0.5
"""
    return f"""\
id: quality_{number}
version: "1.0.0"
checks:
  - id: facts
    kind: fact_match
    min_recall: 0.6
  - id: tools
    kind: tool_usage
  - id: form
    kind: format
{judge if judged else ""}scoring:
  combine: weighted_avg
  weights: {{facts: 2, tools: 1, form: 1{", judged: 2" if judged else ""}}}
"""


def _judge(number: int, today: str) -> str:
    return f"""\
id: judge_{number}
version: "1.0.0"
template: |
  A customer asked: {{{{ input }}}}
  The assistant said: {{{{ output }}}}
  Does the answer keep rule {number} of the house? Answer PASS or FAIL.
validation:
  tpr: 0.93
  tnr: 0.88
  validated_at: {today}
  sample_size: 120
"""


def main() -> None:
    """Write what the command line asks for."""
    folder, lines, yaml, parts = sys.argv[1:]
    write_all(Path(folder), lines=int(lines), yaml=int(yaml), parts=int(parts))


if __name__ == "__main__":
    main()
