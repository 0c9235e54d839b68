"""What is promised of every reader: whatever it reads, all places are inside of the text."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from evalcontract.source import Document, UnreadableFile, read_stream
from evalcontract.source.external import read_external_stream
from evalcontract.source.jsonl import RowStream
from evalcontract.source.text import split_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.model.diagnostic import Span
    from evalcontract.source import SourceProblem

_BOM = b"\xef\xbb\xbf"


def lines_in(data: bytes, name: str) -> list[str]:
    """Return the lines of a file, as spans count them."""
    text = data.removeprefix(_BOM).decode("utf-8", "replace")
    return text.split("\n") if name.endswith(".jsonl") else split_lines(text)


def assert_inside(span: Span | None, lines: list[str]) -> None:
    """Assert that a span, if any, lies inside of a text."""
    if span is None:
        return
    start, end = (span.line, span.column), (span.end_line, span.end_column)
    assert (1, 1) <= start <= end, span
    for line, column in (start, end):
        assert line <= len(lines), (span, len(lines))
        assert 1 <= column <= len(lines[line - 1]) + 1, (span, lines[line - 1][:80])


def check_reader(name: str, data: bytes) -> None:
    """Read a file, and ask for the place of every part."""
    lines = lines_in(data, name)
    found = read_stream(io.BytesIO(data), name)
    match found:
        case UnreadableFile():
            _assert_faults(found.faults, lines)
        case Document():
            _assert_places(found, found.value, (), lines)
            quick = read_stream(io.BytesIO(data), name, quick=True)
            assert isinstance(quick, Document), quick
            assert repr(quick.value) == repr(found.value)
        case RowStream():
            # What is not JSONL by its name was told by its content: its lines are others.
            lines = lines_in(data, "x.jsonl")
            _assert_rows(found, lines)


def check_external_reader(name: str, data: bytes) -> None:
    """Read a file as other systems do."""
    found = read_external_stream(io.BytesIO(data), name)
    lines = lines_in(data, name)
    for remark in found.remarks:
        assert_inside(remark.span, lines)
    if found.unreadable:
        _assert_faults(found.unreadable.faults, lines)
    elif found.document:
        _assert_places(found.document, found.document.value, (), lines)
    elif found.stream:
        found.peek()
        _assert_rows(found.stream, [] if name.endswith((".parquet", ".arrow")) else lines)


def _assert_faults(faults: Iterable[SourceProblem], lines: list[str]) -> None:
    assert faults
    for fault in faults:
        assert fault.code.startswith("source/"), fault
        for span in (fault.span, *(span for _, span in fault.related)):
            assert_inside(span, lines)


def _assert_rows(rows: Any, lines: list[str]) -> None:
    for batch in rows.batches():
        for fault, _ in batch.faults:
            if lines:
                assert_inside(fault.span, lines)
        for number, row in enumerate(batch.rows):
            _assert_places(rows, row, (batch.first_index + number,), lines)


def _assert_places(source: Any, value: Any, path: tuple[Any, ...], lines: list[str]) -> None:
    for on_key in (False, True):
        span = source.place(path, on_key=on_key).span
        if lines:
            assert_inside(span, lines)
    if isinstance(value, dict):
        for key, part in value.items():
            _assert_places(source, part, (*path, key), lines)
    elif isinstance(value, list):
        for index, part in enumerate(value[:50]):
            _assert_places(source, part, (*path, index), lines)
