"""Fast YAML reader: `yaml-rs`, used where it agrees with the exact reader.

Its values are only trusted for rows without any problem. Byte searches detect everything that it
may read differently; the exact reader then reads the file instead, as it does if `yaml-rs` refuses
the text or is not installed. A test compares both readers.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, Any

from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import MAX_DIGITS
from evalcontract.source.memory import collector_paused

if TYPE_CHECKING:
    from collections.abc import Iterable

# Allowed bytes. Carriage returns are checked separately; tabs are read differently.
_ORDINARY = bytes({*range(256)} - {*range(0x20)} - {0x7F}) + b"\n"
# Control characters beyond ASCII, a byte order mark, and noncharacters, in UTF-8.
_UNUSUAL = [
    lazy_pattern(pattern)
    for pattern in (rb"\xc2[\x80-\x84\x86-\x9f]", rb"\xef(?:\xbb\xbf|\xbf[\xbe\xbf])")
]
# A tag, an anchor or a merge key at the start of a node; anywhere else they are text.
_NODE_PREFIXES = (b"!", b"&", b"<<")
_BEFORE_NODES = frozenset(b"\n:-?,[{")
# A directive, or the end of a document: on a later line, and on the first one.
_DOCUMENT_MARKERS = (b"\n%", b"\n...")
_FIRST_MARKERS = (b"%", b"...")
# The header of a block scalar, searched in the last bytes of a file.
_HEADER = lazy_pattern(rb"[|>][-+0-9]*+ *+(?:#.*+)?$")
_TAIL_BYTES = 1 << 12
# The length from which on a text may hold an integer of too many digits: it may be hexadecimal.
_FEWEST_BYTES = MAX_DIGITS * 4 // 5
# A word that other YAML parsers may read as a number, and the exact reader may not.
_OTHER_NUMBER = lazy_pattern(
    r"(?<![^\s,\[{])[-+]*(?:\.(?i:inf|nan)|[0-9.eE+-]*_|0[bBoOxX])", re.ASCII
)


def quick_value(text: str, data: bytes) -> Any:
    """Return the value of a YAML document; None if the exact reader has to read it.

    `data` are the bytes that `text` came from. The caller has to check with `is_plain` what it does
    not read again: keys may be other than strings, and values nested too deeply.
    """
    try:
        import yaml_rs  # slow to import, and not available on every platform
    except ImportError:
        return None
    if not _reads_alike(data.removeprefix(codecs.BOM_UTF8)):
        return None
    try:
        with collector_paused():
            value = yaml_rs.loads(text, parse_datetime=False)
    except (ValueError, RecursionError, TypeError):  # TypeError: a mapping as a key, `? : {}`
        return None
    return None if len(data) > _FEWEST_BYTES and _has_large(value) else value


def _has_large(value: Any) -> bool:
    """Whether a value has integers of more than 64 bits, which may have too many digits."""
    import orjson  # not needed for small files

    try:
        orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)
    except TypeError:
        return True
    return False


def is_plain(rows: list[Any], depth: int) -> bool:
    """Whether all keys are strings, and no row has more levels than a depth."""
    level: Iterable[Any] = rows
    for _ in range(depth + 1):
        parts: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                if not all(isinstance(key, str) for key in value):
                    return False
                parts += value.values()
            elif isinstance(value, list):
                parts += value
        if not parts:
            return True
        level = parts
    return False


def _reads_alike(data: bytes) -> bool:
    """Whether a text has nothing that the fast and the exact reader may read differently."""
    unusual = data.translate(None, _ORDINARY)
    if unusual and (unusual.strip(b"\r") or len(unusual) != data.count(b"\r\n")):
        return False
    if not data.isascii() and any(pattern.search(data) for pattern in _UNUSUAL):
        return False
    if data.startswith(_FIRST_MARKERS) or any(marker in data for marker in _DOCUMENT_MARKERS):
        return False
    return _ends_plainly(data) and not any(_begins_node(data, prefix) for prefix in _NODE_PREFIXES)


def _ends_plainly(data: bytes) -> bool:
    """Whether a text ends neither with spaces nor with an empty block scalar."""
    lines = (line.strip() for line in reversed(data[-_TAIL_BYTES:].split(b"\n")))
    last = next((line for line in lines if line and not line.startswith(b"#")), None)
    return last is not None and not data.endswith(b" ") and _HEADER.search(last) is None


def _begins_node(data: bytes, prefix: bytes) -> bool:
    """Whether a prefix occurs anywhere that a node may start."""
    at = data.find(prefix)
    while at >= 0:
        before = data[max(at - 64, 0) : at].rstrip(b" ")
        if not before or before[-1] in _BEFORE_NODES:
            return True
        at = data.find(prefix, at + len(prefix))
    return False


def has_other_numbers(text: str) -> bool:
    """Whether a text has a word that only the fast reader may read as a number.

    Only relevant if a schema expects numbers; this search is slower than all the others together.
    """
    return _OTHER_NUMBER.search(text) is not None
