"""Workspaces for the tests and the bench of the HTML report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def large(root: Path, rows: int, checks: int = 36) -> Path:
    """Write a dataset with many rows, graded by two rubrics with many checks; return its path.

    Every seventh row has a key that is misspelled, every eleventh lacks what some checks read.
    """
    for name in ("wide", "narrow"):
        _rubric(root, name, checks if name == "wide" else 5)
    (root / "judges").mkdir(parents=True)
    (root / "judges" / "tone.yaml").write_text(
        "id: tone\nversion: 1.0.0\nlabel: Tone\nprompt_template: 'Judge {{output}}'\n"
        "output_schema: {score: number}\n"
    )
    path = root / "datasets" / "large.jsonl"
    path.parent.mkdir()
    with path.open("w", encoding="utf-8") as file:
        for number in range(rows):
            row = {
                "id": f"row_{number:05}",
                "input": f"What is the state of order {number}, and when does it arrive? " * 3,
                "expected_facts": [f"order {number} left on Monday"],
                "rubric_ref": f"rubric/{'narrow' if number % 5 == 4 else 'wide'}@1.0.0",
            }
            if number % 7 == 0:
                row["expecteed_tools"] = ["order_lookup"]
            if number % 11 == 0:
                del row["expected_facts"]
            file.write(json.dumps(row) + "\n")
    return path


def _rubric(root: Path, name: str, checks: int) -> None:
    lines = [f"id: {name}", "version: 1.0.0", f"label: The {name} rubric", "checks:"]
    for number in range(checks):
        lines.append(f"  - id: {name}_{number}")
        if number % 4 == 0:
            lines.append("    kind: fact_match")
        elif number % 4 == 1:
            lines += ["    kind: llm_judge", "    judge_prompt_ref: judge/tone@1.0.0"]
        elif number % 4 == 2:
            lines += ["    kind: must_not_contain", f"    values: [word {number}]"]
        else:
            lines.append("    kind: tool_usage")
    (root / "rubrics").mkdir(parents=True, exist_ok=True)
    (root / "rubrics" / f"{name}.yaml").write_text("\n".join([*lines, ""]))
