"""A dataset as batches of rows: one batch for a document, a stream of them for JSONL."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

import orjson

from evalcontract.model.span import Place, Span
from evalcontract.source.document import find_within, place_in
from evalcontract.source.fault import Fault, SourceFault
from evalcontract.source.json import KEY_END, count_keys, load_json
from evalcontract.source.json_scanner import scan
from evalcontract.source.memory import collector_paused
from evalcontract.source.text import EMPTY, encoding_fault, split_lines, strip_mark, without_nul

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evalcontract.model.diagnostic import Within
    from evalcontract.model.path import Path
    from evalcontract.source.document import Document

BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Batch:
    """Some rows in a row: `rows[0]` is row `first_index` of the dataset.

    `faults` are the lines of the batch that gave no row, with their texts.
    """

    first_index: int
    rows: list[Any]
    faults: tuple[tuple[SourceFault, str], ...] = ()


class Rows(Protocol):
    """What a dataset is to the stages above: rows in batches, and places for their paths.

    A row's path is `prefix` and its index. `place` may be asked at any time, also when the
    batches are done.
    """

    file: str
    prefix: Path

    def batches(self) -> Iterator[Batch]:
        """Read the rows from the first to the last."""
        ...

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return where a path stands; see `Document.place`."""
        ...

    @property
    def sha256(self) -> str:
        """The digest of the bytes that were read, in hexadecimal."""
        ...


@dataclass(frozen=True, slots=True)
class _Block:
    first_index: int
    first_line: int
    offset: int
    size: int
    skipped: tuple[int, ...]  # lines of the block that hold no row


class RowStream:
    """The rows of a JSONL file, in constant memory; blank lines are passed over.

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
        self._cached: tuple[_Block, list[bytes]] | None = None

    def __repr__(self) -> str:
        return f"RowStream({self.file!r})"

    @property
    def sha256(self) -> str:
        """The digest of the bytes that the batches have read so far."""
        return self._digest.hexdigest()

    def batches(self) -> Iterator[Batch]:
        """Read the file from its beginning."""
        self._blocks.clear()
        self._digest = hashlib.sha256()
        index, line, offset, empty = 0, 1, 0, True
        with self._open() as stream:
            for raw in _whole_lines(stream):
                self._digest.update(raw)
                data = raw
                if offset == 0:
                    try:
                        data = without_nul(strip_mark(raw))
                    except Fault as fault:
                        yield Batch(0, [], ((fault.faults[0], ""),))
                        return
                lines = data.split(b"\n")
                if not lines[-1]:
                    lines.pop()
                rows, faults, skipped = _parse(data, lines, line)
                block = _Block(index, line, offset, len(raw), skipped)
                self._blocks.append(block)
                self._cached = (block, lines)
                self.done = offset + len(raw)
                yield Batch(index, rows, faults)
                index, line, offset = index + len(rows), line + len(lines), offset + len(raw)
                empty = empty and len(skipped) == len(lines) and not faults
        if empty:
            yield Batch(0, [], ((EMPTY, ""),))

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return where a path stands; its first step is the row's index."""
        if not path or not isinstance(path[0], int) or not self._blocks:
            return Place(self.file)
        starts = [block.first_index for block in self._blocks]
        block = self._blocks[bisect_right(starts, path[0]) - 1]
        number = path[0] - block.first_index
        for skipped in block.skipped:
            number += skipped <= number
        lines = self._lines(block)
        if number >= len(lines):
            return Place(self.file)
        try:
            text = lines[number].decode().rstrip("\r")
            node = scan(text)
        except (Fault, UnicodeDecodeError):
            return Place(self.file)
        place = place_in(node, path[1:], self.file, [text], on_key=on_key)
        span = place.span or Span.point()
        span = (within and find_within([text], span, within)) or span
        at = block.first_line + number
        return Place(self.file, Span(at, span.column, at, span.end_column), text)

    def _lines(self, block: _Block) -> list[bytes]:
        if self._cached is None or self._cached[0] != block:
            with self._open() as stream:
                stream.seek(block.offset)
                data = stream.read(block.size)
            lines = (strip_mark(data) if block.offset == 0 else data).split(b"\n")
            self._cached = (block, lines)
        return self._cached[1]


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
    data: bytes, lines: list[bytes], first_line: int
) -> tuple[list[Any], tuple[tuple[SourceFault, str], ...], tuple[int, ...]]:
    loads = orjson.loads
    try:
        with collector_paused():
            rows = [loads(line) for line in lines]
        if len(KEY_END.findall(data)) == count_keys(rows):
            return rows, (), ()
    except orjson.JSONDecodeError:
        pass
    return _parse_slowly(lines, first_line)


def _parse_slowly(
    lines: list[bytes], first_line: int
) -> tuple[list[Any], tuple[tuple[SourceFault, str], ...], tuple[int, ...]]:
    """Parse line by line, where at least one is blank, broken or doubtful."""
    rows: list[Any] = []
    faults: list[tuple[SourceFault, str]] = []
    skipped: list[int] = []
    for number, line in enumerate(lines):
        if not line.strip():
            skipped.append(number)
            continue
        try:
            rows.append(load_json(line))
        except UnicodeDecodeError as error:
            found = encoding_fault(line, error)
            faults.append((_moved(found, number + first_line - 1), ""))
            skipped.append(number)
        except Fault as fault:
            text = split_lines(line.decode("utf-8", "replace"))[0]
            faults += [(_moved(each, number + first_line - 1), text) for each in fault.faults]
            skipped.append(number)
    return rows, tuple(faults), tuple(skipped)


def _moved(fault: SourceFault, lines: int) -> SourceFault:
    """Return a fault of one line as a fault of the file, `lines` lines further down."""
    related = tuple((what, _down(span, lines)) for what, span in fault.related)
    span = _down(fault.span, lines) if fault.span else Span.point(lines + 1)
    return SourceFault(fault.code, fault.message, span, fault.help, related)


def _down(span: Span, lines: int) -> Span:
    return Span(span.line + lines, span.column, span.end_line + lines, span.end_column)


class DocumentRows:
    """The rows of a YAML or JSON document: one batch."""

    def __init__(self, document: Document, prefix: Path, rows: list[Any]) -> None:
        self.file = document.file
        self.prefix = prefix
        self._document = document
        self._rows = rows

    @property
    def sha256(self) -> str:
        """The digest of the document's bytes."""
        return self._document.sha256

    def batches(self) -> Iterator[Batch]:
        """Yield the one batch."""
        yield Batch(0, self._rows)

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return where a path stands."""
        return self._document.place(path, on_key=on_key, within=within)
