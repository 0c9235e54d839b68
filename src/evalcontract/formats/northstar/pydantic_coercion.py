"""Coerce numbers and booleans as pydantic 2.14 does in lax mode.

Texts of numbers may have white space around them and underscores inside; true and false are 1 and
0.
"""

from __future__ import annotations

import re
from typing import Any

from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import integer

# The white space of Unicode, which differs from that of `str.strip`.
_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
# After a zero, a minus is still a sign, but not before a zero and another digit.
_WHOLE = lazy_pattern(
    r"(?:(?P<sign>[+-]?)(?:0[0_]*(?=[0-9]))?|\+?0[0_]*(?P<late>-)_?(?!0[0-9_]))"
    r"(?P<digits>[0-9](?:_?[0-9])*)(?:\.0+)?",
    re.ASCII,
)
_NUMBER = lazy_pattern(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf(?:inity)?|nan)",
    re.ASCII | re.IGNORECASE,
)
_MOST_DIGITS = 4300
# Floats from here on are not coerced to integers.
_LARGEST = 2.0**63
_TRUE = frozenset({"yes", "y", "true", "t", "on", "1"})
_FALSE = frozenset({"no", "n", "false", "f", "off", "0"})


class CoercionError(Exception):
    """A value is rejected; `fault` is the second half of the code that reports it."""

    def __init__(self, fault: str) -> None:
        super().__init__(fault)
        self.fault = fault


def to_int(value: Any) -> int:
    """Coerce a value to an integer.

    Raises:
        CoercionError: it is rejected.

    """
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not value.is_integer():
            raise CoercionError("wrong-type")
        if not -_LARGEST < value < _LARGEST:
            raise CoercionError("out-of-range")
        return int(value)
    if not isinstance(value, str):
        raise CoercionError("wrong-type")
    match = _WHOLE.fullmatch(value.strip(_SPACE))
    if match is None:
        raise CoercionError("malformed-value")
    digits = match["digits"].replace("_", "").lstrip("0")
    number = integer(digits or "0", most=_MOST_DIGITS)
    if number is None:
        raise CoercionError("out-of-range")
    return -number if "-" in (match["sign"], match["late"]) else number


def to_float(value: Any) -> float:
    """Coerce a value to a float, which may be infinite or NaN.

    Raises:
        CoercionError: it is rejected.

    """
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError:
            raise CoercionError("out-of-range") from None
    if not isinstance(value, str):
        raise CoercionError("wrong-type")
    text = value.strip(_SPACE)
    if "_" in text and not (text[0] == "_" or text[-1] == "_" or "__" in text):
        text = text.replace("_", "")
    if not _NUMBER.fullmatch(text):
        raise CoercionError("malformed-value")
    return float(text)


def to_bool(value: Any) -> bool:
    """Coerce a value to a boolean.

    Raises:
        CoercionError: it is rejected.

    """
    if isinstance(value, str):
        word = value.lower()
        if word not in _TRUE | _FALSE:
            raise CoercionError("malformed-value")
        return word in _TRUE
    if not isinstance(value, int | float) or value not in (0, 1):
        raise CoercionError("wrong-type")
    return bool(value)
