"""Rows of evalcontract as a table, whose columns are the keys of the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.datasets.columns import cell_of, path_of
from evalcontract.formats._conversion import Loss

if TYPE_CHECKING:
    from collections.abc import Sequence

_NO_COLUMN = "a table has no column for it"
_NO_TEXT = "a cell is a text, and the value is none"
_EMPTY = "an empty cell is no value"
_NO_ROOT = "a table contains only rows; YAML and JSON can represent it"


class OurTable:
    """The rows of a table: keys are columns, such as `input` and `expected.reference`.

    A list is texts between `|`, or JSON where these would not be read as the same list.
    """

    def __init__(self) -> None:
        self._header: dict[str, None] = {}

    def cells(self, row: dict[str, Any]) -> tuple[dict[str, str], list[Loss]]:
        """Return a row as cells by the names of their columns, and what is lost."""
        cells: dict[str, str] = {}
        losses: list[Loss] = []
        for key, value in row.items():
            is_open = isinstance(value, dict) and path_of(f"{key}.any") is not None
            parts = value.items() if is_open else ((None, value),)
            for name, part in parts:
                path = (key,) if name is None else (key, name)
                column = ".".join(path)
                cell, reason = _cell(column, path, part)
                if reason is not None:
                    losses.append(Loss(path, reason, is_kept=False))
                if cell is not None:
                    cells[column] = cell
        self._header |= dict.fromkeys(cells)
        return cells, losses

    def wrap(
        self, rows: list[Any], root: dict[str, Any]
    ) -> tuple[tuple[list[str], list[Any]], Sequence[Loss]]:
        """Return the header and the rows, and what is lost of the keys in `root`."""
        return ([*self._header], rows), [Loss((key,), _NO_ROOT, is_kept=False) for key in root]


def _cell(column: str, path: tuple[str, ...], value: Any) -> tuple[str | None, str | None]:
    """Return the cell of a value, and why it is lost if reading the cell does not restore it."""
    if path_of(column) != path:
        return None, _NO_COLUMN
    cell = cell_of(column, value)
    if cell is not None:
        return cell, None
    return None, _EMPTY if value in ("", []) else _NO_TEXT
