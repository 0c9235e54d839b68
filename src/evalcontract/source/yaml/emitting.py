"""Serialize datasets: JSONL row by row, every other file format as one document."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from evalcontract.model.errors import EditError, EvalContractError
from evalcontract.source.limits import MAX_DEPTH
from evalcontract.source.yaml.yaml_text import block, flow, indented

if TYPE_CHECKING:
    from collections.abc import Sequence

_INDENT = 2


class NotWritableError(EvalContractError):
    """A value cannot be written in the file format; the message says why."""


def json_line(row: Any, *, as_python: bool = False) -> bytes:
    """Return a row as one line of JSON; see `json_text`."""
    return _json(row, None, as_python=as_python)


def json_text(value: Any, *, as_python: bool = False) -> bytes:
    """Return a document as indented JSON.

    With `as_python` the text is for Python's `json`, which accepts NaN and lone surrogates.

    Raises:
        NotWritableError: the text could not be parsed again.

    """
    return _json(value, _INDENT, as_python=as_python)


def _json(value: Any, indent: int | None, *, as_python: bool) -> bytes:
    _refuse_deep(value)
    try:
        text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=as_python) + "\n"
    except ValueError as error:  # not a JSON number, or too many digits
        raise NotWritableError(str(error)[:1].lower() + str(error)[1:]) from None
    return text.encode("utf-8", "backslashreplace") if as_python else utf8(text)


def utf8(text: str) -> bytes:
    """Encode a text as UTF-8.

    Raises:
        NotWritableError: the text has a lone surrogate.

    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise NotWritableError("the text contains a lone surrogate") from None


def csv_text(header: Sequence[str], rows: Sequence[dict[str, Any]], delimiter: str = ",") -> str:
    """Return CSV: a header, and rows that map its names to strings."""
    out = io.StringIO(newline="")
    # A carriage return ends a record for readers, but not every writer puts quotes around it.
    has_return = any("\r" in text for row in rows for text in (*row, *row.values()))
    writer = csv.DictWriter(
        out,
        header,
        restval="",
        delimiter=delimiter,
        lineterminator="\n",
        quoting=csv.QUOTE_ALL if has_return else csv.QUOTE_MINIMAL,
    )
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def yaml_mapping(value: dict[str, Any], above: Sequence[str] = ()) -> bytes:
    """Return one mapping as YAML; see `yaml_text`."""
    return yaml_text(value, None, (), above=above)


def yaml_text(
    head: dict[str, Any],
    key: str | None,
    rows: Sequence[Any],
    comments: Sequence[Sequence[str]] = (),
    above: Sequence[str] = (),
    tail: dict[str, Any] | None = None,
) -> bytes:
    """Return YAML: the keys of `head`, then the rows under `key`, then the keys of `tail`.

    Without a `key` the rows are the document itself. `above` are comment lines at the start of
    the file, `comments[n]` those before row n.

    Raises:
        NotWritableError: a value is not plain data, or could not be parsed again.

    """
    whole = head if key is None else {**head, key: rows, **(tail or {})}
    for part in (whole, rows):
        _refuse_deep(part)
        _refuse_surrogates(part)
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
        lines += block(tail, _INDENT, _INDENT) if tail else []
    except EditError as error:
        raise NotWritableError(str(error)) from None
    return utf8("\n".join(lines) + "\n")


def parquet_bytes(rows: Sequence[dict[str, Any]]) -> bytes:
    """Return rows as Parquet, written by pyarrow.

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
        parquet.ParquetFile(out)  # pyarrow writes nesting that it cannot read back
    except (pa.ArrowException, OSError, OverflowError, UnicodeError) as error:
        raise NotWritableError(f"the rows do not fit one Parquet schema: {error}") from None
    return out.getvalue()


def _refuse_deep(value: Any) -> None:
    layer = [value]
    for _ in range(MAX_DEPTH):
        groups = (value.values() if isinstance(value, dict) else value for value in layer)
        layer = [part for group in groups for part in group if isinstance(part, dict | list)]
        if not layer:
            return
    raise NotWritableError(f"the value is nested more than {MAX_DEPTH} levels deep")


def _refuse_surrogates(value: Any) -> None:
    """Refuse lone surrogates, for which YAML has no escape."""
    if isinstance(value, str):
        utf8(value)
    elif isinstance(value, dict):
        for key, part in value.items():
            utf8(key)
            _refuse_surrogates(part)
    elif isinstance(value, list | tuple):
        for part in value:
            _refuse_surrogates(part)
