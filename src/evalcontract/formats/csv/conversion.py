"""Convert rows of plain CSV tables to evalcontract and back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import (
    BUNDLES,
    Loss,
    OurRow,
    Reader,
    TheirRow,
    Writer,
    default_id,
    with_bundle,
)
from evalcontract.formats.csv.cells import cell_of
from evalcontract.formats.csv.columns import LISTS, PREFIXES, SEPARATOR, known_columns
from evalcontract.formats.csv.fields import NO_COLUMN, NOT_TEXT
from evalcontract.source.emitting import NotWritableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# The most characters that Python's CSV reader accepts in a cell.
_MAX_CELL = 131_072
_EMPTY = "an empty cell means that there is nothing"
_ORDER = ("id", "input", "expected", "expected_facts", "expected_tools", "criteria", "context")


class TableReader(Reader):
    """Converts rows; what no key of a row means is in their metadata."""

    def read(self, row: dict[str, Any], index: int) -> OurRow:
        """Convert a valid row."""
        ours: dict[str, Any] = {"id": str(row["id"]) if "id" in row else default_id(index)}
        for key in sorted(row, key=_rank):
            if isinstance(row[key], dict):
                ours[key] = {below: str(cell) for below, cell in row[key].items()}
            elif value := row[key].items if key in LISTS else str(row[key]):
                ours[key] = value
        return OurRow(with_bundle(ours) if "bundle" not in ours else ours)


def _rank(key: str) -> int:
    above = key.partition(".")[0]
    return _ORDER.index(above) if above in _ORDER else len(_ORDER) + (above == "metadata")


class TableWriter(Writer):
    """Writes a table with a column for each key that a row has; the rest is lost."""

    def write(self, row: dict[str, Any], rubric: dict[str, Any] | None, index: int) -> TheirRow:
        """Convert a row to cells by the names of their columns."""
        del rubric, index
        cells: dict[str, str] = {}
        losses: list[Loss] = []
        for key, value in _parts(row):
            cell, reason = _cell(key, value)
            if reason:
                path = tuple(key.split(".", 1))
                losses.append(Loss(path, reason, is_kept=False))
            if cell is not None:
                cells[key] = cell
                if len(cell) > _MAX_CELL:
                    at_most = f"a CSV cell has at most {_MAX_CELL:,}"
                    raise NotWritableError(f"`{key}` has {len(cell):,} characters; {at_most}")
        return TheirRow(cells, tuple(losses))

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, Sequence[Loss]]:
        """Return the header and the rows; the root is lost."""
        written = [row for row in rows if row is not None]
        header = list(dict.fromkeys(key for row in written for key in row))
        _, losses = super().wrap(rows, root)
        return (sorted(header or ["id", "input"], key=_rank), written), losses


def _parts(row: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the values of a row by their columns."""
    for key, value in row.items():
        if key in PREFIXES and isinstance(value, dict) and value and all(value):
            yield from ((f"{key}.{below}", part) for below, part in value.items())
        else:
            yield key, value


def _cell(key: str, value: Any) -> tuple[str | None, str | None]:
    """Return the cell of a value, and why something of it is lost."""
    if key in LISTS and isinstance(value, list) and value:
        return cell_of(value, SEPARATOR), None
    if key == "bundle" and value in BUNDLES:
        return value, None
    if key not in known_columns() and key.partition(".")[0] not in PREFIXES:
        return None, None if value is None else NO_COLUMN
    if value is None or value in ("", [], {}):
        return None, _EMPTY
    if isinstance(value, str):
        return (value, None) if value.strip() else (None, _EMPTY)
    return json.dumps(value, ensure_ascii=False), NOT_TEXT
