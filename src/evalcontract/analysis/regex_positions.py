"""The position automaton of a regular expression (Glushkov), with how many ways lead each step.

A position is a character of the pattern, written out. It takes one of an alphabet that has a
character of every sort; conditions on a place and looks count as always true, and a reference to a
group as the group once more.
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
    from evalcontract.analysis.pattern import Node

_MOST_POSITIONS = 300
_MOST_PARTS = 20_000  # that are walked; what takes no character makes no position
_MOST_LINKS = 2_000_000
_MANY = 25  # as many turns of a repeat are as good as no bound
_TWO = 2  # one way or several: more are not told apart

Ways = dict[int, int]


@dataclass(frozen=True, slots=True)
class _Part:
    """How many ways a part can be empty, and the positions it can begin and end with."""

    empty: int
    first: Ways = field(default_factory=dict)
    last: Ways = field(default_factory=dict)


class Automaton:
    """Positions from 0; `follow[p]` has those that come next, and in how many ways."""

    def __init__(self, alphabet: tuple[str, ...]) -> None:
        self.follow: list[Ways] = []
        self.starts: Ways = {}
        self.groups: dict[int, Node] = {}
        self.parts = self.links = 0
        self._alphabet = alphabet
        self._takes: list[frozenset[str]] = []
        self._known: dict[Char, frozenset[str]] = {}
        self._shared: dict[tuple[frozenset[str], frozenset[str]], str | None] = {}

    def add(self, char: Char) -> int:
        """Add a position.

        Raises:
            TooLargeError: there are too many.

        """
        if len(self.follow) >= _MOST_POSITIONS:
            raise PatternTooLargeError
        if char not in self._known:
            fits = char.test.fullmatch
            self._known[char] = frozenset(each for each in self._alphabet if fits(each))
        self.follow.append({})
        self._takes.append(self._known[char])
        return len(self.follow) - 1

    def shared(self, one: int, other: int) -> str | None:
        """Return a character that two positions both take, the first of the alphabet."""
        sets = self._takes[one], self._takes[other]
        if sets not in self._shared:
            both = sets[0] & sets[1]
            first = (each for each in self._alphabet if each in both)
            self._shared[sets] = next(first, None) if both else None
        return self._shared[sets]

    def way_to(self, end: int) -> str | None:
        """Return the shortest word that ends with a position."""
        came: dict[int, int | None] = dict.fromkeys(self.starts)
        waiting = list(self.starts)
        for position in waiting:
            for after in self.follow[position]:
                if after not in came and self._takes[after]:
                    came[after] = position
                    waiting.append(after)
        if end not in came:
            return None
        letters, at = [], end
        while at is not None:
            letters.append(self.shared(at, at) or "")
            at = came[at]  # type: ignore[assignment]
        return "".join(reversed(letters))

    def components(self) -> list[frozenset[int]]:
        """List the sets of positions that all reach each other again."""
        reach = [self._reached(position) for position in range(len(self.follow))]
        loops = [position for position, seen in enumerate(reach) if position in seen]
        found = {
            frozenset(other for other in reach[position] if position in reach[other])
            for position in loops
        }
        return sorted(found, key=min)

    def _reached(self, start: int) -> set[int]:
        seen: set[int] = set()
        waiting = [start]
        while waiting:
            new = self.follow[waiting.pop()].keys() - seen
            seen |= new
            waiting.extend(new)
        return seen


def automaton_of(root: Node, alphabet: tuple[str, ...]) -> Automaton:
    """Build the automaton of a pattern.

    Raises:
        TooLargeError: it has too many positions.

    """
    automaton = Automaton(alphabet)
    automaton.starts = _part(root, automaton).first
    return automaton


def _part(node: Node, automaton: Automaton) -> _Part:  # noqa: C901, PLR0911 - a table
    automaton.parts += 1
    if automaton.parts > _MOST_PARTS:
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
            for each in parts:
                whole = _then(whole, _part(each, automaton), automaton)
            return whole
        case Either(options=options):
            whole = _Part(0)
            for each in options:
                part = _part(each, automaton)
                empty = min(_TWO, whole.empty + part.empty)
                whole = _Part(empty, whole.first | part.first, whole.last | part.last)
            return whole
        case Repeat():
            return _repeat(node, automaton)
        case _:
            return _Part(1)


def _then(one: _Part, two: _Part, automaton: Automaton) -> _Part:
    _link(one.last, two.first, automaton)
    return _Part(
        min(_TWO, one.empty * two.empty),
        _sum(one.first, two.first, one.empty),
        _sum(two.last, one.last, two.empty),
    )


def _sum(ways: Ways, more: Ways, times: int) -> Ways:
    added = {each: min(_TWO, count * times) for each, count in more.items()} if times else {}
    return {
        each: min(_TWO, ways.get(each, 0) + added.get(each, 0))
        for each in ways.keys() | added.keys()
    }


def _link(last: Ways, first: Ways, automaton: Automaton) -> None:
    automaton.links += len(last) * len(first)
    if automaton.links > _MOST_LINKS:
        raise PatternTooLargeError
    for end, ends in last.items():
        follow = automaton.follow[end]
        for start, starts in first.items():
            follow[start] = min(_TWO, follow.get(start, 0) + ends * starts)


def _repeat(node: Repeat, automaton: Automaton) -> _Part:
    """Write the turns out. One that took nothing is the last, as in Python's matcher."""
    endless = node.high is None or node.high >= _MANY
    low = node.low if node.low < _MANY else 1
    whole = _Part(1)
    for _ in range(low - 1 if endless and low else low):
        whole = _then(whole, _part(node.body, automaton), automaton)
    if endless:
        body = _part(node.body, automaton)
        _link(body.last, body.first, automaton)
        return _then(whole, _Part(body.empty if low else 1, body.first, body.last), automaton)
    rest = _Part(1)
    for _ in range((node.high or 0) - low):
        inner = _then(_part(node.body, automaton), rest, automaton)
        rest = _Part(1, inner.first, inner.last)
    return _then(whole, rest, automaton)
