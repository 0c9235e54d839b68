"""What is measured on: a workspace of made-up rows, the same at every run.

A row is about 650 bytes of JSON, with the keys that real datasets have.
"""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SEED = 20
_RUBRICS = 10
_VOCABULARY = (
    "access account address answer api block cache change check client code content control "
    "course cron customer data day delivery device entity error event export facet field file "
    "filter form front group hook image index item job key label language layout letter limit "
    "link list log mail menu message module node number order page parcel parser password patch "
    "path payment plugin policy price product profile query queue record refund region report "
    "request revision role route rule schema search server service session shop site state "
    "storage string support table tag task template term test theme token type user value view"
)
_WORDS = _VOCABULARY.split()
_TOOLS = ("entity_query", "field_lookup", "order_lookup", "site_status", "search_pages")


def rows(number: int) -> Iterator[dict[str, Any]]:
    """Yield that many rows, all of them clean."""
    chance = random.Random(_SEED)
    for index in range(number):
        yield {
            "id": f"question_{index:07}",
            "input": f"How do I change the {_text(chance, 18)}?",
            "criteria": f"Names the {_text(chance, 14)}",
            "expected": {"format": "text", "min_words": chance.randint(5, 50)},
            "expected_facts": [f"the {_text(chance, 7)}" for _ in range(3)],
            "expected_tools": chance.sample(_TOOLS, 2),
            "rubric_ref": f"rubric/quality_{chance.randrange(_RUBRICS)}@1.0.0",
            "tags": chance.sample(_WORDS, 3),
            "metadata": {"author": _text(chance, 2), "difficulty": chance.randint(1, 5)},
        }


def write_workspace(folder: Path, *, yaml_rows: int, jsonl_rows: int) -> dict[str, Path]:
    """Write the rubrics and the datasets `large`, `lines` and `small`; return the datasets."""
    files = {
        "large": folder / "datasets" / "large.yaml",
        "lines": folder / "datasets" / "lines.jsonl",
        "small": folder / "datasets" / "small.yaml",
    }
    for name in ("datasets", "rubrics"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for number in range(_RUBRICS):
        path = folder / "rubrics" / f"quality_{number}.yaml"
        path.write_text(_rubric(number), encoding="utf-8")
    _write(files["large"], _yaml(yaml_rows))
    _write(files["small"], _yaml(2))  # about forty lines
    _write(files["lines"], (json.dumps(row) + "\n" for row in rows(jsonl_rows)))
    return files


def _write(path: Path, pieces: Iterator[str]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(pieces)


def _text(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(_WORDS, k=words))


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
scoring:
  combine: weighted_avg
  weights: {{facts: 2, tools: 1, form: 1}}
"""


def _yaml(number: int) -> Iterator[str]:
    """Yield the pieces of a YAML dataset, laid out as people do."""
    yield "questions:\n"
    for row in rows(number):
        for place, (key, value) in enumerate(row.items()):
            yield f"  {' ' if place else '-'} {key}:{_value(value)}"


def _value(value: Any) -> str:
    if isinstance(value, list):
        return "\n" + "".join(f"      - {item}\n" for item in value)
    if isinstance(value, dict):
        return "\n" + "".join(f"      {key}: {item}\n" for key, item in value.items())
    return f" {value}\n"
