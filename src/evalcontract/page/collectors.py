"""Collect what the page shows while datasets are read: excerpts, coverage and the graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from evalcontract.checks._kind import Prediction, State
from evalcontract.checks.coverage import (
    Cell,
    CoverageTally,
    CoverageTotals,
    PlannedCells,
    RowCoverage,
)
from evalcontract.checks.outcome import Outcome
from evalcontract.datasets.passes import Dataset, DatasetPass
from evalcontract.datasets.run import Run
from evalcontract.grading.results import RowResult
from evalcontract.library.library import Artifact, Library, Resolution
from evalcontract.model.diagnostic import Diagnostic, Place, Span
from evalcontract.model.reference import Kind, Reference
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.page.content import (
    CoverageColumn,
    CoverageRow,
    CoverageTable,
    Edge,
    Evidence,
    Excerpt,
    GradedRun,
    Line,
    Mark,
    ReferenceGraph,
    ReferenceNode,
)

#: The lines of a file around a finding outside of rows.
_AROUND = 2
#: Of a row with more lines, those at its start and around findings are shown.
_MAX_LINES, _START = 60, 6
#: Of a longer line, its start and the parts around findings are shown.
_MAX_COLUMNS, _MARGIN = 2000, 200
# What may stand before a row on its first line, and behind it on its last one.
_BEFORE, _BEHIND = lazy_pattern(r"[\s\-\[,]*"), lazy_pattern(r"[\s\],}]*(#.*)?")
# What a parser takes as part of a row although it stands behind it.
_NOT_OF_ROW = lazy_pattern(r"\s*(#.*)?")


class _FindingPlace(NamedTuple):
    """A place of a finding: the number of the finding, and the row."""

    finding: int
    place: Place
    row_index: int | None
    row: str | None


class Excerpts:
    """The excerpts of all files that findings are about: each row once, with all its findings."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self._found: dict[str, dict[int | None, dict[_FindingPlace, None]]] = {}
        for number, diagnostic in enumerate(diagnostics):
            for place in _places(number, diagnostic):
                of_file = self._found.setdefault(place.place.file, {})
                of_file.setdefault(place.row_index, {})[place] = None
        self._lines: dict[str, Sequence[str]] = {}
        self._rows: dict[tuple[str, int], Place] = {}

    def rows_of(self, file: str) -> AbstractSet[int | None]:
        """Return the indexes of the rows of a file that have findings."""
        return self._found.get(file, {}).keys()

    def know(self, run: Run) -> None:
        """Take the texts of the rubrics, judges and bundles of a run."""
        bundles = (source.document for source in run.workspace.bundle_files.values())
        for document in (*run.documents.values(), *filter(None, bundles)):
            if document.file in self._found:
                self._lines[document.file] = document.lines

    def locate(self, dataset: Dataset, dataset_pass: DatasetPass) -> None:
        """Take the text of a dataset and the places of its rows with findings, after a pass."""
        if dataset.file not in self._found:
            return
        if dataset.document is None:
            return  # a row is a line, and its places have it
        self._lines[dataset.file] = dataset.document.lines
        for index in self._found[dataset.file]:
            if index is not None and index < dataset_pass.count:
                place = dataset_pass.place(dataset_pass.path_of(index))
                self._rows[dataset.file, index] = place

    def of_all(self) -> list[Excerpt]:
        """Return the excerpts by file, in the order of the findings; rows stand in order."""
        return [
            self._excerpt(file, index, list(places))
            for file, by_row in self._found.items()
            for index, places in sorted(
                by_row.items(), key=lambda item: -1 if item[0] is None else item[0]
            )
        ]

    def _excerpt(self, file: str, index: int | None, places: list[_FindingPlace]) -> Excerpt:
        marks = [Mark(each.finding, each.place.span) for each in places if each.place.span]
        findings = list(dict.fromkeys(each.finding for each in places))
        lines = list(_clip(self._text(file, index, places), marks))
        return Excerpt(file, index, places[0].row, lines, findings, marks)

    def _text(self, file: str, index: int | None, places: list[_FindingPlace]) -> Iterator[Line]:
        known = self._lines.get(file)
        row = None if index is None else self._rows.get((file, index))
        spans = [each.place.span for each in places if each.place.span]
        if known is None:
            # Places have the line that they begin on.
            texts = {each.span.line: each.text for _, each, *_ in places if each.span}
            yield from (Line(at, texts[at] or "") for at in sorted(texts))
        elif row is not None and row.span:
            yield from _row_lines(known, row.span, spans)
        else:
            last = len(known) - (not known[-1])  # a final line end begins no line
            for at in _near(spans, _AROUND, last):
                yield Line(at, known[at - 1])


def _places(number: int, diagnostic: Diagnostic) -> Iterator[_FindingPlace]:
    yield _FindingPlace(number, diagnostic.place, diagnostic.row_index, diagnostic.row)
    for site in diagnostic.sites.first if diagnostic.sites else ():
        yield _FindingPlace(number, site.place, site.row_index, site.row)


def _near(spans: Iterable[Span], around: int, count: int) -> list[int]:
    """Return the numbers of the lines at and around the starts of spans."""
    near = {
        at
        for span in spans
        for at in range(max(span.line - around, 1), min(span.line + around, count) + 1)
    }
    return sorted(near)


def _row_lines(lines: Sequence[str], row: Span, marked: Sequence[Span]) -> Iterator[Line]:
    """Yield the lines of a row, whole ones where nothing else stands on them."""
    last = row.end_line
    end = lines[last - 1][: row.end_column - 1]
    while last > row.line and _NOT_OF_ROW.fullmatch(end):
        last -= 1
        end = lines[last - 1]
    if last == row.end_line and _BEHIND.fullmatch(lines[last - 1], row.end_column - 1):
        end = lines[last - 1]
    numbers: Iterable[int] = range(row.line, last + 1)
    if last - row.line >= _MAX_LINES:
        start = range(row.line, row.line + _START)
        near = (at for at in _near(marked, _AROUND, last) if at >= row.line)
        numbers = sorted({*start, *near})
    for at in numbers:
        text = end if at == last else lines[at - 1]
        column = row.column if at == row.line else 1
        if _BEFORE.fullmatch(text[: column - 1]):
            column = 1
        yield Line(at, text[column - 1 :], column, is_cut=len(text) < len(lines[at - 1]))


def _clip(lines: Iterable[Line], marks: Sequence[Mark]) -> Iterator[Line]:
    """Yield lines, and of long ones the parts that matter."""
    for line in lines:
        if len(line.text) <= _MAX_COLUMNS:
            yield line
            continue
        parts = [(0, _MARGIN)]
        for span in (mark.span for mark in marks if mark.span.line == line.number):
            at = span.column - line.column
            end = span.end_column - line.column if span.end_line == span.line else at
            end = min(max(end, at), at + _MAX_COLUMNS)
            parts.append((max(at - _MARGIN, 0), end + _MARGIN))
        for start, end in _join(parts):
            if part := line.text[start:end]:
                is_cut = end < len(line.text) or line.is_cut
                yield Line(line.number, part, line.column + start, is_cut=is_cut)


def _join(parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join ranges that touch."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(parts):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


# A rubric may have thousands of checks; a table wider than this is no picture any more.
_MAX_COVERAGE_COLUMNS = 500
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
        self._tally = CoverageTally(keep_all=False)
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
        rows = self._telling if has_findings or has_gap or missed else self._others
        columns = dict(self._missed_columns(pattern, missed)) if missed else {}
        if not self._max_rows or len(rows) < self._max_rows:
            number = self._results.number(columns) if self._results and columns else None
            rows.append(CoverageRow(row.index, row.row, pattern, row.fault, number))

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
        number = {old: new for new, old in enumerate(order[:_MAX_COVERAGE_COLUMNS])}
        keys = list(self._columns)
        patterns = [
            {number[at]: prediction for at, prediction in cells.items() if at in number}
            for cells in self._cells
        ]
        return CoverageTable(
            self._file,
            self._tally.of(self._file).totals,
            [CoverageColumn(*keys[at][:3]) for at in number],
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
            self._cells.append(self._place_cells(row.rubric, cells))
            self._cell_count += len(cells)
        return self._patterns[key]

    def _place_cells(self, rubric: str | None, cells: Iterable[Cell]) -> dict[int, Prediction]:
        seen: Counter[tuple[str, str]] = Counter()
        cells_by_column = {}
        for cell in cells:
            name = (cell.check, cell.kind)
            key = (rubric, *name, seen[name])  # names may repeat
            seen[name] += 1
            if key not in self._columns:
                self._columns[key] = len(self._columns)
                self._names.append(cell.check)
            cells_by_column[self._columns[key]] = cell.outlook
        return cells_by_column


class _Results:
    """The results of a run beside what was predicted; `missed` counts what did not run."""

    def __init__(self, run: GradedRun) -> None:
        self.file = run.file
        self.missed = 0
        self._rows: dict[str, list[RowResult]] = {}
        for row in run.rows:
            self._rows.setdefault(row.id, []).append(row)
        #: The numbers of columns that did not run, each with its reason, in order.
        self.patterns: dict[tuple[tuple[int, str], ...], int] = {}

    def number(self, columns: Mapping[int, str]) -> int:
        """Return the number of columns that did not run, each with its reason."""
        return self.patterns.setdefault(tuple(columns.items()), len(self.patterns))

    def take(self, row: RowCoverage) -> dict[str, str]:
        """Return the checks of a row that were predicted to run and did not, with the reasons.

        A check ran if it did on each output of the row.
        """
        predicted = [cell.check for cell in row.cells if cell.outlook.state is State.RUN]
        outputs = self._rows.get(row.row or "", ()) if predicted else ()
        found = [_missed_on(output, row.rubric, predicted) for output in outputs]
        if not found:
            found = [dict.fromkeys(predicted, "the row is not in the results")]
        missed = {
            check: reason
            for check in predicted
            if (reason := _reason_of_all([each.get(check) for each in found]))
        }
        self.missed += sum(check in missed for check in predicted)
        return missed


def _missed_on(
    result: RowResult, rubric: str | None, predicted: Iterable[str]
) -> Mapping[str, str | None]:
    """Return why checks did not run on an output; None for those that did."""
    if result.rubric != rubric or (result.outcome is Outcome.UNDECIDED and not result.checks):
        return dict.fromkeys(predicted, _why_none_ran(result))
    missed: dict[str, str | None] = dict.fromkeys(predicted, "the check is not in the results")
    for check in result.checks:
        for name, leaf in check.leaves():
            ran = leaf.outcome in (Outcome.PASSED, Outcome.FAILED)
            missed[name] = None if ran else _outcome_text(leaf.outcome, leaf.reason)
    return missed


def _why_none_ran(result: RowResult) -> str:
    if result.outcome is Outcome.UNDECIDED and not result.checks:
        return _outcome_text(result.outcome, result.reason)
    return f"the row was graded by {result.rubric or 'its own expectations'}"


def _reason_of_all(reasons: Sequence[str | None]) -> str | None:
    """Return why a check did not run on the outputs of a row; None if it ran on all of them."""
    told = [each for each in reasons if each is not None]
    if not told or len(reasons) == 1:
        return next(iter(told), None)
    return f"on {len(told)} of {len(reasons)} outputs: {told[0]}"


def _outcome_text(outcome: Outcome, reason: str | None) -> str:
    return f"{outcome}: {reason}" if reason else str(outcome)


def _counts(
    columns: int, patterns: Sequence[Mapping[int, Prediction]], used: Mapping[int, int]
) -> list[CoverageTotals]:
    counters: list[Counter[State]] = [Counter() for _ in range(columns)]
    for pattern, cells in enumerate(patterns):
        for at, prediction in cells.items():
            counters[at][prediction.state] += used[pattern]
    return [
        CoverageTotals(**{str(state): count for state, count in each.items()}) for each in counters
    ]


# A picture of more nodes shows nothing any more.
_MAX_NODES = 400


class GraphCollector:
    """Collects the references of datasets, by the names of their files, and all they reach."""

    def __init__(self) -> None:
        self._nodes: dict[object, ReferenceNode] = {}
        self._edges: dict[tuple[object, object], Edge] = {}

    def add_dataset(self, file: str, rows: str = "") -> None:
        """Add a dataset, or say how many rows it has."""
        self._nodes[file] = ReferenceNode("dataset", file, rows, file)

    def refer(self, start: object, references: Mapping[Reference, int], library: Library) -> None:
        """Add so many references of a node, and what they reach."""
        for reference, count in references.items():
            resolved = library.resolve(reference)
            if isinstance(resolved, Resolution):
                self._add(resolved.artifact, library)
                self._edge(start, id(resolved.artifact), count, pinned=resolved.pinned)
                continue
            end = (id(library), str(reference))
            kind, name, version = str(reference.kind), reference.id, str(reference.version or "")
            self._nodes[end] = ReferenceNode(kind, name, version, None, missing=True)
            self._edge(start, end, count, pinned=reference.version is not None)

    def _add(self, artifact: Artifact, library: Library) -> None:
        """Add an artifact and all that it reaches; the stack is as deep as the graph may be."""
        stack = [artifact]
        cycles = library.rubric_cycles
        while stack:
            each = stack.pop()
            if id(each) in self._nodes:
                continue
            in_cycle = each.kind is Kind.RUBRIC and cycles.is_in_cycle(each)
            group = cycles.distances_to(each) if in_cycle else {}
            kind, name, version = str(each.kind), each.id or each.file, str(each.version or "")
            node = ReferenceNode(kind, name, version, each.file, in_cycle=in_cycle)
            self._nodes[id(each)] = node
            for use in each.uses:
                target = library.resolve(use.reference)
                if isinstance(target, Resolution):
                    stack.append(target.artifact)
                    key = (id(each), id(target.artifact))
                    self._edge(*key, 1, pinned=target.pinned, in_cycle=key[1] in group)
                else:
                    self.refer(id(each), {use.reference: 1}, library)

    def _edge(
        self, start: object, end: object, count: int, *, pinned: bool, in_cycle: bool = False
    ) -> None:
        known = self._edges.get((start, end), Edge(0, 0, 0, pinned=True))
        self._edges[start, end] = Edge(
            0, 0, known.uses + count, known.pinned and pinned, known.in_cycle or in_cycle
        )

    def graph(self) -> ReferenceGraph:
        """Return the graph; of too large a one, the nodes that were found first."""
        keys = list(self._nodes)[:_MAX_NODES]
        number = {key: at for at, key in enumerate(keys)}
        edges = [
            edge._replace(start=number[start], end=number[end])
            for (start, end), edge in self._edges.items()
            if start in number and end in number
        ]
        return ReferenceGraph(
            [self._nodes[key] for key in keys], edges, len(self._nodes) - len(keys)
        )
