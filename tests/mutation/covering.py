"""Which tests run which lines: the tests that a mutant of a line is tried with first."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import coverage
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

#: Tests that run the package in other processes, or look at its text.
_LEFT_OUT = ("bench", "editor", "hooks", "packaging", "test_house.py", "test_readme.py")
#: So many tests are tried first, so many of a file.
_TESTS, _TESTS_OF_A_FILE = 150, 30

#: Stands among the tests of a line that is run where its module is imported.
IMPORT = ""

#: The tests of the lines of a module, by its name below `src/evalcontract`.
Covering = dict[str, dict[int, list[str]]]


def measure(copy: Path, jobs: int, rooms: Iterable[str]) -> Covering:
    """Run the fast tests in a copy of the repository; return which of them run which lines.

    A test that fails without a mutant says nothing of one: it is named on standard error, and
    left out.
    """
    data = copy / "covering"
    arguments = (
        *("-q", "-n", str(jobs), "--dist", "loadfile", "-p", "no:cacheprovider", "-m", "not slow"),
        *("--hypothesis-profile=brief", "-rfE", "--cov-context=test", "--cov-report="),
        *(f"--cov=src/evalcontract/{room}" for room in rooms),
        *(f"--ignore=tests/{name}" for name in _LEFT_OUT),
    )
    environment = {**os.environ, "COVERAGE_FILE": str(data), "PYTHONPATH": str(copy / "src")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=copy,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
        raise SystemExit(f"{done.stdout}\npytest failed")
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    if failed:
        lines = ("left out: these fail without a mutant", *failed)
        sys.stderr.write("\n  ".join(lines) + "\n")
    return read(data, copy / "src" / "evalcontract", failed)


def read(data: Path, package: Path, failed: Iterable[str] = ()) -> Covering:
    """Return what coverage has measured, without the tests that pytest's summary lines name."""
    bad = {line.partition(" ")[2].partition(" - ")[0] for line in failed}
    measured = coverage.CoverageData(str(data))
    measured.read()
    lines = {
        os.path.relpath(file, package): {
            line: [
                test
                for test in (context.partition("|")[0] for context in contexts)
                if test not in bad
            ]
            for line, contexts in measured.contexts_by_lineno(file).items()
        }
        for file in measured.measured_files()
    }
    breadth = Counter(
        test for by_line in lines.values() for tests in by_line.values() for test in tests
    )
    return {
        file: {line: _narrowest(tests, breadth) for line, tests in by_line.items()}
        for file, by_line in lines.items()
    }


def _narrowest(tests: Iterable[str], breadth: Counter[str]) -> list[str]:
    """Return the tests that run the fewest lines, some of each file."""
    of_file: Counter[str] = Counter()
    chosen = []
    for test in sorted(set(tests), key=lambda test: (test != IMPORT, breadth[test], test)):
        file = test.partition("::")[0]
        of_file[file] += 1
        if of_file[file] <= _TESTS_OF_A_FILE:
            chosen.append(test)
    return chosen[:_TESTS]


def stored(file: Path, digest: str | None) -> Covering | None:
    """Return what was measured of the same sources and tests, of any where the digest is None."""
    if not file.is_file():
        return None
    known = json.loads(file.read_bytes())
    if digest is not None and known["digest"] != digest:
        return None
    return {
        module: {int(line): tests for line, tests in by_line.items()}
        for module, by_line in known["covering"].items()
    }


def store(file: Path, digest: str, covering: Covering) -> None:
    """Keep what was measured."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"digest": digest, "covering": covering}), encoding="utf-8")
