"""The outline of a file: the rows of a dataset, the checks of a rubric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.lsp.names import rows_of
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped, escape_controls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.source import Document, Source

_MAX_DETAIL = 80


class Symbol(NamedTuple):
    """A part of a file with a name: its first and last line, from 1, and what it is."""

    name: str
    detail: str
    first: int
    last: int
    role: str
    parts: tuple[Symbol, ...] = ()


def symbols_of(kind: str, source: Source) -> list[Symbol]:
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


def _rows(source: Source) -> Iterator[Symbol]:
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
    found = checks if isinstance(checks, list) else []
    for check, (first, last) in zip(found, lines, strict=False):
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
