"""Rounds that were measured, kept in a file, so that what was broken off can go on.

A line is a round: which state of the code it is of, which session, which group, the machine's load
before it, and what each command cost.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from timing import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ROOT = Path(__file__).parents[1]
#: What the data depends on.
DATA = ("schema/*.json", "bench/samples.py", "bench/files.py")
#: What a time depends on: the data, the program, and how it is called.
MEASURED = (*DATA, "src/**/*.py", "bench/floor.py", "bench/plan.py")


@dataclass(frozen=True, slots=True)
class Round:
    """What the commands of a group cost, one run of each."""

    session: int
    group: str
    load: float
    runs: Mapping[str, Run]


class Store:
    """The rounds of one state of the code, in a file."""

    def __init__(self, file: Path, code: str) -> None:
        self._file = file
        self._code = code
        self._rounds: list[Round] = []
        if file.exists():
            self._rounds = list(_read(file.read_text(encoding="utf-8").splitlines(), code))

    def last_session(self) -> int:
        """Return the number of the last session; 0 where there was none."""
        return max((each.session for each in self._rounds), default=0)

    def add(self, new: Round) -> None:
        """Keep a round."""
        self._rounds.append(new)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        runs = {key: astuple(run) for key, run in new.runs.items()}
        line = [self._code, new.session, new.group, new.load, runs]
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def rounds(self, needs: Iterable[str], session: int | None = None) -> list[Round]:
        """Return the rounds with all these commands, of a session or the last that has any."""
        wanted = set(needs)
        found = [each for each in self._rounds if wanted <= each.runs.keys()]
        if session is None:
            session = max((each.session for each in found), default=0)
        return [each for each in found if each.session == session]


def _read(lines: Iterable[str], code: str) -> Iterable[Round]:
    for line in lines:
        try:
            of_code, session, group, load, runs = json.loads(line)
        except ValueError:  # broken off while it was written
            continue
        if of_code == code:
            costs = {key: Run(*cost) for key, cost in runs.items()}
            yield Round(session, group, load, costs)


def state_of(patterns: Iterable[str], root: Path = ROOT) -> str:
    """Return a name of the state of some files: another where anything in them is changed."""
    digest = hashlib.sha256()
    for pattern in patterns:
        for path in sorted(root.glob(pattern)):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
