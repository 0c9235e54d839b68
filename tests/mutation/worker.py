"""Tries mutants in a copy of the repository, each in a process of its own.

A line of standard input is a trial as JSON, a line of standard output its verdict. What mutants
cannot change (pytest and the packages of others) is imported once; a trial is a fork of that.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis  # noqa: F401 - imported for the forks
import jsonschema  # noqa: F401 - the same
import jsonschema_rs  # noqa: F401 - the same
import orjson  # noqa: F401 - the same
import pytest
import syrupy  # noqa: F401 - the same
import yaml  # noqa: F401 - the same

if TYPE_CHECKING:
    from collections.abc import Sequence

#: What a trial may take before it counts as one that never ends.
CPU_SECONDS = 60
WALL_SECONDS = 600
MEMORY = 4 << 30

OPTIONS = (
    *("-q", "-x", "-m", "not slow", "--hypothesis-profile=brief", "--no-header", "--tb=line"),
    *(
        "-W",
        "ignore::pytest.PytestAssertRewriteWarning",
        "-p",
        "no:xdist",
        "-p",
        "no:cacheprovider",
    ),
)


class Chosen:
    """A plugin of pytest that runs the tests of a list alone, in its order."""

    def __init__(self, names: Sequence[str]) -> None:
        self._order = {name: number for number, name in enumerate(names)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Drop what is not in the list; a test whose name a mutant changes is dropped, too."""
        items[:] = sorted(
            (item for item in items if item.nodeid in self._order),
            key=lambda item: self._order[item.nodeid],
        )


class Without:
    """A plugin of pytest that leaves out the tests of a list."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = frozenset(names)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Drop what is in the list."""
        items[:] = [item for item in items if item.nodeid not in self._names]


def main() -> None:
    """Try what standard input lists."""
    sys.dont_write_bytecode = True
    for line in sys.stdin:
        print(json.dumps(_verdict(json.loads(line))), flush=True)  # noqa: T201 - the answer


def _verdict(trial: dict[str, Any]) -> str:
    """Return "survived", "killed" or "endless"; "untested" where pytest itself fails."""
    module = Path(trial["path"])
    before, times = module.read_bytes(), module.stat()
    module.write_text(trial["text"], encoding="utf-8")
    try:
        return _first_failure(trial)
    finally:
        module.write_bytes(before)
        # Bytecode is known by the time of its source.
        os.utime(module, ns=(times.st_atime_ns, times.st_mtime_ns))


def _first_failure(trial: dict[str, Any]) -> str:
    narrow: list[str] = trial["tests"]
    files = [*dict.fromkeys(name.partition("::")[0] for name in narrow)]
    if narrow and (verdict := _run([*OPTIONS, *files], [Chosen(narrow)])) != "survived":
        return verdict
    return _run([*OPTIONS, *trial["files"]], [Without(trial["idle"])])


def _run(arguments: list[str], plugins: list[object]) -> str:
    child = os.fork()
    if not child:
        _test(arguments, plugins)
    status = _waited(child)
    if status is None or os.WIFSIGNALED(status):
        return "endless"
    code = os.waitstatus_to_exitcode(status)
    if code == pytest.ExitCode.INTERNAL_ERROR:
        return "untested"
    passed = code in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}
    return "survived" if passed else "killed"


def _test(arguments: list[str], plugins: list[object]) -> None:
    """Run the tests in this process, and end it."""
    code = 1
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        with Path(os.devnull).open("rb") as nothing, Path("trial.log").open("wb") as log:
            os.dup2(nothing.fileno(), 0)
            for stream in (1, 2):
                os.dup2(log.fileno(), stream)
            code = int(pytest.main(arguments, plugins))
            sys.stdout.flush()
    except BaseException:  # noqa: BLE001 - nothing of the trial may reach the worker
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _waited(child: int) -> int | None:
    """Return how a process ended, and end what it started; None if it did not end in time."""
    until = time.monotonic() + WALL_SECONDS
    status = None
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        time.sleep(0.02)
    else:
        status = None
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if status is None:
        os.waitpid(child, 0)
    return status


if __name__ == "__main__":
    main()
