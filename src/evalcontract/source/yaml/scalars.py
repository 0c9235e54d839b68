"""Resolve plain YAML scalars by the core schema of YAML 1.2.2 (section 10.3.2).

So `yes`, `2026-05-08`, `1_000` and `12:30` are strings here, as they are in editors.
"""

from __future__ import annotations

from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import integer

_CONSTANTS: dict[str, object] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_INTEGER = lazy_pattern(r"[-+]?[0-9]+")
_BASED = lazy_pattern(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = lazy_pattern(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
# Every constant and number begins with one of these, so most texts need only one lookup.
_STARTS = frozenset("0123456789+-.~ntfNTF")


def resolve_plain(text: str) -> object:
    """Return the value of a plain scalar: None, bool, int, float or str.

    Raises:
        ValueError: an integer has too many digits.

    """
    if not text or text[0] in _STARTS:
        if text in _CONSTANTS:
            return _CONSTANTS[text]
        if _INTEGER.fullmatch(text):
            return _integer(text)
        if _FLOAT.fullmatch(text):
            return float(text)
        if _BASED.fullmatch(text):
            return _integer(text, 0)
    return text


def _integer(text: str, base: int = 10) -> int:
    number = integer(text, base)
    if number is None:
        raise ValueError(text)
    return number


_TAGGED: dict[str, type | tuple[type, ...]] = {
    "tag:yaml.org,2002:int": int,
    "tag:yaml.org,2002:float": (int, float),
    "tag:yaml.org,2002:bool": bool,
    "tag:yaml.org,2002:null": type(None),
}


def resolve_tagged(tag: str, text: str) -> object:
    """Return the value of a scalar with an explicit tag.

    Raises:
        LookupError: the tag is not in the core schema.
        ValueError: the text is not a valid value for the tag.

    """
    if tag in ("!", "tag:yaml.org,2002:str"):
        return text
    expected = _TAGGED[tag]
    value = resolve_plain(text)
    if not isinstance(value, expected) or (isinstance(value, bool) and expected is not bool):
        raise ValueError(text)
    return float(value) if tag.endswith(":float") and isinstance(value, int) else value
