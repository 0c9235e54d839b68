"""JSONL as a stream of rows, with places that are computed for single rows on demand."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import chain, islice
from typing import Any, BinaryIO, Self

import orjson

from evalcontract.model.diagnostic import Path, Place, Span, Within
from evalcontract.model.startup import NamedTuple
from evalcontract.source.document import (
    Batch,
    Node,
    ScalarSourceMap,
    find_within,
    place_in,
    value_at,
)
from evalcontract.source.faults import (
    MAX_DEPTH,
    ParseError,
    SourceProblem,
    collector_paused,
    moved_fault,
)
from evalcontract.source.json import (
    MANY_DIGITS,
    has_many_digits,
    is_plain,
    keeps_all_keys,
    load_as_python,
    load_json,
    not_jsonl_fault,
    scan,
)
from evalcontract.source.text import (
    EMPTY,
    encoding_fault,
    plain_ends,
    split_lines,
    strip_bom,
    text_lines,
    without_nul,
)

#: Number of cached rows: diagnostics of one row, and the rows they refer to, come together.
_MOST_SCANNED = 4
_OPENING_BYTES = 1 << 12
_WHOLE = (0, sys.maxsize)
_BLANKS = b" \t\r\n"
_CHUNK = 1 << 20


class RowStream:
    """The rows of a JSONL file; blank lines are skipped.

    `done` of `size` bytes have been read. `open_` opens the file again at each call, so that
    places can be looked up later; if the file has changed by then, they have no line. `part` is a
    range of bytes (start, end) that starts at a line: rows and lines are then counted from there,
    until the stream of the whole file `adopt`s the part. With `as_python` lines are read like
    Python's `json` reads them, for rows of other systems; with `as_text` as Python's text files
    have them, see `text_lines`.
    """

    prefix: Path = ()
    #: A stream is readable and not a single value; see `RowSource`.
    document = None
    unreadable = None
    has_bare_keys = has_bare_texts = False

    def __init__(
        self,
        file: str,
        open_: Callable[[], BinaryIO],
        size: int,
        part: tuple[int, int] | None = None,
        *,
        as_python: bool = False,
        as_text: bool = False,
    ) -> None:
        self.file = file
        self._as_python = as_python
        self._as_text = as_text
        self.size = size
        self.done: int = 0
        self._part = part or _WHOLE
        self._open = open_ = text_lines(open_) if as_text else open_
        self._index = BlockIndex(open_)
        self._digest: Any = None
        self._scanned: dict[int, tuple[int, str, Node]] = {}
        self._put: dict[int, tuple[int, str, Node]] = {}

    def __repr__(self) -> str:
        return f"RowStream({self.file!r})"

    @cached_property
    def has_other_numbers(self) -> bool:
        """Whether there may be an integer of more than 64 bits, which a quick reading rounds.

        It reads the whole file.
        """
        with self._open() as stream:
            before = b""
            while data := stream.read(_CHUNK):
                if has_many_digits(before + data):
                    return True
                before = data[-MANY_DIGITS:]
        return False

    @property
    def sha256(self) -> str:
        """The SHA-256 digest of the bytes read by `batches`; after a quick reading, of the file."""
        if self._digest is None:
            with self._open() as stream:
                from hashlib import sha256  # slow to import

                return sha256(stream.read()).hexdigest()
        digest: str = self._digest.hexdigest()
        return digest

    def batches(self, *, quick: bool = False) -> Iterator[Batch]:
        """Yield the rows from the beginning; if reading fails, the last batch has the problem.

        With `quick`, integers of more than 64 bits may be floats.
        """
        from hashlib import sha256  # slow to import

        self.forget()
        self._digest = None if quick or self._part != _WHOLE else sha256()
        begin, end = self._part
        self.done = begin
        index = 0
        try:
            with self._open() as stream:
                if begin:
                    stream.seek(begin)
                for batch in self._read(whole_lines(stream, begin, end), quick=quick):
                    index = batch.first_index + len(batch.rows)
                    yield batch
        except ParseError as error:
            yield Batch(index, [], tuple((problem, "") for problem in error.faults))
        except OSError as error:
            message = f"cannot be read: {(error.strerror or str(error)).lower()}"
            yield Batch(index, [], ((SourceProblem("source/unreadable", message), ""),))

    def line_where(self, holds: Callable[[bytes], bool]) -> tuple[int, bytes] | None:
        """Return the first line that something holds of, numbered from 1; None if there is none.

        The line has no white space of JSON around it.
        """
        with self._open() as stream:
            lines = enumerate((line.strip(_BLANKS) for line in stream), 1)
            return next((each for each in lines if holds(each[1])), None)

    @property
    def stream(self) -> Self:
        return self

    def as_text(self) -> RowStream:
        """Return the rows of the same file, with its lines as Python's text files have them."""
        return RowStream(self.file, self._open, self.size, as_python=self._as_python, as_text=True)

    def cut_texts(self) -> tuple[()]:
        return ()

    @property
    def progress(self) -> tuple[int, int]:
        """The number of bytes read so far, and the size of the file."""
        return self.done, self.size

    def peek(self) -> Any:
        """Return the first row; None if its line cannot be parsed. Only that line is read."""
        try:
            with text_lines(self._open)() as stream:
                line = next((line for line in map(strip_bom, stream) if line.strip()), b"")
            text = line.decode("utf-8", "replace")
            return load_as_python(text.encode(), is_line=True)[0]
        except (OSError, ParseError):
            return None

    def opening(self) -> list[str]:
        """Return the lines of the first 4096 bytes; the last one may be cut."""
        try:
            with self._open() as stream:
                return split_lines(stream.read(_OPENING_BYTES).decode("utf-8", "replace"))
        except OSError:
            return []

    def _read(self, blocks: Iterator[list[bytes]], *, quick: bool) -> Iterator[Batch]:
        if not self.done and (first := next(blocks, [])):
            text = without_nul(strip_bom(b"".join(first)))
            if problem := not_jsonl_fault(text.split(b"\n")):
                yield Batch(0, [], (problem,))
                return
            blocks = chain((first,), blocks)
        index, line, offset = 0, 1, self.done
        for lines in blocks:
            raw = b"".join(lines)
            if self._digest is not None:
                self._digest.update(raw)
            if not offset:
                lines[0] = strip_bom(lines[0])
            data = raw if offset else b"".join(lines)
            offset += len(raw) - len(data)
            at = Start(index, line, offset)
            how = {"as_python": self._as_python, "as_text": self._as_text}
            batch, skipped = parse_lines(data, lines, at, quick=quick, **how)
            self._index.keep(offset, lines, len(data))
            is_blank = len(skipped) == len(lines) and not batch.faults
            self.blocks.append(LineBlock(*at, len(data), len(lines), skipped, is_blank))
            index, line, offset = index + len(batch.rows), line + len(lines), offset + len(data)
            self.done = offset
            yield batch
        if self._part == _WHOLE and self.is_empty:
            raise ParseError(EMPTY)

    def parts(self) -> tuple[()]:
        return ()

    def cut(self, number: int) -> list[RowStream]:
        """Split the file between blocks into at most `number` parts of about the same size."""
        with self._open() as stream:
            shares = (self.size * share // number for share in range(number))
            starts = [end_of_block(stream, share) for share in shares]
        ends = [*starts[1:], _WHOLE[1]]
        return [
            self.part(begin, end)
            for begin, end in zip(starts, ends, strict=True)
            if begin < min(end, self.size)
        ]

    def part(self, begin: int, end: int) -> RowStream:
        """Return the rows of a range of bytes, which begins at the start of a line."""
        return RowStream(self.file, self._open, self.size, part=(begin, end))

    def sizes(self, number: int) -> Iterator[int]:
        """Yield the size of each `number` lines in bytes; they are only read, not parsed."""
        with self._open() as stream:
            while size := sum(map(len, islice(stream, number))):
                yield size

    @property
    def line_count(self) -> int:
        """The number of lines of the file; they are only read, not parsed."""
        number, last = 0, b"\n"
        with self._open() as stream:
            while data := stream.read(_CHUNK):
                number, last = number + data.count(b"\n"), data[-1:]
        return number + (last != b"\n")

    @property
    def blocks(self) -> list[LineBlock]:
        """The blocks that were read, for `adopt`."""
        return self._index.blocks

    @property
    def count(self) -> int:
        """The number of rows read so far."""
        last = self.blocks[-1] if self.blocks else None
        return last.first_index + last.lines - len(last.skipped) if last else 0

    @property
    def lines(self) -> int:
        """The number of lines read so far."""
        return self.blocks[-1].first_line - 1 + self.blocks[-1].lines if self.blocks else 0

    @property
    def is_empty(self) -> bool:
        """Whether all lines read so far are blank."""
        return all(block.is_blank for block in self.blocks)

    @property
    def is_done(self) -> bool:
        """Whether the file, or the part, was read to its end."""
        return self.done >= min(self._part[1], self.size)

    @property
    def state(self) -> tuple[list[LineBlock], int]:
        """The reading state, to be sent to another process; see `restore`."""
        return self.blocks, self.done

    def restore(self, state: tuple[list[LineBlock], int]) -> None:
        """Take over the reading state of another process."""
        self._index.blocks, self.done = state

    def forget(self) -> None:
        """Discard the reading state."""
        self._index = BlockIndex(self._open)
        self._scanned.clear()

    def adopt(self, blocks: list[LineBlock], *, rows: int, lines: int) -> None:
        """Take over the blocks of a part; `rows` and `lines` are the numbers of those before it."""
        for block in blocks:
            first, line = block.first_index + rows, block.first_line + lines
            self.blocks.append(block._replace(first_index=first, first_line=line))

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        row = self._node(path)
        if row is None:
            return Place(self.file)
        line, text, node = row
        place = place_in(node, path[1:], self.file, lines=[text], on_key=on_key)
        span = place.span or Span.point()
        part = value_at(load_json(text.encode(), is_line=True), path[1:]) if within else None
        if within and isinstance(part, str):
            span = find_within(ScalarSourceMap(part, [text], span), part, within) or span
        return Place(self.file, Span(line, span.column, line, span.end_column), text)

    @property
    def pieces(self) -> Self:
        """The rows: each line is read alone."""
        return self

    def texts(self, first: int, count: int) -> list[bytes]:
        """Return the lines of rows that were read together; see `RowPieces`."""
        block, _ = self._index.find(first)
        at = first - block.first_index
        return self._index.rows(block)[at : at + count]

    def piece(self, index: int) -> tuple[str, Node] | None:
        """Return the text and the tree of positions of a row; None if it is gone."""
        scanned = self._node((index,))
        return scanned and scanned[1:]

    def put(self, index: int, piece: tuple[str, Node]) -> None:
        block, number = self._index.find(index)
        self._put[index] = (block.first_line + number, *piece)

    def raw(self, path: Path) -> str | None:
        row = self._node(path)
        if row is None:
            return None
        node, _, depth = row[2].find(path[1:])
        return node.raw if depth == len(path) - 1 else None

    def _node(self, path: Path) -> tuple[int, str, Node] | None:
        """Return the line number, text and tree of positions of a row; None if it is gone."""
        if not path or not isinstance(path[0], int) or not self.blocks:
            return None
        if path[0] in self._put:
            return self._put[path[0]]
        if path[0] not in self._scanned:
            while len(self._scanned) >= _MOST_SCANNED:
                del self._scanned[next(iter(self._scanned))]
            try:
                self._scanned[path[0]] = self._scan(*self._index.find(path[0]))
            except (ParseError, OSError, UnicodeDecodeError, IndexError):  # the file has changed
                return None
        return self._scanned[path[0]]

    def _scan(self, block: LineBlock, number: int) -> tuple[int, str, Node]:
        data = self._index.line(block, number)
        text = (plain_ends(data) if self._as_text else data).decode().rstrip("\r")
        remarks: list[SourceProblem] | None = [] if self._as_python else None
        return block.first_line + number, text, scan(text, is_line=True, remarks=remarks)

    def exact(self, index: int) -> Any:
        return load_json(self._index.line(*self._index.find(index)).rstrip(b"\r"), is_line=True)


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
