"""What an editor shows of a whole file: its outline, what can be folded, and what stands beside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from lsprotocol import types

from evalcontract.datasets.root import rows_of, uses_of
from evalcontract.grading.results import RowResult, earlier_results, run_path
from evalcontract.grading.summary import Tally
from evalcontract.library.library import Artifact, Resolution
from evalcontract.lsp.cursor import REFERENCES, structured_lines
from evalcontract.lsp.documents import OpenDocument, Publisher
from evalcontract.lsp.names import ARTIFACT, FILE, Name, Naming, targets_of
from evalcontract.lsp.text import Text, uri_of_path
from evalcontract.model.errors import UsageError
from evalcontract.model.reference import Kind, Reference
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import clipped, escape_controls
from evalcontract.source import Document, RowSource
from evalcontract.workspace import Workspace

_MAX_DETAIL = 80


_SYMBOLS = {
    "row": types.SymbolKind.Object,
    "check": types.SymbolKind.Function,
    "rubric": types.SymbolKind.Class,
    "judge": types.SymbolKind.Class,
    "target": types.SymbolKind.Event,
}


def _symbol(
    text: Text, name: str, detail: str, lines: tuple[int, int], role: str,
    parts: list[types.DocumentSymbol] | None = None,
) -> types.DocumentSymbol:  # fmt: skip
    """Return a part of a text with a name, from its first to its last line, which count from 1."""
    first, last = lines[0] - 1, max(lines) - 1
    head = text.range(first, 0, len(text.line(first)))
    whole = types.Range(head.start, text.range(last, 0, len(text.line(last))).end)
    kind = _SYMBOLS.get(role, types.SymbolKind.File)
    return types.DocumentSymbol(name, kind, whole, head, detail or None, children=parts or None)


def symbols_of(kind: str, source: RowSource, text: Text) -> list[types.DocumentSymbol]:
    """Return the outline of a file; a file that cannot be read has none."""
    if source.unreadable:
        return []
    if kind == Kind.DATASET:
        return list(_rows(source, text))
    document = source.document
    if document is None or not isinstance(document.value, dict):
        return []
    parts = [*_checks(document, text)] if kind == Kind.RUBRIC else None
    name = document.value.get("id") or document.value.get("label") or kind
    version = document.value.get("version", "")
    lines = 1, len(document.lines)
    return [_symbol(text, _name(name, str(kind)), _detail(version), lines, str(kind), parts)]


def _rows(source: RowSource, text: Text) -> Iterator[types.DocumentSymbol]:
    lines: list[tuple[int, int]] | None = None
    for number, (rows, path, row) in enumerate(rows_of(source), 1):
        if lines is None:
            lines = source.document.item_lines(rows.prefix) if source.document else []
        index = int(path[-1])
        if index < len(lines):
            own = lines[index]
        else:
            span = rows.place(path).span
            own = (span.line, span.end_line) if span else (1, 1)
        values = row if isinstance(row, dict) else {}
        name = _name(values.get("id"), f"row {number}")
        yield _symbol(text, name, _detail(values.get("input")), own, "row")


def _checks(document: Document, text: Text) -> Iterator[types.DocumentSymbol]:
    checks = document.value.get("checks")
    lines = document.item_lines(("checks",))
    items = checks if isinstance(checks, list) else []
    for check, own in zip(items, lines, strict=False):
        values = check if isinstance(check, dict) else {}
        kind = _detail(values.get("kind"))
        yield _symbol(text, _name(values.get("id"), kind or "check"), kind, own, "check")


def _name(value: Any, default: str) -> str:
    text = _detail(value)
    return text if text.strip() else default


def _detail(value: Any) -> str:
    if not isinstance(value, str | int | float):
        return ""
    return escape_controls(clipped(" ".join(str(value).split()), _MAX_DETAIL))


#: The most ranges that can be folded, and the most names of a workspace that are listed.
_MOST_FOLDS, _MOST_NAMES = 20_000, 500
_COMMENT = types.FoldingRangeKind.Comment


def folds_of(lines: list[str]) -> list[types.FoldingRange]:
    """Return what can be folded: by indentation, an item of a list with its dash, and comments."""
    return [*islice(_folds(lines), _MOST_FOLDS)]


def _folds(lines: list[str]) -> Iterator[types.FoldingRange]:
    opened: list[tuple[int, int]] = []  # the level and the number of the line that begins each
    last = -1  # the last line that is not blank
    comment: int | None = None
    for number, line in enumerate([*lines, "."]):
        bare = line.lstrip(" ")
        if not bare.rstrip():
            continue
        if bare.startswith("#"):
            comment = number if comment is None else comment
        elif comment is not None:
            if last > comment:
                yield types.FoldingRange(comment, last, kind=_COMMENT)
            comment = None
        # A list may stand in the column of its key, and is below it.
        level = 2 * (len(line) - len(bare)) + bare.startswith(("- ", "-\n", "-\r"))
        if not bare.startswith("#"):
            while opened and opened[-1][0] >= level:
                _, first = opened.pop()
                if last > first:
                    yield types.FoldingRange(first, last)
            opened.append((level, number))
        last = number


def names_in(workspace: Workspace, query: str, publisher: Publisher) -> list[types.WorkspaceSymbol]:
    """Return the names of a workspace that contain a text: artifacts, checks, targets and rows."""
    wanted = query.casefold()
    found = (each for each in _names(workspace) if wanted in each[0].casefold())
    return [
        types.WorkspaceSymbol(
            publisher.location(of.place(path)), name, _SYMBOLS[role], container_name=to
        )
        for name, role, of, path, to in islice(found, _MOST_NAMES)
    ]


def _names(workspace: Workspace) -> Iterator[tuple[str, str, Any, tuple[str | int, ...], str]]:
    for artifact in workspace.library.artifacts:
        document = artifact.document
        yield artifact.name, str(artifact.kind), document, ("id",), artifact.file
        checks = document.value.get("checks") if isinstance(document.value, dict) else None
        for number, check in enumerate(checks if isinstance(checks, list) else ()):
            id_ = check.get("id") if isinstance(check, dict) else None
            if isinstance(id_, str):
                yield _detail(id_), "check", document, ("checks", number, "id"), artifact.name
    for target in workspace.targets:
        document = target.document
        name = document.value.get("id") if isinstance(document.value, dict) else None
        yield _name(name, document.file), "target", document, ("id",), document.file
    for _, source in workspace.scan():
        if source is not None and not source.unreadable:
            for rows, path, row in rows_of(source):
                id_ = row.get("id") if isinstance(row, dict) else None
                if isinstance(id_, str) and id_.strip():
                    yield _detail(id_), "row", rows, (*path, "id"), rows.file


_REFERENCE = lazy_pattern(
    rf"""(?<![^\s{{,"'-])(?P<key>{"|".join(REFERENCES)})["']?\s*:\s*["']?(?P<text>[a-z]+/[\w@.+-]+)"""
)


class WrittenReference(NamedTuple):
    """A reference in a text: its line and characters, from 0, and what it refers to."""

    line: int
    start: int
    end: int
    reference: Reference


def references_in(document: OpenDocument, first: int, last: int) -> Iterator[WrittenReference]:
    """Yield the references in some lines of a text, which may not be possible to parse."""
    text = document.text
    is_yaml = document.format == "yaml"
    numbers = structured_lines(text) if is_yaml else range(len(text.lines))
    for number in numbers:
        if first <= number <= last:
            for found in _REFERENCE.finditer(text.line(number)):
                reference = Reference.parse(found["text"])
                if reference and reference.kind is REFERENCES[found["key"]]:
                    yield WrittenReference(number, *found.span("text"), reference)


def links_in(document: OpenDocument, naming: Naming) -> Iterator[types.DocumentLink]:
    """Yield a link to the file that each reference means; of a target, to its dataset."""
    workspace = naming.workspace
    addresses: dict[Reference, str | None] = {}
    for line, start, end, reference in references_in(document, 0, len(document.text.lines)):
        if reference not in addresses:
            places = naming.definitions(Name(ARTIFACT, "", reference))
            paths = [Path(place.file) for place in places]
            addresses[reference] = uri_of_path(paths[0]) if paths else None
        if target := addresses[reference]:
            yield types.DocumentLink(
                document.text.range(line, start, end), target, f"Open {reference}"
            )
    if naming.kind == Kind.TARGET and (source := naming.source.document):
        value = source.value.get("dataset") if isinstance(source.value, dict) else None
        places = naming.definitions(Name(FILE, value)) if isinstance(value, str) else []
        span = source.place(("dataset",)).span
        if places and span:
            range_ = document.text.range(span.line - 1, span.column - 1, span.end_column - 1)
            target = uri_of_path(Path(workspace.root) / str(value))
            yield types.DocumentLink(range_, target, "Open the dataset")


def versions_in(
    document: OpenDocument, workspace: Workspace, lines: types.Range
) -> Iterator[types.InlayHint]:
    """Yield the version that each reference without one means, to be written by a double click."""
    for line, _, end, reference in references_in(document, lines.start.line, lines.end.line):
        if reference.version is not None:
            continue
        resolution = workspace.library.resolve(reference)
        if isinstance(resolution, Resolution):
            place = document.text.range(line, end, end)
            label = f"@{resolution.artifact.version}"
            yield types.InlayHint(
                place.start,
                label,
                text_edits=[types.TextEdit(place, label)],
                tooltip="The newest version: the reference names none",
            )


def lenses_of(
    document: OpenDocument, naming: Naming, publisher: Publisher
) -> Iterator[types.CodeLens]:
    """Yield who uses the rubric or judge of a document, and the scores of its last run."""
    workspace = naming.workspace
    artifact = workspace.library.at(naming.file)
    if artifact is None or artifact.id is None or artifact.version is None:
        return
    at = publisher.range(document.real, artifact.document.place(("id",)).span)
    for title in (users_of(artifact, workspace), last_run_of(artifact, workspace)):
        if title:
            yield types.CodeLens(at, types.Command(title, ""))


def users_of(artifact: Artifact, workspace: Workspace) -> str:
    """Return how many rows and checks use a rubric or a judge."""
    count: Counter[str] = Counter()
    meant: dict[Reference, bool] = {}
    for use, reference in uses_of(workspace, artifact.kind, str(artifact.id)):
        if reference not in meant:
            found = targets_of(Name(ARTIFACT, "", reference), workspace, "")
            meant[reference] = any(each is artifact for each in found)
        if meant[reference]:
            count["check" if use.path[0] == "checks" else "row"] += 1
    parts = [_many(count[noun], noun) for noun in ("row", "check") if count[noun]]
    if not parts:
        noun = "row or check" if artifact.kind is Kind.RUBRIC else "check"
        return f"no {noun} uses this {artifact.kind}"
    verb = "uses" if sum(count.values()) == 1 else "use"
    return f"{' and '.join(parts)} {verb} this {artifact.kind}"


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


#: The results that are looked at, the newest first, and the bytes of the longest.
_MOST_RESULTS, _MOST_BYTES = 20, 1 << 25


def last_run_of(artifact: Artifact, workspace: Workspace) -> str:
    """Return the mean score of the rows that a rubric graded in the newest results; "" if none."""
    for path in _results_in(workspace):
        try:
            rows = earlier_results(path).rows
        except UsageError:  # of an earlier version, or not complete
            continue
        if own := [row for row in rows if row.rubric == artifact.name]:
            return f"last run: {_score_of(own)}"
    return ""


def _results_in(workspace: Workspace) -> Iterator[Path]:
    """Yield the files with results of a workspace, those changed last first."""
    found = []
    for path in workspace.data_files:
        if path.suffix == ".jsonl":
            state = path.stat()
            if state.st_size <= _MOST_BYTES and run_path(path).is_file():
                found.append((state.st_mtime_ns, path))
    for _, path in sorted(found, reverse=True)[:_MOST_RESULTS]:
        yield path


def _score_of(rows: list[RowResult]) -> str:
    """Return the mean score of rows with its 95 % interval, and of how many rows it is."""
    tally = Tally()
    for row in rows:
        tally.add(row.outcome, row.score, row.bounds)
    estimate = tally.estimate
    of_all = _many(tally.counted, "row")
    if estimate is None:
        return f"no score of {of_all}"
    ends = estimate.interval
    interval = f" ({ends.lower:.2f} to {ends.upper:.2f})" if ends else ""
    known = f"{tally.scored:,} of " if tally.scored < tally.counted else ""
    return f"{estimate.value:.2f}{interval} of {known}{of_all}"
