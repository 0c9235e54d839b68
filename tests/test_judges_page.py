"""The worked example of docs/judges.md: its files, its command and its output."""

from __future__ import annotations

import re
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from doors import command_line
from writing import write

if TYPE_CHECKING:
    import pytest

PAGE = (Path(__file__).parents[1] / "docs" / "judges.md").read_text(encoding="utf-8")
FILES = re.compile(r"^`([\w./]+)`:\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
EXAMPLE = re.compile(
    r"^```console\n\$ evalcontract (calibrate-judge .*?)\n(.*?)^```$", re.DOTALL | re.MULTILINE
)
DAY = re.compile(r"(?<=\+  validated_at: ')[0-9-]+")


def test_calibration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, dict(FILES.findall(PAGE)))
    monkeypatch.chdir(tmp_path / "evals")
    [(command, shown)] = EXAMPLE.findall(PAGE)
    assert command_line(*shlex.split(command)) == 0
    today = datetime.now(tz=UTC).date().isoformat()
    assert capsys.readouterr().out == DAY.sub(today, shown)
    assert max(map(len, shown.splitlines())) <= 100
