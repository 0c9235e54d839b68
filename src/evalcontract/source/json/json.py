"""JSON reader: plain values (RFC 8259, no duplicate keys), with positions on demand."""

from __future__ import annotations

import json
from typing import Any

import orjson

from evalcontract.model.startup import lazy_pattern
from evalcontract.source.document import Document
from evalcontract.source.fault import ParseError, SourceProblem
from evalcontract.source.json.json_scanner import scan
from evalcontract.source.limits import MAX_DEPTH
from evalcontract.source.memory import collector_paused

# orjson reads integers of more than 64 bits as floats; all of them are at least this large.
_ROUNDED = 2.0**63
_DIGITS = lazy_pattern(rb"[0-9]{19}")


def parse_json(text: str, file: str, data: bytes) -> Document:
    """Parse one JSON document; `data` are the bytes that `text` came from.

    Raises:
        ParseError: `source/syntax`, `source/duplicate-key`, `source/limit-exceeded`.

    """
    value = load_json(text.encode())
    return Document(file, value, text, data, lambda: scan(text))


def load_json(data: bytes, *, is_line: bool = False) -> Any:
    """Return the value of a JSON text in UTF-8, without positions.

    With `is_line` the text is one line, whatever line breaks it contains.

    Raises:
        ParseError: as `parse_json`.
        UnicodeDecodeError: the text is not UTF-8.

    """
    try:
        with collector_paused():
            value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        text = data.decode()
        scan(text, is_line=is_line)  # raises with the position
        if _DIGITS.search(data):  # more digits than orjson accepts
            return json.loads(text)
        raise ParseError(SourceProblem("source/syntax", f"not JSON: {error.msg}")) from None
    if keeps_all_keys(data, value) and is_plain(data, [value]):
        return value
    scan(data.decode(), is_line=is_line)
    return json.loads(data)


def load_as_python(data: bytes, *, is_line: bool = False) -> tuple[Any, tuple[SourceProblem, ...]]:
    """Return the value of a JSON text as Python's `json` reads it, and remarks on it.

    Loaders of other systems read JSON this way: the last of two equal keys wins, and `NaN` is a
    number. Both are in the remarks.

    Raises:
        ParseError: `source/syntax`, `source/limit-exceeded`.
        UnicodeDecodeError: the text is not UTF-8.

    """
    try:
        return load_json(data, is_line=is_line), ()
    except ParseError:
        text = data.decode()
        remarks: list[SourceProblem] = []
        scan(text, is_line=is_line, remarks=remarks)
        return json.loads(text), tuple(remarks)


def keeps_all_keys(data: bytes, value: Any) -> bool:
    r"""Whether orjson certainly dropped no duplicate key of a text.

    If the value, serialized again, has as many quotes as the text, no key is missing: each string
    has two quotes, and quotes within strings are escaped in both, except for `\u0022`.
    """
    if b"\\" in data and b"u0022" in data:  # the single byte is found faster
        return False
    try:
        return data.count(b'"') == orjson.dumps(value).count(b'"')
    except orjson.JSONEncodeError:  # nested deeper than orjson can write
        return False


def is_plain(data: bytes, values: list[Any]) -> bool:
    """Whether values are within the depth limit and hold no integer that orjson rounded.

    A float beyond 64 bits may be such an integer.
    """
    if data.count(b"[") + data.count(b"{") <= MAX_DEPTH and not _DIGITS.search(data):
        return True
    depth = 0
    layer = values
    while layer:
        if depth >= MAX_DEPTH:
            return False
        depth += 1
        below: list[Any] = []
        for part in layer:
            if part.__class__ is dict:
                below.extend(part.values())
            elif part.__class__ is list:
                below.extend(part)
            elif part.__class__ is float and abs(part) >= _ROUNDED:
                return False
        layer = below
    return True
