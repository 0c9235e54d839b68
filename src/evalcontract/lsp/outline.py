"""The parts of files: outlines, what can be folded, and the names of a workspace."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from lsprotocol import types

from evalcontract.datasets.root import rows_of
from evalcontract.model.diagnostic import Place
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped, escape_controls
from evalcontract.source import Document, RowSource
from evalcontract.workspace import Workspace

_MAX_DETAIL = 80


class Symbol(NamedTuple):
    """A part of a file with a name: its first and last line, from 1, and what it is."""

    name: str
    detail: str
    first: int
    last: int
    role: str
    parts: tuple[Symbol, ...] = ()


def symbols_of(kind: str, source: RowSource) -> list[Symbol]:
    """Return the outline of a file; a file that cannot be read has none."""
    if source.unreadable:
        return []
    if kind == Kind.DATASET:
        return list(_rows(source))
    document = source.document
    if document is None or not isinstance(document.value, dict):
        return []
    parts = tuple(_checks(document)) if kind == Kind.RUBRIC else ()
    name = document.value.get("id") or document.value.get("label") or kind
    version = document.value.get("version", "")
    last = max(len(document.lines), 1)
    return [Symbol(_name(name, str(kind)), _detail(version), 1, last, str(kind), parts)]


def _rows(source: RowSource) -> Iterator[Symbol]:
    lines: list[tuple[int, int]] | None = None
    for number, (rows, path, row) in enumerate(rows_of(source), 1):
        if lines is None:
            lines = source.document.item_lines(rows.prefix) if source.document else []
        index = int(path[-1])
        if index < len(lines):
            first, last = lines[index]
        else:
            span = rows.place(path).span
            first, last = (span.line, span.end_line) if span else (1, 1)
        values = row if isinstance(row, dict) else {}
        name = _name(values.get("id"), f"row {number}")
        yield Symbol(name, _detail(values.get("input")), first, last, "row")


def _checks(document: Document) -> Iterator[Symbol]:
    checks = document.value.get("checks")
    lines = document.item_lines(("checks",))
    items = checks if isinstance(checks, list) else []
    for check, (first, last) in zip(items, lines, strict=False):
        values = check if isinstance(check, dict) else {}
        kind = _detail(values.get("kind"))
        yield Symbol(_name(values.get("id"), kind or "check"), kind, first, last, "check")


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


class NamedPlace(NamedTuple):
    """A name in a workspace: what has it, where, and the file or id that it belongs to."""

    name: str
    role: str
    place: Place
    container: str


def names_in(workspace: Workspace, query: str) -> list[NamedPlace]:
    """Return the names of a workspace that contain a text: artifacts, checks, targets and rows."""
    wanted = query.casefold()
    found = (each for each in _names(workspace) if wanted in each[0].casefold())
    return [NamedPlace(name, role, of.place(path), to) for name, role, of, path, to in
            islice(found, _MOST_NAMES)]  # fmt: skip


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
