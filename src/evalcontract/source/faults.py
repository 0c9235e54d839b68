"""Problems that make a file unreadable, with spans in its text."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from evalcontract.model.diagnostic import Span
from evalcontract.model.startup import NamedTuple


class SourceProblem(NamedTuple):
    """A problem in a text; `span` is None if it concerns the whole file.

    `related` are messages with their spans.
    """

    code: str
    message: str
    span: Span | None = None
    help: str | None = None
    related: tuple[tuple[str, Span], ...] = ()


class UnreadableFile(NamedTuple):
    """A file that cannot be read or parsed; `lines` is its text, if any, to show in reports.

    Implements `RowSource`.
    """

    file: str
    faults: tuple[SourceProblem, ...]
    lines: tuple[str, ...] = ()

    @property
    def document(self) -> None:
        """None: the file has no value."""

    @property
    def stream(self) -> None:
        """None: the file has no rows."""

    @property
    def refusal(self) -> str:
        """Why nothing is made of the file: it cannot be read, or it is known to be no dataset."""
        can_be = not self.faults[0].code.startswith("source/")
        return "is no dataset" if can_be else "cannot be read"

    @property
    def unreadable(self) -> UnreadableFile:
        """The file itself."""
        return self

    def peek(self) -> Any:
        """Return None: there is no first row."""


class ParseError(Exception):
    """A parser found `faults`; callers outside of `source` get an `UnreadableFile` instead."""

    def __init__(self, *faults: SourceProblem) -> None:
        super().__init__(faults)
        self.faults = faults


def duplicate_fault(key: str, span: Span, first: Span) -> SourceProblem:
    """Return the problem of a duplicate key, with the spans of both."""
    message = f"duplicate key `{key}`"
    advice = "remove one; parsers silently keep only the last"
    return SourceProblem("source/duplicate-key", message, span, advice, (("first here", first),))


def moved_fault(problem: SourceProblem, lines: int) -> SourceProblem:
    """Return a problem with its spans moved down by a number of lines."""
    if not lines:
        return problem
    related = tuple((message, span.below(lines)) for message, span in problem.related)
    return problem._replace(span=problem.span and problem.span.below(lines), related=related)


#: Nesting depth: far above that of real datasets, far below Python's recursion limit.
MAX_DEPTH = 100
#: Values that aliases may repeat in one document; stops a "billion laughs" attack.
MAX_REPLAYED = 1_000_000
#: Items of one list that may be aliases of mappings or lists. Lists of many items mostly have rows:
#: an alias of four characters would cost as much as a row that is written out.
MAX_REPEATED_ITEMS = 10_000
#: Lines of a YAML document that may begin as a directive does; the parser compares each with all.
MAX_DIRECTIVES = 1000
#: Bytes of one YAML or JSON document; JSONL is streamed and has no limit.
MAX_DOCUMENT_BYTES = 1 << 30
#: A Parquet file may have this many rows, and another one for each of so many bytes: columns that
#: repeat one value take no space, so that a few hundred bytes can claim millions of rows.
MAX_PARQUET_ROWS, MIN_ROW_BYTES = 10_000, 1
#: The bytes that the values of a Parquet file may take, and others for each byte of the file.
MAX_PARQUET_BYTES, MAX_EXPANSION = 64 << 20, 100


def limit_fault(message: str, span: Span | None = None, advice: str | None = None) -> SourceProblem:
    """Return the problem of a file that exceeds a limit."""
    return SourceProblem("source/limit-exceeded", message, span, advice)


def deep_fault(span: Span | None) -> SourceProblem:
    """Return the problem of a value that is nested too deeply."""
    return limit_fault(f"nested more than {MAX_DEPTH} levels deep", span)


def large_fault(size: int) -> SourceProblem:
    """Return the problem of a document of `size` bytes, which is too large for memory."""
    message = f"the document has {size:,} bytes; the limit is {MAX_DOCUMENT_BYTES:,}"
    return limit_fault(message, None, "write large datasets as JSONL, which is read as a stream")


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the cyclic garbage collector: parsed data has no cycles.

    Measured: collecting takes up to 3.6 times as long as parsing itself (100,000 rows).
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
