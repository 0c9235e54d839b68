r"""JSONL: a stream of batches of rows, in constant memory. A line ends at `\n` alone."""

from __future__ import annotations

import hashlib
import re
from array import array
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import orjson

from evalcontract.model.span import Place, Span
from evalcontract.source.document import find_within, place_in
from evalcontract.source.fault import Fault, SourceFault
from evalcontract.source.json import is_plain, load_json
from evalcontract.source.json_scanner import scan
from evalcontract.source.memory import collector_paused
from evalcontract.source.misnamed import not_jsonl
from evalcontract.source.rows import Batch
from evalcontract.source.text import EMPTY, encoding_fault, split_lines, strip_mark, without_nul

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evalcontract.model.diagnostic import Within
    from evalcontract.model.path import Path
    from evalcontract.source.node import Node

BLOCK_BYTES = 1 << 20
#: Rows whose places are kept: the findings of one row come together, and so does what they relate
#: to.
_ROWS_KEPT = 4
_OPENING_BYTES = 1 << 12
_LINE_END = re.compile(rb"\n")
Faults = tuple[tuple[SourceFault, str], ...]


@dataclass(frozen=True, slots=True)
class _Block:
    first_index: int
    first_line: int
    offset: int
    size: int
    skipped: tuple[int, ...]  # lines of the block that hold no row


class RowStream:
    """The rows of a JSONL file; blank lines are passed over.

    `done` of its `size` bytes are read so far. `open_` gives the bytes anew at each call, so that
    a place can be looked up later. A file that changes meanwhile gives places without a line.
    """

    prefix: Path = ()

    def __init__(self, file: str, open_: Callable[[], BinaryIO], size: int) -> None:
        self.file = file
        self.size = size
        self.done = 0
        self._open = open_
        self._blocks: list[_Block] = []
        self._digest = hashlib.sha256()
        self._latest: tuple[_Block, list[bytes]] | None = None
        self._rows: dict[int, tuple[str, Node]] = {}
        self._ends: dict[int, array[int]] = {}

    def __repr__(self) -> str:
        return f"RowStream({self.file!r})"

    @property
    def sha256(self) -> str:
        """The digest of the bytes that the batches have read so far."""
        return self._digest.hexdigest()

    def batches(self) -> Iterator[Batch]:
        """Read the file from its beginning; where it cannot be read on, a last batch says so."""
        for kept in (self._blocks, self._rows, self._ends):
            kept.clear()
        self._digest = hashlib.sha256()
        self.done = 0
        index = 0
        try:
            with self._open() as stream:
                for batch in self._read(stream):
                    index = batch.first_index + len(batch.rows)
                    yield batch
        except Fault as fault:
            yield Batch(index, [], tuple((each, "") for each in fault.faults))
        except OSError as error:
            message = f"cannot be read: {(error.strerror or str(error)).lower()}"
            yield Batch(index, [], ((SourceFault("source/unreadable", message), ""),))

    def opening(self) -> list[str]:
        """Return the first lines as they are, for who wants to know what is meant."""
        try:
            with self._open() as stream:
                return split_lines(stream.read(_OPENING_BYTES).decode("utf-8", "replace"))
        except OSError:
            return []

    def _read(self, stream: BinaryIO) -> Iterator[Batch]:
        index, line, empty = 0, 1, True
        for raw in _whole_lines(stream):
            self._digest.update(raw)
            data = without_nul(strip_mark(raw)) if self.done == 0 else raw
            lines = data.split(b"\n")
            if not lines[-1]:
                lines.pop()
            if self.done == 0 and (fault := not_jsonl(lines)):
                yield Batch(0, [], (fault,))
                return
            rows, faults, skipped = _parse(data, lines, line, self.done + len(raw) - len(data))
            block = _Block(index, line, self.done, len(raw), skipped)
            self._blocks.append(block)
            self._latest = (block, lines)
            self.done += len(raw)
            yield Batch(index, rows, faults)
            index, line = index + len(rows), line + len(lines)
            empty = empty and len(skipped) == len(lines) and not faults
        if empty:
            raise Fault(EMPTY)

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return where a path stands; its first step is the row's index."""
        if not path or not isinstance(path[0], int) or not self._blocks:
            return Place(self.file)
        after = bisect_right(self._blocks, path[0], key=lambda each: each.first_index)
        block = self._blocks[after - 1]
        number = path[0] - block.first_index
        for skipped in block.skipped:
            number += skipped <= number
        try:
            text, node = self._row(block, number)
        except (Fault, OSError, UnicodeDecodeError, IndexError):
            return Place(self.file)
        place = place_in(node, path[1:], self.file, [text], on_key=on_key)
        span = place.span or Span.point()
        span = (within and find_within([text], span, within)) or span
        at = block.first_line + number
        return Place(self.file, Span(at, span.column, at, span.end_column), text)

    def _row(self, block: _Block, number: int) -> tuple[str, Node]:
        """Return the text of a line and where its parts stand, each looked up once in a while."""
        key = block.first_line + number
        if key not in self._rows:
            text = self._line(block, number).decode().rstrip("\r")
            if len(self._rows) >= _ROWS_KEPT:
                del self._rows[next(iter(self._rows))]
            self._rows[key] = text, scan(text, is_line=True)
        return self._rows[key]

    def _line(self, block: _Block, number: int) -> bytes:
        """Return a line of a block: of the latest one as it is, of others from the file."""
        if self._latest is not None and self._latest[0] == block:
            return self._latest[1][number]
        with self._open() as stream:
            if block.offset not in self._ends:
                stream.seek(block.offset)
                self._ends[block.offset] = _ends_of_lines(stream.read(block.size))
            ends = self._ends[block.offset]
            start = ends[number - 1] if number else 0
            stream.seek(block.offset + start)
            line = stream.read(ends[number] - start).removesuffix(b"\n")
        return strip_mark(line) if block.offset + start == 0 else line


def _ends_of_lines(data: bytes) -> array[int]:
    """Return the offset after each line of a block."""
    ends = array("Q", (found.end() for found in _LINE_END.finditer(data)))
    if not ends or ends[-1] < len(data):
        ends.append(len(data))
    return ends


def _whole_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield blocks that end where a line ends; a line is never cut."""
    rest: list[bytes] = []
    while chunk := stream.read(BLOCK_BYTES):
        cut = chunk.rfind(b"\n") + 1
        if cut == 0:
            rest.append(chunk)
            continue
        yield b"".join([*rest, chunk[:cut]])
        rest = [chunk[cut:]] if cut < len(chunk) else []
    if rest:
        yield b"".join(rest)


def _parse(
    data: bytes, lines: list[bytes], first_line: int, offset: int
) -> tuple[list[Any], Faults, tuple[int, ...]]:
    """Return the rows of a block, its faults, and the lines that hold no row."""
    loads = orjson.loads
    try:
        with collector_paused():
            rows = [loads(line) for line in lines]
        if is_plain(data, rows):
            return rows, (), ()
    except orjson.JSONDecodeError:
        pass
    return _parse_slowly(lines, first_line, offset)


def _parse_slowly(
    lines: list[bytes], first_line: int, offset: int
) -> tuple[list[Any], Faults, tuple[int, ...]]:
    """Parse line by line, where at least one is blank, broken or doubtful."""
    rows: list[Any] = []
    faults: list[tuple[SourceFault, str]] = []
    skipped: list[int] = []
    for number, line in enumerate(lines):
        if not line.strip():
            skipped.append(number)
        else:
            try:
                rows.append(load_json(line.rstrip(b"\r"), is_line=True))
            except UnicodeDecodeError as error:
                found = encoding_fault(line, error, offset)
                text = line.decode("utf-8", "replace").rstrip("\r")
                faults.append((_on_line(found, number + first_line), text))
                skipped.append(number)
            except Fault as fault:
                text = line.decode("utf-8", "replace")
                faults += [(_on_line(each, number + first_line), text) for each in fault.faults]
                skipped.append(number)
        offset += len(line) + 1
    return rows, tuple(faults), tuple(skipped)


def _on_line(fault: SourceFault, line: int) -> SourceFault:
    """Return a fault of a text of one line as a fault of that line of the file."""
    related = tuple((what, _moved(span, line)) for what, span in fault.related)
    span = _moved(fault.span or Span.point(), line)
    return SourceFault(fault.code, fault.message, span, fault.help, related)


def _moved(span: Span, line: int) -> Span:
    return Span(line, span.column, line, span.end_column)
