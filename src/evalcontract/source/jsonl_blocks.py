"""JSONL in blocks: whole lines that are read together, and what a sift leaves of them."""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from evalcontract.source.rows import Sift, Sifted

if TYPE_CHECKING:
    from collections.abc import Iterator

# Blocks of this size stay in a processor's cache while they are parsed.
BLOCK_BYTES = 3 << 15
_LINE_END = re.compile(rb"\n")


class Block(NamedTuple):
    """Some lines that were read together, and where they stand."""

    first_index: int
    first_line: int
    offset: int
    size: int
    lines: int
    skipped: tuple[int, ...]  # lines of the block that hold no row
    is_blank: bool


def ends_of_lines(data: bytes) -> array[int]:
    """Return the offset after each line of a block."""
    ends = array("Q", (found.end() for found in _LINE_END.finditer(data)))
    if not ends or ends[-1] < len(data):
        ends.append(len(data))
    return ends


def whole_lines(stream: BinaryIO, size: int) -> Iterator[bytes]:
    """Yield blocks that end where a line ends, of that many bytes in all; no line is cut."""
    while block := stream.read(min(BLOCK_BYTES, size)):
        if not block.endswith(b"\n"):
            block += stream.readline(size - len(block))
        size -= len(block)
        yield block


def sift_lines(data: bytes, sift: Sift | None) -> Iterator[tuple[bytes, Sifted | None]]:
    """Yield the lines of a block in pieces, each with what the sift kept of it.

    A few doubtful rows must not take the others with them: a block is cut where the sift says
    that it met one, or else in two. What it learns of a piece it knows for the next.
    """
    waiting = [(data, False)]
    while waiting:
        piece, is_doubtful = waiting.pop()
        if sift is None or is_doubtful:
            yield piece, None
            continue
        kept = sift.read(piece)
        if isinstance(kept, Sifted):
            yield piece, kept
            continue
        first, last = kept or _halves(piece)
        if not sift.is_ready or (first, last) == (0, len(piece)):
            yield piece, None
            continue
        parts = ((piece[last:], False), (piece[first:last], bool(kept)), (piece[:first], False))
        waiting += [part for part in parts if part[0]]


def _halves(lines: bytes) -> tuple[int, int]:
    """Return where the second half of some lines begins, and where it ends; one is no half."""
    start = lines.rfind(b"\n", 0, len(lines) // 2) + 1
    start = start or lines.find(b"\n", 0, len(lines) - 1) + 1
    return start, len(lines)
