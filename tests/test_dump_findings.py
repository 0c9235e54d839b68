"""The script that compares two versions sees every form of a dataset."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
from dump_findings import dump

if TYPE_CHECKING:
    from pathlib import Path

ROWS = """\
questions:
  - id: a
    input: Where is it?
    expecteed_facts: [here]
"""


@pytest.mark.slow
def test_every_finding_is_a_line(tmp_path: Path) -> None:
    file = tmp_path / "fixtures" / "rules" / "dataset" / "one.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(ROWS, encoding="utf-8")
    lines = [json.loads(line) for line in dump(tmp_path, sys.executable)]
    found = {(each["input"].split()[-1], each["code"]) for each in lines if "code" in each}
    forms = ["crlf.yaml", "dumped.yaml", "large.json", "large.jsonl", "large.yaml"]
    forms += ["list.json", "small.json", "small.jsonl", "yaml"]
    names = {f"datasets/one.{form}" for form in forms}
    assert {name for name, code in found if code == "dataset/near-miss-key"} >= names
    ended = {each["input"]: each["exit"] for each in lines if "exit" in each}
    assert {name.split()[-1] for name in ended} >= names
    assert {status for name, status in ended.items() if "--strict" in name} == {1}
    assert str(tmp_path) not in json.dumps(lines)
