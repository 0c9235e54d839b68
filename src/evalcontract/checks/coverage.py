"""Coverage: which checks will run on which rows, in cells, counted by row, file and rubric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Any, overload

from evalcontract.checks._kind import Prediction, State, outlooks_of
from evalcontract.checks.plan import Plan, Steps, own_predictions
from evalcontract.model.diagnostic import Place


@dataclass(frozen=True, slots=True)
class Cell:
    """One check on one row. For a row without a rubric, `check` is the key of the expectation."""

    check: str
    kind: str
    outlook: Prediction


class PlannedCells(Sequence[Cell]):
    """The checks of a rubric on a row, and then the `own` cells of the row.

    `outlooks` has a prediction for each group of checks. The cells are made when they are asked
    for: there are as many as rows times checks.
    """

    __slots__ = ("outlooks", "own", "steps")

    def __init__(
        self, steps: Steps, outlooks: tuple[Prediction, ...], own: tuple[Cell, ...]
    ) -> None:
        self.steps = steps
        self.outlooks = outlooks
        self.own = own

    def __len__(self) -> int:
        return self.steps.total + len(self.own)

    def __iter__(self) -> Iterator[Cell]:
        for step, outlook in self.steps.each_with(self.outlooks):
            yield Cell(step.name, step.kind, outlook)
        yield from self.own

    @overload
    def __getitem__(self, index: int) -> Cell: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Cell, ...]: ...
    def __getitem__(self, index: int | slice) -> Cell | tuple[Cell, ...]:
        return tuple(self)[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


def count_states(cells: Sequence[Cell]) -> Counter[State]:
    """Return the number of cells by state."""
    states: Counter[State] = Counter()
    if isinstance(cells, PlannedCells):
        for group, outlook in zip(cells.steps.groups, cells.outlooks, strict=True):
            states[outlook.state] += group.total
        cells = cells.own
    states.update(cell.outlook.state for cell in cells)
    return states


@dataclass(frozen=True, slots=True)
class RowCoverage:
    """One row: its index from 0, its id, the exact name of its rubric, and its checks.

    `rubric` is None if the row has none. `fault` is the reason if the row's checks are unknown: the
    row is malformed, or its reference cannot be resolved. `unasked` are the graders of another
    system that the row has nothing for; they are no checks of it.
    """

    index: int
    row: str | None
    rubric: str | None
    cells: Sequence[Cell]
    fault: str | None = None
    unasked: tuple[str, ...] = ()

    @property
    def runs(self) -> bool:
        """Whether at least one check will run on the row."""
        return count_states(self.cells)[State.RUN] > 0


@dataclass(frozen=True, slots=True)
class CoverageTotals:
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

    `rubrics` has the totals of checks by rubric. `rows` has the rows with a check that will not
    run, or all rows on request, each with its place. `unasked` counts the rows that have nothing
    for a grader of another system, by its name.
    """

    file: str
    totals: CoverageTotals
    rubrics: tuple[RubricCoverage, ...]
    rows: tuple[tuple[RowCoverage, Place], ...]
    unasked: Mapping[str, int] = field(default_factory=dict)

    @property
    def by_check(self) -> dict[tuple[str | None, str, str], CoverageTotals]:
        """The totals by (rubric, check, kind)."""
        totals: dict[tuple[str | None, str, str], CoverageTotals] = {}
        for rubric in self.rubrics:
            for check, kind, counts in rubric.checks():
                key = (rubric.name, check, kind)
                totals[key] = add(totals.get(key, CoverageTotals()), counts)
        return totals


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
    own = tuple(Cell(*predicted) for predicted in own_predictions(row, plan, graded))
    if plan is None:
        return RowCoverage(index, name, None, own)
    outlooks = tuple(outlooks_of((group.needs for group in plan.steps.groups), row))
    if not plan.is_gradable:
        unavailable = Prediction(State.UNAVAILABLE, f"{plan.artifact.name} is malformed")
        outlooks = tuple(unavailable if outlook.runs else outlook for outlook in outlooks)
    return RowCoverage(index, name, plan.artifact.name, PlannedCells(plan.steps, outlooks, own))


def _totals(states: Counter[State], **rows: int) -> CoverageTotals:
    return CoverageTotals(**{state.value: count for state, count in states.items()}, **rows)


def add(one: CoverageTotals, other: CoverageTotals) -> CoverageTotals:
    """Return the sum of two totals."""
    return CoverageTotals(*map(sum, zip(astuple(one), astuple(other), strict=True)))


class RubricCoverage:
    """The checks of one rubric, or the expectations of rows without one, counted over rows."""

    def __init__(self, name: str | None) -> None:
        self.name = name
        self._planned: dict[int, tuple[Steps, list[Counter[State]]]] = {}
        self._cells: dict[tuple[str, str], Counter[State]] = {}

    def take(self, cells: Sequence[Cell]) -> None:
        """Count the checks on a row."""
        if isinstance(cells, PlannedCells):
            steps = cells.steps
            if id(steps) not in self._planned:
                self._planned[id(steps)] = (steps, [Counter() for _ in steps.groups])
            _, counters = self._planned[id(steps)]
            for counter, outlook in zip(counters, cells.outlooks, strict=True):
                counter[outlook.state] += 1
            cells = cells.own
        for cell in cells:
            self._cells.setdefault((cell.check, cell.kind), Counter())[cell.outlook.state] += 1

    @property
    def count(self) -> int:
        """The number of checks."""
        return sum(steps.total for steps, _ in self._planned.values()) + len(self._cells)

    @property
    def states(self) -> Counter[State]:
        """The number of checks by state, over all rows."""
        states = sum(self._cells.values(), Counter[State]())
        for steps, counters in self._planned.values():
            for group, counter in zip(steps.groups, counters, strict=True):
                states.update({state: group.total * count for state, count in counter.items()})
        return states

    def checks(self) -> Iterator[tuple[str, str, CoverageTotals]]:
        """Yield the name and the kind of each check with its totals; names may repeat."""
        for steps, counters in self._planned.values():
            for step, totals in steps.each_with(_totals(counter) for counter in counters):
                yield step.name, step.kind, totals
        for (check, kind), counter in self._cells.items():
            yield check, kind, _totals(counter)


class CoverageTally:
    """Counts the coverage of a stream of rows, and keeps the rows with gaps, or all rows."""

    def __init__(self, *, keep_all: bool) -> None:
        self._keep_all = keep_all
        self._rubrics: dict[str | None, RubricCoverage] = {}
        self._rows = self._empty = self._idle = 0
        self._unasked: Counter[str] = Counter()
        self._kept: list[tuple[RowCoverage, Place]] = []

    def take(self, row: RowCoverage, place: Callable[[], Place]) -> None:
        """Count a row; `place` is called only if the row is kept."""
        has_gap = self.count(row)
        if self._keep_all or has_gap:
            self._kept.append((row, place()))

    def count(self, row: RowCoverage) -> bool:
        """Count a row without keeping it; return whether a check will not run on it."""
        if row.cells:
            self._rubrics.setdefault(row.rubric, RubricCoverage(row.rubric)).take(row.cells)
        running = count_states(row.cells)[State.RUN]
        self._rows += 1
        self._unasked.update(row.unasked)
        self._empty += not row.cells
        self._idle += not running
        return not row.cells or running < len(row.cells)

    def of(self, file: str) -> FileCoverage:
        """Return the coverage of the rows, as that of `file`."""
        rubrics = tuple(self._rubrics.values())
        totals = _totals(
            sum((rubric.states for rubric in rubrics), Counter[State]()),
            rows=self._rows,
            rows_without_checks=self._empty,
            rows_on_which_nothing_runs=self._idle,
        )
        return FileCoverage(file, totals, rubrics, tuple(self._kept), self._unasked)
