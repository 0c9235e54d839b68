"""Plain CSV: tables with a header that belong to no tool, and whose columns are known by name.

No system loads such a table, so nothing here says what one would do: a cell is a text, and what
makes its meaning uncertain is reported.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evalcontract.formats._format import Dialect, Format
from evalcontract.formats.csv.checker import TableChecker, find_rows
from evalcontract.formats.csv.columns import known_columns
from evalcontract.formats.csv.conversion import TableReader, TableWriter
from evalcontract.formats.csv.fields import FIELDS
from evalcontract.model.nearest import normalise
from evalcontract.source.csv_table import CsvTable
from evalcontract.source.fault import ParseError, UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats._format import GraderPrediction
    from evalcontract.source.external import ExternalFile

_DELIMITERS = (",", ";", "\t", "|")


def _opened(read: ExternalFile) -> ExternalFile:
    """Return a table read with the delimiter that its header has."""
    source = read.source
    if not isinstance(source, CsvTable) or read.medium != "csv":
        return read
    tables = []
    for delimiter in _DELIMITERS:
        try:
            tables.append(source.with_delimiter(delimiter))
        except ParseError as error:
            if delimiter == ",":
                return replace(read, source=UnreadableFile(read.file, error.faults))
    return replace(read, source=max(tables, key=lambda table: _understood(table, read)))


def _understood(table: CsvTable, read: ExternalFile) -> tuple[int, int]:
    """Return how many columns of a table are understood, and how many there are."""
    known = {normalise(name) for names in known_columns().values() for name in names}
    names = [name for name in table.header if normalise(name.strip()) in known]
    mapped = [name for name in table.header if name in read.columns]
    return len(names) + len(mapped), len(table.header)


def _recognise(_value: dict[str, Any]) -> Dialect | None:
    """Detect nothing: any table may be one of another tool."""
    return None


def _predict(_row: Any, _variant: str | None) -> Iterator[GraderPrediction]:
    """Predict nothing: a table has no graders."""
    yield from ()


def _name_of(row: Any) -> str | None:
    return str(row["id"]) if isinstance(row, dict) and "id" in row else None


CSV = Format(
    name="csv",
    title="Plain CSV",
    variants=(),
    media=("csv", "tsv"),
    basis="a table has no loader",
    find_rows=find_rows,
    row_checker=lambda _variant, _schema: TableChecker(),
    name_of=_name_of,
    recognise=_recognise,
    predict=_predict,
    reader=lambda _read, _variant: TableReader(),
    writer=lambda _medium, _variant: TableWriter(),
    opened=_opened,
    fields=FIELDS,
)
