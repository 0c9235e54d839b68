"""What the runs of commands, round by round, say about a goal. Nothing here runs anything."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from operator import truediv
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from timing import Run

    Round = Mapping[str, Run]


@dataclass(frozen=True, slots=True)
class Case:
    """Two commands whose processor time is compared: that of `over` by that of `under`.

    With `elapsed` it is the time that passes. Without `under` it is the peak memory of `over`, in
    MB. With `beside`, the ratio is divided by that of two other commands in the same round.
    """

    over: str
    under: str = ""
    name: str = ""
    elapsed: bool = False
    beside: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Goal:
    """A line of the table: what is compared in which cases, and what the worst of them must be.

    `high` says whether more is better.
    """

    title: str
    cases: tuple[Case, ...]
    must: float | None = None
    aim: float | None = None
    high: bool = True

    @property
    def is_memory(self) -> bool:
        """Whether it is about memory."""
        return not all(case.under for case in self.cases)

    @property
    def needs(self) -> set[str]:
        """The keys of the commands."""
        keys = (key for case in self.cases for key in (case.over, case.under, *(case.beside or ())))
        return {key for key in keys if key}

    def is_measured(self, rounds: Sequence[Round]) -> bool:
        """Whether its commands were run."""
        return bool(rounds) and self.needs <= rounds[0].keys()


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured of a case, one value for each round."""

    case: Case
    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle one."""
        return statistics.median(self.values)


def measure(case: Case, rounds: Sequence[Round]) -> Measured:
    """Return the values of a case; a ratio is of one round."""
    if not case.under:
        return Measured(case, tuple(each[case.over].megabytes for each in rounds))
    runs = ((each[case.over], each[case.under]) for each in rounds)
    if case.elapsed:
        pairs = ((over.seconds, under.seconds) for over, under in runs)
    else:
        pairs = ((over.cpu, under.cpu) for over, under in runs)
    values = tuple(over / under if under else float("nan") for over, under in pairs)
    if case.beside is None:
        return Measured(case, values)
    others = measure(Case(*case.beside), rounds).values
    return Measured(case, tuple(map(truediv, values, others)))


def worst(goal: Goal, measured: Sequence[Measured]) -> Measured:
    """Return the case that is furthest from the goal."""
    return (min if goal.high else max)(measured, key=lambda each: each.median)


def verdict(goal: Goal, value: float) -> str:
    """Return which goals a value reaches, as far as it is shown: both, must, none, or nothing."""
    shown = round(value, digits(goal))

    def reaches(bound: float | None) -> bool:
        return bound is not None and (shown >= bound if goal.high else shown <= bound)

    if goal.must is None and goal.aim is None:
        return ""
    return "must and aim" if reaches(goal.aim) else "must" if reaches(goal.must) else "**no**"


def digits(goal: Goal) -> int:
    """Return how many digits behind the point mean anything."""
    return 0 if goal.is_memory else 2
