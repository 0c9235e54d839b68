"""The data of the page as JSON values, with the graph laid out.

Every text is made safe to show here, once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import TopologicalSorter
from itertools import accumulate, pairwise
from typing import Any, TypeVar

from evalcontract.checks import State
from evalcontract.checks._kind import Prediction
from evalcontract.checks.coverage import CoverageTotals
from evalcontract.comparing.difference import ArtifactDifference, Difference
from evalcontract.comparing.printed import (
    affected_sentence,
    alike,
    beside_rows,
    change_sentence,
    field_in_row,
    fields_of,
    file_sentence,
    headline,
    rows_sentence,
    stale_sentence,
    summary_sentence,
    version_sentence,
)
from evalcontract.meaning.changes import Change
from evalcontract.model.diagnostic import Fix, key_of
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import NAME_LENGTH, escape_controls
from evalcontract.page.content import (
    CoverageTable,
    Evidence,
    HtmlReport,
    Line,
    Mark,
    ModeFinding,
    ReferenceGraph,
)
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


#: The most artifacts that are listed, those with a wrong version first, and the most of each list.
_MOST_ARTIFACTS, _MOST = 500, 200


def changes_data(difference: Difference | None) -> dict[str, Any] | None:
    """Return what the page shows of a comparison; None without one."""
    if difference is None:
        return None
    artifacts = difference.artifacts[:_MOST_ARTIFACTS]
    findings = (f"{each.place}: {each.message}" for each in difference.diagnostics)
    return {
        "summary": shown(summary_sentence(difference), SENTENCE),
        "wrong": len(difference.wrong_versions),
        "artifacts": [*map(_artifact, artifacts)],
        "left_out": len(difference.artifacts) - len(artifacts),
        "affected": _list(map(affected_sentence, difference.affected)),
        "stale": _list(map(stale_sentence, difference.stale)),
        "files": _list(map(file_sentence, difference.files)),
        "not_compared": _list([*findings, *difference.remarks]),
    }


def _artifact(found: ArtifactDifference) -> dict[str, Any]:
    groups = alike(found.table.rows if found.table else [])
    rows = [
        [
            shown(rows_sentence(rows), SENTENCE),
            [_change(each, field_in_row(each, rows[0])) for each in fields_of(rows[0])[:_MOST]],
        ]
        for rows in groups[:_MOST]
    ]
    own = beside_rows(found)
    return {
        "head": shown(headline(found), SENTENCE),
        "class": None if found.rank is None else found.rank.title,
        "version": shown(version_sentence(found), SENTENCE) or None,
        "file": shown(found.file, SENTENCE),
        "old_file": found.old_file and shown(found.old_file, SENTENCE),
        "changes": [_change(each, each.name) for each in own[:_MOST]],
        "rows": rows,
        "left_out": sum(map(len, groups[_MOST:])) + len(own[_MOST:]),
    }


def _change(change: Change, name: str) -> list[str]:
    return [change.rank.title, shown(change_sentence(change._replace(name=name)), SENTENCE)]


def _list(sentences: Iterable[str]) -> list[str]:
    lines = [shown(each, SENTENCE) for each in sentences]
    more = [f"… and {len(lines) - _MOST:,} more"] if len(lines) > _MOST else []
    return lines[:_MOST] + more


Point = tuple[float, float]

#: The size of a box, and the gaps between boxes, in CSS pixels.
WIDTH, HEIGHT = 180, 52
_GAP_X, _GAP_Y, _MARGIN = 70, 22, 16
# What an edge takes where it passes through a layer.
_THIN = 14
_SWEEPS = 8


class Layout(NamedTuple):
    """The top left corners of the boxes, and the points of each edge, from the start to the end."""

    width: float
    height: float
    boxes: Sequence[Point]
    lines: Sequence[Sequence[Point]]


def layout(
    count: int, edges: Sequence[tuple[int, int]], last: frozenset[int] = frozenset()
) -> Layout:
    """Return the places of `count` boxes, connected by `edges`; those in `last` stand at the right.

    An edge that closes a cycle is drawn backwards, and an edge of a box to itself as a loop.
    """
    forward = _forward(count, edges)
    layers = _layers(count, forward, last)
    chains = [*_chains(forward, layers, count)]
    layer_of = dict(enumerate(layers)) | {node: at for chain in chains for node, at in chain}
    links = [(one, other) for chain in chains for (one, _), (other, _) in pairwise(chain)]
    columns = _order_layers(layer_of, links)
    tops = _tops(columns, links, count)
    boxes = [(_x_of_layer(layers[node]), tops[node]) for node in range(count)]
    lines = [
        _points(chain, tops, count, is_back=edge != ends)
        for chain, edge, ends in zip(chains, forward, edges, strict=True)
    ]
    width = _x_of_layer(max(layer_of.values(), default=0)) + WIDTH + _MARGIN
    height = max((top + HEIGHT for _, top in boxes), default=0.0) + _MARGIN + _GAP_Y
    return Layout(width, height, boxes, lines)


def _x_of_layer(layer: int) -> float:
    return _MARGIN + layer * (WIDTH + _GAP_X)


def _forward(count: int, edges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the edges, those turned around that lead back to a box on the way to them."""
    targets: Mapping[int, list[int]] = defaultdict(list)
    for start, end in edges:
        targets[start].append(end)
    on_way: set[int] = set()
    finished_nodes: set[int] = set()
    back: set[tuple[int, int]] = set()
    for root in range(count):
        walk = [] if root in finished_nodes else [(root, iter(targets[root]))]
        on_way |= {node for node, _ in walk}
        while walk:
            node, rest = walk[-1]
            following = next(rest, None)
            if following is None:
                walk.pop()
                on_way.discard(node)
                finished_nodes.add(node)
            elif following in on_way:
                back.add((node, following))
            elif following not in finished_nodes:
                on_way.add(following)
                walk.append((following, iter(targets[following])))
    return [edge[::-1] if edge in back else edge for edge in edges]


def _layers(count: int, edges: Sequence[tuple[int, int]], last: frozenset[int]) -> list[int]:
    """Return the layer of each box: the length of the longest way to it."""
    layers = [0] * count
    sources: Mapping[int, list[int]] = defaultdict(list)
    for start, end in edges:
        if start != end:
            sources[end].append(start)
    for node in TopologicalSorter(sources).static_order():
        layers[node] = max((layers[start] + 1 for start in sources.get(node, ())), default=0)
    deepest = max(layers, default=0)
    return [deepest if node in last and layer else layer for node, layer in enumerate(layers)]


def _chains(
    edges: Sequence[tuple[int, int]], layers: Sequence[int], count: int
) -> Iterator[list[tuple[int, int]]]:
    """Yield what each edge passes, each with its layer: the start, a bend in each layer, the end.

    Bends are numbered from `count` on.
    """
    for start, end in edges:
        between = range(layers[start] + 1, layers[end])
        bends = [*enumerate(between, count)]
        count += len(bends)
        yield [(start, layers[start]), *bends, (end, layers[end])]


def _order_layers(layer_of: Mapping[int, int], links: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the layers, ordered so that links cross seldom: each node near its neighbours."""
    columns: list[list[int]] = [[] for _ in range(max(layer_of.values(), default=-1) + 1)]
    for node, layer in sorted(layer_of.items()):
        columns[layer].append(node)
    before: Mapping[int, list[int]] = defaultdict(list)
    behind: Mapping[int, list[int]] = defaultdict(list)
    for start, end in links:
        before[end].append(start)
        behind[start].append(end)
    for sweep in range(_SWEEPS):
        neighbours = behind if sweep % 2 else before
        for column in reversed(columns) if sweep % 2 else columns:
            place = {node: at for other in columns for at, node in enumerate(other)}
            column.sort(key=lambda node: _middle(neighbours[node], place, place[node]))
    return columns


def _middle(neighbours: Sequence[int], place: Mapping[int, int], default: int) -> float:
    if not neighbours:
        return default
    return sum(place[each] for each in neighbours) / len(neighbours)


def _tops(
    columns: Sequence[Sequence[int]], links: Sequence[tuple[int, int]], count: int
) -> dict[int, float]:
    """Return the top of each box and bend."""
    # The tallest layer has no gaps; the nodes of the others stand as near as possible to the middle
    # of what they are linked to, from there on to both sides.
    heights = [sum(_height(node, count) + _GAP_Y for node in column) for column in columns]
    tallest = max(heights, default=0.0)
    first = heights.index(tallest) if heights else 0
    tops: dict[int, float] = {}
    near: Mapping[int, list[int]] = defaultdict(list)
    for start, end in links:
        near[start].append(end)
        near[end].append(start)
    for at in (*range(first, len(columns)), *reversed(range(first))):
        column, room = columns[at], tallest - heights[at]
        offsets = [*accumulate((_height(node, count) + _GAP_Y for node in column), initial=0.0)]
        wanted = []
        for node, offset in zip(column, offsets, strict=False):
            middles = [
                tops[other] + _height(other, count) / 2 for other in near[node] if other in tops
            ]
            middle = sum(middles) / len(middles) if middles else _MARGIN + offset + room / 2
            wanted.append(middle - _height(node, count) / 2 - offset - _MARGIN)
        for node, offset, shift in zip(column, offsets, _rising(wanted), strict=False):
            tops[node] = _MARGIN + offset + min(max(shift, 0.0), room)
    return tops


def _rising(wanted: Sequence[float]) -> Iterator[float]:
    """Yield the numbers that never fall and are nearest to those wanted, by least squares."""
    runs: list[tuple[float, int]] = []  # the sum and the number of those that become equal
    for each in wanted:
        run = (each, 1)
        while runs and runs[-1][0] * run[1] >= run[0] * runs[-1][1]:
            total, number = runs.pop()
            run = (total + run[0], number + run[1])
        runs.append(run)
    for total, number in runs:
        yield from [total / number] * number


def _height(node: int, count: int) -> float:
    return HEIGHT if node < count else _THIN


def _points(
    chain: Sequence[tuple[int, int]], tops: Mapping[int, float], count: int, *, is_back: bool
) -> list[Point]:
    (start, layer), (end, _) = chain[0], chain[-1]
    middle = tops[start] + HEIGHT / 2
    if start == end:
        right, low = _x_of_layer(layer) + WIDTH, tops[start] + HEIGHT
        return [(right - 40, low), (right - 80, low)]
    points = [(_x_of_layer(layer) + WIDTH, middle)]
    for node, at in chain[1:-1]:
        y = tops[node] + _height(node, count) / 2
        points += [(_x_of_layer(at), y), (_x_of_layer(at) + WIDTH, y)]
    points.append((_x_of_layer(chain[-1][1]), tops[end] + HEIGHT / 2))
    return points[::-1] if is_back else points
