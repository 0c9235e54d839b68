"""What stands beside the rows: rubrics, judges, schemas, and a workspace of many small files."""

from __future__ import annotations

import datetime as dt
import json
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from layouts import plain
from rows import RUBRICS, reference, rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rows import Row

SCHEMA = Path(__file__).parents[1] / "schema" / "dataset.schema.json"
ROWS_OF_A_PART = 50


def write(path: Path, pieces: Iterable[str]) -> None:
    """Write pieces of text to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        file.writelines(pieces)


def write_rubrics(folder: Path, number: int = RUBRICS, wish: str = "criteria") -> None:
    """Write that many rubrics, each with a judge of its own that is shown the row's `wish`."""
    today = dt.datetime.now(tz=dt.UTC).date().isoformat()
    for each in range(number):
        write(folder / "rubrics" / f"quality_{each}.yaml", [_rubric(each)])
        write(folder / "judges" / f"judge_{each}.yaml", [_judge(each, today, wish)])


def write_schemas(folder: Path) -> None:
    """Write the schema of a dataset, and that of one row: JSONL is checked line by line."""
    whole = json.loads(SCHEMA.read_text(encoding="utf-8"))
    row = {"$schema": whole["$schema"], "$ref": "#/$defs/row", "$defs": whole["$defs"]}
    write(folder / "row.schema.json", [json.dumps(row, indent=2)])
    write(folder / "dataset.schema.json", [json.dumps(whole, indent=2)])


def write_many(folder: Path, parts: int) -> None:
    """Write a workspace of that many rubrics and judges, and a fifth as many datasets.

    The version before did not know `criteria` as a variable of templates.
    """
    write_rubrics(folder, parts, "expected.wish")

    def with_wish(row: Row) -> None:
        row.setdefault("expected", {})["wish"] = row.pop("criteria", "")

    write_datasets(folder, parts // 5, lambda number: number % parts, change=with_wish)


def write_datasets(
    folder: Path,
    number: int,
    rubric_of: Callable[[int], int],
    *,
    rows_of_each: int = ROWS_OF_A_PART,
    endings: Sequence[str] = ("yaml",),
    change: Callable[[Row], None] = lambda _: None,
) -> None:
    """Write datasets, their formats in turns; the rubrics of rows go by the numbers of all rows."""
    every = enumerate(rows(number * rows_of_each))
    for part in range(number):
        some = []
        for place, row in islice(every, rows_of_each):
            row["rubric_ref"] = reference(rubric_of(place))
            change(row)
            some.append(row)
        ending = endings[part % len(endings)]
        lines = (f"{json.dumps(row)}\n" for row in some)
        path = folder / "datasets" / f"part_{part}.{ending}"
        write(path, lines if ending == "jsonl" else plain(some))


def _rubric(number: int) -> str:
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
  - id: judged
    kind: llm_judge
    judge_prompt_ref: judge/judge_{number}@1.0.0
    threshold: 0.5
scoring:
  combine: weighted_avg
  weights: {{facts: 2, tools: 1, form: 1, judged: 2}}
"""


def _judge(number: int, today: str, wish: str) -> str:
    return f"""\
id: judge_{number}
version: "1.0.0"
template: |
  A customer asked: {{{{ input }}}}
  The assistant said: {{{{ output }}}}
  {{{{#{wish}}}}}It should do this: {{{{ {wish} }}}}{{{{/{wish}}}}}
  {{{{#expected.min_words}}}}Words: {{{{ expected.min_words }}}}{{{{/expected.min_words}}}}
  Does the answer keep rule {number} of the house? Answer PASS or FAIL.
validation:
  tpr: 0.93
  tnr: 0.88
  validated_at: {today}
  sample_size: 120
"""
