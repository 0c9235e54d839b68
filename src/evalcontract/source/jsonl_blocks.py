"""JSONL in blocks: whole lines that are read together."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator

# Blocks of this size stay in a processor's cache while they are parsed.
BLOCK_BYTES = 1 << 16
_LINE_END = re.compile(rb"\n")


@dataclass(frozen=True, slots=True)
class Block:
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
    rest: list[bytes] = []
    while chunk := stream.read(min(BLOCK_BYTES, size)):
        size -= len(chunk)
        cut = chunk.rfind(b"\n") + 1
        if cut == 0:
            rest.append(chunk)
            continue
        yield b"".join([*rest, chunk[:cut]])
        rest = [chunk[cut:]] if cut < len(chunk) else []
    if rest:
        yield b"".join(rest)
