r"""JSONL: a stream of batches of rows, in constant memory. A line ends at `\n` alone."""

from __future__ import annotations

import sys
from bisect import bisect_right
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from evalcontract.model.span import Place, Span
from evalcontract.source.document import find_within, place_in, value_at
from evalcontract.source.fault import ParseError, SourceProblem
from evalcontract.source.jsonl_blocks import Block, Start, ends_of_lines, whole_lines
from evalcontract.source.jsonl_places import RowPlaces
from evalcontract.source.rows import Batch
from evalcontract.source.text import EMPTY, split_lines, strip_bom, without_nul

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterator

    from evalcontract.model.diagnostic import Within
    from evalcontract.model.path import Path
    from evalcontract.source.node import Node

_OPENING_BYTES = 1 << 12
_LATEST_BYTES = 1 << 18
_WHOLE = (0, sys.maxsize)


class RowStream:
    """The rows of a JSONL file; blank lines are passed over.

    `done` of its `size` bytes are read so far. `open_` gives the bytes anew at each call, so that
    a place can be looked up later. A file that changes meanwhile gives places without a line.
    `part` are the bytes from which and up to which to read, where lines begin: rows and lines are
    then counted from there, until the whole `adopt`s the part. `as_python` reads lines as Python's
    own parser does, for rows of other systems.
    """

    prefix: Path = ()
    #: A stream has no single value, and it can be opened; see `Source`.
    document = None
    unreadable = None
    #: Numbers are numbers in both readers.
    has_other_numbers = False

    def __init__(
        self,
        file: str,
        open_: Callable[[], BinaryIO],
        size: int,
        part: tuple[int, int] | None = None,
        *,
        as_python: bool = False,
    ) -> None:
        self.file = file
        self._as_python = as_python
        self.size = size
        self.done = 0
        self._part = part or _WHOLE
        self._open = open_
        self._blocks: list[Block] = []
        self._starts: list[int] = []
        self._digest: Any = None
        self._latest: dict[int, list[bytes]] = {}
        self._latest_bytes = 0
        self._ends: dict[int, array[int]] = {}
        self._places = RowPlaces(as_python=as_python)

    def __repr__(self) -> str:
        return f"RowStream({self.file!r})"

    @property
    def sha256(self) -> str:
        """The digest of the bytes that the batches have read; of the file, where it was sifted."""
        if self._digest is None:
            with self._open() as stream:
                from hashlib import sha256  # slow to import

                return sha256(stream.read()).hexdigest()
        digest: str = self._digest.hexdigest()
        return digest

    def batches(self, *, quick: bool = False) -> Iterator[Batch]:
        """Read the file from its beginning; where it cannot be read on, a last batch says so.

        Integers of more than 64 bits may be floats where `quick` rows are enough.
        """
        from hashlib import sha256  # slow to import

        self.forget()
        self._digest = None if quick else sha256()
        begin, end = self._part
        self.done = begin
        index = 0
        try:
            with self._open() as stream:
                if begin:
                    stream.seek(begin)
                for batch in self._read(whole_lines(stream, end - begin), quick=quick):
                    index = batch.first_index + len(batch.rows)
                    yield batch
        except ParseError as fault:
            yield Batch(index, [], tuple((each, "") for each in fault.faults))
        except OSError as error:
            message = f"cannot be read: {(error.strerror or str(error)).lower()}"
            yield Batch(index, [], ((SourceProblem("source/unreadable", message), ""),))

    @property
    def stream(self) -> Self:
        """The stream itself; see `Source`."""
        return self

    @property
    def progress(self) -> tuple[int, int]:
        """How many bytes of how many were read."""
        return self.done, self.size

    def peek(self) -> Any:
        """Return the first row, None where it cannot be read; no more than its line is read."""
        from evalcontract.source.json import load_as_python  # slow to import

        line = next(iter(self.opening(1)), "")
        try:
            return load_as_python(line.encode(), is_line=True)[0]
        except (ParseError, UnicodeError):
            return None

    def opening(self, whole: int = 0) -> list[str]:
        """Return the first lines as they are, for who wants to know what is meant.

        So many of them are `whole`, if they are long, and none of these is blank; of the rest some
        may be cut.
        """
        try:
            with self._open() as stream:
                if whole:
                    lines = (strip_bom(line) for line in stream)
                    head = islice((line for line in lines if line.strip()), whole)
                    return [line.decode("utf-8", "replace") for line in head]
                return split_lines(stream.read(_OPENING_BYTES).decode("utf-8", "replace"))
        except (OSError, ParseError):
            return []

    def _read(self, blocks: Iterator[list[bytes]], *, quick: bool) -> Iterator[Batch]:
        from evalcontract.source.jsonl_lines import parse_lines  # slow to import
        from evalcontract.source.misnamed import not_jsonl

        if not self.done and (first := next(blocks, [])):
            whole = without_nul(strip_bom(b"".join(first)))
            if fault := not_jsonl(whole.split(b"\n")):
                yield Batch(0, [], (fault,))
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
            batch, skipped = parse_lines(data, lines, at, quick=quick, as_python=self._as_python)
            self._keep(offset, lines, len(data))
            is_blank = len(skipped) == len(lines) and not batch.faults
            self._blocks.append(Block(*at, len(data), len(lines), skipped, is_blank))
            self._starts.append(index)
            index, line, offset = index + len(batch.rows), line + len(lines), offset + len(data)
            self.done = offset
            yield batch
        if self._part == _WHOLE and self.is_empty:
            raise ParseError(EMPTY)

    def _keep(self, offset: int, lines: list[bytes], size: int) -> None:
        """Keep the lines of a block: soon their places may be asked."""
        if self._latest_bytes + size > _LATEST_BYTES:
            self._latest.clear()
            self._latest_bytes = 0
        self._latest[offset] = lines
        self._latest_bytes += size

    def cut(self, number: int) -> list[RowStream]:
        """Return so many parts, or fewer, of about the same size; a line is in one of them."""
        starts = [0]
        with self._open() as stream:
            for share in range(1, number):
                stream.seek(self.size * share // number)
                stream.readline()
                starts.append(stream.tell())
        ends = [*starts[1:], _WHOLE[1]]
        return [
            RowStream(self.file, self._open, self.size, (begin, end))
            for begin, end in zip(starts, ends, strict=True)
            if begin < min(end, self.size)
        ]

    @property
    def blocks(self) -> list[Block]:
        """What was read, so that the whole can `adopt` it."""
        return self._blocks

    @property
    def count(self) -> int:
        """How many rows were read."""
        last = self._blocks[-1] if self._blocks else None
        return last.first_index + last.lines - len(last.skipped) if last else 0

    @property
    def lines(self) -> int:
        """How many lines were read."""
        return self._blocks[-1].first_line - 1 + self._blocks[-1].lines if self._blocks else 0

    @property
    def is_empty(self) -> bool:
        """Whether every line that was read was blank."""
        return all(each.is_blank for each in self._blocks)

    @property
    def is_done(self) -> bool:
        """Whether all was read that there is to read."""
        return self.done >= min(self._part[1], self.size)

    @property
    def state(self) -> tuple[list[Block], int]:
        """What another process has to know of what was read here; see `restore`."""
        return self._blocks, self.done

    def restore(self, state: tuple[list[Block], int]) -> None:
        """Take over what was read in another process."""
        self._blocks, self.done = state
        self._starts = [each.first_index for each in self._blocks]

    def forget(self) -> None:
        """Forget what was read."""
        for kept in (self._blocks, self._starts, self._ends, self._places, self._latest):
            kept.clear()
        self._latest_bytes = 0

    def adopt(self, blocks: list[Block], *, rows: int, lines: int) -> None:
        """Take over the places of a part, before which there are so many rows and lines."""
        for each in blocks:
            first = each.first_index + rows
            line = each.first_line + lines
            self._blocks.append(each._replace(first_index=first, first_line=line))
            self._starts.append(first)

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return where a path stands; its first step is the row's index."""
        found = self._node(path)
        if found is None:
            return Place(self.file)
        from evalcontract.source.inside import ScalarSourceMap  # slow to import
        from evalcontract.source.json import load_json

        at, text, node = found
        place = place_in(node, path[1:], self.file, [text], on_key=on_key)
        span = place.span or Span.point()
        part = value_at(load_json(text.encode(), is_line=True), path[1:]) if within else None
        if within and isinstance(part, str):
            span = find_within(ScalarSourceMap(part, [text], span), part, within) or span
        return Place(self.file, Span(at, span.column, at, span.end_column), text)

    def raw(self, path: Path) -> str | None:
        """Return a scalar as its author wrote it; see `Document.raw`."""
        found = self._node(path)
        if found is None:
            return None
        node, _, depth = found[2].find(path[1:])
        return node.raw if depth == len(path) - 1 else None

    def _node(self, path: Path) -> tuple[int, str, Node] | None:
        """Return the line of a row, its text, and where its parts stand; None if it is gone."""
        if not path or not isinstance(path[0], int) or not self._blocks:
            return None
        block, number = self._find(path[0])
        line = block.first_line + number
        try:
            return line, *self._places.find(line, partial(self._line, block, number))
        except (ParseError, OSError, UnicodeDecodeError, IndexError):
            return None

    def exact(self, index: int) -> Any:
        """Return a row that was read, as the exact reader reads it."""
        from evalcontract.source.json import load_json

        return load_json(self._line(*self._find(index)).rstrip(b"\r"), is_line=True)

    def _find(self, index: int) -> tuple[Block, int]:
        """Return the block of a row, and the number of its line there."""
        block = self._blocks[bisect_right(self._starts, index) - 1]
        number = index - block.first_index
        for skipped in block.skipped:
            number += skipped <= number
        return block, number

    def _line(self, block: Block, number: int) -> bytes:
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
