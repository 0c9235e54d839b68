"""YAML read by a fast library, `yaml-rs`, wherever that reads what the exact reader reads.

Its values are trusted for a *yes* alone: rows in which nothing can be found. Whatever it may read
otherwise is told by searches for bytes, and goes the exact way; so does what it refuses, and so
does everything where it is not installed. A test holds it against the exact reader.
"""

from __future__ import annotations

import codecs
import re
import sys
from typing import Any

from evalcontract.source.memory import collector_paused

# What a file may be made of. Carriage returns are looked at apart; a tab separates in other places.
_ORDINARY = bytes({*range(256)} - {*range(0x20)} - {0x7F}) + b"\n"
# Control characters beyond ASCII, a mark, and what is no character, by their first byte.
_STRANGE = [
    re.compile(pattern)
    for pattern in (rb"\xc2[\x80-\x84\x86-\x9f]", rb"\xef(?:\xbb\xbf|\xbf[\xbe\xbf])")
]
# A tag, an anchor or a merge, where a node begins; anywhere else these are text.
_MARKS = (b"!", b"&", b"<<")
_BEFORE_NODES = frozenset(b"\n:-?,[{")
# A directive, the end of a document.
_SIGNS = (b"\n%", b"\n...")
# The header of a text of several lines; how much of the end of a file is looked at for one.
_HEADER = re.compile(rb"[|>][-+0-9]*+ *+(?:#.*+)?$")
_TAIL = 1 << 12
_BEGINNINGS = (b"%", b"...")
# A word that begins as a number does, and has what makes it one in other readings of YAML alone.
_OTHER_NUMBER = re.compile(
    r"(?<![^\s,\[{])[-+]*(?:\.(?i:inf|nan)|[0-9.eE+-]*_|0[bBoOxX])", re.ASCII
)


def quick_value(text: str, data: bytes) -> Any:
    """Return the value of a YAML document; None where it is to be read exactly.

    `data` are the bytes that `text` came from. Keys that are no text, and values of more levels
    than a document may have, are left to whoever looks at the value.
    """
    try:
        import yaml_rs  # slow to import, and not to be had on every machine
    except ImportError:
        return None
    if not _reads_alike(data.removeprefix(codecs.BOM_UTF8)):
        return None
    try:
        with collector_paused():
            value = yaml_rs.loads(text, parse_datetime=False)
    except (ValueError, RecursionError, TypeError):  # the last: a key of keys, `? : {}`
        return None
    return None if len(data) > sys.get_int_max_str_digits() and _has_large(value) else value


def _has_large(value: Any) -> bool:
    """Whether a value has integers of more than 64 bits, which may be of too many digits."""
    import orjson  # small files have no use for it

    try:
        orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)
    except TypeError:
        return True
    return False


def _reads_alike(data: bytes) -> bool:
    """Whether there is nothing in a text that the two readers are known to read in two ways."""
    strange = data.translate(None, _ORDINARY)
    if strange and (strange.strip(b"\r") or len(strange) != data.count(b"\r\n")):
        return False
    if not data.isascii() and any(pattern.search(data) for pattern in _STRANGE):
        return False
    if data.startswith(_BEGINNINGS) or any(sign in data for sign in _SIGNS):
        return False
    return _ends_plainly(data) and not any(_begins_node(data, mark) for mark in _MARKS)


def _ends_plainly(data: bytes) -> bool:
    """Whether the text does not end with blanks, or with a text of several lines that has none."""
    lines = (line.strip() for line in reversed(data[-_TAIL:].split(b"\n")))
    last = next((line for line in lines if line and not line.startswith(b"#")), None)
    return last is not None and not data.endswith(b" ") and _HEADER.search(last) is None


def _begins_node(data: bytes, mark: bytes) -> bool:
    """Whether a mark stands anywhere where a node may begin."""
    at = data.find(mark)
    while at >= 0:
        before = data[max(at - 64, 0) : at].rstrip(b" ")
        if not before or before[-1] in _BEFORE_NODES:
            return True
        at = data.find(mark, at + len(mark))
    return False


def has_other_numbers(text: str) -> bool:
    """Whether a text holds a word that the fast reader may take for a number, and ours does not.

    It matters only where a schema asks for numbers, and takes longer than all other searches.
    """
    return _OTHER_NUMBER.search(text) is not None
