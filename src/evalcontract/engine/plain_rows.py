"""Rows of no system that is known, and rows without ids, as a dataset."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from evalcontract.model.errors import UsageError
from evalcontract.source import format_of
from evalcontract.source.emitting import NotWritableError, json_line, yaml_text
from evalcontract.workspace import display_name

if TYPE_CHECKING:
    from evalcontract.engine.options import Input

_ROWS, _ID = "questions", "id"


def has_no_ids(input_: Input) -> bool:
    """Whether a JSON or JSONL file has rows, and the first of them has no id.

    Rows of YAML are never changed: people write them, and their comments.
    """
    kind = format_of(input_.path.name)
    if kind == "yaml":
        return False
    value = input_.read().peek()
    rows = [value] if kind == "jsonl" else _split(value)[1]
    return bool(rows) and isinstance(rows[0], dict) and _ID not in rows[0]


def rows_as_dataset(input_: Input, out: str) -> bytes:
    """Return the rows of a file as YAML or JSON Lines, by the name `out`.

    A row without an id gets one; else nothing is changed.

    Raises:
        UsageError: the file cannot be read, or a value cannot be written.

    """
    head, values = _read(input_)
    rows = [_row(row, number) for number, row in enumerate(values, 1)]
    try:
        if PurePath(out).suffix == ".jsonl":
            return b"".join(map(json_line, rows))
        return yaml_text(head, _ROWS, rows)
    except NotWritableError as error:
        name = display_name(input_.path)
        raise UsageError(f"{name} cannot be written as {out}: {error}") from None


def _read(input_: Input) -> tuple[dict[str, Any], list[Any]]:
    """Return what stands beside the rows, and the rows."""
    file = input_.read_external()
    head: dict[str, Any] = {}
    rows: list[Any] = []
    if file.document:
        head, rows = _split(file.document.value)
    elif file.stream:
        for batch in file.stream.batches():
            for fault, _ in batch.faults:
                raise UsageError(f"{file.file} cannot be read: {fault.message}")
            rows += batch.rows
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise UsageError(f"{file.file} has no rows: expected a list of mappings, or a table")
    return head, rows


def _split(value: Any) -> tuple[dict[str, Any], list[Any]]:
    """Return the head and the rows of a list, or of a mapping with one list of mappings."""
    if isinstance(value, list):
        return {}, value
    if not isinstance(value, dict):
        return {}, []
    lists = [key for key, part in value.items() if isinstance(part, list) and _are_rows(part)]
    if len(lists) != 1:
        return {}, []
    return {key: part for key, part in value.items() if key != lists[0]}, value[lists[0]]


def _are_rows(values: list[Any]) -> bool:
    return bool(values) and all(isinstance(each, dict) for each in values)


def _row(row: dict[str, Any], number: int) -> dict[str, Any]:
    return row if _ID in row else {_ID: f"row_{number}", **row}
