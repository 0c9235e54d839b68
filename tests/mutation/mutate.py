"""Change the package in small ways, one at a time, and report the changes that no test notices.

make mutate MUTATE="--sample 200 --only model,structure/keys --seed 3"

What is tried is chosen by the seed and the code alone, so another run tries the same, and a change
of one module leaves the others' mutants as they were. Each is tried in a copy of the repository:
first with the tests that run its line, then with all tests of its room. What nobody could notice
stands in `equivalent.toml` with a reason, and is not counted.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, NamedTuple, Self

from covering import IMPORT, Covering, measure, store, stored
from known import read_known
from mutants import Mutant, mutants_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "build" / "mutation"
#: The tests of a room: fast ones that a mutant has to pass whatever lines they run.
_TOLD = ("tests/messages", "tests/test_codes.py", "tests/test_pages.py", "tests/test_house.py")
ROOMS = {
    "model": (
        *("tests/model", "tests/library", "tests/report"),
        *("tests/test_pages.py", "tests/test_codes.py"),
    ),
    "policy": ("tests/policy", "tests/cli/test_strictness.py"),
    "library": ("tests/library", "tests/messages"),
    "checks": ("tests/checks", "tests/api/test_grading.py", "tests/messages"),
    "structure": ("tests/structure", "tests/messages"),
    "rules": ("tests/rules", "tests/api/test_row_gate.py", *_TOLD),
}


class Tried(NamedTuple):
    """A mutant, and what became of it: "killed", "endless", "survived" or "equivalent"."""

    mutant: Mutant
    was: str
    becomes: str
    verdict: str


def main() -> int:
    """Choose mutants, try them, report by room."""
    asked = _arguments()
    source = ROOT / "src" / "evalcontract"
    known = read_known(source)
    chosen = [*_chosen(source, asked)]
    with tempfile.TemporaryDirectory(prefix="mutation") as folder, ExitStack() as stack:
        # Some tests run the package as another user, who has to read it.
        Path(folder).chmod(0o755)
        copies = [_copied(Path(folder) / str(number)) for number in range(asked.jobs)]
        covering = _covering(copies[0], asked)
        measured = {
            test for by_line in covering.values() for tests in by_line.values() for test in tests
        }
        workers: SimpleQueue[Worker] = SimpleQueue()
        for copy in copies:
            workers.put(stack.enter_context(Worker(copy)))
        _require_passing(workers, source, {_room(mutant) for mutant in chosen})

        def tried(mutant: Mutant) -> Tried:
            was, becomes = mutant.diff((source / mutant.file).read_text(encoding="utf-8"))
            if (mutant.file, was, becomes) in known:
                return Tried(mutant, was, becomes, "equivalent")
            worker = workers.get()
            try:
                tests = _tests_of(mutant, covering)
                idle = _idle(tests, measured) if asked.brief else ()
                verdict = worker.verdict(mutant, [test for test in tests if test != IMPORT], idle)
                return Tried(mutant, was, becomes, verdict)
            finally:
                workers.put(worker)

        with ThreadPoolExecutor(asked.jobs) as pool:
            results = [*_reported(pool.map(tried, chosen))]
    _summarise(results)
    survivors = [result.mutant.key for result in results if result.verdict == "survived"]
    KEPT.mkdir(parents=True, exist_ok=True)
    (KEPT / "survivors.json").write_text(json.dumps(survivors), encoding="utf-8")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default=",".join(ROOMS), help="rooms, folders or modules")
    parser.add_argument("--sample", type=int, default=100, help="mutants of each; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="the survivors of the last run alone")
    parser.add_argument(
        "--old-covering",
        action="store_true",
        help="do not measure anew which tests run which lines, though something has changed",
    )
    parser.add_argument(
        "--brief",
        action="store_true",
        help="try only tests that run the line, and new ones; may report survivors that are none",
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


def _chosen(source: Path, asked: argparse.Namespace) -> Iterator[Mutant]:
    again = set(json.loads((KEPT / "survivors.json").read_bytes())) if asked.again else None
    for part in asked.only.split(","):
        if part.partition("/")[0] not in ROOMS:
            raise SystemExit(
                f"--only {part}: no room, or nothing in one; rooms: {', '.join(ROOMS)}"
            )
        files = [source / part] if part.endswith(".py") else sorted((source / part).rglob("*.py"))
        mutants = [
            mutant
            for file in files
            for mutant in mutants_of(file, file.relative_to(source).as_posix())
        ]
        if again is not None:
            yield from (mutant for mutant in mutants if mutant.key in again)
            continue
        mutants.sort(
            key=lambda mutant: hashlib.sha256(f"{asked.seed}{mutant.key}".encode()).digest()
        )
        print(f"{part}: {len(mutants):,} mutants", flush=True)
        yield from mutants[: asked.sample or None]


def _room(mutant: Mutant) -> str:
    return mutant.file.partition("/")[0]


def _copied(to: Path) -> Path:
    """Copy what git knows of, and what it would; a link to the packages of Node is enough."""
    listing = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    listed = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.split("\0"):
        if name and (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)
    packages = ROOT / "tests" / "node" / "node_modules"
    if packages.is_dir():
        (to / "tests" / "node" / "node_modules").symlink_to(packages.resolve())
    return to


def _covering(copy: Path, asked: argparse.Namespace) -> Covering:
    digest = hashlib.sha256()
    for file in sorted(copy.rglob("*")):
        if file.is_file() and file.suffix != ".pyc" and "node_modules" not in file.parts:
            digest.update(file.relative_to(copy).as_posix().encode() + b"\0" + file.read_bytes())
    value = digest.hexdigest()
    kept = KEPT / "covering.json"
    covering = stored(kept, None if asked.old_covering else value)
    if covering is None:
        print("measuring which tests run which lines", flush=True)
        covering = measure(copy, asked.jobs, ROOMS)
        store(kept, value, covering)
    return covering


def _tests_of(mutant: Mutant, covering: Covering) -> list[str]:
    by_line = covering.get(mutant.file, {})
    lines = range(mutant.first, mutant.last + 1)
    return [*dict.fromkeys(test for line in lines for test in by_line.get(line, ()))]


def _idle(tests: Sequence[str], measured: set[str]) -> Sequence[str]:
    """Return the tests that need not be tried after those that run a line: all that were measured.

    What is run at import, or in other processes alone, any test may notice.
    """
    return () if IMPORT in tests or not tests else sorted(measured)


class Worker:
    """A process that tries mutants in a copy of the repository, one after the other."""

    def __init__(self, copy: Path) -> None:
        self._copy = copy

    def __enter__(self) -> Self:
        environment = {
            **os.environ,
            "PYTHONPATH": str(self._copy / "src"),
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).parent / "worker.py")],
            cwd=self._copy,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def printed(self) -> str:
        """Return what pytest printed in the last trial."""
        return (self._copy / "trial.log").read_text(encoding="utf-8", errors="replace")

    def verdict(self, mutant: Mutant, tests: Sequence[str], idle: Sequence[str]) -> str:
        """Return what becomes of a mutant: some tests are tried first, and `idle` ones never."""
        files = ROOMS[_room(mutant)]
        return self.of_text(mutant.file, mutant.write(), files, tests, idle)

    def of_text(
        self,
        module: str,
        text: str,
        files: Sequence[str],
        tests: Sequence[str] = (),
        idle: Sequence[str] = (),
    ) -> str:
        """Return what some tests, then all others of some files, say of a text of a module."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        path = str(self._copy / "src" / "evalcontract" / module)
        trial = {"path": path, "text": text, "tests": tests, "files": files, "idle": idle}
        self._process.stdin.write(json.dumps(trial) + "\n")
        self._process.stdin.flush()
        verdict: str = json.loads(self._process.stdout.readline())
        if verdict == "untested":
            raise SystemExit(f"{self.printed()}\npytest failed")
        return verdict


def _require_passing(workers: SimpleQueue[Worker], source: Path, rooms: set[str]) -> None:
    """End where the tests of a room fail without a mutant: they would kill every one."""
    text = (source / "__init__.py").read_text(encoding="utf-8")
    worker = workers.get()
    for room in sorted(rooms):
        if worker.of_text("__init__.py", text, ROOMS[room]) != "survived":
            raise SystemExit(f"{worker.printed()}\nthe tests of {room} fail without a mutant")
    workers.put(worker)


def _reported(results: Iterator[Tried]) -> Iterator[Tried]:
    """Print each survivor as soon as it is known."""
    for result in results:
        if result.verdict == "survived":
            mutant = result.mutant
            print(f"\nsrc/evalcontract/{mutant.file}:{mutant.first}")
            for sign, text in (("-", result.was), ("+", result.becomes)):
                print(
                    "".join(f"  {sign} {line}\n" for line in text.splitlines()), end="", flush=True
                )
        yield result


def _summarise(results: Sequence[Tried]) -> None:
    print()
    for room in ROOMS:
        of_room = Counter(each.verdict for each in results if _room(each.mutant) == room)
        counted = of_room["killed"] + of_room["endless"] + of_room["survived"]
        if counted:
            killed = counted - of_room["survived"]
            low, high = _interval(killed, counted)
            figures = f"{100 * killed / counted:5.1f} % of {counted} killed"
            others = ", ".join(
                f"{of_room[verdict]} {verdict}" for verdict in ("survived", "endless", "equivalent")
            )
            print(f"{room:<10} {figures} ({low:.0f} to {high:.0f} %), {others}")


def _interval(killed: int, tried: int) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of a share, in per cent."""
    z, share = 1.96, killed / tried
    middle = share + z * z / (2 * tried)
    spread = z * math.sqrt(share * (1 - share) / tried + (z / (2 * tried)) ** 2)
    scale = 100 / (1 + z * z / tried)
    return scale * (middle - spread), scale * (middle + spread)


if __name__ == "__main__":
    sys.exit(main())
