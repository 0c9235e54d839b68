"""Check the rows of a plain CSV table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from evalcontract.formats._findings import FirstRows
from evalcontract.formats._format import RowChecker, RowLayout
from evalcontract.formats.csv.cells import list_of
from evalcontract.formats.csv.columns import INPUT, LISTS, columns_of
from evalcontract.model.diagnostic import Problem, Related
from evalcontract.source.csv_table import CsvTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.formats._format import SchemaChecker
    from evalcontract.formats.csv.columns import Columns
    from evalcontract.model.path import Path
    from evalcontract.source.external import ExternalFile

_DUPLICATE = Problem(
    "csv/duplicate-id", "duplicate id `{name}`", (), "ids must be unique: change one"
)
_NO_ROWS = Problem("csv/no-rows", "the table has no rows below its header", (), "add a row")


def find_rows(read: ExternalFile, _variant: str | None, _schema: SchemaChecker) -> RowLayout:
    """Return the rows of a table with the problems of its header and of the form of its records."""
    source = read.source
    if not isinstance(source, CsvTable):
        raise TypeError(f"{read.file} is no table")
    columns = columns_of(source.header, read.columns)
    source.keys = {column.key: column.position for column in columns.known}
    problems = [*columns.problems, *_misshapen(source)]
    if not source.records:
        problems.append(_NO_ROWS)
    if columns.of(INPUT) is None:
        return RowLayout.without_rows(*problems)
    rows = [row_of(record, columns) for record in source.records]
    return RowLayout(rows, (), tuple(problems))


def row_of(record: list[str], columns: Columns) -> dict[str, Any]:
    """Return the cells of a record that are not empty, by the keys that they mean."""
    row: dict[str, Any] = {}
    # A whole mapping comes before its keys.
    for column in sorted(columns.known, key=lambda column: "." in column.key):
        cell = record[column.position] if column.position < len(record) else ""
        if not cell.strip():
            continue
        items = list_of(cell, column.separator) if column.key in LISTS else None
        value = Cell(column.name, column.position, cell, items)
        above, dot, below = column.key.partition(".")
        if not dot:
            row[above] = value
        elif isinstance(inner := row.setdefault(above, {}), dict):
            inner[below] = value
        else:
            row[column.key] = value  # a fault of the row, see `TableChecker`
    return row


class Cell(str):
    """The text of a cell that is not empty, with its column, and the list that it holds, if any."""

    __slots__ = ("items", "name", "position")

    items: list[Any] | None
    name: str
    position: int

    def __new__(cls, name: str, position: int, text: str, items: list[Any] | None) -> Self:
        """Return the text of a cell as what it is."""
        cell = super().__new__(cls, text)
        cell.name, cell.position, cell.items = name, position, items
        return cell


def _misshapen(table: CsvTable) -> Iterator[Problem]:
    """Yield records that are longer or shorter than the header, and a quote without an end."""
    width = len(table.header)
    for index, record in enumerate(table.records):
        more = [position for position in range(width, len(record)) if record[position].strip()]
        if more:
            message = f"the row has {len(record)} cells, but the header has {width}"
            advice = f"put quotes around a text that has a `{table.delimiter}`"
            yield Problem("csv/extra-cell", message, (index, more[0]), advice, row_index=index)
        elif len(record) < width and not (table.is_open and index == len(table.records) - 1):
            cells = "1 cell" if len(record) == 1 else f"{len(record)} cells"
            message = f"the row has {cells}, but the header has {width}"
            advice = "the cells that are missing are read as empty"
            yield Problem("csv/short-row", message, (index,), advice, row_index=index)
    if table.is_open:
        message = "the quote that begins this cell has no end: the rest of the file is in it"
        last = table.places[-1]
        path: Path = (len(table.places) - 2, len(last) - 1)
        yield Problem("csv/unclosed-quote", message, path, 'write `"` at the end of the text')


class TableChecker(RowChecker):
    """One pass over rows; remembers the ids."""

    def __init__(self) -> None:
        self._ids = FirstRows()

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterable[Problem]:
        """Check the next row."""
        del is_clean  # cells are texts
        if INPUT not in row:
            message = "the row has no question" if row else "the row is empty"
            advice = "fill it in" if row else "remove the line"
            yield Problem("csv/empty-value", message, path, advice)
        for key in (key for key in row if "." in key):
            above = key.partition(".")[0]
            message = f"the row has both `{above}` and `{key}`"
            where = (*path, row[key].position)
            yield Problem("csv/malformed-cell", message, where, "leave one of them empty")
        for key in sorted(LISTS & row.keys()):
            if row[key].items is None:
                message = f"a list in `{row[key].name}` must have texts that are not empty"
                where = (*path, row[key].position)
                yield Problem("csv/malformed-cell", message, where, 'such as ["one", "two"]')
        if (id_ := row.get("id")) is not None and (first := self._ids.before(str(id_), path)):
            yield from _duplicate(id_, path, first)


def _duplicate(id_: Cell, path: Path, first: Path) -> Iterator[Problem]:
    related = (Related("first used here", (*first, id_.position)),)
    message = _DUPLICATE.message.format(name=id_)
    yield _DUPLICATE._replace(message=message, path=(*path, id_.position), related=related)
