"""Commands that write many files have few of them open at once: the limit is low on macOS."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

MANY, OPEN_FILES = 150, 64
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="Windows has no limit of this kind"),
]


def run(folder: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "evalcontract", *arguments]
    limited = f'ulimit -n {OPEN_FILES} && exec "$@"'
    done = subprocess.run(
        ["/bin/sh", "-c", limited, "sh", *command],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def write(folder: Path, name: str, value: Any) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")


def test_migrated_rules(tmp_path: Path) -> None:
    rules = [
        {"prompt": "p", "check_markdown_structure": {"min_headings": at + 1}} for at in range(MANY)
    ]
    write(tmp_path, "evals.json", {"evals": rules})
    run(tmp_path, "migrate", "evals.json", "-o", "out")
    assert len([*tmp_path.glob("out/rubrics/*.yaml")]) == MANY


def test_converted_rubrics(tmp_path: Path) -> None:
    asked = {"messages": [{"role": "user", "content": "a"}]}
    cases = [
        {"id": f"c{at}", **asked, "expected": {"max_tool_calls": at + 1}} for at in range(MANY)
    ]
    write(tmp_path, "cases.json", cases)
    run(tmp_path, "convert", "cases.json", "datasets/a.yaml", "--from", "northstar")
    assert len([*tmp_path.glob("rubrics/*.yaml")]) == MANY


def test_fixed_files(tmp_path: Path) -> None:
    row = "questions:\n  - id: a\n    input: b\n    criteria: c\n    expected_fact: [d]\n"
    for at in range(MANY):
        write(tmp_path, f"datasets/d{at}.yaml", f"version: 1.0.0\nid: d{at}\n{row}")
    run(tmp_path, "fix", ".", "--unsafe-fixes")
    texts = [path.read_text(encoding="utf-8") for path in tmp_path.glob("datasets/*.yaml")]
    assert len(texts) == MANY
    assert all("expected_facts: [d]" in text for text in texts)
