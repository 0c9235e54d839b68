"""The data of the page as JSON values. Every text is made safe to show here, once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from evalcontract.checks import State
from evalcontract.checks._kind import Prediction
from evalcontract.checks.coverage import CoverageTotals
from evalcontract.model.diagnostic import Fix, key_of
from evalcontract.model.values import NAME_LENGTH, escape_controls
from evalcontract.page.changes import changes_data
from evalcontract.page.content import (
    CoverageTable,
    Evidence,
    HtmlReport,
    Line,
    Mark,
    ModeFinding,
    ReferenceGraph,
)
from evalcontract.page.layout import HEIGHT, WIDTH, layout
from evalcontract.page.runs import SENTENCE, RunsData, comparisons, shown, shown_sentence

T = TypeVar("T")

Segment = tuple[str, list[int]]


def segments(line: Line, marks: Sequence[Mark]) -> list[Segment]:
    """Return the parts of a line, each with the numbers of its findings.

    Texts have symbols in place of characters that a page or a terminal would act on. A place
    without a width takes the character behind it, or a space at the end of the line.
    """
    ranges = [(each.finding, *part) for each in marks if (part := _range_in(line, each))]
    length = len(line.text)
    if any(end > length for _, _, end in ranges):
        length += 1
    bounds = sorted({0, length, *(at for _, start, end in ranges for at in (start, end))})
    text = escape_controls(line.text.ljust(length))
    return [
        (
            text[start:end],
            sorted({finding for finding, low, high in ranges if low <= start and end <= high}),
        )
        for start, end in pairwise(bounds)
    ]


def _range_in(line: Line, mark: Mark) -> tuple[int, int] | None:
    """Return the part of a line that a mark covers; None if it begins on another line."""
    # Offsets count from 0 in the text of the line. Of several lines, only the first one is marked,
    # as in the text report: what is missing from a rubric is not on all of its lines.
    span = mark.span
    if span.line != line.number:
        return None
    length = len(line.text)
    start = span.column - line.column
    end = span.end_column - line.column if span.end_line == span.line else length
    if end < 0 or start > length:
        return None
    start = max(start, 0)
    return start, min(max(end, start + 1), max(length, start + 1))


# The characters of all excerpts together, without those of marked lines.
_ROOM = 16_000_000


def page_data(report: HtmlReport) -> dict[str, Any]:
    """Return what the scripts of the page read."""
    excerpts, has_left_lines = _excerpts(report)
    runs = RunsData(report.max_rows, report.grouping)
    return {
        "version": report.version,
        "date": report.date,
        "modes": list(report.modes),
        "mode": report.mode,
        "files": dict(report.files),
        "rows": report.rows,
        "datasets": [shown(name) for name in report.datasets],
        "codes": {
            finding.diagnostic.code: {"url": finding.url, "summary": finding.summary}
            for finding in report.findings
        },
        "findings": [_finding(finding) for finding in report.findings],
        "excerpts": excerpts,
        "coverage": [_coverage(table) for table in report.coverage],
        "graph": _graph(report.graph),
        "runs": [runs.of(run) for run in report.runs],
        "given": runs.given,
        "comparisons": [*comparisons(report.runs, report.grouping)],
        "judges": [*report.judges],
        "changes": changes_data(report.changes),
        "notes": list(_notes(report, runs.left_out, has_left_lines=has_left_lines)),
    }


def _finding(finding: ModeFinding) -> dict[str, Any]:
    diagnostic = finding.diagnostic
    source = diagnostic.severity_source
    sites = diagnostic.sites
    return {
        "code": diagnostic.code,
        "severities": {mode: str(severity) for mode, severity in finding.severities.items()},
        "message": shown(diagnostic.message, SENTENCE),
        "help": diagnostic.help and shown(diagnostic.help, SENTENCE),
        "place": shown(str(diagnostic.place)),
        "related": [
            f"{shown(message, SENTENCE)}: {shown(str(place))}"
            for message, place in diagnostic.related
        ],
        "fix": _fix(diagnostic.fix) if diagnostic.fix else None,
        "sites": shown(sites.message, SENTENCE) if sites else None,
        "more": sites.total - len(sites.first) if sites else 0,
        "because": f"{source.setting} in {shown(source.file)}" if source else None,
    }


def _fix(fix: Fix) -> str:
    option = "" if fix.safe else " --unsafe-fixes"
    key = shown(key_of(fix.path))
    return f"`evalcontract fix{option}`: {fix.kind} `{key}` to `{shown(str(fix.target))}`"


def _excerpts(report: HtmlReport) -> tuple[list[dict[str, Any]], bool]:
    """Return the excerpts, and whether there was no room for some lines of them."""
    room, is_short = _ROOM, False
    shortened = []
    for excerpt in report.excerpts:
        size = sum(len(line.text) for line in excerpt.lines)
        lines = excerpt.lines
        marks: dict[int, list[Mark]] = {}  # by line: there may be many of both
        for mark in excerpt.marks:
            marks.setdefault(mark.span.line, []).append(mark)
        if size > room:
            lines = [line for line in lines if line.number in marks]
            is_short = True
        room -= min(size, room)
        shortened.append(
            {
                "file": shown(excerpt.file),
                "index": excerpt.row_index,
                "row": None if excerpt.row is None else shown(excerpt.row),
                "findings": list(excerpt.findings),
                "lines": [_line(line, marks.get(line.number, ())) for line in lines],
            }
        )
    return shortened, is_short


def _line(line: Line, marks: Sequence[Mark]) -> list[Any]:
    parts = [[text, findings] if findings else text for text, findings in segments(line, marks)]
    if line.column > 1:
        parts.insert(0, "…")
    if line.is_cut:
        parts.append("…")
    return [line.number, *parts]


def _coverage(table: CoverageTable) -> dict[str, Any]:
    predictions: dict[Prediction, int] = {}
    faults: dict[str, int] = {}
    patterns = [_with_numbers(sorted(cells.items()), predictions) for cells in table.patterns]
    rows = [
        [
            row.row_index,
            None if row.row is None else shown(row.row, NAME_LENGTH),
            row.pattern,
            None if row.fault is None else faults.setdefault(row.fault, len(faults)),
            row.missed,
        ]
        for row in table.rows
    ]
    return {
        "file": shown(table.file),
        "totals": _totals(table.totals),
        "percent": table.totals.percent,
        "cells": table.totals.cells,
        "rows_total": table.totals.rows,
        "idle": table.totals.rows_on_which_nothing_runs,
        "columns": [
            {
                "rubric": None if column.rubric is None else shown(column.rubric),
                "check": shown(column.check, NAME_LENGTH),
                "kind": shown(column.kind, NAME_LENGTH),
                "counts": _totals(counts),
            }
            for column, counts in zip(table.columns, table.counts, strict=True)
        ],
        "predictions": [[str(each.state), shown_sentence(each.reason)] for each in predictions],
        "patterns": patterns,
        "faults": [shown(fault, SENTENCE) for fault in faults],
        "rows": rows,
        "evidence": None if table.evidence is None else _evidence(table.evidence, table.totals),
    }


def _with_numbers(columns: Iterable[tuple[int, T]], numbers: dict[T, int]) -> list[int]:
    """Return columns, each followed by the number of what is said of it."""
    pairs = ((at, numbers.setdefault(each, len(numbers))) for at, each in columns)
    return [number for pair in pairs for number in pair]


def _evidence(evidence: Evidence, totals: CoverageTotals) -> dict[str, Any]:
    reasons: dict[str, int] = {}
    patterns = [_with_numbers(each.items(), reasons) for each in evidence.patterns]
    return {
        "file": shown(evidence.file),
        "missed": evidence.missed,
        "ran": totals.run - evidence.missed,
        "columns": list(evidence.by_column),
        "patterns": patterns,
        "reasons": [shown(reason, SENTENCE) for reason in reasons],
    }


def _totals(totals: CoverageTotals) -> dict[str, int]:
    return {str(state): count for state in State if (count := getattr(totals, state))}


def _graph(graph: ReferenceGraph) -> dict[str, Any]:
    edges = [(edge.start, edge.end) for edge in graph.edges]
    judges = frozenset(at for at, node in enumerate(graph.nodes) if node.kind == "judge")
    positions = layout(len(graph.nodes), edges, judges)
    return {
        "width": positions.width,
        "height": positions.height,
        "box": [WIDTH, HEIGHT],
        "nodes": [
            {
                **node._asdict(),
                "name": shown(node.name),
                "detail": shown(node.detail),
                "file": None if node.file is None else shown(node.file),
                "at": at,
            }
            for node, at in zip(graph.nodes, positions.boxes, strict=True)
        ],
        "edges": [
            {**edge._asdict(), "points": points}
            for edge, points in zip(graph.edges, positions.lines, strict=True)
        ],
    }


def _notes(report: HtmlReport, without_texts: int, *, has_left_lines: bool) -> Iterator[str]:
    """Yield what the page leaves out, and why."""
    for table in report.coverage:
        if left := table.rows_left_out:
            yield (
                f"{shown(table.file)}: {left:,} of {table.totals.rows:,} rows are not in the "
                "coverage map; rows with findings or gaps come first (`--max-rows 0` shows all)"
            )
        if table.columns_left_out:
            yield (
                f"{shown(table.file)}: {table.columns_left_out:,} more checks are not in the "
                "coverage map; `evalcontract coverage --limit 0` shows all"
            )
    for run in report.runs:
        if report.max_rows and len(run.rows) > report.max_rows:
            yield (
                f"{shown(run.file)}: {len(run.rows) - report.max_rows:,} of {len(run.rows):,} "
                "results are not listed; rows that did not pass come first (`--max-rows 0` "
                "shows all)"
            )
        if not run.is_complete:
            yield f"{shown(run.file)} is of a run that was interrupted: rows are missing"
    if report.graph.left_out:
        yield f"{report.graph.left_out:,} more rubrics and judges are not in the picture"
    if without_texts:
        yield f"the page is large: the texts of {without_texts:,} results are left out"
    if has_left_lines:
        yield "the page is large: of some rows, only the lines with findings are shown"
