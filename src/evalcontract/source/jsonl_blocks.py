"""JSONL in blocks: whole lines that are read together, and the way from a row to its line."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Blocks of this size stay in a processor's cache while they are parsed.
BLOCK_BYTES = 1 << 16
_LATEST_BYTES = 1 << 18
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


class BlockIndex:
    """The blocks of a file that were read, in their order. `open_` gives its bytes anew.

    The lines of the latest blocks are kept: a finding asks for its line soon after it was read.
    """

    def __init__(self, open_: Callable[[], BinaryIO]) -> None:
        self._open = open_
        self.blocks: list[Block] = []
        self._first_indexes: list[int] = []
        self._latest: dict[int, list[bytes]] = {}
        self._latest_bytes = 0
        self._ends: dict[int, array[int]] = {}

    @property
    def count(self) -> int:
        """How many rows were read."""
        last = self.blocks[-1] if self.blocks else None
        return last.first_index + last.lines - len(last.skipped) if last else 0

    @property
    def lines(self) -> int:
        """How many lines were read."""
        return self.blocks[-1].first_line - 1 + self.blocks[-1].lines if self.blocks else 0

    @property
    def is_empty(self) -> bool:
        """Whether every line that was read was blank."""
        return all(block.is_blank for block in self.blocks)

    def clear(self) -> None:
        """Forget what was read."""
        for part in (self.blocks, self._first_indexes, self._ends, self._latest):
            part.clear()
        self._latest_bytes = 0

    def append(self, block: Block) -> None:
        """Add the next block."""
        self.blocks.append(block)
        self._first_indexes.append(block.first_index)

    def restore(self, blocks: list[Block]) -> None:
        """Take over the blocks that another process has read."""
        self.blocks = blocks
        self._first_indexes = [block.first_index for block in blocks]

    def keep(self, offset: int, lines: list[bytes], size: int) -> None:
        """Keep the lines of the block at an offset, of `size` bytes."""
        if self._latest_bytes + size > _LATEST_BYTES:
            self._latest.clear()
            self._latest_bytes = 0
        self._latest[offset] = lines
        self._latest_bytes += size

    def find(self, index: int) -> tuple[Block, int]:
        """Return the block of a row, and the number of its line there."""
        block = self.blocks[bisect_right(self._first_indexes, index) - 1]
        number = index - block.first_index
        for skipped in block.skipped:
            number += skipped <= number
        return block, number

    def line(self, block: Block, number: int) -> bytes:
        """Return a line of a block: of the latest ones as it is, of others from the file."""
        if block.offset in self._latest:
            return self._latest[block.offset][number].removesuffix(b"\n")
        with self._open() as stream:
            if block.offset not in self._ends:
                stream.seek(block.offset)
                self._ends[block.offset] = ends_of_lines(stream.read(block.size))
            ends = self._ends[block.offset]
            start = ends[number - 1] if number else 0
            stream.seek(block.offset + start)
            return stream.read(ends[number] - start).removesuffix(b"\n")
