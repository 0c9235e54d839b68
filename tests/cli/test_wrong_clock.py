"""A wrong clock: times in 1970 or far ahead, and a clock that is set back between two checks."""

from __future__ import annotations

import os
from datetime import date
from typing import TYPE_CHECKING

import pytest
from doors import Options, check_workspaces, command_lines
from writing import write

from evalcontract.cache import Cache

if TYPE_CHECKING:
    from pathlib import Path

    from doors import Printed

#: Seconds since 1970: the time of a machine without a clock, and a time after 2100.
TIMES = (0, 4_200_000_000)
ROWS = "questions: [{id: a, input: b, criteria: c, %s: [d]}]\n"
JUDGE = """
id: right
version: "1.0.0"
template: "Is it right? {{ input }} {{ output }}"
validation:
  dataset: human.jsonl
  sample_size: 200
  agreement: 0.9
  validated_at: %s
  judge_version: "1.0.0"
"""
RULES = ("judge/future-validation", "judge/stale-validation")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {"datasets/a.yaml": ROWS % "expecteed_facts", "judges/right.yaml": JUDGE % "1970-01-01"}
    write(tmp_path / "workspace", files)
    return tmp_path / "workspace"


def check(folder: Path, *options: str) -> Printed:
    """Run the command in a process of its own."""
    (printed,) = command_lines([("check", str(folder), "--strict", *options)], cwd=folder.parent)
    return printed


def set_times(folder: Path, time: int) -> int:
    """Give all files below a folder, and their folders, a time; return the number of files."""
    paths = sorted(folder.rglob("*"))
    for path in (*paths, folder):
        os.utime(path, (time, time))
    return sum(path.is_file() for path in paths)


@pytest.mark.slow
@pytest.mark.parametrize(("written", "cached"), [TIMES, TIMES[::-1]])
def test_times_of_files_decide_nothing(
    written: int, cached: int, folder: Path, own_cache: Path
) -> None:
    expected = check(folder, "--no-cache")
    assert (expected.code, "dataset/near-miss-key" in expected.out) == (1, True)
    set_times(folder, written)
    assert check(folder, "--cache") == expected
    assert set_times(own_cache, cached) > 0
    assert check(folder, "--cache") == expected


@pytest.mark.slow
@pytest.mark.parametrize("time", TIMES)
def test_an_edit_at_the_same_time_is_seen(time: int, folder: Path, own_cache: Path) -> None:
    """As if the clock had been set back: the file has the size and the times that it had before."""
    set_times(folder, time)
    faulty = check(folder, "--cache")
    for key, is_faulty in (("expected__facts", True), ("expected_facts ", False)):
        write(folder, {"datasets/a.yaml": ROWS % key})
        set_times(folder, time)
        set_times(own_cache, time)
        printed = check(folder, "--cache")
        assert printed != faulty
        assert ("dataset/near-miss-key" in printed.out) == is_faulty
        assert printed == check(folder, "--no-cache")


@pytest.mark.parametrize(
    ("validated", "today", "code"),
    [
        ("1970-01-01", date(1970, 1, 1), None),
        ("1970-01-01", date(2026, 6, 1), "judge/stale-validation"),
        ("2026-06-01", date(1970, 1, 1), "judge/future-validation"),
        ("2026-06-01", date(2026, 5, 31), None),  # today, in another time zone
        ("2026-06-01", date(2026, 5, 30), "judge/future-validation"),
        ("9999-12-31", date.min, "judge/future-validation"),
        ("9999-12-31", date.max, None),
        ("0001-01-01", date.max, "judge/stale-validation"),
        ("0001-01-01", date.min, None),
    ],
)
def test_a_day_far_away(validated: str, today: date, code: str | None, tmp_path: Path) -> None:
    write(tmp_path, {"judges/right.yaml": JUDGE % validated})
    outcome = check_workspaces(tmp_path, Options(today=today))
    assert [each.code for each in outcome.diagnostics if each.code in RULES] == [code] * bool(code)


@pytest.mark.slow
def test_a_day_that_comes_again(folder: Path, own_cache: Path) -> None:
    write(folder, {"judges/right.yaml": JUDGE % "2026-06-01"})
    days = [date(2026, 6, 1), date(1970, 1, 1), date(2027, 12, 1)]
    verdicts = {
        day: check_workspaces(folder, Options(today=day, cache=Cache(own_cache))) for day in days
    }
    for day in (*days, *reversed(days)):
        outcome = check_workspaces(folder, Options(today=day, cache=Cache(own_cache)))
        assert outcome == verdicts[day] == check_workspaces(folder, Options(today=day))
    codes = [{each.code for each in verdicts[day].diagnostics} & {*RULES} for day in days]
    assert codes == [set(), {RULES[0]}, {RULES[1]}]
