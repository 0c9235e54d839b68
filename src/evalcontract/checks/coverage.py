"""Coverage: which checks will run on which rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evalcontract.checks._kind import Prediction, State
from evalcontract.checks.plan import Plan, predictions

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.model.span import Place


@dataclass(frozen=True, slots=True)
class Cell:
    """One check on one row. For a row without a rubric, `check` is the key of the expectation."""

    check: str
    kind: str
    outlook: Prediction


@dataclass(frozen=True, slots=True)
class RowCoverage:
    """One row: its index from 0, its id, the exact name of its rubric, and its checks.

    `rubric` is None if the row has none. `fault` is the reason if the row's checks are unknown: the
    row is malformed, or its reference cannot be resolved.
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
    """Counts of cells by state, and of rows.

    A row without checks counts as one cell that does not run, so that it lowers the average.
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
        """The number of checks over all rows, counting a row without checks as one."""
        checks = self.run + self.skip + self.vacuous + self.unavailable + self.fail
        return checks + self.rows_without_checks

    @property
    def percent(self) -> float:
        """The percentage of checks that will run, from 0 to 100; 0 if there are none."""
        return 100 * self.run / self.cells if self.cells else 0.0


@dataclass(frozen=True, slots=True)
class FileCoverage:
    """The coverage of one dataset.

    `by_check` has totals by (rubric, check, kind). `rows` has the rows with a check that will not
    run, or all rows on request, each with its place.
    """

    file: str
    totals: Totals
    by_check: dict[tuple[str | None, str, str], Totals]
    rows: tuple[tuple[RowCoverage, Place], ...]


def cover(
    index: int,
    row: Any,
    plan: Plan | None,
    fault: str | None = None,
    graded: frozenset[str] = frozenset(),
) -> RowCoverage:
    """Return the coverage of one row; `plan` is that of its rubric, or None.

    `graded` are the keys of rows that the graders of the runner read.
    """
    id_ = row.get("id") if isinstance(row, dict) else None
    name = id_ if isinstance(id_, str) else None
    if fault is not None:
        rubric = row.get("rubric_ref") if isinstance(row, dict) else None
        return RowCoverage(index, name, str(rubric) if rubric is not None else None, (), fault)
    cells = tuple(Cell(*predicted) for predicted in predictions(row, plan, graded))
    return RowCoverage(index, name, plan.artifact.name if plan else None, cells)


def add(one: Totals, other: Totals) -> Totals:
    """Return the sum of two totals."""
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
    """Counts the coverage of a stream of rows, and keeps the rows with gaps, or all rows."""

    def __init__(self, *, keep_all: bool) -> None:
        self._keep_all = keep_all
        self._states: dict[tuple[str | None, str, str], Counter[State]] = {}
        self._rows = self._empty = self._idle = 0
        self._kept: list[tuple[RowCoverage, Place]] = []

    def take(self, row: RowCoverage, place: Callable[[], Place]) -> None:
        """Count a row; `place` is called only if the row is kept."""
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
        """Return the coverage of the rows, as that of `file`."""
        by_check = {
            key: Totals(**{state.value: count for state, count in states.items()})
            for key, states in self._states.items()
        }
        totals = Totals(
            rows=self._rows,
            rows_without_checks=self._empty,
            rows_on_which_nothing_runs=self._idle,
        )
        for counts in by_check.values():
            totals = add(totals, counts)
        return FileCoverage(file, totals, by_check, tuple(self._kept))
