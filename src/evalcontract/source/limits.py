"""How large, how deep and how self-repeating an input may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.source.fault import SourceProblem

if TYPE_CHECKING:
    from evalcontract.model.span import Span

#: Nested collections; far above what a dataset has, far below where Python's stack ends.
MAX_DEPTH = 100
#: Values that aliases may repeat in one document: stops "billion laughs".
MAX_REPLAYED = 1_000_000
#: Bytes of one YAML or JSON document; JSONL has no limit, since it is streamed.
MAX_DOCUMENT_BYTES = 1 << 30


def deep_fault(span: Span | None) -> SourceProblem:
    """Name a value that is nested too deeply."""
    return SourceProblem("source/limit-exceeded", f"nested more than {MAX_DEPTH} levels deep", span)


def replay_fault(span: Span) -> SourceProblem:
    """Name an alias that multiplies too much."""
    return SourceProblem(
        "source/limit-exceeded", f"aliases repeat more than {MAX_REPLAYED:,} values", span
    )


def large_fault(size: int) -> SourceProblem:
    """Name a document that is too large to be held in memory."""
    return SourceProblem(
        "source/limit-exceeded",
        f"{size:,} bytes; a document may have {MAX_DOCUMENT_BYTES:,}",
        None,
        "write large datasets as JSONL, which is read as a stream",
    )
