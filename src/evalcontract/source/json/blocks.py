"""Blocks of JSONL: whole lines that are read together, and an index from rows to lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import orjson

from evalcontract.model.diagnostic import Span
from evalcontract.model.startup import NamedTuple
from evalcontract.source.document import Batch
from evalcontract.source.faults import (
    MAX_DEPTH,
    ParseError,
    SourceProblem,
    collector_paused,
    moved_fault,
)
from evalcontract.source.json.reading import (
    has_many_digits,
    is_plain,
    keeps_all_keys,
    load_as_python,
    load_json,
)
from evalcontract.source.text import encoding_fault, plain_ends

# A block of this size stays in the CPU cache while it is parsed.
BLOCK_BYTES = 1 << 16
_LATEST_BYTES = 1 << 18


class Start(NamedTuple):
    """The start of some lines: the index of the first row, its line (from 1), its byte offset."""

    first_index: int
    first_line: int
    offset: int


class LineBlock(NamedTuple):
    """Lines that were read together: their first row and line, byte offset, and size in bytes."""

    first_index: int
    first_line: int
    offset: int
    size: int
    lines: int
    skipped: tuple[int, ...]  # lines of the block without a row, from 0
    is_blank: bool


def whole_lines(stream: BinaryIO, begin: int, end: int) -> Iterator[list[bytes]]:
    """Yield blocks of whole lines with their line ends, from a line start to at least `end`.

    A block ends with the line in which a multiple of the size of blocks is reached, so that the
    blocks of parts that are cut there are those of the file.
    """
    while begin < end:
        # `readlines` stops when it has read more bytes than its hint.
        hint = min(BLOCK_BYTES - begin % BLOCK_BYTES, end - begin) - 1
        lines = stream.readlines(hint) if hint > 0 else [stream.readline()]
        if not any(lines):
            return
        begin += sum(map(len, lines))
        yield lines


def end_of_block(stream: BinaryIO, offset: int) -> int:
    """Return the end of a block of `whole_lines` that is near an offset; 0 before the first."""
    start = offset - offset % BLOCK_BYTES
    if not start:
        return 0
    stream.seek(start - 1)
    stream.readline()
    return stream.tell()


class BlockIndex:
    """The blocks of a file that were read, in order; `open_` opens the file again.

    The lines of the latest blocks are cached: places are mostly looked up soon after reading, or
    one after the other.
    """

    def __init__(self, open_: Callable[[], BinaryIO]) -> None:
        self._open = open_
        self.blocks: list[LineBlock] = []
        self._latest: dict[int, list[bytes]] = {}
        self._latest_bytes = 0

    def keep(self, offset: int, lines: list[bytes], size: int) -> None:
        """Cache the lines of the block at an offset, of `size` bytes."""
        if self._latest_bytes + size > _LATEST_BYTES:
            self._latest.clear()
            self._latest_bytes = 0
        self._latest[offset] = lines
        self._latest_bytes += size

    def find(self, index: int) -> tuple[LineBlock, int]:
        """Return the block of a row, and its line within the block, from 0."""
        after = bisect_right(self.blocks, index, key=lambda block: block.first_index)
        block = self.blocks[after - 1]
        number = index - block.first_index
        for skipped in block.skipped:
            number += skipped <= number
        return block, number

    def line(self, block: LineBlock, number: int) -> bytes:
        """Return a line of a block, without its line end, from the cache or from the file."""
        return self._lines(block)[number].removesuffix(b"\n")

    def rows(self, block: LineBlock) -> list[bytes]:
        """Return the lines of a block that have a row, without their line ends."""
        lines = enumerate(self._lines(block)[: block.lines])
        return [line.removesuffix(b"\n") for n, line in lines if n not in block.skipped]

    def _lines(self, block: LineBlock) -> list[bytes]:
        if block.offset not in self._latest:
            with self._open() as stream:
                stream.seek(block.offset)
                self.keep(block.offset, stream.read(block.size).split(b"\n"), block.size)
        return self._latest[block.offset]


Faults = tuple[tuple[SourceProblem, str], ...]


def parse_lines(
    data: bytes,
    lines: list[bytes],
    at: Start,
    *,
    quick: bool = False,
    as_python: bool = False,
    as_text: bool = False,
) -> tuple[Batch, tuple[int, ...]]:
    """Return the rows of some lines, and the numbers of the lines without a row, from 0.

    `data` is the lines joined. `quick` is as in `RowStream.batches`. With `as_python` each line is
    read like Python's `json` reads it; what RFC 8259 forbids is in the remarks of the batch. With
    `as_text` white space of Unicode around a line does not count.
    """
    rows = _parse_quickly(data, lines)
    may_be_plain = not _may_be_deep(lines) and (quick or not has_many_digits(data))
    if rows is not None and (may_be_plain or is_plain(data, rows)):
        return Batch(at.first_index, rows), ()
    remarks: list[tuple[SourceProblem, str]] | None = [] if as_python else None
    rows, faults, skipped = _parse_slowly(lines, at, remarks, as_text=as_text)
    return Batch(at.first_index, rows, faults, tuple(remarks or ())), skipped


def _parse_quickly(data: bytes, lines: list[bytes]) -> list[Any] | None:
    """Return the rows of a block; None if a line is blank, broken or may be misread by orjson."""
    loads = orjson.loads
    try:
        with collector_paused():
            rows = [loads(line) for line in lines]
    except orjson.JSONDecodeError:
        return None
    return rows if keeps_all_keys(data, rows) else None


def _may_be_deep(lines: list[bytes]) -> bool:
    """Whether a line has so many brackets that it may be nested too deep."""
    # As many brackets close as open, so a short line is not even looked at.
    return any(
        line.count(b"[") + line.count(b"{") > MAX_DEPTH
        for line in lines
        if len(line) > MAX_DEPTH * 2
    )


def _parse_slowly(
    lines: list[bytes], at: Start, remarks: list[tuple[SourceProblem, str]] | None, *, as_text: bool
) -> tuple[list[Any], Faults, tuple[int, ...]]:
    """Parse a block line by line."""
    first_line, offset = at.first_line, at.offset
    rows: list[Any] = []
    faults: list[tuple[SourceProblem, str]] = []
    skipped: list[int] = []
    for number, whole in enumerate(line.removesuffix(b"\n") for line in lines):
        line = plain_ends(whole) if as_text else whole
        if not line.strip():
            skipped.append(number)
        else:
            try:
                if remarks is None:
                    rows.append(load_json(line.rstrip(b"\r"), is_line=True))
                else:
                    row, of_line = load_as_python(line.rstrip(b"\r"), is_line=True)
                    rows.append(row)
                    text = line.decode()
                    remarks += [(_on_line(remark, number + first_line), text) for remark in of_line]
            except UnicodeDecodeError as error:
                problem = encoding_fault(line, error, offset, is_line=True)
                text = line.decode("utf-8", "replace").rstrip("\r")
                faults.append((_on_line(problem, number + first_line), text))
                skipped.append(number)
            except ParseError as error:
                text = line.decode("utf-8", "replace")
                faults += [
                    (_on_line(problem, number + first_line), text) for problem in error.faults
                ]
                skipped.append(number)
        offset += len(whole) + 1
    return rows, tuple(faults), tuple(skipped)


def _on_line(problem: SourceProblem, line: int) -> SourceProblem:
    """Return a problem of a one-line text as a problem of a line of the file."""
    moved = moved_fault(problem, line - 1)
    return moved if moved.span else moved._replace(span=Span.point(line))
