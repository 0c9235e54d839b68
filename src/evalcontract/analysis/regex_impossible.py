r"""Prove that a regular expression matches no text, because of its anchors.

A part of a pattern is followed as a set of states: what precedes the place that was reached, and
what an anchor requires to follow. After `$` nothing can follow but a final newline, and `^` cannot
follow a character. A part that is not understood changes nothing or allows everything, so the
proof is sound but not complete.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING

from evalcontract.analysis.pattern import (
    Anchor,
    Atomic,
    Back,
    CaptureGroup,
    Char,
    Either,
    Repeat,
    Sequence,
    read_pattern,
)
from evalcontract.model.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.analysis.pattern import Node, Pattern


class _Before(IntEnum):
    """What precedes a place: nothing that the pattern has matched, a newline, another character."""

    NOTHING = 0
    NEWLINE = 1
    OTHER = 2


class _After(IntEnum):
    """What must follow a place, in ascending strictness.

    LINE_END: a newline, or the end of the text. FINAL: the end, or a last newline and the end.
    """

    ANYTHING = 0
    LINE_END = 1
    FINAL = 2
    END = 3


class _State(NamedTuple):
    before: _Before
    after: _After


_States = frozenset[_State]
_ALL: _States = frozenset(_State(before, after) for before in _Before for after in _After)


def matches_nothing(pattern: str, flags: Iterable[str]) -> bool:
    """Whether the anchors of a pattern provably keep it from matching in any text."""
    if not has_anchor(pattern):
        return False
    read = read_pattern(pattern, flags)
    if read is None:
        return False
    start: _States = frozenset({_State(_Before.NOTHING, _After.ANYTHING)})
    return not _Walk(read).through(read.root, start)


def has_anchor(pattern: str) -> bool:
    """Whether a pattern may have an anchor."""
    return any(anchor in pattern for anchor in ("^", "$", r"\A", r"\Z"))


class _Walk:
    def __init__(self, pattern: Pattern) -> None:
        self._pattern = pattern
        self._known: dict[tuple[int, _States], _States] = {}

    @cached_property
    def _others(self) -> list[str]:
        return [letter for letter in self._pattern.alphabet if letter != "\n"]

    def through(self, node: Node, states: _States) -> _States:  # noqa: PLR0911 - a table
        """Return the states after a part, given those before it; none if it cannot match."""
        match node:
            case Char():
                return self._char(node, states)
            case Anchor():
                return frozenset(after for state in states for after in _anchored(node, state))
            case CaptureGroup(body=body) | Atomic(body=body):
                return self.through(body, states)
            case Sequence(parts=parts):
                for part in parts:
                    states = self.through(part, states)
                return states
            case Either(options=options):
                return frozenset(
                    state for option in options for state in self.through(option, states)
                )
            case Repeat():
                key = id(node), states  # nested repeats visit their body with the same states
                if key not in self._known:
                    self._known[key] = self._repeat(node, states)
                return self._known[key]
            case Back():
                return _ALL if states else states
            case _:
                return states

    def _char(self, char: Char, states: _States) -> _States:
        matches = char.test.fullmatch
        newline = bool(matches("\n"))
        other = not newline or any(map(matches, self._others))  # one of them, if not a newline
        after: set[_State] = set()
        for state in states:
            if other and state.after is _After.ANYTHING:
                after.add(_State(_Before.OTHER, _After.ANYTHING))
            if newline and state.after is not _After.END:
                rest = _After.END if state.after is _After.FINAL else _After.ANYTHING
                after.add(_State(_Before.NEWLINE, rest))
        return frozenset(after)

    def _repeat(self, repeat: Repeat, states: _States) -> _States:
        if repeat.high == 0:
            return states
        for _ in range(min(repeat.low, len(_ALL))):
            states = self.through(repeat.body, states)
        while not (more := self.through(repeat.body, states)) <= states:
            states |= more  # any number of further repetitions
        return states


def _anchored(anchor: Anchor, state: _State) -> Iterator[_State]:
    if anchor.is_start:
        if state.before is _Before.NOTHING or (anchor.is_line and state.before is _Before.NEWLINE):
            yield state
    elif anchor.is_end:
        required = _After.LINE_END if anchor.is_line else _After.FINAL
        yield _State(state.before, max(state.after, required))
    else:
        yield state
