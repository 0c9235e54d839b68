"""Coverage: of every row and every check, whether it will run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evalcontract.checks._kind import Prediction, State
from evalcontract.checks.plan import OWN_EXPECTATIONS, Plan, own_outlooks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from evalcontract.model.span import Place


@dataclass(frozen=True, slots=True)
class Cell:
    """One check on one row. Where a row has no rubric, `check` is the key that it is graded by."""

    check: str
    kind: str
    outlook: Prediction


@dataclass(frozen=True, slots=True)
class RowCoverage:
    """One row: its index from 0, its id, the exact name of its rubric, and its checks.

    `rubric` is None for a row that refers to none. `fault` says why nothing is known of the row's
    checks: it is ill-formed, or its reference leads nowhere.
    """

    index: int
    row: str | None
    rubric: str | None
    cells: tuple[Cell, ...]
    fault: str | None = None

    @property
    def runs(self) -> bool:
        """Whether at least one check will run on the row."""
        return any(cell.outlook.runs for cell in self.cells)


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts of cells by what becomes of them, and of rows.

    A row on which nothing is known or nothing runs counts as one cell that does not run, so that
    it cannot be lost in a mean.
    """

    run: int = 0
    skip: int = 0
    vacuous: int = 0
    unavailable: int = 0
    rows: int = 0
    rows_without_checks: int = 0
    rows_on_which_nothing_runs: int = 0
    fail: int = 0

    @property
    def cells(self) -> int:
        """How many checks there are, over all rows."""
        told = self.run + self.skip + self.vacuous + self.unavailable + self.fail
        return told + self.rows_without_checks

    @property
    def percent(self) -> float:
        """The share of checks that will run, from 0 to 100; 0 where there are none."""
        return 100 * self.run / self.cells if self.cells else 0.0


@dataclass(frozen=True, slots=True)
class FileCoverage:
    """The coverage of one dataset.

    `by_check` counts by (rubric, check, kind). `rows` are those with a check that will not run,
    or all of them where that was asked for, each with its place.
    """

    file: str
    totals: Totals
    by_check: dict[tuple[str | None, str, str], Totals]
    rows: tuple[tuple[RowCoverage, Place], ...]


def cover(index: int, row: Any, plan: Plan | None, fault: str | None = None) -> RowCoverage:
    """Return the coverage of one row; `plan` is that of its rubric, None where it has none."""
    id_ = row.get("id") if isinstance(row, dict) else None
    name = id_ if isinstance(id_, str) else None
    if fault is not None:
        rubric = row.get("rubric_ref") if isinstance(row, dict) else None
        return RowCoverage(index, name, str(rubric) if rubric is not None else None, (), fault)
    if plan is None:
        cells = tuple(
            Cell(field, OWN_EXPECTATIONS[field], outlook)
            for field, outlook in own_outlooks(row).items()
        )
        return RowCoverage(index, name, None, cells)
    cells = tuple(Cell(step.name, step.kind, step.outlook(row)) for step in plan.steps)
    return RowCoverage(index, name, plan.artifact.name, cells)


def total(rows: Iterable[RowCoverage]) -> Totals:
    """Count cells and rows."""
    states: Counter[State] = Counter()
    count = empty = idle = 0
    for row in rows:
        count += 1
        empty += not row.cells
        idle += not row.runs
        states.update(cell.outlook.state for cell in row.cells)
    return Totals(
        states[State.RUN],
        states[State.SKIP],
        states[State.VACUOUS],
        states[State.UNAVAILABLE],
        count,
        empty,
        idle,
        states[State.FAIL],
    )


def add(one: Totals, other: Totals) -> Totals:
    """Add two counts up."""
    return Totals(
        one.run + other.run,
        one.skip + other.skip,
        one.vacuous + other.vacuous,
        one.unavailable + other.unavailable,
        one.rows + other.rows,
        one.rows_without_checks + other.rows_without_checks,
        one.rows_on_which_nothing_runs + other.rows_on_which_nothing_runs,
        one.fail + other.fail,
    )


class Tally:
    """Counts the coverage of rows as they stream by; rows with a gap are kept, or all of them."""

    def __init__(self, *, keep_all: bool) -> None:
        self._keep_all = keep_all
        self._states: dict[tuple[str | None, str, str], Counter[State]] = {}
        self._rows = self._empty = self._idle = 0
        self._kept: list[tuple[RowCoverage, Place]] = []

    def take(self, row: RowCoverage, place: Callable[[], Place]) -> None:
        """Count a row; `place` is asked only if it is kept."""
        running = 0
        for cell in row.cells:
            state = cell.outlook.state
            key = (row.rubric, cell.check, cell.kind)
            if key not in self._states:
                self._states[key] = Counter()
            self._states[key][state] += 1
            running += state is State.RUN
        self._rows += 1
        self._empty += not row.cells
        self._idle += not running
        if self._keep_all or not row.cells or running < len(row.cells):
            self._kept.append((row, place()))

    def of(self, file: str) -> FileCoverage:
        """Return the coverage of the file that the rows were of."""
        by_check = {
            key: Totals(**{state.value: count for state, count in states.items()})
            for key, states in self._states.items()
        }
        totals = Totals(
            rows=self._rows,
            rows_without_checks=self._empty,
            rows_on_which_nothing_runs=self._idle,
        )
        for each in by_check.values():
            totals = add(totals, each)
        return FileCoverage(file, totals, by_check, tuple(self._kept))
