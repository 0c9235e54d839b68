"""What the HTML report shows, as values. `page/report.py` collects them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evalcontract.checks._kind import Prediction
from evalcontract.checks.coverage import CoverageTotals
from evalcontract.checks.outcome import Output
from evalcontract.comparing.difference import Difference
from evalcontract.grading.basis import Basis
from evalcontract.grading.groups import Grouping
from evalcontract.grading.results import RowResult
from evalcontract.grading.summary import ALL_ALIKE
from evalcontract.model.diagnostic import Diagnostic, Severity, Span
from evalcontract.model.startup import NamedTuple


class ModeFinding(NamedTuple):
    """A finding, and its severity by the name of the mode; a mode without one does not report it.

    `url` is the address of the page of its code, `summary` the first sentence of that page; None
    for the codes of other packages.
    """

    diagnostic: Diagnostic
    severities: Mapping[str, Severity]
    url: str | None
    summary: str | None


class Line(NamedTuple):
    """A line of a file, or a part of it that begins at `column`; both count from 1.

    `is_cut` is whether the line goes on behind the text.
    """

    number: int
    text: str
    column: int = 1
    is_cut: bool = False


class Mark(NamedTuple):
    """A part of a file that a finding is about: its number in the report, and a span."""

    finding: int
    span: Span


class Excerpt(NamedTuple):
    """A row with findings, or the lines around the findings of a file outside its rows.

    `row_index` and `row` are the index from 0 and the id of the row; None outside of rows.
    `findings` are the numbers of all findings of the excerpt, `marks` those with a place in it.
    """

    file: str
    row_index: int | None
    row: str | None
    lines: Sequence[Line]
    findings: Sequence[int]
    marks: Sequence[Mark]


class CoverageColumn(NamedTuple):
    """A column of a coverage table: a check of a rubric, or an expectation of rows (None)."""

    rubric: str | None
    check: str
    kind: str


class CoverageRow(NamedTuple):
    """A row of a coverage table. `pattern` is the number of its cells in the table.

    `fault` is the reason if the row's checks are unknown. `missed` is the number of what did not
    run on it, in the `evidence` of the table; None if there is none.
    """

    row_index: int
    row: str | None
    pattern: int
    fault: str | None
    missed: int | None = None


class Evidence(NamedTuple):
    """The checks that were predicted to run and did not, by the results in a file.

    `missed` is their number, `by_column` that of each column. `patterns` have the reason by the
    number of the column: many rows have the same one.
    """

    file: str
    missed: int
    by_column: Sequence[int]
    patterns: Sequence[Mapping[int, str]]


class CoverageTable(NamedTuple):
    """Which checks will run on the rows of one dataset.

    A pattern is what is predicted for the columns, by their number: many rows have the same one.
    `columns_left_out` and `totals` count what the table has no room for, too. `evidence` is None
    without results of the dataset.
    """

    file: str
    totals: CoverageTotals
    columns: Sequence[CoverageColumn]
    counts: Sequence[CoverageTotals]
    patterns: Sequence[Mapping[int, Prediction]]
    rows: Sequence[CoverageRow]
    columns_left_out: int = 0
    evidence: Evidence | None = None

    @property
    def rows_left_out(self) -> int:
        """The number of rows that the table does not have."""
        return self.totals.rows - len(self.rows)


class ReferenceNode(NamedTuple):
    """A dataset, a rubric or a judge in the graph of references; `missing` if there is none.

    `detail` is a version, or the number of rows of a dataset. `file` is None for what is missing.
    """

    kind: str
    name: str
    detail: str
    file: str | None
    in_cycle: bool = False
    missing: bool = False


class Edge(NamedTuple):
    """References of one node to another, by their numbers; `uses` is how many there are.

    `pinned` is whether all of them name a version, `in_cycle` whether they are part of a cycle.
    """

    start: int
    end: int
    uses: int
    pinned: bool
    in_cycle: bool = False


class ReferenceGraph(NamedTuple):
    """The references of the datasets, of their rubrics, and so on. `left_out` counts nodes."""

    nodes: Sequence[ReferenceNode]
    edges: Sequence[Edge]
    left_out: int = 0


class RowTexts(NamedTuple):
    """What a row says: its input, what it expects, what stands beside that, and its tags.

    `expected` and `beside` have the text of each key.
    """

    input: str | None
    expected: Sequence[tuple[str, str]]
    beside: Sequence[tuple[str, str]]
    tags: Sequence[str]


#: The id of a row, and which of its samples an output is; None where it has one output.
OutputKey = tuple[str, int | str | None]


class GradedRun(NamedTuple):
    """The results of `grade`: the file, the dataset that was graded, and its rows.

    `graded` is the SHA-256 digest of the outputs, None if it is not known, and `outputs` are these
    by the id of the row and the sample, None if they were not given. `texts` are those of rows by
    id, and `thresholds` the lowest scores that pass, by rubric and check; those of rubrics have no
    check. `basis` is what the results depend on.
    """

    file: str
    dataset: str
    is_complete: bool
    rows: Sequence[RowResult]
    graded: str | None = None
    outputs: Mapping[OutputKey, Output] | None = None
    texts: Mapping[str, RowTexts] = {}
    thresholds: Mapping[tuple[str | None, str | None], float] = {}
    basis: Basis = Basis({}, {})


class JudgeLabels(NamedTuple):
    """A judge by its reference, and the file with the labels of people to measure it with."""

    judge: str
    labels: Path


class HtmlReport(NamedTuple):
    """All that the page shows.

    `modes` are the names of the modes, `mode` the one to show first. `files` has the names of the
    datasets. `max_rows` is the number of rows that tables have at most; 0 for all. `changes` is
    what changed since a revision, if that is asked for. `judges` are JSON values of how well judges
    agree with labels. `grouping` says which rows were drawn together.
    """

    version: str
    date: str
    modes: Sequence[str]
    mode: str
    files: Mapping[str, int]
    rows: int
    datasets: Sequence[str]
    findings: Sequence[ModeFinding]
    excerpts: Sequence[Excerpt]
    coverage: Sequence[CoverageTable]
    graph: ReferenceGraph
    runs: Sequence[GradedRun]
    max_rows: int
    changes: Difference | None = None
    judges: Sequence[Mapping[str, Any]] = ()
    grouping: Grouping = ALL_ALIKE

    def count_by_severity(self) -> list[tuple[str, int]]:
        """Return the number of findings by severity in the mode that is shown first."""
        shown = [finding.severities.get(self.mode) for finding in self.findings]
        known = sorted({severity for severity in shown if severity}, reverse=True)
        return [(str(severity), shown.count(severity)) for severity in known]
