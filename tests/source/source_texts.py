"""Short ways to read a text, and to say what came of it; the tables of these tests use them."""

from __future__ import annotations

import io
import re
import reprlib
from typing import TYPE_CHECKING, Any

from evalcontract.source import Document, UnreadableFile
from evalcontract.source.files import read_stream
from evalcontract.source.jsonl import RowStream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Path, Span
    from evalcontract.source import SourceProblem

_LINE_END = re.compile(r"\r\n|\n|\r")


def read(data: str | bytes, name: str) -> Document | RowStream | UnreadableFile:
    """Read a text under a name, whose suffix gives the format."""
    raw = data.encode() if isinstance(data, str) else data
    return read_stream(io.BytesIO(raw), name)


def document(data: str | bytes, name: str = "x.yaml") -> Document:
    """Read a text that must be fine."""
    found = read(data, name)
    assert isinstance(found, Document), getattr(found, "faults", found)
    return found


def value(data: str | bytes, name: str = "x.yaml") -> Any:
    """Return the value of a text that must be fine."""
    return document(data, name).value


def faults(data: str | bytes, name: str = "x.yaml") -> tuple[SourceProblem, ...]:
    """Return the faults of a text that must be refused."""
    found = read(data, name)
    shown = found.value if isinstance(found, Document) else found
    assert isinstance(found, UnreadableFile), f"read as {reprlib.repr(shown)}"
    assert found.faults
    return found.faults


def stream(data: str | bytes, name: str = "x.jsonl") -> RowStream:
    """Open a JSONL text."""
    found = read(data, name)
    assert isinstance(found, RowStream), found
    return found


def at(span: Span | None) -> str:
    """Write where a span begins as `line:column`; empty for the whole file."""
    return f"{span.line}:{span.column}" if span else ""


def ends(span: Span | None) -> str:
    """Write a span as `line:column-line:column`; empty for the whole file."""
    return f"{at(span)}-{span.end_line}:{span.end_column}" if span else ""


def fragment(text: str, span: Span) -> str:
    """Cut a span out of a text, by the definition in `Span`."""
    starts = [0, *(end.end() for end in _LINE_END.finditer(text))]
    start = starts[span.line - 1] + span.column - 1
    end = starts[span.end_line - 1] + span.end_column - 1
    assert 0 <= start <= end <= len(text), (span, len(text))
    return text[start:end]


def parts(data: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield a value and everything inside of it, with its path."""
    yield path, data
    if isinstance(data, dict):
        for key, part in data.items():
            yield from parts(part, (*path, key))
    elif isinstance(data, list):
        for index, part in enumerate(data):
            yield from parts(part, (*path, index))
