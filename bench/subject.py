"""What commands are made of: what is installed, the data, and how much of it there is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rows import ONE_BAD_IN
from timing import Command

if TYPE_CHECKING:
    from environments import Installed
    from ratios import Goal

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured: rows of the files, rubrics where there are many files."""

    yaml: int = 20_000
    lines: int = 100_000
    own: int = 200_000
    most: int = 1_000_000
    parts: int = 200

    @property
    def versioned(self) -> int:
        """The number of rubrics where versions are compared."""
        return 5 * self.parts


FULL = Sizes()
#: A fifth of the rows, for `make bench BENCH=--short`.
SHORT = Sizes(yaml=4_000, lines=20_000, own=40_000, most=200_000, parts=100)
QUICK = Sizes(yaml=200, lines=1_000, own=1_000, most=2_000, parts=10)


@dataclass(frozen=True, slots=True)
class Group:
    """Commands that take turns, so many rounds, and the goals that their runs decide."""

    name: str
    rounds: int
    commands: tuple[Command, ...]
    goals: tuple[Goal, ...]

    def reason(self, goal: Goal) -> str:
        """Return why a goal cannot be measured, or nothing."""
        return next(
            filter(None, (each.missing for each in self.commands if each.key in goal.needs)), ""
        )


@dataclass(frozen=True, slots=True)
class Subject:
    """What commands are made of: what is installed, the data, and how much of it there is."""

    ours: Installed
    peers: Installed
    with_rule: Installed
    with_arrow: Installed
    before: Installed
    data: Path
    cache: Path
    sizes: Sizes

    def check(self, key: str, file: str, rows: int, by: Installed | None = None) -> Command:
        """Return the check of a clean dataset."""
        by = by or self.ours
        one_core = ("--jobs", "1") if file.endswith(("jsonl", "parquet")) else ()
        # The parts of a large table would be known from the round before.
        anew = ("--no-cache",) if file.endswith("parquet") else ()
        asked = (by.program("evalcontract"), "validate-dataset", "--strict", *one_core, *anew)
        says = f"({rows:,} rows): no findings"
        what = f"evalcontract, {key}"
        return Command(key, what, (*asked, str(self.data / file)), rows, says, missing=by.missing)

    def evalcontract(self, key: str, *arguments: str, says: str = "") -> Command:
        """Return any other command of ours."""
        ours = (self.ours.program("evalcontract"), *arguments)
        return Command(key, f"evalcontract, {key}", ours, 0, says, missing=self.ours.missing)

    def check_bad(self, key: str, file: str, rows: int) -> Command:
        """Return the check of a dataset with bad rows; all findings are printed."""
        clean = self.check(key, file, rows)
        bad = rows // ONE_BAD_IN
        arguments = (*clean.arguments[:-1], "--limit", "0", clean.arguments[-1])
        says = f"({rows:,} rows): {bad:,} error{'s' if bad > 1 else ''}"
        return replace(clean, arguments=arguments, says=says, exits=1)

    def script(self, key: str, name: str, *files: str, rows: int, says: str = "") -> Command:
        """Return the run of a script of this folder."""
        arguments = (self.peers.program("python"), str(HERE / name))
        files = tuple(str(self.data / file) for file in files)
        return Command(key, key, (*arguments, *files), rows, says, missing=self.peers.missing)

    def sourcemeta(self, key: str, file: str, rows: int) -> Command:
        """Return sourcemeta's check of a dataset."""
        program = self.peers.sourcemeta()
        missing = self.peers.missing or ("" if program else "it has no program for this machine")
        files = (str(self.data / "dataset.schema.json"), str(self.data / file))
        return Command(key, key, (program, "validate", "--fast", *files), rows, missing=missing)

    def check_jsonschema(self, key: str, file: Path, rows: int = 0) -> Command:
        """Return check-jsonschema's check of a dataset."""
        program = self.peers.program("check-jsonschema")
        arguments = (program, "--schemafile", str(self.data / "dataset.schema.json"), str(file))
        says = "ok -- validation done"
        return Command(key, key, arguments, rows, says, missing=self.peers.missing)
