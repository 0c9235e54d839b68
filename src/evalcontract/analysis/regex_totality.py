"""Does a regular expression match every text? A proof, or nothing.

The proof speaks of a few places that every text has: its start, the end of its first line, the
start of its last line, and its end. A part of a pattern *leads* from one of them to another if it
can match what stands between them in any text whatever. Parts one after the other lead where
their ways, put together, lead. A part that cannot be followed leads nowhere, so that what is
proven is true, and not all that is true is proven.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.analysis.pattern import (
    Anchor,
    Atomic,
    CaptureGroup,
    Char,
    Either,
    Look,
    Repeat,
    Sequence,
    read_pattern,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.analysis.pattern import Node

_START, _LINE_END, _LINE_START, _END = range(4)
Ways = frozenset[tuple[int, int]]

_NOWHERE: Ways = frozenset()
_STAY: Ways = frozenset((place, place) for place in range(4))
_TO_THE_SIDE: Ways = frozenset({(_START, _LINE_END), (_LINE_START, _END)})
_ONWARD: Ways = _TO_THE_SIDE | {(_START, _LINE_START), (_START, _END), (_LINE_END, _END)}


def matches_everything(pattern: str, flags: Iterable[str], *, full: bool) -> bool:
    """Tell whether it is proven that a pattern matches every text; `full`: the whole of it."""
    read = read_pattern(pattern, flags)
    if read is None:
        return False
    ways = _ways(read.root)
    return (_START, _END) in ways if full else bool(ways)


def _ways(node: Node) -> Ways:  # noqa: PLR0911 - a table
    match node:
        case CaptureGroup(body=body):
            return _ways(body)
        case Either(options=options):
            return _NOWHERE.union(*map(_ways, options))
        case Sequence(parts=parts):
            ways = _STAY
            for part in parts:
                ways = _joined(ways, _ways(part))
            return ways
        case Repeat(keeps=False):
            return _repeated(node)
        case Anchor():
            return _standing(node)
        case Look(body=body, behind=None, negative=False):
            return frozenset((start, start) for start, _ in _ways(body))
        case Atomic() | Repeat():
            # Such a part keeps its first match, which need not be the one that leads on.
            return _STAY if _takes_nothing(node) else _NOWHERE
        case _:
            return _NOWHERE


def _joined(one: Ways, other: Ways) -> Ways:
    return frozenset((a, d) for a, b in one for c, d in other if b == c)


def _repeated(node: Repeat) -> Ways:
    if node.high is None and node.low == 0:
        other, newline = _taken(node.body)
        if other:
            return _STAY | (_ONWARD if newline else _TO_THE_SIDE)
    body = _ways(node.body)
    ways = _STAY
    for _ in range(min(node.low, len(_STAY))):  # no way is longer than the places are many
        ways = _joined(ways, body)
    if node.low == 0:
        ways |= body if node.high != 0 else _NOWHERE
    return ways


def _taken(node: Node) -> tuple[bool, bool]:
    """Tell whether one turn takes any character but a line break, and whether a line break."""
    match node:
        case Char():
            return node.any_other, node.any_newline
        case CaptureGroup(body=body):
            return _taken(body)
        case Either(options=options):
            taken = [_taken(option) for option in options]
            return any(other for other, _ in taken), any(newline for _, newline in taken)
        case Repeat(body=body, low=low, high=high, keeps=False) if low <= 1 and high != 0:
            return _taken(body)
        case _:
            return False, False


def _standing(place: Anchor) -> Ways:
    if place.is_start:
        return frozenset({(_START, _START)} | ({(_LINE_START,) * 2} if place.is_line else set()))
    if place.is_end:
        return frozenset({(_END, _END)} | ({(_LINE_END,) * 2} if place.is_line else set()))
    return _NOWHERE


def _takes_nothing(node: Node) -> bool:
    """Tell whether a part matches nothing but the empty text, and that anywhere."""
    return isinstance(node, Sequence) and not node.parts
