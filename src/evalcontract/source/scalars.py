"""Plain YAML scalars, by the core schema of YAML 1.2.2 (section 10.3.2) and nothing else.

So `yes` and `2026-05-08` and `1_000` and `12:30` are strings here, as they are in the editors.
"""

from __future__ import annotations

import re

_CONSTANTS: dict[str, object] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
# No constant and no number begins with another character: the common case is one look.
_STARTS = frozenset("0123456789+-.~ntfNTF")


def resolve_plain(text: str) -> object:
    """Return the value of a plain scalar: None, bool, int, float or str.

    Raises:
        ValueError: an integer of more digits than Python reads (4300 by default).

    """
    if not text or text[0] in _STARTS:
        if text in _CONSTANTS:
            return _CONSTANTS[text]
        if _INTEGER.fullmatch(text):
            return int(text)
        if _FLOAT.fullmatch(text):
            return float(text)
        if _BASED.fullmatch(text):
            return int(text, 0)
    return text


_TAGGED: dict[str, type | tuple[type, ...]] = {
    "tag:yaml.org,2002:int": int,
    "tag:yaml.org,2002:float": (int, float),
    "tag:yaml.org,2002:bool": bool,
    "tag:yaml.org,2002:null": type(None),
}


def resolve_tagged(tag: str, text: str) -> object:
    """Return the value of a scalar with an explicit tag.

    Raises:
        LookupError: a tag outside of the core schema.
        ValueError: a text that the tag cannot hold.

    """
    if tag in ("!", "tag:yaml.org,2002:str"):
        return text
    wanted = _TAGGED[tag]
    value = resolve_plain(text)
    if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
        raise ValueError(text)
    return float(value) if tag.endswith(":float") and isinstance(value, int) else value
