"""JSON text becomes plain values (RFC 8259, duplicate keys refused), with positions on demand."""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

from evalcontract.source.document import Document
from evalcontract.source.fault import ParseError, SourceProblem
from evalcontract.source.json_scanner import scan
from evalcontract.source.limits import MAX_DEPTH
from evalcontract.source.memory import collector_paused

# From here on orjson reads integers as floats.
_ROUNDED = 2.0**63
_DIGITS = re.compile(rb"[0-9]{19}")


def parse_json(text: str, file: str, data: bytes) -> Document:
    """Parse one JSON document; `data` are the bytes that `text` came from.

    Raises:
        ParseError: `source/syntax`, `source/duplicate-key`, `source/limit-exceeded`.

    """
    value = load_json(text.encode())
    return Document(file, value, text, data, lambda: scan(text))


def load_json(data: bytes, *, is_line: bool = False) -> Any:
    """Return the value of a JSON text in UTF-8, without positions.

    `is_line` says that the text is one line, whatever stands in it.

    Raises:
        ParseError: as `parse_json`.
        UnicodeDecodeError: the text is not UTF-8.

    """
    try:
        with collector_paused():
            value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        text = data.decode()
        scan(text, is_line=is_line)  # says what is wrong, and where
        if _DIGITS.search(data):  # more digits than the fast reader takes
            return json.loads(text)
        raise ParseError(SourceProblem("source/syntax", f"not JSON: {error.msg}")) from None
    if keeps_all_keys(data, value) and is_plain(data, [value]):
        return value
    scan(data.decode(), is_line=is_line)
    return json.loads(data)


def load_as_python(data: bytes, *, is_line: bool = False) -> tuple[Any, tuple[SourceProblem, ...]]:
    """Return the value of a JSON text as Python's own parser reads it, and what is odd about it.

    So do the loaders of other systems read: the last of two keys counts, and `NaN` is a number.

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
    r"""Whether the fast reader surely dropped no key of a text: the first of two equal ones.

    Written again, the value has as many quotes as the text: each of its texts has two, and those
    inside of texts are escaped in both, but for `\u0022`.
    """
    if b"\\" in data and b"u0022" in data:  # the shorter text is found faster
        return False
    try:
        return data.count(b'"') == orjson.dumps(value).count(b'"')
    except orjson.JSONEncodeError:  # nested deeper than it writes
        return False


def is_plain(data: bytes, values: list[Any]) -> bool:
    """Whether values are not too deep, and hold no integer that the fast reader rounded.

    A float beyond 64 bits may have been an integer, which it reads as a float.
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
