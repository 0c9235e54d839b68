"""Write every finding of every fixture, example and case, a line each, to compare two versions.

python tests/dump_findings.py OUT.jsonl [--python PATH] [--root REPOSITORY]

The version that is asked is the one that PATH imports (PYTHONPATH is passed on); without it, this
Python's. What is checked comes from REPOSITORY, by default the one of this file, and from the
folder that EVALCONTRACT_SHARED names, if any: compare two versions on the same ones. The day is the
one of the fixtures.
"""

from __future__ import annotations

import argparse
import datetime as dt
import gc
import io
import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

TODAY = (2026, 6, 1)
WORKERS = 2


def main() -> int:
    """Write the inputs, ask the version for its findings, write them sorted."""
    if sys.argv[1:2] == ["--worker"]:
        _work(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
        return 0
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1])
    asked = parser.parse_args()
    from needs import find_shared  # a worker runs with the tests off its path

    lines = dump(asked.root.resolve(), asked.python, shared=find_shared())
    asked.out.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"{len(lines):,} lines", file=sys.stderr)  # noqa: T201 - a script
    return 0


def dump(root: Path, python: str, *, shared: Path | None = None) -> list[str]:
    """Return what the version of a Python says of all inputs of a repository.

    `shared` is a folder of real files and cases that are checked, too.
    """
    from dump_inputs import write_inputs  # a worker has no PyYAML to spare

    with tempfile.TemporaryDirectory(prefix="findings") as folder:
        work = Path(folder).resolve()
        (work / "inputs").mkdir()
        calls = write_inputs(root, work / "inputs", shared)
        (work / "calls.json").write_text(json.dumps(calls), encoding="utf-8")
        script = (python, "-P", str(Path(__file__).resolve()), "--worker", str(work))
        environment = {**os.environ, "EVALCONTRACT_CACHE_DIR": str(work / "cache")}
        started = [
            subprocess.Popen((*script, str(first), str(WORKERS)), env=environment)
            for first in range(WORKERS)
        ]
        if any([each.wait() for each in started]):  # noqa: C419 - all of them are waited for
            raise SystemExit("a worker failed")
        found: list[str] = []
        for first in range(WORKERS):
            found += (work / f"{first}.jsonl").read_text(encoding="utf-8").splitlines()
    return sorted(found)


def _work(work: Path, first: int, step: int) -> None:
    """Make every `step`-th call, in this process; write what it says."""
    calls = json.loads((work / "calls.json").read_bytes())[first::step]
    program = _program()
    with (work / f"{first}.jsonl").open("w", encoding="utf-8") as out:
        for folder, arguments in calls:
            os.chdir(work / "inputs" / folder)
            status, said, told = _run(program, arguments)
            for line in _lines(f"{folder}: {' '.join(arguments)}", status, said, told):
                out.write(line.replace(str(work), "WORK") + "\n")


def _program() -> Callable[[], object]:
    """Return `evalcontract`, on a day that does not change."""

    class Date(dt.date):
        @classmethod
        def today(cls) -> Date:
            return cls(*TODAY)

    class DateTime(dt.datetime):
        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> DateTime:
            return cls(*TODAY, tzinfo=tz)

    dt.date, dt.datetime = Date, DateTime  # type: ignore[misc]
    gc.freeze = lambda: None  # it makes the end of a process cheap, and this one goes on
    (found,) = entry_points(group="console_scripts", name="evalcontract")
    program: Callable[[], object] = found.load()
    return program


def _run(program: Callable[[], object], arguments: Sequence[str]) -> tuple[int, str, str]:
    """Run the command; return its exit code, and what it prints on both streams."""
    kept = sys.argv, sys.stdout, sys.stderr
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    sys.argv = ["evalcontract", *arguments, "--output-format", "json"]
    sys.stdout, sys.stderr = out, err
    try:
        program()
        status = 0
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else 1
    finally:
        sys.argv, sys.stdout, sys.stderr = kept
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode("utf-8", "replace"))
    return status, texts[0], texts[1]


def _lines(name: str, status: int, said: str, told: str) -> Iterator[str]:
    """Yield a line for the outcome of a call, and one for each finding."""
    try:
        report: dict[str, Any] = json.loads(said)
    except ValueError:
        report = {"summary": said}
    yield _dump({"input": name, "exit": status, "summary": report["summary"], "stderr": told})
    for finding in report.get("findings", ()):
        yield _dump({"input": name, **finding})


def _dump(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=True)


if __name__ == "__main__":
    sys.exit(main())
