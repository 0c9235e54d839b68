"""The coverage table of a dataset for the HTML report: rows by checks, in little memory."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from evalcontract.checks._kind import State
from evalcontract.checks.coverage import PlannedCells, Tally, Totals
from evalcontract.checks.outcome import Outcome
from evalcontract.page.content import Column, CoverageRow, CoverageTable, Evidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from evalcontract.checks._kind import Prediction
    from evalcontract.checks.coverage import Cell, RowCoverage
    from evalcontract.page.content import GradedRun

# A rubric may have thousands of checks; a table wider than this is no picture any more.
_MAX_COLUMNS = 500
# The cells that all patterns have together: of more, rows are left out.
_MAX_CELLS = 2_000_000

_Key = tuple[str | None, str, str, int]


class CoverageCollector:
    """Collects the rows of one dataset; of more than `max_rows`, those that have something to say.

    The columns of a rubric stand together, in the order of its checks. `max_rows` 0 keeps all rows.
    With the results of `run`, it tells which checks did not run that were predicted to.
    """

    def __init__(self, file: str, max_rows: int, run: GradedRun | None = None) -> None:
        self._file = file
        self._results = None if run is None else _Results(run)
        self._max_rows = max_rows
        self._tally = Tally(keep_all=False)
        self._columns: dict[_Key, int] = {}
        self._names: list[str] = []
        self._missed: Counter[int] = Counter()
        self._patterns: dict[object, int] = {}
        self._cells: list[dict[int, Prediction]] = []
        self._cell_count = 0
        self._used: Counter[int] = Counter()
        self._telling: list[CoverageRow] = []
        self._others: list[CoverageRow] = []
        self.row_count = 0

    def take(self, row: RowCoverage, *, has_findings: bool) -> None:
        """Take the coverage of a row."""
        self.row_count += 1
        has_gap = self._tally.count(row)
        pattern = self._pattern_of(row)
        missed = {} if self._results is None else self._results.take(row)
        if pattern is None:
            return
        self._used[pattern] += 1
        kept = self._telling if has_findings or has_gap or missed else self._others
        columns = dict(self._missed_columns(pattern, missed)) if missed else {}
        if not self._max_rows or len(kept) < self._max_rows:
            number = self._results.number(columns) if self._results and columns else None
            kept.append(CoverageRow(row.index, row.row, pattern, row.fault, number))

    def _missed_columns(self, pattern: int, missed: Mapping[str, str]) -> Iterator[tuple[int, str]]:
        """Yield the columns of a row whose checks did not run, each with the reason."""
        for at, prediction in self._cells[pattern].items():
            check = self._names[at]
            if prediction.state is State.RUN and check in missed:
                self._missed[at] += 1
                yield at, missed[check]

    def table(self) -> CoverageTable:
        """Return the table of all rows that were taken."""
        room = max(self._max_rows - len(self._telling), 0) if self._max_rows else None
        rows = sorted([*self._telling, *self._others[:room]])
        order = self._grouped()
        number = {old: new for new, old in enumerate(order[:_MAX_COLUMNS])}
        keys = list(self._columns)
        patterns = [
            {number[at]: prediction for at, prediction in cells.items() if at in number}
            for cells in self._cells
        ]
        return CoverageTable(
            self._file,
            self._tally.of(self._file).totals,
            [Column(*keys[at][:3]) for at in number],
            _counts(len(number), patterns, self._used),
            patterns,
            rows,
            len(order) - len(number),
            self._evidence(number),
        )

    def _evidence(self, number: Mapping[int, int]) -> Evidence | None:
        """Return what did not run; `number` is that of a column in the table."""
        if self._results is None:
            return None
        patterns = [
            {number[at]: reason for at, reason in columns if at in number}
            for columns in self._results.patterns
        ]
        by_column = [self._missed[at] for at in number]
        return Evidence(self._results.file, self._results.missed, by_column, patterns)

    def _grouped(self) -> list[int]:
        """Return the numbers of the columns, those of one rubric together."""
        rubrics = {key[0]: None for key in self._columns}
        rank = {rubric: at for at, rubric in enumerate(rubrics)}
        return [at for _, at in sorted((rank[key[0]], at) for key, at in self._columns.items())]

    def _pattern_of(self, row: RowCoverage) -> int | None:
        """Return the number of the pattern of a row; None if there is no room for a new one."""
        cells = row.cells
        key: object = (row.rubric, tuple(cells))
        if isinstance(cells, PlannedCells):
            key = (row.rubric, id(cells.steps), cells.outlooks, cells.own)
        if key not in self._patterns:
            if self._cell_count > _MAX_CELLS:
                return None
            self._patterns[key] = len(self._cells)
            self._cells.append(self._placed(row.rubric, cells))
            self._cell_count += len(cells)
        return self._patterns[key]

    def _placed(self, rubric: str | None, cells: Iterable[Cell]) -> dict[int, Prediction]:
        seen: Counter[tuple[str, str]] = Counter()
        placed = {}
        for cell in cells:
            name = (cell.check, cell.kind)
            key = (rubric, *name, seen[name])  # names may repeat
            seen[name] += 1
            if key not in self._columns:
                self._columns[key] = len(self._columns)
                self._names.append(cell.check)
            placed[self._columns[key]] = cell.outlook
        return placed


class _Results:
    """The results of a run beside what was predicted; `missed` counts what did not run."""

    def __init__(self, run: GradedRun) -> None:
        self.file = run.file
        self.missed = 0
        self._rows = {row.id: row for row in run.rows}
        self._numbers: dict[tuple[tuple[int, str], ...], int] = {}

    @property
    def patterns(self) -> Iterable[tuple[tuple[int, str], ...]]:
        """The columns that did not run, each with its reason, by their number."""
        return self._numbers

    def number(self, columns: Mapping[int, str]) -> int:
        """Return the number of columns that did not run, each with its reason."""
        return self._numbers.setdefault(tuple(columns.items()), len(self._numbers))

    def take(self, row: RowCoverage) -> dict[str, str]:
        """Return the checks of a row that were predicted to run and did not, with the reasons."""
        predicted = [cell.check for cell in row.cells if cell.outlook.state is State.RUN]
        found = dict(self._reasons(row)) if predicted else {}
        usual = self._usual(row)
        reasons = {check: found.get(check, usual) for check in predicted}
        missed = {check: reason for check, reason in reasons.items() if reason is not None}
        self.missed += sum(check in missed for check in predicted)
        return missed

    def _reasons(self, row: RowCoverage) -> Iterator[tuple[str, str | None]]:
        """Yield the checks in the results of a row; None if they ran, else why not."""
        result = self._rows.get(row.row or "")
        if result is None or result.rubric != row.rubric:
            return
        for check in result.checks:
            for name, leaf in check.leaves():
                ran = leaf.outcome in (Outcome.PASSED, Outcome.FAILED)
                yield name, None if ran else _said(leaf.outcome, leaf.reason)

    def _usual(self, row: RowCoverage) -> str:
        """Return why a check that is not in the results of a row did not run."""
        result = self._rows.get(row.row or "")
        if result is None:
            return "the row is not in the results"
        if result.outcome is Outcome.UNDECIDED and not result.checks:
            return _said(result.outcome, result.reason)
        if result.rubric != row.rubric:
            return f"the row was graded by {result.rubric or 'its own expectations'}"
        return "the check is not in the results"


def _said(outcome: Outcome, reason: str | None) -> str:
    return f"{outcome}: {reason}" if reason else str(outcome)


def _counts(
    columns: int, patterns: Sequence[Mapping[int, Prediction]], used: Mapping[int, int]
) -> list[Totals]:
    counters: list[Counter[State]] = [Counter() for _ in range(columns)]
    for pattern, cells in enumerate(patterns):
        for at, prediction in cells.items():
            counters[at][prediction.state] += used[pattern]
    return [Totals(**{str(state): count for state, count in each.items()}) for each in counters]
