"""JSONL as a stream of rows, with places that are computed for single rows on demand."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import chain, islice
from typing import Any, BinaryIO, Self

from evalcontract.model.diagnostic import Path, Place, Span, Within
from evalcontract.source.document import Batch, Node, find_within, place_in, value_at
from evalcontract.source.faults import ParseError, SourceProblem
from evalcontract.source.json.blocks import BlockIndex, LineBlock, Start, end_of_block, whole_lines
from evalcontract.source.json.reading import MANY_DIGITS, has_many_digits
from evalcontract.source.text import (
    EMPTY,
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
        from evalcontract.source.json.reading import load_as_python  # slow to import

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
        from evalcontract.source.json.blocks import parse_lines  # slow to import
        from evalcontract.source.wrong_extension import not_jsonl_fault

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
        from evalcontract.source.document import ScalarSourceMap  # slow to import
        from evalcontract.source.json.reading import load_json

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
        from evalcontract.source.json.reading import scan  # slow to import

        data = self._index.line(block, number)
        text = (plain_ends(data) if self._as_text else data).decode().rstrip("\r")
        remarks: list[SourceProblem] | None = [] if self._as_python else None
        return block.first_line + number, text, scan(text, is_line=True, remarks=remarks)

    def exact(self, index: int) -> Any:
        from evalcontract.source.json.reading import load_json

        return load_json(self._index.line(*self._index.find(index)).rstrip(b"\r"), is_line=True)
