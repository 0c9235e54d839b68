"""JSONL in blocks: whole lines that are read together."""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

# Blocks of this size stay in a processor's cache while they are parsed.
BLOCK_BYTES = 1 << 16
_LINE_END = re.compile(rb"\n")


class Start(NamedTuple):
    """Where some lines begin: the index of their first row, its line, and its byte."""

    first_index: int
    first_line: int
    offset: int


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


def whole_lines(stream: BinaryIO, size: int) -> Iterator[list[bytes]]:
    """Yield blocks of lines with their ends, of that many bytes in all; no line is cut."""
    while size > 0:
        # `readlines` goes on for as long as there are no more bytes than it is told.
        most = min(BLOCK_BYTES, size) - 1
        lines = stream.readlines(most) if most > 0 else [stream.readline()]
        if not any(lines):
            return
        size -= sum(map(len, lines))
        yield lines
