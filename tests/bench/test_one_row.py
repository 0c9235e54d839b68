"""What the check of one row takes is bounded: how many calls, in how many files, how deep."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "bench"))

from environments import Installed  # noqa: E402 - the benchmark is no package
from one_row import counts_of, write_files  # noqa: E402

#: The most that a row with one near miss may take; `bench/one_row.py` says what it takes.
BOUNDS = {"files": 105, "calls": 1_700, "depth": 29, "modules": 145}
pytestmark = pytest.mark.no_cover


@pytest.mark.slow
@pytest.mark.parametrize("name", ["clean", "near miss"])
def test_a_row_takes_no_more_than_its_bounds(name: str, tmp_path: Path) -> None:
    files = write_files(tmp_path / "files")
    counts = counts_of(Installed(Path(sys.prefix)), files[name], tmp_path)
    assert counts["status"] == 0
    assert {key: counts[key] for key, most in BOUNDS.items() if counts[key] > most} == {}
