"""JSONL in blocks: whole lines that are read together."""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.source.rows import LineSift, Sifted

# Blocks of this size stay in a processor's cache while they are parsed.
BLOCK_BYTES = 3 << 15
# So many pieces that have to be read are read together, which takes half the time that it takes
# between pieces that were sifted; no more pieces than these are held back for it.
_TOGETHER, _MOST_HELD = 64, 256
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


class Piece(NamedTuple):
    """Some lines of a block; `data` are those that have to be read, where they were not sifted."""

    offset: int
    size: int
    data: bytes
    sifted: Sifted | None


def in_turns(pieces: Iterable[Piece], sift: LineSift | None) -> Iterator[Piece]:
    """Yield pieces in their order; those that have to be read may be held back for one another."""
    held: list[Piece] = []
    doubtful = 0
    for piece in pieces:
        held.append(piece)
        doubtful += piece.sifted is None
        may_wait = sift is not None and sift.can_wait and len(held) < _MOST_HELD
        if not doubtful or doubtful >= _TOGETHER or not may_wait:
            yield from held
            held.clear()
            doubtful = 0
    yield from held


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
