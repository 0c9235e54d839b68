"""A template with very many faults: so many are told as somebody reads, and it takes one pass."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


MANY = 60_000


@pytest.mark.thorough
def test_many_faults_are_told_in_part(tmp_path: Path) -> None:
    """And their places take one pass, whatever their number: this is a text of a megabyte."""
    (tmp_path / "judges").mkdir()
    body = "{{ output }} " + "{{ outptu }} " * MANY + '{{"a":1}} ' * 25
    text = f'id: a\nversion: "1.0.0"\ntemplate: |\n  {body}\n'
    (tmp_path / "judges" / "a.yaml").write_text(text, encoding="utf-8")
    program = f"""
import json
from datetime import date
from pathlib import Path
from evalcontract.datasets.opening import Options
from evalcontract.checking.pipeline import check_workspaces
folder = Path({str(tmp_path)!r})
found = check_workspaces(folder, Options(root=folder, strict=False, today=date(2026, 6, 1)))
print(json.dumps([
    (each.code, each.message, each.place.span.column) for each in found.diagnostics
]))
"""
    done = subprocess.run(
        [sys.executable, "-"],
        input=program,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    found = json.loads(done.stdout)
    tags = [each for each in found if each[0] == "judge/template-tag"]
    assert [column for _, _, column in tags] == [16 + 13 * index for index in range(21)]
    assert tags[-1][1] == f"{MANY - 20} more faults like these follow"
    objects = [each for each in found if each[0] == "judge/template-json"]
    assert [message for _, message, _ in objects][20:] == ["5 more faults like these follow"]
    assert len(found) == 42
