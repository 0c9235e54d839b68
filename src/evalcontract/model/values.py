"""JSON data: exact equality, bounded numbers, and values as text for messages."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Collection, Hashable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeGuard

from evalcontract.model.startup import lazy_pattern


def json_equal(one: Any, two: Any) -> bool:
    """Whether two values are the same JSON data: 1 differs from 1.0 and true, NaN equals NaN."""
    if one is two:
        return True
    if isinstance(one, str) and isinstance(two, str):
        return one == two
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(json_equal(one[key], two[key]) for key in one)
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(json_equal, one, two))
    if type(one) is not type(two):
        return False
    return repr(one) == repr(two) if isinstance(one, float) else bool(one == two)


def hashable(value: Any) -> Hashable:
    """Return what is equal, and has the same hash, for values that JSON Schema treats as equal.

    These are 1 and 1.0, but not 1 and true.
    """
    if isinstance(value, dict):
        return dict, frozenset((key, hashable(part)) for key, part in value.items())
    if isinstance(value, list):
        return list, tuple(map(hashable, value))
    return (bool, value) if isinstance(value, bool) else value


#: What runners of CI act on anywhere in a line: `##[error]`, `##vso[…]` (Azure, GitHub) and
#: `##teamcity[…]`.
COMMAND = lazy_pattern(r"#(?=#(?:\[|vso\[|teamcity\[))", re.IGNORECASE)
_BEYOND_ASCII = lazy_pattern(r"[^\x00-\x7f]")
# Characters without a glyph that terminals and editors may act on: C1 controls, marks that reorder
# or hide text, separators of lines, tags.
_INVISIBLE = lazy_pattern(
    "[\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e007f\ud800-\udfff]"
)


def harmless_json(pieces: Iterable[str], *, is_ascii: bool = False) -> Iterator[str]:
    r"""Yield JSON in which characters without a glyph are `\u` escapes; or all beyond ASCII."""
    hidden = _BEYOND_ASCII if is_ascii else _INVISIBLE
    for piece in pieces:
        if piece.isascii() and "\x7f" not in piece and "##" not in piece:  # most have none
            yield piece
        else:
            yield COMMAND.sub(_escape, hidden.sub(_escape, piece))


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def escape_controls(text: str) -> str:
    """Replace control characters by visible symbols, so that a terminal does not act on them."""
    if text.isprintable():
        return text
    return "".join(_sign(character) for character in text)


def _sign(character: str) -> str:
    if character == "\t":
        return " "
    code = ord(character)
    if code < ord(" "):
        return chr(0x2400 + code)  # the picture of the control character
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return "\N{REPLACEMENT CHARACTER}"
    return character


#: The maximum number of items of a list in a message.
SHOWN = 5
#: The maximum length of a name in a message or a table, and of a value.
NAME_LENGTH, VALUE_LENGTH = 80, 60
#: The maximum length of a message.
MESSAGE_LENGTH = 1000
_QUOTED = lazy_pattern("`([^`]+)`")


def clipped(text: str, most: int = VALUE_LENGTH) -> str:
    """Return a text, truncated to `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def readable(message: str) -> str:
    """Return a message of a bearable length: in a long one, what it quotes is clipped."""
    if len(message) <= MESSAGE_LENGTH:
        return message
    short = _QUOTED.sub(lambda quoted: f"`{clipped(quoted[1], NAME_LENGTH)}`", message)
    return clipped(short, MESSAGE_LENGTH)


def quoted(words: Iterable[str], joiner: str = ", ") -> str:
    """Join words in backquotes."""
    return joiner.join(f"`{word}`" for word in words)


def listed(words: Iterable[object], most: int = SHOWN, total: int | None = None) -> str:
    """Join words by commas; truncate a long list and give the number of the others.

    `total` is the number of all words if `words` are only the first `most + 1` of them.
    """
    # A collection is not copied: it may be long, and be listed for each row.
    items = words if words.__class__ is list or isinstance(words, Collection) else list(words)
    total = len(items) if total is None else total
    # One more item is as short as "… and 1 more".
    if total <= most + 1:
        return ", ".join([f"{item}" for item in items])
    return f"{', '.join(map(str, islice(items, most)))} … and {total - most:,} more"


def many(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun, as `1 row` and `2,000 rows`."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def chained(names: Iterable[str]) -> str:
    """Join the hops of a path by arrows; leave out the middle of a long path."""
    hops = list(names)
    if len(hops) <= SHOWN + 1:
        return " -> ".join(hops)
    return " -> ".join([*hops[:3], f"… {len(hops) - SHOWN:,} more …", *hops[-2:]])


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


def is_text(value: Any) -> TypeGuard[str]:
    """Whether a value is a text that is not blank."""
    return isinstance(value, str) and bool(value.strip())


def is_finite_number(value: Any) -> TypeGuard[int | float]:
    """Whether a value is a finite number that a float can hold, and not a boolean."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max
