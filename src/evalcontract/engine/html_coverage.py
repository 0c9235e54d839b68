"""The coverage table of a dataset for the HTML report: rows by checks, in little memory."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from evalcontract.checks.cells import PlannedCells
from evalcontract.checks.coverage import Tally, Totals
from evalcontract.report.html.content import Column, CoverageRow, CoverageTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evalcontract.checks._kind import Prediction, State
    from evalcontract.checks.cells import Cell
    from evalcontract.checks.coverage import RowCoverage

# A rubric may have thousands of checks; a table wider than this is no picture any more.
_MAX_COLUMNS = 500
# The cells that all patterns have together: of more, rows are left out.
_MAX_CELLS = 2_000_000

_Key = tuple[str | None, str, str, int]


class CoverageCollector:
    """Collects the rows of one dataset; of more than `max_rows`, those that have something to say.

    The columns of a rubric stand together, in the order of its checks. `max_rows` 0 keeps all rows.
    """

    def __init__(self, file: str, max_rows: int) -> None:
        self._file = file
        self._max_rows = max_rows
        self._tally = Tally(keep_all=False)
        self._columns: dict[_Key, int] = {}
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
        if pattern is None:
            return
        self._used[pattern] += 1
        kept = self._telling if has_findings or has_gap else self._others
        if not self._max_rows or len(kept) < self._max_rows:
            kept.append(CoverageRow(row.index, row.row, pattern, row.fault))

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
        )

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
            placed[self._columns.setdefault(key, len(self._columns))] = cell.outlook
        return placed


def _counts(
    columns: int, patterns: Sequence[Mapping[int, Prediction]], used: Mapping[int, int]
) -> list[Totals]:
    counters: list[Counter[State]] = [Counter() for _ in range(columns)]
    for pattern, cells in enumerate(patterns):
        for at, prediction in cells.items():
            counters[at][prediction.state] += used[pattern]
    return [Totals(**{str(state): count for state, count in each.items()}) for each in counters]
