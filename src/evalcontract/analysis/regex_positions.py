"""The position automaton (Glushkov) of a regular expression, with multiplicities.

A position is a character node of the pattern, with repeats written out. It matches characters of
an alphabet of samples. Anchors and lookarounds are taken to be always true, and a backreference to
be a copy of its group.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evalcontract.analysis.pattern import (
    Atomic,
    Back,
    CaptureGroup,
    Char,
    Either,
    Repeat,
    Sequence,
)
from evalcontract.analysis.regex_program import PatternTooLargeError

if TYPE_CHECKING:
    from evalcontract.analysis.budget import Budget
    from evalcontract.analysis.pattern import Node

_MAX_POSITIONS = 300
_MAX_PARTS = 20_000  # nodes visited; a node without characters makes no position
_MAX_LINKS = 2_000_000
_MANY = 25  # larger repeat counts are treated as unbounded
_TWO = 2  # the number of ways is counted up to two
# What a position, and a node of the pattern, cost in steps of a matcher.
_POSITION_STEPS, _PART_STEPS = 50, 5
_SET_ITEMS_PER_STEP = 10

Ways = dict[int, int]


@dataclass(frozen=True, slots=True)
class _Part:
    """In how many ways a part can be empty, and the positions it can start and end with."""

    empty: int
    first: Ways = field(default_factory=dict)
    last: Ways = field(default_factory=dict)


class Automaton:
    """Positions from 0; `follow[p]` maps the next positions to the number of ways to them."""

    def __init__(self, alphabet: tuple[str, ...], budget: Budget) -> None:
        self.budget = budget
        self.follow: list[Ways] = []
        self.starts: Ways = {}
        self.groups: dict[int, Node] = {}
        self.parts = self.links = 0
        self._alphabet = alphabet
        self._accepted: list[frozenset[str]] = []
        self._known: dict[Char, frozenset[str]] = {}
        self._shared: dict[tuple[frozenset[str], frozenset[str]], str | None] = {}

    def add(self, char: Char) -> int:
        """Add a position and return its number.

        Raises:
            PatternTooLargeError: there are too many positions.

        """
        if len(self.follow) >= _MAX_POSITIONS:
            raise PatternTooLargeError
        self.budget.spend(_POSITION_STEPS)
        if char not in self._known:
            matches = char.test.fullmatch
            self._known[char] = frozenset(letter for letter in self._alphabet if matches(letter))
        self.follow.append({})
        self._accepted.append(self._known[char])
        return len(self.follow) - 1

    def shared(self, one: int, other: int) -> str | None:
        """Return the first character of the alphabet that both positions match, or None."""
        sets = self._accepted[one], self._accepted[other]
        if sets not in self._shared:
            both = sets[0] & sets[1]
            first = (letter for letter in self._alphabet if letter in both)
            self._shared[sets] = next(first, None) if both else None
        return self._shared[sets]

    def way_to(self, end: int) -> str | None:
        """Return the shortest word that leads to a position, or None if it is unreachable."""
        previous: dict[int, int | None] = dict.fromkeys(self.starts)
        queue = list(self.starts)
        for position in queue:
            for after in self.follow[position]:
                if after not in previous and self._accepted[after]:
                    previous[after] = position
                    queue.append(after)
        if end not in previous:
            return None
        letters, at = [], end
        while at is not None:
            letters.append(self.shared(at, at) or "")
            at = previous[at]  # type: ignore[assignment]
        return "".join(reversed(letters))

    def components(self) -> list[frozenset[int]]:
        """Return the strongly connected components: sets of positions that reach each other."""
        self.budget.spend(len(self.follow) * sum(map(len, self.follow)) // _SET_ITEMS_PER_STEP)
        reach = [self._reachable(position) for position in range(len(self.follow))]
        loops = [position for position, seen in enumerate(reach) if position in seen]
        components = {
            frozenset(other for other in reach[position] if position in reach[other])
            for position in loops
        }
        return sorted(components, key=min)

    def _reachable(self, start: int) -> set[int]:
        seen: set[int] = set()
        waiting = [start]
        while waiting:
            new = self.follow[waiting.pop()].keys() - seen
            seen |= new
            waiting.extend(new)
        return seen


def automaton_of(root: Node, alphabet: tuple[str, ...], budget: Budget) -> Automaton:
    """Return the automaton of a pattern, and spend the steps that this takes.

    Raises:
        PatternTooLargeError: it has too many positions.

    """
    automaton = Automaton(alphabet, budget)
    automaton.starts = _part(root, automaton).first
    return automaton


def _part(node: Node, automaton: Automaton) -> _Part:  # noqa: C901, PLR0911 - a table
    automaton.parts += 1
    automaton.budget.spend(_PART_STEPS)
    if automaton.parts > _MAX_PARTS:
        raise PatternTooLargeError
    match node:
        case Char():
            position = automaton.add(node)
            return _Part(0, {position: 1}, {position: 1})
        case CaptureGroup(number=number, body=body):
            if number is not None:
                automaton.groups[number] = body
            return _part(body, automaton)
        case Atomic(body=body):
            return _part(body, automaton)
        case Back(group=group) if group in automaton.groups:
            return _part(automaton.groups[group], automaton)
        case Sequence(parts=parts):
            whole = _Part(1)
            for part in parts:
                whole = _concatenate(whole, _part(part, automaton), automaton)
            return whole
        case Either(options=options):
            whole = _Part(0)
            for option in options:
                branch = _part(option, automaton)
                empty = min(_TWO, whole.empty + branch.empty)
                whole = _Part(empty, whole.first | branch.first, whole.last | branch.last)
            return whole
        case Repeat():
            return _repeat(node, automaton)
        case _:
            return _Part(1)


def _concatenate(one: _Part, two: _Part, automaton: Automaton) -> _Part:
    _link(one.last, two.first, automaton)
    return _Part(
        min(_TWO, one.empty * two.empty),
        _sum(one.first, two.first, one.empty),
        _sum(two.last, one.last, two.empty),
    )


def _sum(ways: Ways, more: Ways, times: int) -> Ways:
    added = {key: min(_TWO, count * times) for key, count in more.items()} if times else {}
    return {
        key: min(_TWO, ways.get(key, 0) + added.get(key, 0)) for key in ways.keys() | added.keys()
    }


def _link(last: Ways, first: Ways, automaton: Automaton) -> None:
    automaton.links += len(last) * len(first)
    automaton.budget.spend(len(last) * len(first))
    if automaton.links > _MAX_LINKS:
        raise PatternTooLargeError
    for end, ends in last.items():
        follow = automaton.follow[end]
        for start, starts in first.items():
            follow[start] = min(_TWO, follow.get(start, 0) + ends * starts)


def _repeat(node: Repeat, automaton: Automaton) -> _Part:
    """Expand a repeat. As in Python's matcher, an empty repetition ends it."""
    endless = node.high is None or node.high >= _MANY
    low = node.low if node.low < _MANY else 1
    whole = _Part(1)
    for _ in range(low - 1 if endless and low else low):
        whole = _concatenate(whole, _part(node.body, automaton), automaton)
    if endless:
        body = _part(node.body, automaton)
        _link(body.last, body.first, automaton)
        return _concatenate(
            whole, _Part(body.empty if low else 1, body.first, body.last), automaton
        )
    rest = _Part(1)
    for _ in range((node.high or 0) - low):
        inner = _concatenate(_part(node.body, automaton), rest, automaton)
        rest = _Part(1, inner.first, inner.last)
    return _concatenate(whole, rest, automaton)
