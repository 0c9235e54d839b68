"""`grade` on files that are made to break it: nothing hangs, crashes or is written over."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from doors import ROOT, command_line
from examples import some
from tables import every_case
from writing import write

from evalcontract.checks import _time_limit as _searches
from evalcontract.checks._time_limit import GivenUpError, Searches
from evalcontract.datasets import outputs
from evalcontract.grading import rows as grading_work
from evalcontract.source.processes import map_in_parallel

posix = pytest.mark.skipif(sys.platform == "win32", reason="processes and pipes are those of POSIX")
REF = "rubric/a@1.0.0"
TOOLS = {"id": "t", "kind": "tool_usage", "expected_tools": [{"name": "t", "arguments": {"a": 1}}]}
WORDS = {"id": "x", "kind": "must_contain_any", "values": ["yes"]}


def rubric(*checks: dict[str, Any], id_: str = "a") -> str:
    scoring = {"combine": "all_pass"}
    return json.dumps({"id": id_, "version": "1.0.0", "checks": checks, "scoring": scoring})


def lines(*records: dict[str, Any]) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


def made(folder: Path, *checks: dict[str, Any], rows: int = 2, **output: Any) -> None:
    questions = [{"id": f"r{at}", "input": "b", "rubric_ref": REF} for at in range(rows)]
    recorded = lines(*({"id": f"r{at}", "output": "yes", **output} for at in range(rows)))
    write(folder, {"rubrics/a.json": rubric(*checks), "outputs.jsonl": recorded})
    write(folder, {"datasets/a.json": json.dumps({"questions": questions})})


def rows_in(results: Path) -> list[dict[str, Any]]:
    """Return the lines of rows in a file of results."""
    return [line for line in map(json.loads, results.read_text().splitlines()) if "id" in line]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made(tmp_path, WORDS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def grade(*arguments: str, outputs: str = "outputs.jsonl") -> int:
    return command_line("grade", "datasets/a.json", "--outputs", outputs, *arguments)


@pytest.mark.slow
@every_case(
    ("arguments", "is_read"),
    [
        ('{"a": 1}', True),
        ('{"a": 2, "a": 1}', False),  # which of both is meant nobody knows
        ('{"a": NaN}', False),
        ('{"a": 1', False),
        ("[" * 900 + "]" * 900, False),
        ('{"b": ' * 900 + "1" + "}" * 900, False),
        ("[" * 100_000, False),
        ('{"a": ' + "9" * 5000 + "}", False),
        ('{"a": "\\ud800"}', False),
    ],
    ids=lambda value: str(value)[:16],
)
def test_arguments_of_a_tool_call(
    arguments: str, *, is_read: bool, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """More rows than one process grades at a time, so that they are sent to another."""
    made(place, TOOLS, rows=260, tool_calls=[{"name": "t", "arguments": arguments}])
    assert grade("--jobs", "2", "--results", "r.jsonl", "--force") == (not is_read)
    rows = rows_in(place / "r.jsonl")
    assert {row["outcome"] for row in rows} == {"passed" if is_read else "undecided"}
    found = capsys.readouterr().err
    assert found.count("output/unreadable-tool-call") == (not is_read)
    assert ("260 records" in found) is not is_read


MANIFEST = {
    "version": "2.0",
    "tool": {"name": "evalcontract", "version": "1"},
    "dataset": {"file": "a"},
    "outputs": {"file": "b"},
}
OLD = lines({"manifest": MANIFEST})
FIRST = lines({"manifest": {**MANIFEST, "version": "1.0"}})
ROW = '{"id": "r0", "rubric": null, "outcome": "failed", "score": %s, "checks": []}\n'


@posix
@pytest.mark.parametrize(
    ("files", "arguments", "said"),
    [
        ({}, ["--compare", "pipe"], "no regular file"),
        ({}, ["--compare", "/dev/zero"], "no regular file"),
        ({"old": OLD + ROW % "NaN"}, ["--compare", "old"], "old:2: this is not a result"),
        ({"old": OLD + ROW % "1e999"}, ["--compare", "old"], "old:2: this is not a result"),
        ({"old": OLD + ROW % "2"}, ["--compare", "old"], "old:2: this is not a result"),
        ({"old": OLD + ROW}, ["--compare", "old"], "old:2: this is not a result"),
        ({"old": OLD + "[" * 9000}, ["--compare", "old"], "old:2: this is not a result"),
        ({"old": ROW % "1"}, ["--compare", "old"], "old has no old.run.json beside it"),
        ({"old": OLD * 2}, ["--compare", "old"], "old:2: this is not a result"),
        ({"old": ""}, ["--compare", "old"], "old is empty"),
        ({"old": FIRST}, ["--compare", "old"], "old has results of version 1.0, which left out"),
        (
            {"r.partial": FIRST},
            ["--results", "r", "--resume"],
            "r.partial has results of version 1.0",
        ),
        ({}, ["--results", "outputs.jsonl", "--force"], "outputs.jsonl is read"),
        ({}, ["--results", "datasets/a.json", "--force"], "datasets/a.json is read"),
        ({}, ["--results", "hard", "--force"], "hard is read"),
        ({"r.partial": "mine\n"}, ["--results", "r"], "r.partial is of something else"),
        ({"r.partial": "mine"}, ["--results", "r", "--resume"], None),
        ({"r.partial": "mine\n"}, ["--results", "r", "--resume"], "not a result"),
        ({}, ["--results", "no/such/folder/r"], "no such file"),
        ({}, ["--results", "r.xlsx"], "ends in `.jsonl`, `.ndjson`, `.csv`, `.tsv` or `.parquet`"),
        ({}, ["--results", "r.json"], "ends in `.jsonl`"),
        ({}, ["--results", "r.JSONL"], None),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_files_that_are_refused(
    files: dict[str, str],
    arguments: list[str],
    said: str | None,
    place: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    os.mkfifo(place / "pipe")
    os.link(place / "outputs.jsonl", place / "hard")
    write(place, files)
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    code = grade(*arguments)
    if said is None:
        assert code == 0
        return
    assert code == 2
    assert said in capsys.readouterr().err.lower()
    after = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    assert after == before


def test_outputs_that_are_the_partial_file(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "outputs.jsonl").rename(place / "r.partial")
    assert grade("--results", "r", "--force", outputs="r.partial") == 2
    assert "r.partial is read" in capsys.readouterr().err
    assert "yes" in (place / "r.partial").read_text()


@every_case("outputs", [".", "datasets"])
def test_a_folder_has_no_outputs(
    outputs: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert place.is_dir()
    assert grade(outputs=outputs) == 2
    assert f"{outputs} is a folder" in capsys.readouterr().err


def test_standard_input_is_not_gone_on_with(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert place.is_dir()
    assert grade("--results", "r", "--resume", outputs="-") == 2
    assert "--resume needs files" in capsys.readouterr().err


@posix
def test_two_runs_do_not_write_one_file(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from fcntl import LOCK_EX, flock

    with (place / "r.partial").open("wb") as other:
        flock(other, LOCK_EX)
        assert grade("--results", "r") == 2
        assert "another run is writing it" in capsys.readouterr().err
    assert grade("--results", "r") == 0


def test_results_have_no_characters_that_a_terminal_acts_on(place: Path) -> None:
    made(place, {**WORDS, "values": ["\u202ex\x9b"]})
    assert grade("--results", "r") == 0
    assert "\\u202ex\\u009b" in (place / "r").read_text(encoding="utf-8")


# Work


@pytest.mark.slow
@every_case("jobs", ["1", "2"])
@every_case("file", ["datasets/a.json", "rows.jsonl"])  # all at once, and part by part
def test_too_many_checks(
    jobs: str,
    file: str,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What can be afforded is graded, the rest is an error, and a finding says so."""
    monkeypatch.setattr(grading_work, "STEPS", 2500)
    made(place, *({**WORDS, "id": f"x{at}"} for at in range(150)), rows=3)
    rows_of = json.loads((place / "datasets/a.json").read_text())["questions"]
    (place / "rows.jsonl").write_text(lines(*rows_of))
    wanted = ("--outputs", "outputs.jsonl", "--results", "r", "--force", "--jobs", jobs)
    assert command_line("grade", file, *wanted) == 1
    assert "2 rows are not graded by rubric/a@1.0.0" in capsys.readouterr().err
    rows = rows_in(place / "r")
    assert [row["outcome"] for row in rows] == ["passed", "undecided", "undecided"]


def test_patterns_count_more_than_texts(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many checks as above, of which one row is too much."""
    monkeypatch.setattr(grading_work, "STEPS", 2500)
    checks = [{"id": f"x{at}", "kind": "regex", "pattern": f"y|{at}"} for at in range(150)]
    made(place, *checks, rows=1)
    assert grade() == 1
    monkeypatch.setattr(grading_work, "STEPS", 4000)
    assert grade() == 0


def test_few_checks_of_a_row_are_listed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A row with many checks that failed does not hide the others."""
    checks = ({**WORDS, "id": f"x{at}", "values": [f"w{at}"]} for at in range(24))
    made(place, *checks, rows=2, output="no")
    shown = {}
    for limit in ("1", "3", "23", "0"):
        assert grade("--limit", limit) == 0
        text = capsys.readouterr().out
        shown[limit] = (
            text.count("it contains none"),
            [line.strip() for line in text.splitlines() if "more check" in line],
        )
    more = "… and {}: `--limit 0` shows all"
    assert shown == {
        "1": (1, [more.format("23 more checks")]),
        "3": (6, [more.format("21 more checks")] * 2),
        "23": (46, [more.format("1 more check")] * 2),
        "0": (48, []),
    }


def test_ordinary_rubrics_have_no_limit(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grading_work, "STEPS", 0)
    values = [f"word {at}" for at in range(grading_work.TEXTS - 50)]
    checks = [{**WORDS, "id": f"x{at}"} for at in range(grading_work.CHECKS - 1)]
    made(place, *checks, {"id": "y", "kind": "must_not_contain", "values": values}, rows=50)
    assert grade() == 0


def test_findings_on_outputs_are_bounded(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(outputs, "MAX_FINDINGS", 5)
    with (place / "outputs.jsonl").open("a") as file:
        file.write("1\n{\n" * 20)
    assert grade() == 1
    printed = capsys.readouterr().err
    assert "more than 5 findings" in printed
    assert printed.count("error[") == 6


class _Clock:
    """A clock that goes on by ten seconds whenever it is read."""

    now = 0.0

    def __call__(self) -> float:
        self.now += 10
        return self.now


def test_slow_searches_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    import re

    monkeypatch.setattr(_searches, "monotonic", _Clock())
    searches, text = Searches(), "a" * 1000
    assert [searches.matcher(re.compile("a+"))(text) for _ in range(3)] == [True] * 3
    with pytest.raises(GivenUpError, match="20 seconds"):
        searches.matcher(re.compile("a+"))(text)
    with pytest.raises(GivenUpError, match="20 seconds"):  # whatever the length of the text is
        searches.matcher(re.compile("a+"))("a")
    for number in range(10):
        searches.matcher(re.compile(f"b+{number}"))(text)
    with pytest.raises(GivenUpError, match="120 seconds"):
        searches.matcher(re.compile("c+"))(text)


def test_searches_that_take_no_time_are_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    import re

    clock = _Clock()
    monkeypatch.setattr(_searches, "monotonic", clock)
    matches = Searches().matcher(re.compile("[0-9]+ (days|weeks)"))
    assert [matches("in 3 days"), matches("soon")] == [True, False]
    assert clock.now == 0
    assert not matches("1" * 1000)
    assert clock.now > 0


# Processes


@posix
@pytest.mark.slow
@pytest.mark.no_cover
# A search in the process, and one in a process of its own.
@every_case(
    ("number", "length"),
    some(product([signal.SIGINT, signal.SIGTERM, signal.SIGKILL], [60, 60_000]), times=4),
)
def test_no_process_outlives_the_run(number: signal.Signals, length: int, place: Path) -> None:
    made(place, {"id": "x", "kind": "regex", "pattern": "^(a|a)*$"}, rows=600)
    text = "a" * length + "b"
    recorded = lines(*({"id": f"r{at}", "output": text} for at in range(600)))
    (place / "outputs.jsonl").write_text(recorded)
    call = ("grade", "datasets/a.json", "--outputs", "outputs.jsonl", "--results", "r")
    running = subprocess.Popen(
        [sys.executable, "-m", "evalcontract", *call, "--jobs", "2"],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        wait_for(lambda: len(session_of(running.pid)) >= 3, 30)
        running.send_signal(number)
        # Who holds the pipes is known by their end: it comes when the last process is gone.
        _, error = running.communicate(timeout=30)
        wait_for(lambda: not session_of(running.pid), 30)
    finally:
        for left in session_of(running.pid):
            os.kill(left, signal.SIGKILL)
    assert b"Traceback" not in error
    assert (place / "r.partial").exists()
    assert not (place / "r").exists()


def session_of(leader: int) -> list[int]:
    """Return the processes of a session that have not ended."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, session = (folder / "stat").read_text().rpartition(") ")[2].split()[:4]
        except OSError:
            continue
        if int(session) == leader and state != "Z":
            found.append(int(folder.name))
    return found


def wait_for(condition: Any, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@posix
def test_what_fails_in_a_process_fails_here(capfd: pytest.CaptureFixture[str]) -> None:
    """Once: a traceback of the other process is not printed, too."""

    def fail(number: int) -> int:
        if number == 3:
            raise RecursionError("too deep")
        return number

    with pytest.raises(RecursionError):
        list(map_in_parallel(fail, range(6), 2))
    assert "Traceback" not in capfd.readouterr().err
