"""Does a regular expression backtrack exponentially? A text that makes it do so, or nothing.

A pattern is ambiguous without bound if some part of it, come back to itself, could have read the
same word in two ways (the criterion EDA of Weber and Seidl, "On the degree of ambiguity of finite
automata", 1991, which Weideman et al. 2016 carry over to backtracking matchers). Every round of
that word then doubles the ways, and a text that matches in none of them makes the matcher try all.

So two runs of the pattern's position automaton are followed side by side until they have parted
and met again. What the automaton leaves out (looks, references to groups) may make such a word
harmless; so each is tried on a counting matcher, and only what is seen to grow is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from evalcontract.analysis.pattern import read_pattern
from evalcontract.analysis.regex_positions import Automaton, automaton_of
from evalcontract.analysis.regex_program import Program, TooLargeError, program_of
from evalcontract.analysis.regex_steps import StepsExceededError, count_steps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MOST_PAIRS = 400_000  # of steps that two runs can take together, over all of a pattern
_MOST_WITNESSES = 6
_MOST_STEPS = 60_000
_MOST_STEPS_IN_ALL = 1_000_000
_MOST_ROUNDS = 30
#: A word read in two ways doubles the work of each round; a power of the length cannot do that
#: for long, and has fallen below this before the bound on steps is met.
_GROWTH = 1.6
_ROUNDS_SEEN = 4

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
    if read is None:
        return None
    try:
        automaton = automaton_of(read.root, read.alphabet)
        words = sorted(_ambiguous(automaton), key=lambda found: sum(map(len, found)))
        program = program_of(read.root) if words else None
    except (TooLargeError, RecursionError):
        return None
    left = _MOST_STEPS_IN_ALL
    for before, word in words[:_MOST_WITNESSES]:
        for after in _ENDINGS:
            attack = Attack(before, word, after)
            if program and left > 0:
                counts = _steps_by_rounds(program, attack, full=full)
                if _grows(counts):
                    return attack
                left -= sum(counts)
    return None


def _steps_by_rounds(program: Program, attack: Attack, *, full: bool) -> list[int]:
    """Count the steps for one round, two, ... until there are too many; none if it matches."""
    counts: list[int] = []
    for rounds in range(1, _MOST_ROUNDS):
        try:
            steps = count_steps(program, attack.text(rounds), full=full, limit=_MOST_STEPS)
        except StepsExceededError:
            return counts
        if steps is None:
            return []
        counts.append(steps)
    return []


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
