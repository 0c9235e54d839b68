"""The line of progress while judges are asked: how many questions, how fast, and how long."""

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
