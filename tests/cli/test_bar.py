"""The line of progress: how much of rows and of questions to judges, how fast, and how long."""

from __future__ import annotations

import time

import pytest
from tables import every_case

from evalcontract.cli.output import Bar
from evalcontract.datasets.opening import Advance


@every_case(
    ("seconds", "done", "total", "errors", "expected"),
    [
        (10.0, 40, 400, 0, "40 of 400 questions, 4.0 a second, 2 min left, 7 tokens"),
        (10.0, 40, 240, 1, "40 of 240 questions, 1 error, 4.0 a second, 50 s left, 7 tokens"),
        (100.0, 10, 1_000, 2, "10 of 1,000 questions, 2 errors, 0.1 a second, 2 h 45 min left"),
        (10.0, 0, 400, 0, "0 of 400 questions, 7 tokens"),
        (10.0, 40, 40, 0, "40 of 40 questions, 4.0 a second, 0 s left, 7 tokens"),
        (1.0, 41, 40, 0, "41 of 40 questions, 41.0 a second, 0 s left, 7 tokens"),
        (10.0, 100, 699, 0, "100 of 699 questions, 10.0 a second, 1 min left, 7 tokens"),
    ],
)
def test_the_line_says_how_long_the_questions_take(
    seconds: float,
    done: int,
    total: int,
    errors: int,
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = 1_000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    bar = Bar()
    bar.advance(Advance("a.jsonl", questions=(0, total)))
    now += seconds
    bar.advance(Advance("a.jsonl", questions=(done, total), tokens=7, errors=errors))
    assert expected in capsys.readouterr().err.rpartition("\r")[2]


@every_case(
    ("steps", "expected"),
    [
        (
            [(0, 100, None, 0), (10, 600, None, 2)],
            "60 %, 500 rows, 50 rows a second, 8 s left, 2 findings",
        ),
        (
            [(0, 0, (1, 3), 0), (10, 600, (1, 3), 1)],
            "60 %, 1 of 3 files, 500 rows, 50 rows a second, 1 finding",
        ),
        (
            [(0, 0, (3, 3), 0), (10, 500, (3, 3), 0)],
            "50 %, 3 of 3 files, 400 rows, 40 rows a second, 10 s left, 0 findings",
        ),
        ([(0, 100, None, 0), (0, 100, None, 0)], "10 %, 0 findings"),
    ],
)
def test_the_line_says_how_fast_rows_are_checked_and_what_was_found(
    steps: list[tuple[float, int, tuple[int, int] | None, int]],
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    begun = 1_000.0
    now = begun
    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("evalcontract.cli.output._DELAY_SECONDS", -2.0)
    monkeypatch.setattr("evalcontract.cli.output._columns", lambda: 200)
    monkeypatch.setenv("TERM", "xterm")
    bar = Bar()
    for seconds, read, files, findings in steps:
        now = begun + seconds
        at = Advance("a.jsonl", max(read - 100, 0), (read, 1_000), findings=findings)
        bar.advance(at._replace(files=files))
        now += 1
    assert expected in capsys.readouterr().err.rpartition("\r")[2]


def test_the_line_says_how_many_parts_were_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("evalcontract.cli.output._DELAY_SECONDS", -2.0)
    monkeypatch.setattr("evalcontract.cli.output._columns", lambda: 200)
    monkeypatch.setenv("TERM", "xterm")
    for known, told in (
        ((3, 10), "7 rows, 3 of 10 parts known, 0 findings"),
        ((0, 10), "7 rows, 0"),
    ):
        Bar().advance(Advance("a.parquet", 7, findings=0, known=known))
        assert told in capsys.readouterr().err.rpartition("\r")[2]
