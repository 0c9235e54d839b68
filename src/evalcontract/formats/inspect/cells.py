"""Write records as tables: every cell is a text that `csv_dataset` reads as the same value."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import Loss, default_id
from evalcontract.formats.inspect.reading import (
    KEYS,
    choices_of,
    id_of,
    is_nothing,
    question_of,
    targets_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_NO_CELL = "a cell is a text"
_NO_BLANK = "an empty cell of this column is a sandbox without a type, which no task starts"
# In this order.
_COLUMNS = ("id", "input", "target", "choices", *KEYS[4:])
# Inspect parses every cell of these, and stops at one that is empty.
_PARSED = ("metadata", "files")


def cells_of(record: dict[str, Any]) -> tuple[dict[str, str], list[Loss]]:
    """Return a record as cells of a table, and what no cell can hold."""
    cells: dict[str, str] = {}
    losses: list[Loss] = []
    for key, value in record.items():
        if is_nothing(value):
            continue
        cell = _cell(key, value) if key in _COLUMNS else None
        if cell is not None:
            cells[key] = cell
        elif key == "input":
            cells[key] = _question(value)
            losses.append(Loss(("messages",), _NO_CELL, is_kept=False))
        elif key != "choices" or choices_of(record):
            losses.append(Loss((key,), _NO_CELL, is_kept=False))
    return cells, losses


def table_of(
    rows: list[dict[str, str]], columns: Iterable[str]
) -> tuple[list[str], list[dict[str, str]], list[Loss]]:
    """Return the header and the rows of a table, where no empty cell means something else."""
    header = [name for name in _COLUMNS if name in set(columns)]
    losses = []
    if "sandbox" in header and not all("sandbox" in row for row in rows):
        header.remove("sandbox")
        losses.append(Loss(("sandbox",), _NO_BLANK, is_kept=False))
    blank = {key: "{}" for key in _PARSED if key in header}
    filled = []
    for index, row in enumerate(rows):
        # Equal ids stop a run, and all empty cells are equal.
        id_ = {"id": default_id(index)} if "id" in header else {}
        filled.append({key: part for key, part in (id_ | blank | row).items() if key in header})
    return header, filled, losses


def _cell(key: str, value: Any) -> str | None:
    """Return the cell that is read as a value; None if there is none."""
    if key in _READ:
        return _READ[key]({key: value})
    if key == "sandbox" and isinstance(value, list):
        value = json.dumps(list(map(str, value)), ensure_ascii=False)
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    return value if isinstance(value, str) else None


def _target(record: dict[str, Any]) -> str | None:
    targets = targets_of(record)
    return targets[0] if len(targets) == 1 else None


def _choices(record: dict[str, Any]) -> str | None:
    """Return choices between commas; None if they would be split or stripped otherwise."""
    choices = choices_of(record)
    # A single choice that has blanks would be split at them.
    text = ",".join(choices) if len(choices) > 1 else "".join(f"{each}," for each in choices)
    return text if choices and choices_of({"choices": text}) == choices else None


# What Inspect makes of the value of a key, as a cell.
_READ: dict[str, Callable[[dict[str, Any]], str | None]] = {
    "choices": _choices,
    "id": id_of,
    "setup": lambda record: str(record["setup"]),
    "target": _target,
}


def _question(messages: Any) -> str:
    """Return the last question of messages, or the messages as JSON."""
    return question_of(messages) or json.dumps(messages, ensure_ascii=False)
