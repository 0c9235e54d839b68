"""Rows of JSON with the keys of a table, and rows without ids, as a dataset."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from evalcontract.datasets.columns import INPUT, METADATA, Column, columns_of, path_of
from evalcontract.datasets.tables import no_input, problems_of_header, row_of
from evalcontract.model.errors import UsageError
from evalcontract.model.values import is_finite_number
from evalcontract.source import SourceProblem, format_of
from evalcontract.source.yaml.writing import NotWritableError, json_line, yaml_text
from evalcontract.workspace import display_name

if TYPE_CHECKING:
    from evalcontract.datasets.columns import ColumnKeys
    from evalcontract.datasets.opening import Input

_ROWS, _ID = "questions", "id"
# Keys of rows that hold a text; what JSON has as a number is written as one, as a table has it.
_TEXTS = frozenset(
    ("id", "input", "criteria", "expected.reference", "expected.format", "rubric_ref", "bundle")
)
# What a list of right answers may mean.
_MEANINGS = ("must_contain_any", "expected_facts")


def are_plain(input_: Input) -> bool:
    """Whether a JSON or JSONL file has rows with the keys of a table, by the first of them.

    That is: the row has no id, or one that is no text, or another key that is read as `input`.
    Rows of YAML are never changed: people write them, and their comments.
    """
    kind = format_of(input_.path.name)
    if kind == "yaml":
        return False
    value = input_.read().peek()
    rows = [value] if kind == "jsonl" else _split(value)[1]
    if not rows or not isinstance(rows[0], dict):
        return False
    row = rows[0]
    if not isinstance(row.get(_ID), str):
        return True
    # What stands below a key such as `questions` is meant to be ours.
    is_list = kind == "jsonl" or isinstance(value, list)
    return (
        is_list and INPUT not in row and any(each.key == INPUT for each in columns_of([*row], ()))
    )


def rows_as_dataset(
    input_: Input, out: str, mapping: ColumnKeys = ()
) -> tuple[bytes | None, tuple[SourceProblem, ...]]:
    """Return the rows of a file as YAML or JSON Lines, by the name `out`, and what to know of it.

    Their keys are read as the columns of a table are; `mapping` names the keys of some. A row
    without an id gets one. If no key is read as `input`, there are no rows, and it is said why.

    Raises:
        UsageError: the file cannot be read, a value cannot be written, or no row has a key that
            `mapping` names.

    """
    head, values = _read(input_)
    columns, told = _columns(values, mapping)
    if columns is None:
        return None, told
    rows = [_row(row, columns, number) for number, row in enumerate(values)]
    try:
        if PurePath(out).suffix == ".jsonl":
            return b"".join(map(json_line, rows)), told
        return yaml_text(head, _ROWS, rows), told
    except NotWritableError as error:
        name = display_name(input_.path)
        raise UsageError(f"{name} cannot be written as {out}: {error}") from None


def _columns(
    rows: list[dict[str, Any]], mapping: ColumnKeys
) -> tuple[list[Column] | None, tuple[SourceProblem, ...]]:
    """Return the keys of rows as columns, and what to know of it; None if none is `input`."""
    header = [*dict.fromkeys(key for row in rows for key in row)]
    nested = {key for row in rows for key, value in row.items() if isinstance(value, dict)}
    lists = {key for row in rows for key, value in row.items() if isinstance(value, list)}
    mapped = {name for name, _ in mapping}
    for name in mapped & nested:
        raise UsageError(f"`{name}` cannot be mapped: it holds a mapping")
    found = columns_of([key for key in header if key not in nested], mapping)
    # A list is no text, and may mean several things.
    unclear = {
        column.name: column.key
        for column in found
        if column.name in lists and column.key in _TEXTS and column.name not in mapped
    }
    rest = [key for key in header if key not in nested and key not in unclear]
    found = columns_of(rest, mapping)
    if not any(column.key == INPUT for column in found):
        return None, (no_input(header),)
    # Of rows that are ours, keys that nobody knows are those of their author.
    is_ours = INPUT in header
    found = [
        Column(each.name, (each.name,))
        if (is_ours and each.is_other) or _is_taken(each, rows)
        else each
        for each in found
    ]
    told = [
        SourceProblem(str(each.code), each.message, None, each.help)
        for each in problems_of_header(found)
    ]
    told += [_unclear(name, key) for name, key in unclear.items()]
    known = {column.name for column in found}
    for name in header:
        if name not in known:
            stays = name not in unclear and (is_ours or path_of(name) == (name,))
            found.append(Column(name, (name,) if stays else (METADATA, name)))
    return found, tuple(told)


def _is_taken(column: Column, rows: list[dict[str, Any]]) -> bool:
    """Whether a mapping of some row has a value already where a column would write its own."""
    if len(column.path) == 1:
        return False
    key, inner = column.path
    wholes = (row[key] for row in rows if column.name in row and key in row)
    return key != column.name and any(isinstance(each, dict) and inner in each for each in wholes)


def _unclear(name: str, key: str) -> SourceProblem:
    message = f"`{name}` holds lists, and `{key}` is a text: it is kept in `metadata`"
    advice = f"pass {' or '.join(f'`--map {name}={meaning}`' for meaning in _MEANINGS)}"
    return SourceProblem("dataset/mapped-column", message, None, advice)


def _row(row: dict[str, Any], columns: list[Column], number: int) -> dict[str, Any]:
    """Return a row by its columns. A mapping keeps what it has."""
    cells = {
        column.name: _text(row[column.name]) if column.key in _TEXTS else row[column.name]
        for column in columns
        if column.name in row
    }
    # Copies: what other columns add is no change of the source.
    cells = {name: {**cell} if isinstance(cell, dict) else cell for name, cell in cells.items()}
    wholes = [column for column in columns if isinstance(cells.get(column.name), dict)]
    made = row_of(cells, [*wholes, *(each for each in columns if each not in wholes)], number)
    order = dict.fromkeys([_ID, *(column.path[0] for column in columns)])
    return {key: made[key] for key in order if key in made}


def _text(value: Any) -> Any:
    """Return a number or a boolean as JSON writes it, and all else as it is."""
    if isinstance(value, bool) or is_finite_number(value):
        return json.dumps(value)
    return value


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
