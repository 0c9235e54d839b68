"""A dataset is written: JSONL row by row, every other medium as one document."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from evalcontract.model.errors import EditError
from evalcontract.source.yaml_text import block, flow, indented

if TYPE_CHECKING:
    from collections.abc import Sequence

_INDENT = 2


class NotWritableError(Exception):
    """A value has no form in the medium; the message says which and why."""


def json_line(row: Any) -> str:
    """Write a row as one line of JSON."""
    return json.dumps(row, ensure_ascii=False) + "\n"


def json_text(value: Any) -> str:
    """Write a document as JSON, its mappings and lists one part a line."""
    return json.dumps(value, ensure_ascii=False, indent=_INDENT) + "\n"


def csv_text(header: Sequence[str], rows: Sequence[dict[str, Any]]) -> str:
    """Write rows below a header; each holds texts by the names of the header."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, header, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def yaml_mapping(value: dict[str, Any]) -> str:
    """Write one mapping as YAML."""
    return "\n".join(block(value, _INDENT, _INDENT)) + "\n"


def yaml_text(
    head: dict[str, Any],
    key: str | None,
    rows: Sequence[Any],
    comments: Sequence[Sequence[str]] = (),
    above: Sequence[str] = (),
) -> str:
    """Write YAML: the keys of `head`, then the rows below a key, or as the document itself.

    `above` are comments before everything, `comments` those before each row.

    Raises:
        NotWritableError: a value that is no plain data.

    """
    lines = [*above]
    try:
        lines += block(head, _INDENT, _INDENT) if head else []
        items: list[str] = []
        for number, row in enumerate(rows):
            items += comments[number] if number < len(comments) else ()
            items += block([row], _INDENT, _INDENT)
        if key is None:
            lines += items or ["[]"]
        else:
            lines += [f"{key}:", *indented(items, _INDENT)] if items else [f"{key}: {flow([])}"]
    except EditError as error:
        raise NotWritableError(str(error)) from None
    return "\n".join(lines) + "\n"


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
    except (pa.ArrowException, OverflowError) as error:
        raise NotWritableError(f"these rows have no Parquet: {error}") from None
    return out.getvalue()
