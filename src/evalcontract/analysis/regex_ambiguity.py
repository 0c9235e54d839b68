"""Does a regular expression backtrack exponentially? A text that makes it do so, or nothing.

A pattern is ambiguous without bound if some part of it, come back to itself, could have read the
same word in two ways (the criterion EDA of Weber and Seidl, "On the degree of ambiguity of finite
automata", 1991, which Weideman et al. 2016 carry over to backtracking matchers). Every round of
that word then doubles the ways, and a text that matches in none of them makes the matcher try all.

So two runs of the pattern's position automaton are followed side by side until they have parted
and met again. What the automaton leaves out (conditions on a place, references to groups) may make
such a word harmless; so each is tried on a counting matcher, and only what is seen to grow is told.
A look ahead is matched on its own, so it has an automaton of its own, with the way to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from evalcontract.analysis.pattern import (
    Atomic,
    CaptureGroup,
    Either,
    Look,
    Repeat,
    Sequence,
    read_pattern,
)
from evalcontract.analysis.regex_positions import Automaton, automaton_of
from evalcontract.analysis.regex_program import PatternTooLargeError, Program, program_of
from evalcontract.analysis.regex_steps import StepsExceededError, count_steps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.analysis.pattern import Node, Pattern

_MOST_LOOKS = 8
_MOST_PAIRS = 400_000  # of steps that two runs can take together, over all of a pattern
_MOST_WITNESSES = 6
_MOST_STEPS = 60_000
_MOST_STEPS_AT_FIRST = 300_000  # where a round is so much work that growth is not seen otherwise
_MOST_STEPS_IN_ALL = 1_000_000
_MOST_ROUNDS = 30
#: A word read in two ways doubles the work of each round; a power of the length cannot do that
#: for long, and has fallen below this before the bound on steps is met.
_GROWTH = 1.6
_ROUNDS_SEEN = 4
_ROUNDS_OF_DOUBT = 8

#: What may follow the rounds so that nothing matches.
_ENDINGS = ("", "!", "\n!", "\x00", " ", "0", "a", "€")


@dataclass(frozen=True, slots=True)
class Attack:
    """A text that takes exponentially many steps: `before`, many times `word`, then `after`."""

    before: str
    word: str
    after: str

    def text(self, rounds: int) -> str:
        """Write it with so many rounds; every one about doubles the steps."""
        return self.before + self.word * rounds + self.after

    def told(self, rounds: int = 40) -> str:
        """Write it shortly, as what is repeated how often."""
        before = f"{self.before!r}, " if self.before != self.word else ""
        after = f", then {self.after!r}" if self.after else ""
        return f"{before}{rounds} times {self.word!r}{after}"


def find_attack(pattern: str, flags: Iterable[str], *, full: bool) -> Attack | None:
    """Return a text on which a pattern backtracks exponentially; None where none is found.

    What is returned is certain, up to bounds on the size of the pattern; None is not a promise.
    """
    read = read_pattern(pattern, flags)
    try:
        words = _words(read) if read else []
        program = program_of(read.root) if read and words else None
        return _proven(program, words, full=full) if program else None
    except (PatternTooLargeError, RecursionError):
        return None


def _words(read: Pattern) -> list[tuple[str, str]]:
    """List words that can be read in two ways, each with the way there, the shortest first."""
    found: list[tuple[str, str]] = []
    for root in (read.root, *islice(_looks_ahead(read.root), _MOST_LOOKS)):
        found += _ambiguous(automaton_of(root, read.alphabet))
    return sorted(found, key=lambda words: sum(map(len, words)))


def _looks_ahead(node: Node) -> Iterator[Node]:
    """Yield each look ahead in a pattern, behind one way to it."""
    match node:
        case Sequence(parts=parts):
            for index, part in enumerate(parts):
                for inner in _looks_ahead(part):
                    yield Sequence((*parts[:index], inner))
        case Either(options=options):
            for option in options:
                yield from _looks_ahead(option)
        case CaptureGroup(body=body) | Atomic(body=body) | Repeat(body=body):
            yield from _looks_ahead(body)
        case Look(body=body, behind=None):
            yield body
            yield from _looks_ahead(body)
        case _:
            pass


def _proven(program: Program, words: list[tuple[str, str]], *, full: bool) -> Attack | None:
    """Return the first text that is seen to make the work grow."""
    left = _MOST_STEPS_IN_ALL
    for before, word in words[:_MOST_WITNESSES]:
        for after in _ENDINGS:
            attack = Attack(before, word, after)
            counts, done = _steps_by_rounds(program, attack, full=full, left=left)
            if _grows(counts) and not done:
                return attack
            left -= sum(counts) + (0 if done else _limit_after(counts))
            if left <= 0:
                return None
    return None


def _steps_by_rounds(
    program: Program, attack: Attack, *, full: bool, left: int
) -> tuple[list[int], bool]:
    """Count the steps for one round, two, ... until there are too many; tell whether all is done.

    It is done too where many rounds are hardly more work than few, and where `left` is used up.
    """
    counts: list[int] = []
    for rounds in range(1, _MOST_ROUNDS):
        try:
            text = attack.text(rounds)
            limit = _limit_after(counts)
            counts.append(count_steps(program, text, full=full, limit=limit).steps)
        except StepsExceededError:
            return counts, False
        if sum(counts) > left or (rounds > _ROUNDS_OF_DOUBT and counts[-1] < 2 * counts[0]):
            break
    return counts, True


def _limit_after(counts: list[int]) -> int:
    return _MOST_STEPS if len(counts) >= _ROUNDS_SEEN else _MOST_STEPS_AT_FIRST


def _grows(counts: list[int]) -> bool:
    last = counts[-_ROUNDS_SEEN:]
    grown = all(more >= _GROWTH * less for less, more in pairwise(last))
    return grown and len(last) == _ROUNDS_SEEN


def _ambiguous(automaton: Automaton) -> Iterator[tuple[str, str]]:
    """Yield words that can be read in two ways from a position to itself, with the way there."""
    left = _MOST_PAIRS
    for component in automaton.components():
        for position in sorted(component):
            word, seen = _parted_and_met(automaton, position, component, left)
            left -= seen
            if left <= 0:
                return
            if word is not None:
                before = automaton.way_to(position)
                if before is not None:
                    yield before, word
            else:
                break  # one position of a component decides for all of it


def _parted_and_met(
    automaton: Automaton, start: int, component: frozenset[int], most: int
) -> tuple[str | None, int]:
    """Search the pairs of runs from `start` for one that parted and met there again.

    Return the shortest word, and how many pairs of steps were looked at.
    """
    looked = 0
    first = (start, start, False)
    came: dict[tuple[int, int, bool], tuple[tuple[int, int, bool], str]] = {}
    waiting = [first]
    for pair in waiting:
        if looked > most:
            break
        one, other, parted = pair
        for next_one, ways in automaton.follow[one].items():
            if next_one not in component:
                continue
            for next_other in automaton.follow[other]:
                looked += 1
                if next_other not in component:
                    continue
                shared = automaton.shared(next_one, next_other)
                if shared is None:
                    continue
                twice = one == other and next_one == next_other and ways > 1
                after = (next_one, next_other, parted or twice or next_one != next_other)
                if after in came:
                    continue
                came[after] = (pair, shared)
                if after == (start, start, True):
                    return _spelled(came, after, first), looked
                waiting.append(after)
    return None, looked


def _spelled(
    came: dict[tuple[int, int, bool], tuple[tuple[int, int, bool], str]],
    end: tuple[int, int, bool],
    start: tuple[int, int, bool],
) -> str:
    letters = []
    pair = end
    while True:
        pair, letter = came[pair]
        letters.append(letter)
        if pair == start:
            return "".join(reversed(letters))
