"""Tables: what all have in common, and CSV, which is read at once, with the place of each cell."""

from __future__ import annotations

import csv
import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from hashlib import sha256
from itertools import compress
from typing import Any, Self

from evalcontract.model.diagnostic import Path, Place, Span, Within
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.source.document import Batch
from evalcontract.source.faults import ParseError, SourceProblem
from evalcontract.source.text import LINE_END, line_starts, place_at, split_lines


class Table(ABC):
    """The rows of a table; it is a stream of rows, see `RowSource`."""

    prefix: Path = ()
    document = None
    unreadable = None

    def __init__(self, file: str) -> None:
        self.file = file

    @property
    def progress(self) -> tuple[int, int] | None:
        """The number of bytes read so far, and of all; None if the file is read at once."""
        return None

    @property
    @abstractmethod
    def sha256(self) -> str:
        """The SHA-256 digest of the bytes, in hexadecimal."""

    @property
    def stream(self) -> Self:
        """The table itself; see `RowSource`."""
        return self

    def peek(self) -> Any:
        """Return the first row, or None if there is none."""
        return next((row for batch in self.batches() for row in batch.rows), None)

    @abstractmethod
    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return the place of a row or of a part of one; without a row, of a column or the file."""

    @abstractmethod
    def batches(self) -> Iterator[Batch]:
        """Yield the rows; if reading fails, the last batch has the problem."""


# A cell, by the delimiter. Text after a closing quote belongs to the cell, as in the `csv` module.
_CELLS = {
    delimiter: lazy_pattern(rf'"(?:[^"]|"")*+(?:"[^{delimiter}\r\n]*+)?|[^{delimiter}\r\n]*+')
    for delimiter in (",", ";", "\t")
}


class _Cell(NamedTuple):
    start: int
    end: int


class CsvTable(Table):
    """A header and its records; row n is a dict by column name, as in `csv.DictReader`.

    Missing cells of a short record are None. Extra cells of a long record are in no row, only in
    `records`. Blank lines are skipped. The path of a cell is (row index, column name). The
    `delimiter` is a comma, a semicolon or a tab.

    Raises:
        ParseError: `source/syntax`, the text is not CSV.

    """

    def __init__(self, file: str, text: str, data: bytes, delimiter: str = ",") -> None:
        super().__init__(file)
        self._data = data
        self.text = text
        self._delimiter = delimiter
        try:
            records = [*csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)]
        except csv.Error as error:
            raise ParseError(SourceProblem("source/syntax", f"not CSV: {error}")) from None
        self.header: list[str] = records[0] if records else []
        self.records: list[list[str]] = [record for record in records[1:] if record]

    @property
    def sha256(self) -> str:
        return sha256(self._data).hexdigest()

    def with_delimiter(self, delimiter: str) -> Self:
        """Return the table as it is read with another delimiter."""
        return type(self)(self.file, self.text, self._data, delimiter)

    @property
    def is_open(self) -> bool:
        """Whether the last cell begins with a quote that has no end."""
        if self.text.count('"') % 2 == 0 or not self.places[-1]:
            return False
        last = self.places[-1][-1]
        cell = self.text[last.start : last.end]
        return cell.startswith('"') and cell.count('"') % 2 == 1

    def keep_rows(self, is_kept: Callable[[list[str]], bool]) -> None:
        """Leave out the other records, as a loader does that drops those it takes for blank."""
        flags = [is_kept(record) for record in self.records]
        if not all(flags):
            header, *places = self.places
            self.places = [header, *compress(places, flags)]
            self.records = [*compress(self.records, flags)]

    def batches(self) -> Iterator[Batch]:
        """Yield all rows as one batch."""
        yield Batch(0, [self._row(record) for record in self.records])

    def _row(self, record: list[str]) -> dict[str, str | None]:
        row: dict[str, str | None] = dict(zip(self.header, record, strict=False))
        # Of two columns with the same name the last one wins, even if a short record lacks it.
        return row | dict.fromkeys(self.header[len(record) :])

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return the place of a cell; with `on_key`, or without a row index, of its column name.

        The place of a whole row is its first cell, that of a missing cell the row's last cell.
        """
        row = path[0] if path and isinstance(path[0], int) and not on_key else None
        name = path[0] if path and isinstance(path[0], str) else path[1] if len(path) > 1 else None
        column = self._column(name)
        records = self.places
        number = 0 if row is None else row + 1
        if number >= len(records):
            return Place(self.file)
        cells = records[number]
        cell = cells[0 if column is None else min(column, len(cells) - 1)]
        return self._place_of(cell)

    def cell(self, record: int, column: int) -> Place:
        """Return the place of a cell by record and column, both from 0; record -1 is the header."""
        return self._place_of(self.places[record + 1][column])

    def _column(self, name: str | int | None) -> int | None:
        if isinstance(name, int):
            return name
        return None if name is None else self._columns.get(name)

    @cached_property
    def _columns(self) -> dict[str, int]:
        # Of two columns with the same name the last one wins.
        return {name: number for number, name in enumerate(self.header)}

    def _place_of(self, cell: _Cell) -> Place:
        start, end = place_at(cell.start, self._starts), place_at(cell.end, self._starts)
        return Place(self.file, Span(*start, *end), self._lines[start[0] - 1])

    @cached_property
    def _starts(self) -> list[int]:
        return line_starts(self.text)

    @cached_property
    def _lines(self) -> list[str]:
        return split_lines(self.text)

    @cached_property
    def places(self) -> list[list[_Cell]]:
        """The cells of the header and of each record, as offsets into the text."""
        records = list(self._scan())
        return records if self.header else [[_Cell(0, 0)], *records]

    def _scan(self) -> Iterator[list[_Cell]]:
        at, text, pattern = 0, self.text, _CELLS[self._delimiter]
        cells: list[_Cell] = []
        is_open = False  # after a delimiter: another cell follows
        while at < len(text) or is_open:
            line_end = LINE_END.match(text, at)
            if line_end and not cells:
                at = line_end.end()  # a blank line
                continue
            cell = pattern.match(text, at)
            start, at = at, cell.end() if cell else at
            cells.append(_Cell(start, at))
            is_open = text[at : at + 1] == self._delimiter
            if is_open:
                at += 1
                continue
            yield cells
            cells = []
            line_end = LINE_END.match(text, at)
            at = line_end.end() if line_end else at
