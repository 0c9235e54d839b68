"""The verdict of several processes is that of one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from examples import a_few, some

from evalcontract.checking.pipeline import validate
from evalcontract.datasets import row_check as dataset_check
from evalcontract.datasets import workers
from evalcontract.datasets.opening import Input, Options
from evalcontract.model.diagnostic import Problem, RunOutcome
from evalcontract.model.reference import Kind
from evalcontract.source import jsonl

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")

RUBRIC = """\
id: facts
version: "1.0.0"
checks:
  - {id: facts, kind: fact_match}
scoring: {combine: all_pass}
"""


def clean(number: int) -> dict[str, Any]:
    return {
        "id": f"row_{number}",
        "input": "Why?",
        "expected_facts": ["left"],
        "rubric_ref": "rubric/facts@1.0.0",
    }


def lines_of(count: int) -> list[bytes]:
    return [json.dumps(clean(number)).encode() for number in range(count)]


def with_faults(lines: list[bytes]) -> list[bytes]:
    """Put a fault of every sort into some lines, all over the file."""
    size = len(lines)
    changes: list[Callable[[bytes], bytes]] = [
        lambda line: line.replace(b"expected_facts", b"expecteed_facts"),
        lambda line: line.replace(b'"Why?"', b"7"),
        lambda line: line.replace(b"facts@1.0.0", b"fact@1.0.0"),
        lambda line: line.replace(b"@1.0.0", b""),
        lambda line: line.replace(b'"row_', b'"row_1", "id": "row_'),
        lambda _: json.dumps(clean(3)).encode(),
        lambda _: b"",
        lambda _: b"{",
        lambda _: b'"\xff"',
        lambda line: line.replace(b'"input"', b'"bundle": "nobody", "input"'),
    ]
    for number, change in enumerate(changes):
        for at in range(number * 7 + 5, size, 97):
            lines[at] = change(lines[at])
    return lines


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace where even a small file is worth several processes."""
    monkeypatch.setattr(dataset_check, "MIN_PART_BYTES", 1000)
    monkeypatch.setattr(jsonl, "BLOCK_BYTES", 1000)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "facts.yaml").write_text(RUBRIC)
    return tmp_path


def outcome_of(data: bytes, place: Path, jobs: int, limit: int = 0) -> RunOutcome:
    path = place / "rows.jsonl"
    path.write_bytes(data)
    return validate(Kind.DATASET, [Input(path)], Options(root=place, jobs=jobs, max_findings=limit))


def reverse(line: Any) -> Any:
    return line[::-1]


DATA = {
    "clean": b"\n".join(lines_of(600)),
    "faults": b"\n".join(with_faults(lines_of(600))) + b"\n",
    "CRLF and a mark": b"\xef\xbb\xbf" + b"\r\n".join(with_faults(lines_of(300))),
    "long lines": b"\n".join(
        json.dumps({**clean(number), "input": "x" * (9000 if number % 7 == 0 else 9)}).encode()
        for number in range(60)
    ),
    "one line": json.dumps({**clean(0), "input": "x" * 20_000}).encode(),
    "blank lines first": b"\n" * 9000 + b"\n".join(lines_of(9)),
    "blank lines last": b"\n".join(lines_of(9)) + b"\n" * 9000,
    "nothing but blanks": b" \n" * 9000,
    "shuffled": b"\n".join(sorted(with_faults(lines_of(600)), key=reverse)),
    "ids with NUL": b"\n".join(
        json.dumps(
            {**clean(number), "id": f"\0{number % 170}" if number > 150 else f"r{number}"}
        ).encode()
        for number in range(400)
    ),
    "the same ids again": b"\n".join(lines_of(250) * 2),
    "another encoding": "\n".join(map(str, range(9000))).encode("utf-16"),
    "binary": b"\0" + b"\n".join(lines_of(60)),
    "no JSONL": json.dumps({"questions": [clean(n) for n in range(99)]}, indent=1).encode(),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "jobs"),
    a_few([*((name, 3) for name in DATA), *(("faults", jobs) for jobs in (2, 7))]),
)
def test_the_verdict_is_the_same(name: str, jobs: int, place: Path) -> None:
    alone, together = (outcome_of(DATA[name], place, count) for count in (1, jobs))
    assert together.diagnostics == alone.diagnostics
    assert (together.rows, together.files) == (alone.rows, alone.files)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "limit"),
    some(
        (
            (name, limit)
            for name in ("faults", "shuffled", "CRLF and a mark", "the same ids again")
            for limit in (1, 40, 120)
        ),
        times=4,
    ),
)
def test_a_run_that_stops_reads_the_same_rows(name: str, limit: int, place: Path) -> None:
    alone, *others = (outcome_of(DATA[name], place, jobs, limit) for jobs in (1, 2, 3, 7))
    assert [told.rows for told in others] == [alone.rows] * 3
    assert [told.diagnostics for told in others] == [alone.diagnostics] * 3


@pytest.mark.costly
def test_there_were_several(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each process tells its number in place of a finding."""
    look = dataset_check.DatasetCheck._check_batch  # noqa: SLF001 - what each process runs

    def signed(*given: Any, **more: Any) -> Any:
        own = Problem("dataset/wrong-type", str(os.getpid()), (0,))
        return look(*given, **more)._replace(problems=[own])

    monkeypatch.setattr(dataset_check.DatasetCheck, "_check_batch", signed)
    found = outcome_of(DATA["clean"], place, 3).diagnostics
    assert len({each.message for each in found}) == 3


@pytest.mark.costly
def test_a_process_that_dies_is_done_without(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = os.getpid()
    look = dataset_check.DatasetCheck.check_rows

    def deadly(*given: Any, **more: Any) -> Any:
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return look(*given, **more)

    alone = outcome_of(DATA["faults"], place, 1)
    monkeypatch.setattr(dataset_check.DatasetCheck, "check_rows", deadly)
    assert outcome_of(DATA["faults"], place, 3).diagnostics == alone.diagnostics


def test_a_small_file_is_looked_at_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset_check, "check_in_parallel", lambda *_: pytest.fail("not worth it"))
    monkeypatch.chdir(tmp_path)
    assert outcome_of(b"\n".join(lines_of(60)), tmp_path, 8).rows == 60


@pytest.mark.slow
def test_no_process_is_left_behind(place: Path) -> None:
    """Ctrl-C ends all of them, and says so once."""
    (place / "rows.jsonl").write_bytes(b"\n".join(lines_of(3000)) * 100)
    program = (
        "import sys, time\n"
        "from evalcontract.cli import start\n"
        "from evalcontract.datasets import row_check\n"
        "row_check.MIN_PART_BYTES = 1000\n"
        "row_check.DatasetCheck._check_batch = lambda *_, **__: time.sleep(60)\n"
        "sys.argv = ['evalcontract', 'validate-dataset', 'rows.jsonl', '--jobs', '3']\n"
        "sys.exit(start.evalcontract())\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stderr=subprocess.PIPE,
        cwd=place,
        start_new_session=True,
    ) as process:
        time.sleep(2)
        os.killpg(process.pid, signal.SIGINT)
        _, told = process.communicate(timeout=20)
    assert b"Traceback" not in told
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [3, 6])
def test_workers_end_with_a_main_process_that_is_killed(place: Path, jobs: int) -> None:
    """A killed process cannot end its workers; nobody may wait for what they hold open."""
    (place / "rows.jsonl").write_bytes(b"\n".join(lines_of(3000)) * 100)
    program = (
        "import os, sys, time\n"
        "from evalcontract.cli import start\n"
        "from evalcontract.datasets import row_check\n"
        "row_check.MIN_PART_BYTES = 1000\n"
        "look, here = row_check.DatasetCheck._check_batch, os.getpid()\n"
        "def slowly(*given, **more):\n"
        "    if os.getpid() == here:\n"
        "        print('ready', flush=True)\n"
        "        time.sleep(60)\n"
        "    return look(*given, **more)\n"
        "row_check.DatasetCheck._check_batch = slowly\n"
        f"sys.argv = ['evalcontract', 'validate-dataset', 'rows.jsonl', '--jobs', '{jobs}']\n"
        "sys.exit(start.evalcontract())\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=place, start_new_session=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"
        process.kill()
        rest, _ = process.communicate(timeout=60)  # until no process holds the output any more
    assert rest == b""


@pytest.mark.slow
def test_processes_that_cannot_be_started(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each start after the first fails, as where there are too many processes."""
    fork = os.fork
    started: list[bool] = []

    def limited() -> int:
        if started:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        started.append(True)
        return fork()

    alone = outcome_of(DATA["faults"], place, 1)
    monkeypatch.setattr(os, "fork", limited)
    assert outcome_of(DATA["faults"], place, 4).diagnostics == alone.diagnostics
    assert started


def test_cores() -> None:
    assert workers.usable_cores() >= 1
