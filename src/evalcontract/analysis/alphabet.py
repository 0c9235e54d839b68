"""The characters on which static analyses try a regular expression."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_LAST = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)
_MAX_LETTERS = 2_000

#: Samples of common classes of characters, readable ones first.
_SAMPLES = (
    *"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    *"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \n\t\r",
    *"\x00\x1c\x85\xa0\xdf\xe9\xc9\u0131\u017f\u03c3\u0663\u4e2d\u2028\ufeff\U0001f600",
)


def alphabet_of(parsed: Any) -> tuple[str, ...]:
    """Return a sample of every class of characters that a parse tree of `re` distinguishes."""
    return tuple(dict.fromkeys((*_SAMPLES, *islice(_mentioned(parsed), _MAX_LETTERS))))


def _mentioned(parsed: Any) -> Iterator[str]:
    """Yield the characters that a pattern mentions, and their neighbours.

    At these characters, its classes begin or end.
    """
    for item in parsed:
        if isinstance(item, tuple | list) or hasattr(item, "data"):
            yield from _mentioned(item)
        elif isinstance(item, int) and not hasattr(item, "name"):
            for code in (item - 1, item, item + 1):
                if 0 <= code <= _LAST and code not in _SURROGATES:
                    yield chr(code)
