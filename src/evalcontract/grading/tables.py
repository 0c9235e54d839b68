"""Rows of results as tables: CSV and Parquet, by the name of the file.

A cell has a text or a number as it is, and any other value as JSON; see `COLUMNS`.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from evalcontract.model.errors import UsageError
from evalcontract.model.startup import lazy_pattern
from evalcontract.source.external import medium_of, read_external
from evalcontract.source.tables import parquet
from evalcontract.source.yaml.writing import NotWritableError, csv_text
from evalcontract.workspace import display_name

#: The columns that each table has; other keys of rows follow them.
COLUMNS = (
    *("id", "fingerprint", "rubric", "outcome", "score", "bounds", "reason", "checks"),
    *("tags", "metadata", "input", "output", "tool_calls", "expected"),
)
#: The columns that hold JSON.
_NESTED = ("bounds", "checks", "tags", "by", "metadata", "tool_calls", "expected")
_WHOLE = lazy_pattern("0|[1-9][0-9]{0,18}")
_TABLES = ("csv", "tsv", "parquet")
# A file whose name ends in none is JSON Lines, too.
_SUFFIXES = ("", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")


def table_medium(path: Path) -> str | None:
    """Return `csv`, `tsv` or `parquet` for the name of a table; None for one of JSON Lines."""
    medium = medium_of(path.name)
    return medium if medium in _TABLES else None


def require_writer(path: Path) -> None:
    """Refuse a file that results cannot be written to.

    Raises:
        UsageError: its name is that of another format, or Parquet needs pyarrow, which is not
            installed.

    """
    if path.suffix.lower() not in _SUFFIXES:
        *others, last = (f"`{suffix}`" for suffix in _SUFFIXES if suffix)
        forms = f"{', '.join(others)} or {last}"
        raise UsageError(f"{display_name(path)}: the name of a file of results ends in {forms}")
    if table_medium(path) == "parquet":
        try:
            parquet.require_writer()
        except NotWritableError as error:
            raise UsageError(f"{display_name(path)}: {error}") from None


def table_of(lines: Iterable[bytes], path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file with the rows of some lines: a table if its name says so.

    Raises:
        UsageError: Parquet has no place for a value.

    """
    medium = table_medium(path)
    if medium is None:
        yield from lines
        return
    rows = [_cells(json.loads(line)) for line in lines]
    others = dict.fromkeys(key for row in rows for key in row if key not in COLUMNS)
    header = (*COLUMNS, *others)
    if medium == "parquet":
        try:
            yield parquet.typed_bytes(rows, header=header)
        except NotWritableError as error:
            raise UsageError(f"{display_name(path)}: {error}") from None
        return
    texts = [{key: _text(value) for key, value in row.items()} for row in rows]
    text = csv_text(header, texts, "," if medium == "csv" else "\t")
    yield text.encode("utf-8", "backslashreplace")


def lines_of_table(path: Path) -> list[bytes]:
    """Return the lines of the rows in a table, as JSON Lines has them.

    Raises:
        UsageError: it cannot be read, or a cell is not as `grade` writes it.

    """
    name = display_name(path)
    limit = csv.field_size_limit(sys.maxsize >> 33)
    try:
        source = read_external(path, name)
    finally:
        csv.field_size_limit(limit)
    if source.unreadable is not None or source.stream is None:
        faults = source.unreadable.faults if source.unreadable else ()
        raise UsageError(f"{name}: {faults[0].message if faults else 'it is no table'}")
    lines: list[bytes] = []
    for batch in source.stream.batches():
        if batch.faults:
            raise UsageError(f"{name}: {batch.faults[0][0].message}")
        for number, row in enumerate(batch.rows, batch.first_index + 1):
            try:
                lines.append(json.dumps(_row(row)).encode() + b"\n")
            except (ValueError, TypeError, RecursionError):
                message = "this is not a result of `evalcontract grade`"
                raise UsageError(f"{name}, row {number:,}: {message}") from None
    return lines


def _cells(row: dict[str, Any]) -> dict[str, Any]:
    """Return the cells of a row: texts and numbers as they are, else JSON."""
    return {key: _cell(key, value) for key, value in row.items()}


def _cell(key: str, value: Any) -> Any:
    if key == "score" and value is not None:  # a column of Parquet has one type
        return float(value)
    is_plain = value is None or (isinstance(value, str | float | int) and key not in _NESTED)
    return value if is_plain else json.dumps(value, ensure_ascii=False)


def _text(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else repr(value)


# What each row of results has, though it may be null.
_ALWAYS = ("id", "rubric", "outcome", "score", "checks")


def _row(cells: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of results from its cells; an empty cell is null, or a key that is missing."""
    row: dict[str, Any] = dict.fromkeys(_ALWAYS)  # of Parquet, an empty cell is no key
    for key, cell in cells.items():
        is_empty = cell is None or cell == ""
        if is_empty:
            continue
        if key in _NESTED:
            row[key] = json.loads(cell)
        elif key == "sample" and _WHOLE.fullmatch(str(cell)):  # as CSV has numbers
            row[key] = int(cell)
        else:
            row[key] = float(cell) if key == "score" else cell
    return row
