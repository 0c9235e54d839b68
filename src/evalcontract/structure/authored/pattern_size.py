"""Estimate how much memory and time it takes to compile a pattern.

The native engine turns a pattern into an automaton: each repetition of a part is a copy of it, so
that a few characters can take megabytes. Its own limit is for one pattern, not for many.
"""

from __future__ import annotations

import re

from evalcontract.model.startup import lazy_pattern

#: A state takes about 150 bytes, and a microsecond to make.
MAX_STATES = 600_000

_TOKEN = lazy_pattern(
    r"""
    (?P<property>\\[pP]\{[^}]*\}?)
    | (?P<escape>\\.)
    | (?P<set>\[\^?(?:\\.|[^\]\\])*\]?)
    | (?P<open>\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?)
    | (?P<close>\))
    | (?P<many>\{(?P<least>[0-9]{1,9})(?:,(?P<most>[0-9]{0,9}))?\})
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
# The states of a class of characters beyond ASCII, whose UTF-8 bytes are matched one by one.
_PROPERTY, _MOST_CHARACTERS, _NON_ASCII = 500, 10, 4
_NO_STATES = frozenset("|^$*+?")


def pattern_size(pattern: str) -> int:
    """Return about how many states the automaton of a pattern has."""
    outer: list[int] = []  # the sizes of the groups around, up to the current one
    size = last = 0  # of the current group without its last item, and of that item
    for token in _TOKEN.finditer(pattern):
        kind = token.lastgroup
        if kind == "many":
            last *= max(int(token["most"] or token["least"]), 1)
        elif kind == "open":
            outer.append(size + last)
            size = last = 0
        elif kind == "close":
            last = size + last + 1
            size = outer.pop() if outer else 0
        else:
            size += last
            last = _states(token[0], str(kind))
    return size + last + sum(outer)


def _states(text: str, kind: str) -> int:
    """Return about how many states a character or a class of characters takes."""
    if kind == "property" or (kind == "set" and "\\p" in text.lower()):
        return _PROPERTY
    if kind == "set":
        rest = any(part in text for part in ("[^", r"\W", r"\D", r"\S", r"\s"))
        return _MOST_CHARACTERS if rest else 1 if text.isascii() else _NON_ASCII
    if kind == "escape":
        return _MOST_CHARACTERS if text[1] in "WDSs" else 1
    return 0 if text in _NO_STATES else _MOST_CHARACTERS if text == "." else 1
