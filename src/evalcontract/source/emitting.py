"""A dataset is written: JSONL row by row, every other medium as one document."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from evalcontract.model.errors import EditError
from evalcontract.source.limits import MAX_DEPTH
from evalcontract.source.yaml_text import block, flow, indented

if TYPE_CHECKING:
    from collections.abc import Sequence

_INDENT = 2


class NotWritableError(Exception):
    """A value has no form in the medium; the message says which and why."""


def json_line(row: Any, *, as_python: bool = False) -> bytes:
    """Write a row as one line of JSON; see `json_text`."""
    return _json(row, None, as_python=as_python)


def json_text(value: Any, *, as_python: bool = False) -> bytes:
    """Write a document as JSON, its mappings and lists one part a line.

    With `as_python` it is for Python's own parser, to which NaN and half a surrogate pair are data.

    Raises:
        NotWritableError: it could not be read again.

    """
    return _json(value, _INDENT, as_python=as_python)


def _json(value: Any, indent: int | None, *, as_python: bool) -> bytes:
    _refuse_deep(value)
    try:
        text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=as_python) + "\n"
    except ValueError as error:  # no number of JSON, or one of too many digits
        raise NotWritableError(str(error)[:1].lower() + str(error)[1:]) from None
    return text.encode("utf-8", "backslashreplace") if as_python else utf8(text)


def utf8(text: str) -> bytes:
    """Encode a text.

    Raises:
        NotWritableError: a character of it is none.

    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise NotWritableError("a text holds half of a surrogate pair") from None


def csv_text(header: Sequence[str], rows: Sequence[dict[str, Any]]) -> str:
    """Write rows below a header; each holds texts by the names of the header."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, header, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def yaml_mapping(value: dict[str, Any]) -> bytes:
    """Write one mapping as YAML; see `yaml_text`."""
    return yaml_text(value, None, ())


def yaml_text(
    head: dict[str, Any],
    key: str | None,
    rows: Sequence[Any],
    comments: Sequence[Sequence[str]] = (),
    above: Sequence[str] = (),
) -> bytes:
    """Write YAML: the keys of `head`, then the rows below a key, or as the document itself.

    `above` are comments before everything, `comments` those before each row.

    Raises:
        NotWritableError: a value that is no plain data, or could not be read again.

    """
    whole = head if key is None else {**head, key: rows}
    for each in (whole, rows):
        _refuse_deep(each)
        _refuse_halves(each)
    lines = [*above]
    try:
        lines += block(head, _INDENT, _INDENT) if head else []
        items: list[str] = []
        for number, row in enumerate(rows):
            items += comments[number] if number < len(comments) else ()
            items += block([row], _INDENT, _INDENT)
        if key is None:
            lines += items or ([] if head else ["[]"])
        else:
            lines += [f"{key}:", *indented(items, _INDENT)] if items else [f"{key}: {flow([])}"]
    except EditError as error:
        raise NotWritableError(str(error)) from None
    return utf8("\n".join(lines) + "\n")


def parquet_bytes(rows: Sequence[dict[str, Any]]) -> bytes:
    """Write rows as Parquet, by pyarrow.

    Raises:
        NotWritableError: pyarrow is not installed, or a column holds values of several types.

    """
    try:
        import pyarrow as pa  # an extra, and slow to import
        from pyarrow import parquet
    except ImportError:
        raise NotWritableError(
            "writing Parquet needs pyarrow: pip install 'evalcontract[parquet]'"
        ) from None
    out = io.BytesIO()
    try:
        parquet.write_table(pa.Table.from_pylist(list(rows)), out)
        parquet.ParquetFile(out)  # what is too deep is written, and not read
    except (pa.ArrowException, OSError, OverflowError, UnicodeError) as error:
        raise NotWritableError(f"these rows have no Parquet: {error}") from None
    return out.getvalue()


def _refuse_deep(value: Any) -> None:
    layer = [value]
    for _ in range(MAX_DEPTH):
        parts = (each.values() if isinstance(each, dict) else each for each in layer)
        layer = [part for each in parts for part in each if isinstance(part, dict | list)]
        if not layer:
            return
    raise NotWritableError(f"it is nested more than {MAX_DEPTH} levels deep")


def _refuse_halves(value: Any) -> None:
    """Refuse halves of surrogate pairs, for which YAML has no escape."""
    if isinstance(value, str):
        utf8(value)
    elif isinstance(value, dict):
        for key, part in value.items():
            utf8(key)
            _refuse_halves(part)
    elif isinstance(value, list | tuple):
        for part in value:
            _refuse_halves(part)
