"""What `make check` runs starts no large program, and says which of its tests take long."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from doors import ROOT
from programs import SMALL, is_small, seconds_used

if TYPE_CHECKING:
    from collections.abc import Iterable


def test_only_slow_tests_start_large_programs() -> None:
    with pytest.raises(pytest.fail.Exception, match="marked `slow`"):
        subprocess.run([sys.executable, "-c", "pass"], check=True)
    assert subprocess.run(["git", "--version"], check=True, capture_output=True).stdout


@pytest.mark.slow
def test_slow_tests_start_any() -> None:
    subprocess.run([sys.executable, "-c", "pass"], check=True)


def test_what_is_small(tmp_path: Path) -> None:
    written = tmp_path / "tool"
    written.touch()
    small: Iterable[str | Path] = (*SMALL, "/usr/bin/git", written, "/no/such/python")
    large = ("python3", "node", "npx", sys.executable, ROOT / "tests" / "node" / "node")
    assert [each for each in small if not is_small(each)] == []
    assert [each for each in large if is_small(each)] == []


def test_what_ended_processes_took_is_counted() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.times", lambda: os.times_result((1, 2, 4, 8, 100)))
        assert seconds_used() == 15
