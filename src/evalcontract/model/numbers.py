"""Numbers of JSON and YAML: how long an integer may be, and what a float can hold."""

from __future__ import annotations

import sys
from typing import Any, TypeGuard

#: The most decimal digits of an integer in a file. Python converts up to 4,300 by default, so that
#: the sum of a few such numbers can be written, too.
MAX_DIGITS = 4_000
_MARGIN = 300


def integer(text: str, base: int = 10, *, most: int = MAX_DIGITS) -> int | None:
    """Return the integer that a text is; None if it is none, or has too many decimal digits.

    A `base` of 0 is that of its prefix, such as `0x`.
    """
    try:
        number = int(text, base)
    except ValueError:
        return None
    return number if is_writable(number, most) else None


def is_writable(number: int, most: int = MAX_DIGITS) -> bool:
    """Whether an integer has at most so many decimal digits, and Python can write it.

    The environment may have Python write fewer digits (`PYTHONINTMAXSTRDIGITS`).
    """
    limit = sys.get_int_max_str_digits()
    most = min(most, limit - _MARGIN) if 0 < limit < MAX_DIGITS + _MARGIN else most
    return number.bit_length() <= most or abs(number) < 10**most


def is_finite_number(value: Any) -> TypeGuard[int | float]:
    """Whether a value is a finite number that a float can hold, and not a boolean."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max
