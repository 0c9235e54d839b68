"""Write tests as rows of a table: every cell is read by promptfoo as the same value."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import OURS, Loss
from evalcontract.formats.promptfoo.assertions import cell_of, number_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.model.diagnostic import Path

_NO_CELL = "no cell of a table is read as this value"
_TEXTS = ("description", "providerOutput")


def cells_of(test: dict[str, Any]) -> tuple[dict[str, str], list[Loss]]:
    """Return a test as cells by the names of columns, and what no cell can hold."""
    cells: dict[str, str] = {}
    losses: list[Loss] = []
    for path, column, cell in _cells(test):
        if cell is None:
            losses.append(Loss(path, _NO_CELL, is_kept=False))
        else:
            cells[column] = cell
    return cells, losses


def _cells(test: dict[str, Any]) -> Iterator[tuple[Path, str, str | None]]:
    """Yield each value of a test by its path, with its column and its cell."""
    variables, asserts, metadata = (test.get(key) for key in ("vars", "assert", "metadata"))
    for name, part in (variables if isinstance(variables, dict) else {}).items():
        yield ("vars", name), name, _variable(name, part)
    for number, assertion in enumerate(asserts if isinstance(asserts, list) else ()):
        yield ("assert", number), f"__expected{number + 1}", cell_of(assertion)
    for name, part in (metadata if isinstance(metadata, dict) else {}).items():
        yield ("metadata", name), f"__metadata:{name}", _metadata(name, part)
    for key, value in test.items():
        if key in _TEXTS:
            yield (key,), f"__{key}", value if isinstance(value, str) and value else None
        elif key == "threshold":
            is_read = isinstance(value, int | float) and number_of(str(value)) == value
            yield (key,), "__threshold", str(value) if is_read else None
        elif key not in ("vars", "assert", "metadata") and value is not None:
            yield (key,), "", None


def _variable(name: str, value: Any) -> str | None:
    is_name = name == name.strip() and name and not name.startswith("_")
    return value if is_name and isinstance(value, str) else None


def _metadata(name: str, value: Any) -> str | None:
    if name == OURS:
        return json.dumps(value, ensure_ascii=False)
    is_plain = isinstance(value, str) and value.strip() and name == name.strip()
    return value if is_plain and name and not name.endswith("[]") else None


def header_of(columns: Iterable[str]) -> list[str]:
    """Return the names of columns: variables first, then assertions by their number."""
    names = [*columns]
    variables = [name for name in names if not name.startswith("__")]
    numbered = [name for name in names if name.startswith("__expected")]
    others = [name for name in names if name.startswith("__") and name not in numbered]
    return [*variables, *sorted(numbered, key=lambda name: (len(name), name)), *others]
