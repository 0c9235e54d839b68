"""A rubric of six deterministic checks, rows that it grades, and outputs in three shapes."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from rows import SEED, TOOLS, text
from workspaces import write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

RUBRIC: dict[str, Any] = {
    "id": "six",
    "version": "1.0.0",
    "checks": [
        {"id": "some", "kind": "must_contain_any", "values": ["order", "the", "refund"]},
        {"id": "none", "kind": "must_not_contain", "values": ["as an AI", "I cannot"]},
        {"id": "period", "kind": "regex", "pattern": "[0-9]+ (days|weeks)", "flags": ["i"]},
        {"id": "length", "kind": "format", "format": "text", "max_chars": 20000},
        {"id": "facts", "kind": "fact_match", "min_recall": 0.5},
        {"id": "tools", "kind": "tool_usage", "match": "any"},
    ],
    "scoring": {"combine": "weighted_avg", "threshold": 0.5, "weights": {}},
}
RUBRIC["scoring"]["weights"] = {check["id"]: 1 for check in RUBRIC["checks"]}


def _short(chance: random.Random, index: int) -> str:
    return f"{text(chance, 12)} within {index % 40} days."


def _long(chance: random.Random, index: int) -> str:
    return "\n\n".join(f"{text(chance, 80)}, {index} weeks" for _ in range(4))


def _accents(chance: random.Random, index: int) -> str:
    return f"Größe {text(chance, 20)} señor, naïve čeština 日本語 {index} days 🚀"


#: The shapes of outputs by name.
OUTPUTS: dict[str, Callable[[random.Random, int], str]] = {
    "short texts": _short,
    "long texts": _long,
    "texts beyond ASCII": _accents,
}


def write_graded(folder: Path, number: int) -> None:
    """Write a workspace with so many rows, and outputs for all of them in each shape."""
    write(folder / "rubrics" / "six.json", [json.dumps(RUBRIC)])
    write(folder / "rows.jsonl", _rows(number))
    for name, output in OUTPUTS.items():
        write(folder / f"{name.replace(' ', '_')}.jsonl", _outputs(number, output))


def _rows(number: int) -> Iterator[str]:
    chance = random.Random(SEED)
    for index in range(number):
        row = {
            "id": f"row_{index}",
            "input": f"{text(chance, 12)}?",
            "expected_facts": [text(chance, 2), text(chance, 1)],
            "expected_tools": chance.sample(TOOLS, 2),
            "rubric_ref": "rubric/six@1.0.0",
        }
        yield f"{json.dumps(row)}\n"


def _outputs(number: int, output: Callable[[random.Random, int], str]) -> Iterator[str]:
    chance = random.Random(SEED)
    for index in range(number):
        calls = [{"name": chance.choice(TOOLS), "arguments": {"number": index}}]
        record = {"id": f"row_{index}", "output": output(chance, index), "tool_calls": calls}
        yield f"{json.dumps(record)}\n"
