"""JSON text becomes plain values (RFC 8259, duplicate keys refused), with positions on demand."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import orjson

from evalcontract.source.document import Document
from evalcontract.source.fault import Fault, SourceFault
from evalcontract.source.json_scanner import scan
from evalcontract.source.memory import collector_paused

#: The end of a key, with its colon: at least one for every pair of a JSON text.
KEY_END = re.compile(rb'"[ \t\r\n]*:')


def parse_json(text: str, file: str, data: bytes) -> Document:
    """Parse one JSON document; `data` are the bytes that `text` came from.

    Raises:
        Fault: `source/syntax`, `source/duplicate-key`, `source/limit-exceeded`.

    """
    value = load_json(text.encode())
    digest = hashlib.sha256(data).hexdigest()
    return Document(file, value, text, digest, lambda: scan(text))


def load_json(data: bytes) -> Any:
    """Return the value of a JSON text in UTF-8, without positions.

    Raises:
        Fault: as `parse_json`.

    """
    try:
        with collector_paused():
            value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        scan(data.decode())  # says what is wrong, and where
        raise Fault(SourceFault("source/syntax", f"not JSON: {error.msg}")) from None
    # Each pair has a quote before its colon, so as many of those as there are keys in the value
    # means that no key was dropped. More may also be a text that holds `":`: then look closely.
    if len(KEY_END.findall(data)) != count_keys(value):
        scan(data.decode())
    return value


def count_keys(value: Any) -> int:
    """Count the keys of every mapping inside of a value."""
    count = 0
    stack = [value]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            count += len(part)
            stack.extend(part.values())
        elif isinstance(part, list):
            stack.extend(part)
    return count
