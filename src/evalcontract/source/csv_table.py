"""CSV as Python's `csv` reads it by default, with the place of every cell."""

from __future__ import annotations

import csv
import io
import re
from bisect import bisect_right
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from evalcontract.model.span import Place, Span
from evalcontract.source.fault import ParseError, SourceProblem
from evalcontract.source.rows import Batch
from evalcontract.source.text import LINE_END, split_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Within
    from evalcontract.model.path import Path

# One cell. After a closing quote, text goes on as if there had been none.
_CELL = re.compile(r'"(?:[^"]|"")*+(?:"[^,\r\n]*+)?|[^,\r\n]*+')


class _Cell(NamedTuple):
    start: int
    end: int


class CsvTable:
    """A header and records. Row n is a dict of the header's names, as `csv.DictReader` makes it.

    A cell that a short record lacks is None, and what a long one has beyond the header is in no
    row: see `records`. Blank lines give no record. The path of a cell is (n, its column's name).
    """

    prefix: Path = ()
    #: See `Source`.
    document = None
    unreadable = None

    def __init__(self, file: str, text: str, data: bytes) -> None:
        self.file = file
        self.text = text
        self._data = data
        try:
            every = [*csv.reader(io.StringIO(text, newline=""))]
        except csv.Error as error:
            raise ParseError(SourceProblem("source/syntax", f"not CSV: {error}")) from None
        self.header: list[str] = every[0] if every else []
        self.records: list[list[str]] = [each for each in every[1:] if each]

    @property
    def sha256(self) -> str:
        """The digest of the bytes, in hexadecimal."""
        return sha256(self._data).hexdigest()

    @property
    def stream(self) -> Self:
        """The table itself; see `Source`."""
        return self

    @property
    def progress(self) -> None:
        """None: it is read at once."""

    def peek(self) -> Any:
        """Return the first row; None where there is none."""
        return next((row for batch in self.batches() for row in batch.rows), None)

    def batches(self) -> Iterator[Batch]:
        """Yield the one batch; its rows are there already."""
        yield Batch(0, [self._row(each) for each in self.records])

    def _row(self, record: list[str]) -> dict[str, str | None]:
        row: dict[str, str | None] = dict(zip(self.header, record, strict=False))
        # Of two columns with one name the last counts, also where a short record lacks it.
        return row | dict.fromkeys(self.header[len(record) :])

    def place(
        self,
        path: Path,
        *,
        on_key: bool = False,
        within: Within | None = None,  # noqa: ARG002 - cells are short
    ) -> Place:
        """Return where a cell stands; with `on_key`, or without a row, its name in the header.

        A row as a whole is meant by its first cell, and so is a cell that is not there by its last.
        """
        row = path[0] if path and isinstance(path[0], int) and not on_key else None
        name = path[0] if path and isinstance(path[0], str) else path[1] if len(path) > 1 else None
        column = self._column(name)
        every = self.places
        number = 0 if row is None else row + 1
        if number >= len(every):
            return Place(self.file)
        cells = every[number]
        cell = cells[0 if column is None else min(column, len(cells) - 1)]
        return self._place_of(cell)

    def cell(self, record: int, column: int) -> Place:
        """Return where a cell of a record stands by its number, from 0; -1 is the header."""
        return self._place_of(self.places[record + 1][column])

    def _column(self, name: str | int | None) -> int | None:
        if isinstance(name, int):
            return name
        return None if name is None else self._columns.get(name)

    @cached_property
    def _columns(self) -> dict[str, int]:
        # Of two columns with one name the last counts.
        return {name: number for number, name in enumerate(self.header)}

    def _place_of(self, cell: _Cell) -> Place:
        start, end = self._point(cell.start), self._point(cell.end)
        return Place(self.file, Span(*start, *end), self._lines[start[0] - 1])

    def _point(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(end.end() for end in LINE_END.finditer(self.text))]

    @cached_property
    def _lines(self) -> list[str]:
        return split_lines(self.text)

    @cached_property
    def places(self) -> list[list[_Cell]]:
        """The cells of the header and of each record, as offsets into the text."""
        found = list(self._scan())
        return found if self.header else [[_Cell(0, 0)], *found]

    def _scan(self) -> Iterator[list[_Cell]]:
        at, text = 0, self.text
        cells: list[_Cell] = []
        is_open = False  # a comma was read, so another cell follows
        while at < len(text) or is_open:
            end = LINE_END.match(text, at)
            if end and not cells:
                at = end.end()  # a blank line
                continue
            found = _CELL.match(text, at)
            start, at = at, found.end() if found else at
            cells.append(_Cell(start, at))
            is_open = text[at : at + 1] == ","
            if is_open:
                at += 1
                continue
            yield cells
            cells = []
            end = LINE_END.match(text, at)
            at = end.end() if end else at
