"""Limits on the size, nesting depth and alias expansion of an input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.source.fault import SourceProblem

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Span

#: Nesting depth: far above that of real datasets, far below Python's recursion limit.
MAX_DEPTH = 100
#: Values that aliases may repeat in one document; stops a "billion laughs" attack.
MAX_REPLAYED = 1_000_000
#: Lines of a YAML document that may begin as a directive does; the parser compares each with all.
MAX_DIRECTIVES = 1000
#: Bytes of one YAML or JSON document; JSONL is streamed and has no limit.
MAX_DOCUMENT_BYTES = 1 << 30
#: A Parquet file may have this many rows, and another one for each of so many bytes: columns that
#: repeat one value take no space, so that a few hundred bytes can claim millions of rows.
MAX_PARQUET_ROWS, MIN_ROW_BYTES = 10_000, 8
#: The bytes that the values of a Parquet file may take, and others for each byte of the file.
MAX_PARQUET_BYTES, MAX_EXPANSION = 64 << 20, 100


def deep_fault(span: Span | None) -> SourceProblem:
    """Return the problem of a value that is nested too deeply."""
    return SourceProblem("source/limit-exceeded", f"nested more than {MAX_DEPTH} levels deep", span)


def replay_fault(span: Span) -> SourceProblem:
    """Return the problem of aliases that repeat too many values."""
    return SourceProblem(
        "source/limit-exceeded", f"aliases repeat more than {MAX_REPLAYED:,} values", span
    )


def directives_fault(span: Span) -> SourceProblem:
    """Return the problem of a YAML document with too many directives."""
    return SourceProblem(
        "source/limit-exceeded", f"the document has more than {MAX_DIRECTIVES:,} directives", span
    )


def parquet_fault(content: str, size: int) -> SourceProblem:
    """Return the problem of a Parquet file of `size` bytes that expands to too much."""
    return SourceProblem(
        "source/limit-exceeded",
        f"the file has {content} in {size:,} bytes, which is more than is read",
        None,
        "write the dataset as JSONL, which is read as a stream",
    )


def large_fault(size: int) -> SourceProblem:
    """Return the problem of a document of `size` bytes, which is too large for memory."""
    return SourceProblem(
        "source/limit-exceeded",
        f"the document has {size:,} bytes; the limit is {MAX_DOCUMENT_BYTES:,}",
        None,
        "write large datasets as JSONL, which is read as a stream",
    )
