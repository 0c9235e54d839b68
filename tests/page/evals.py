"""Workspaces for the tests and the bench of the HTML report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_JUDGE = """\
id: tone
version: 1.0.0
label: Tone
template: "Is this polite? {{output}}"
output_format: score
"""
_CYCLE = """\
id: {id}
version: 1.0.0
label: One of a circle
checks:
  - {{id: inner, kind: composite, rubric_ref: rubric/{other}@1.0.0}}
  - {{id: lost, kind: llm_judge, judge_prompt_ref: judge/lost@2.0.0}}
scoring: {{combine: all_pass}}
"""
_SMALL = """\
# A comment before the rows.
questions:
  - id: good
    input: Where is my order?
    expected_facts: [it left on Monday]
    rubric_ref: rubric/narrow@1.0.0

  - id: misspelled
    input: Where is my other order?
    expecteed_facts: [it left on Monday]
    rubric_ref: rubric/narrow

  - id: circular
    input: Where is it?
    rubric_ref: rubric/one@1.0.0

  - id: dangling
    input: Where?
    rubric_ref: rubric/norrow@1.0.0
"""


def small(root: Path) -> Path:
    """Write a dataset with a few faults, a circle and what is missing; return its path."""
    _library(root, 4)
    for id_, other in (("one", "other"), ("other", "one")):
        (root / "rubrics" / f"{id_}.yaml").write_text(_CYCLE.format(id=id_, other=other))
    return _written(root / "datasets" / "small.yaml", _SMALL)


def large(root: Path, rows: int, checks: int = 36) -> Path:
    """Write a dataset with many rows, graded by two rubrics with many checks; return its path.

    Every row lacks what some checks read, and every seventh has a key that is misspelled.
    """
    _library(root, checks)
    lines = []
    for number in range(rows):
        row = {
            "id": f"row_{number:05}",
            "input": f"What is the state of order {number}, and when does it arrive? " * 3,
            "expected_facts": [f"order {number} left on Monday"],
            "rubric_ref": f"rubric/{'narrow' if number % 5 == 4 else 'wide'}@1.0.0",
        }
        if number % 7 == 0:
            row["expecteed_tools"] = ["order_lookup"]
        lines.append(json.dumps(row))
    return _written(root / "datasets" / "large.jsonl", "\n".join([*lines, ""]))


def _library(root: Path, checks: int) -> None:
    _written(root / "judges" / "tone.yaml", _JUDGE)
    for name, count in (("wide", checks), ("narrow", 4)):
        lines = [f"id: {name}", "version: 1.0.0", f"label: The {name} rubric", "checks:"]
        for number in range(count):
            lines.append(f"  - id: {name}_{number}")
            lines += _KINDS[number % len(_KINDS)]
        text = "\n".join([*lines, "scoring: {combine: all_pass}", ""])
        _written(root / "rubrics" / f"{name}.yaml", text)


_KINDS = (
    ["    kind: fact_match"],
    ["    kind: llm_judge", "    judge_prompt_ref: judge/tone@1.0.0"],
    ["    kind: must_not_contain", "    values: [nonsense]"],
    ["    kind: tool_usage"],
)


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
