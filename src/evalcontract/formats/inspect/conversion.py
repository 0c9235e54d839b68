"""Records of Inspect and rows of evalcontract: how they correspond."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from evalcontract.formats._conversion import Loss, conversation_of, default_id, reference_of
from evalcontract.formats._lens import At, Cells, Lens
from evalcontract.formats._residual import Row
from evalcontract.formats.inspect import (
    KEYS,
    choices_of,
    id_of,
    is_nothing,
    metadata_of,
    question_of,
    targets_of,
)
from evalcontract.model.diagnostic import Path

_ROLES = frozenset({"system", "user", "assistant", "tool"})
_SECOND = "a sample has one target, which is the reference"
_NO_CELL = "a cell is a text"
_NO_BLANK = "an empty cell of this column is a sandbox without a type, which no task starts"
# In this order.
_COLUMNS = ("id", "input", "target", "choices", *KEYS[4:])
# Inspect parses every cell of these, and stops at one that is empty.
_PARSED = ("metadata", "files")
# Longer ids of digits are texts.
_DIGITS = 16


class RecordLens(Lens):
    """Keeps everything else of a record in `metadata.inspect`, and of ours in its metadata."""

    quiet = frozenset({"id", "input", "target", "choices"})
    nothing = (None,)
    needed = ("input",)
    no_root = "a dataset of Inspect is a list of samples"
    run = "a sample ends with the question; the run after it is no input"

    def plain(self, row: Row) -> Row:
        is_text = isinstance(row.get("metadata"), str)
        return {**row, "metadata": metadata_of(row)} if is_text else row

    def to_ours(self, row: Row, at: At) -> Row:
        given = row.get("input")
        question = question_of(given) if isinstance(given, list) else given
        if not isinstance(question, str) or not question:
            question = json.dumps(given, ensure_ascii=False)
        ours: Row = {"id": id_of(row) or default_id(at.number), "input": question}
        if isinstance(given, list):
            ours["messages"] = given
        target = row.get("target")
        if isinstance(target, list):
            if target and all(isinstance(part, str) and part for part in target):
                ours["must_contain_any"] = target
        elif target is not None and str(target).strip():
            ours["expected"] = {"reference": str(target)}
        if choices := choices_of(row):
            ours["context"] = {"choices": choices}
        return ours

    def to_theirs(self, row: Row, at: At) -> Row:
        theirs: Row = {}
        if row.get("id") != default_id(at.number):
            theirs["id"] = _id_of(row.get("id"))
        asked = conversation_of(row).asked
        theirs["input"] = asked if asked and all(map(_is_message, asked)) else row.get("input")
        if reference := reference_of(row):
            theirs["target"] = reference
        elif isinstance(values := row.get("must_contain_any"), list) and values:
            theirs["target"] = values
        context = row.get("context")
        choices = context.get("choices") if isinstance(context, dict) else None
        if isinstance(choices, list) and choices and all(isinstance(c, str) and c for c in choices):
            theirs["choices"] = choices
        return theirs

    def says_messages(self, row: Row, again: Row) -> bool:
        return not conversation_of(row).run and super().says_messages(row, again)

    def reason_against(self, path: Path, row: Row) -> str:
        is_second = path == ("must_contain_any",) and reference_of(row)
        return _SECOND if is_second else super().reason_against(path, row)

    def cells_of(self, row: Row) -> Cells:
        cells: Row = {}
        losses: list[Loss] = []
        for key, value in row.items():
            if is_nothing(value):
                continue
            cell = _cell(key, value) if key in _COLUMNS else _unread_cell(key, value)
            if cell is not None:
                cells[key] = cell
            elif key == "input":
                cells[key] = _question(value)
                losses.append(Loss(("messages",), _NO_CELL, is_kept=False))
            elif key != "choices" or choices_of(row):
                losses.append(Loss((key,), _NO_CELL, is_kept=False))
        return Cells(cells, losses)

    def table_of(self, rows: list[Row]) -> tuple[list[str], list[Row], Sequence[Loss]]:
        """Return the header and the rows of a table, where no empty cell means something else."""
        used = {key for row in rows for key in row}
        header = [name for name in _COLUMNS if name in used]
        header += dict.fromkeys(name for row in rows for name in row if name not in _COLUMNS)
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


def _id_of(id_: Any) -> Any:
    """Return an id, as a number if it is the digits of one, which is the same id for Inspect."""
    is_number = isinstance(id_, str) and id_.isascii() and id_.isdecimal() and len(id_) < _DIGITS
    return int(id_) if is_number and str(int(id_)) == id_ else id_


def _is_message(message: Any) -> bool:
    """Whether Inspect surely reads a message: a role and a text, without calls of tools."""
    return (
        isinstance(message, dict)
        and message.get("role") in _ROLES
        and isinstance(message.get("content"), str)
        and message.keys() <= {"role", "content"}
    )


def _cell(key: str, value: Any) -> str | None:
    """Return the cell that is read as a value; None if there is none."""
    if key in _READ:
        return _READ[key]({key: value})
    if key == "sandbox" and isinstance(value, list):
        value = json.dumps(list(map(str, value)), ensure_ascii=False)
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    return value if isinstance(value, str) else None


def _unread_cell(key: str, value: Any) -> str | None:
    """Return the cell of a column that Inspect does not read; None if there is none."""
    return value if isinstance(value, str) and key and key == key.strip() else None


def _target(record: Row) -> str | None:
    targets = targets_of(record)
    return targets[0] if len(targets) == 1 else None


def _choices(record: Row) -> str | None:
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
