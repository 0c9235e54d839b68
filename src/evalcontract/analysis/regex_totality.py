"""Prove that a regular expression matches every text.

The proof uses four places that every text has: its start, the end of its first line, the start of
its last line, and its end. A part of a pattern *leads* from one place to another if it can match
the text between them, whatever the text is. A sequence leads where its parts, chained, lead. A
part that is not understood leads nowhere, so the proof is sound but not complete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.analysis.compilation import shortest_match
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
    """Whether a pattern provably matches in every text, or every whole text if `full`."""
    if shortest_match(pattern, flags) != 0:
        return False
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
                ways = _chain(ways, _ways(part))
            return ways
        case Repeat(keeps=False):
            return _repeat(node)
        case Anchor():
            return _anchor(node)
        case Look(body=body, behind=None, negative=False):
            return frozenset((start, start) for start, _ in _ways(body))
        case Atomic() | Repeat():
            # It keeps its first match, which need not be the one that leads on.
            return _STAY if _is_empty(node) else _NOWHERE
        case _:
            return _NOWHERE


def _chain(one: Ways, other: Ways) -> Ways:
    return frozenset((a, d) for a, b in one for c, d in other if b == c)


def _repeat(node: Repeat) -> Ways:
    if node.high is None and node.low == 0:
        other, newline = _coverage(node.body)
        if other:
            return _STAY | (_ONWARD if newline else _TO_THE_SIDE)
    body = _ways(node.body)
    ways = _STAY
    for _ in range(min(node.low, len(_STAY))):  # more repetitions than places add nothing
        ways = _chain(ways, body)
    if node.low == 0:
        ways |= body if node.high != 0 else _NOWHERE
    return ways


def _coverage(node: Node) -> tuple[bool, bool]:
    """Return whether one repetition matches any character but newline, and whether newline."""
    match node:
        case Char():
            return node.any_other, node.any_newline
        case CaptureGroup(body=body):
            return _coverage(body)
        case Either(options=options):
            covered = [_coverage(option) for option in options]
            return any(other for other, _ in covered), any(newline for _, newline in covered)
        case Repeat(body=body, low=low, high=high, keeps=False) if low <= 1 and high != 0:
            return _coverage(body)
        case _:
            return False, False


def _anchor(anchor: Anchor) -> Ways:
    if anchor.is_start:
        return frozenset({(_START, _START)} | ({(_LINE_START,) * 2} if anchor.is_line else set()))
    if anchor.is_end:
        return frozenset({(_END, _END)} | ({(_LINE_END,) * 2} if anchor.is_line else set()))
    return _NOWHERE


def _is_empty(node: Node) -> bool:
    """Whether a part matches only the empty string."""
    return isinstance(node, Sequence) and not node.parts
