"""The doors that tests come in by: the command line in this process, and the same calls in Python.

Where they stand inside the package is known here alone.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from evalcontract.checking.pipeline import check_workspaces, validate
from evalcontract.cli.command import group, run
from evalcontract.covering import coverage
from evalcontract.datasets.opening import Input, Options
from evalcontract.model.errors import NothingToCheck, UsageError
from evalcontract.model.reference import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOT = Path(__file__).parents[1]

__all__ = [
    "ROOT",
    "Input",
    "Kind",
    "NothingToCheck",
    "Options",
    "Printed",
    "UsageError",
    "check_workspaces",
    "command_line",
    "command_lines",
    "coverage",
    "printed_by",
    "validate",
]


def command_line(*arguments: str | Path) -> int:
    """Run `evalcontract` in this process, as `sys.argv` would; return its exit code."""
    return run(group, [str(argument) for argument in arguments])


class Printed(NamedTuple):
    """What a call of the command line gave: its exit code, and what it printed."""

    code: int
    out: str
    err: str


def printed_by(*arguments: str | Path, cwd: Path) -> Printed:
    """Run `evalcontract` in this process, in a folder, with streams of its own."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with chdir(cwd), redirect_stdout(out), redirect_stderr(err):
        code = command_line(*arguments)
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())
    return Printed(code, *texts)


def command_lines(
    calls: Iterable[Sequence[str | Path]],
    *,
    cwd: Path,
    source: Path = ROOT / "src",
    before: Sequence[str] = (),
    timeout: float | None = None,
) -> list[Printed]:
    """Run each call in one and the same other process; `before` stands before its command.

    For what must not happen in this process: another package, another user, what may hang.
    """
    arguments = [[str(argument) for argument in call] for call in calls]
    paths = os.pathsep.join([str(source), str(Path(__file__).parent)])
    done = subprocess.run(
        [*before, sys.executable, "-c", "import doors; doors.run_each()"],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": paths},
        input=json.dumps(arguments),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        timeout=timeout,
    )
    found = [Printed(*json.loads(line)) for line in done.stdout.splitlines()]
    assert len(found) == len(arguments), f"this ended it: {arguments[len(found) :][:1]}"
    return found


def run_each() -> None:
    """Run the calls that standard input lists, and print what each gives as a line of JSON."""
    printed = sys.stdout
    for arguments in json.loads(sys.stdin.read()):
        print(json.dumps(printed_by(*arguments, cwd=Path())), file=printed, flush=True)
