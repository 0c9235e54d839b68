"""What the runs of commands, round by round, say about a goal. Nothing here runs anything."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from timing import Run

    Round = Mapping[str, Run]

#: From here on the largest ratio by the smallest is a machine that was busy with something else.
NOISE = 1.25


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table: what is compared, and what it must be.

    What is measured is the time of `over` by that of `under` times `factor`; `less` is taken from
    both before. Without `under` it is the peak memory of `over`, in MB, the largest of all.
    `high` says whether more is better.
    """

    key: str
    title: str
    over: tuple[str, ...]
    under: str = ""
    less: str = ""
    factor: float = 1
    high: bool = True
    must: float | None = None
    aim: float | None = None
    #: Whether the time of the processor may stand in for wall time, on a busy machine.
    cpu_serves: bool = True

    def needs(self) -> tuple[str, ...]:
        """Return the keys of the commands."""
        return tuple(filter(None, (*self.over, self.under, self.less)))

    def is_memory(self) -> bool:
        """Whether it is about memory."""
        return not self.under


@dataclass(frozen=True, slots=True)
class Measured:
    """The values of a row, one for each round: by wall time (or in MB), by the processor's."""

    wall: tuple[float, ...]
    cpu: tuple[float, ...] = ()

    def by_cpu(self, row: Row) -> bool:
        """Whether the verdict is by the processor's time: wall time says less than it does."""
        return (
            bool(self.cpu) and row.cpu_serves and spread(self.wall) > max(NOISE, spread(self.cpu))
        )

    def verdict(self, row: Row) -> str:
        """Return what is met: `both`, `must`, `none`, or nothing where there is no goal."""
        if row.must is None or row.aim is None:
            return ""
        value = statistics.median(self.cpu if self.by_cpu(row) else self.wall)
        sign = 1 if row.high else -1
        # A goal is met by what the table shows.
        met = [round(value, digits(row)) * sign >= goal * sign for goal in (row.must, row.aim)]
        return {0: "none", 1: "must", 2: "both"}[sum(met)]


def digits(row: Row) -> int:
    """Return how many digits after the point are shown."""
    return 0 if row.is_memory() or (row.must or 0) >= 10 else 2


def measure(row: Row, rounds: Sequence[Round]) -> Measured:
    """Return the values of a row; every round has its commands."""
    if row.is_memory():
        return Measured(tuple(max(each[key].megabytes for key in row.over) for each in rounds))

    def ratio(each: Round, kind: str) -> float:
        def time(key: str) -> float:
            spent: float = getattr(each[key], kind)
            return spent - (getattr(each[row.less], kind) if row.less else 0)

        under = time(row.under)
        return time(row.over[0]) / under * row.factor if under > 0 else float("nan")

    return Measured(
        tuple(ratio(each, "seconds") for each in rounds),
        tuple(ratio(each, "cpu") for each in rounds),
    )


def spread(values: Sequence[float]) -> float:
    """Return the largest by the smallest."""
    return max(values) / min(values) if min(values) > 0 else float("inf")
