"""Find patterns that backtrack exponentially, with a text on which each does, within one budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, pairwise

from evalcontract.analysis import pattern as tree
from evalcontract.analysis.pattern import (
    has_anchor,
    matches_everything,
    matches_nothing,
    read_pattern,
    shortest_match,
)
from evalcontract.analysis.program import (
    Budget,
    PatternTooLargeError,
    Program,
    StepsExceededError,
    count_steps,
    program_of,
)
from evalcontract.model.startup import lazy_pattern

#: Characters of patterns that are read to prove that these match nothing, or everything.
MAX_PROVED_CHARACTERS = 200_000

_REPEATED_GROUP = lazy_pattern(r"\)[*+{]|\\[1-9]")


class BudgetSpentError(Exception):
    """A pattern is not searched, because those before it took all the steps."""


class PatternSearch:
    """The results for the patterns that were analysed, and what is left of the budgets.

    Each question raises a `BudgetSpentError` for a new pattern, once the budget for it is spent.
    `budget` is for the search for exponential backtracking, `proofs` for the proofs that a pattern
    matches nothing or everything, in characters that are read.
    """

    def __init__(self, budget: Budget | None = None, proofs: Budget | None = None) -> None:
        self._budget = budget or Budget()
        self._proofs = proofs or Budget(MAX_PROVED_CHARACTERS)
        self._proved: dict[tuple[str, str, tuple[str, ...]], bool] = {}
        self._known: dict[tuple[str, tuple[str, ...], bool], Attack | None] = {}

    def attack(
        self, pattern: str, flags: Iterable[str] = (), *, full: bool = False
    ) -> Attack | None:
        """Return what `find_attack` returns."""
        if _is_plain(pattern, flags):
            return None
        key = (pattern, tuple(flags), full)
        if key not in self._known:
            if self._budget.is_spent:
                raise BudgetSpentError

            self._known[key] = find_attack(pattern, flags, full=full, budget=self._budget)
        return self._known[key]

    def matches_nothing(self, pattern: str, flags: Iterable[str] = ()) -> bool:
        """Return what `pattern.matches_nothing` returns."""
        if not has_anchor(pattern):
            return False
        return self._proof(matches_nothing, "nothing", pattern, flags=flags)

    def matches_everything(self, pattern: str, flags: Iterable[str] = (), *, full: bool) -> bool:
        """Return what `pattern.matches_everything` returns."""
        if shortest_match(pattern, flags) != 0:
            return False
        what = "full" if full else "everything"
        return self._proof(partial(matches_everything, full=full), what, pattern, flags=flags)

    def _proof(
        self,
        prove: Callable[[str, Iterable[str]], bool],
        what: str,
        pattern: str,
        flags: Iterable[str],
    ) -> bool:
        key = (what, pattern, tuple(flags))
        if key not in self._proved:
            if self._proofs.is_spent:
                raise BudgetSpentError
            self._proofs.spend(len(pattern))
            self._proved[key] = prove(pattern, flags)
        return self._proved[key]


def _is_plain(pattern: str, flags: Iterable[str]) -> bool:
    """Whether a pattern repeats no group and no backreference, and so has no attack."""
    # A repeated character returns to itself in one way only. With the flag `x`, there may be blanks
    # before a `*`.
    return "x" not in flags and not _REPEATED_GROUP.search(pattern)


_STEPS_TO_READ = 500
_MAX_LOOKS = 8
_MAX_PAIRS = 400_000  # pairs of transitions followed, for the whole pattern
_MAX_WORDS = 6
_MAX_STEPS = 60_000
_MAX_STEPS_AT_FIRST = 300_000  # for the first rounds, in case one round takes many steps
_MAX_TOTAL_STEPS = 1_000_000
_MAX_ROUNDS = 30
#: The minimum growth of the steps per round. Exponential backtracking about doubles them;
#: polynomial backtracking falls below this before the limit on steps is reached.
_GROWTH = 1.6
_ROUNDS_SEEN = 4
_ROUNDS_BEFORE_GIVING_UP = 8

#: Texts after the repetitions, tried in turn to make the match fail.
_ENDINGS = ("", "!", "\n!", "\x00", " ", "0", "a", "€")


@dataclass(frozen=True, slots=True)
class Attack:
    """A text that takes exponentially many steps: `before`, repetitions of `word`, `after`."""

    before: str
    word: str
    after: str

    def text(self, rounds: int) -> str:
        """Return the text with `rounds` repetitions; each about doubles the steps."""
        return self.before + self.word * rounds + self.after

    def describe(self, rounds: int = 40) -> str:
        """Return a short description of the text for a message."""
        before = f"{self.before!r}, " if self.before != self.word else ""
        after = f", then {self.after!r}" if self.after else ""
        return f"{before}{rounds} times {self.word!r}{after}"


def find_attack(
    pattern: str, flags: Iterable[str], *, full: bool, budget: Budget | None = None
) -> Attack | None:
    """Return a text on which a pattern backtracks exponentially, or None if none is found.

    A returned text has been confirmed by counting steps. None does not prove that there is none.
    The steps of the search are spent from `budget`, which does not end it.
    """
    budget = budget or Budget()
    budget.spend(_STEPS_TO_READ + len(pattern))
    read = read_pattern(pattern, flags)
    try:
        words = _words(read, budget) if read else []
        program = program_of(read.root) if read and words else None
        return _confirm(program, words, budget, full=full) if program else None
    except (PatternTooLargeError, RecursionError):
        return None


def _words(read: tree.Pattern, budget: Budget) -> list[tuple[str, str]]:
    """Return ambiguous words, each with a prefix that leads to it, the shortest first."""
    words: list[tuple[str, str]] = []
    for root in (read.root, *islice(_lookaheads(read.root), _MAX_LOOKS)):
        words += _ambiguous(automaton_of(root, read.alphabet, budget))
    return sorted(words, key=lambda pair: sum(map(len, pair)))


def _lookaheads(node: tree.Node) -> Iterator[tree.Node]:
    """Yield each lookahead of a pattern, preceded by one path to it."""
    match node:
        case tree.Sequence(parts=parts):
            for index, part in enumerate(parts):
                for inner in _lookaheads(part):
                    yield tree.Sequence((*parts[:index], inner))
        case tree.Either(options=options):
            for option in options:
                yield from _lookaheads(option)
        case tree.CaptureGroup(body=body) | tree.Atomic(body=body) | tree.Repeat(body=body):
            yield from _lookaheads(body)
        case tree.Look(body=body, behind=None):
            yield body
            yield from _lookaheads(body)
        case _:
            pass


def _confirm(
    program: Program, words: list[tuple[str, str]], budget: Budget, *, full: bool
) -> Attack | None:
    """Return the first text for which the number of steps grows exponentially."""
    left = _MAX_TOTAL_STEPS
    for before, word in words[:_MAX_WORDS]:
        for after in _ENDINGS:
            attack = Attack(before, word, after)
            counts, is_complete = _steps_by_rounds(program, attack, full=full, left=left)
            steps = sum(counts) + (0 if is_complete else _limit_after(counts))
            budget.spend(steps)
            if _grows(counts) and not is_complete:
                return attack
            left -= steps
            if left <= 0:
                return None
    return None


def _steps_by_rounds(
    program: Program, attack: Attack, *, full: bool, left: int
) -> tuple[list[int], bool]:
    """Count the steps for 1, 2, … rounds until the limit; also return whether it was not reached.

    Stops early if the steps hardly grow or `left` is used up.
    """
    counts: list[int] = []
    for rounds in range(1, _MAX_ROUNDS):
        try:
            text = attack.text(rounds)
            limit = _limit_after(counts)
            counts.append(count_steps(program, text, full=full, limit=limit).steps)
        except StepsExceededError:
            return counts, False
        is_flat = rounds > _ROUNDS_BEFORE_GIVING_UP and counts[-1] < 2 * counts[0]
        if sum(counts) > left or is_flat:
            break
    return counts, True


def _limit_after(counts: list[int]) -> int:
    return _MAX_STEPS if len(counts) >= _ROUNDS_SEEN else _MAX_STEPS_AT_FIRST


def _grows(counts: list[int]) -> bool:
    last = counts[-_ROUNDS_SEEN:]
    grown = all(more >= _GROWTH * less for less, more in pairwise(last))
    return grown and len(last) == _ROUNDS_SEEN


def _ambiguous(automaton: Automaton) -> Iterator[tuple[str, str]]:
    """Yield words that lead from a position to itself in two ways, each with a prefix to it."""
    left = _MAX_PAIRS
    for component in automaton.components():
        for position in sorted(component):
            word, pairs = _find_ambiguous_word(automaton, position, component, limit=left)
            automaton.budget.spend(pairs)
            left -= pairs
            if left <= 0:
                return
            if word is not None:
                before = automaton.way_to(position)
                if before is not None:
                    yield before, word
            else:
                break  # if one position of a component has no such word, none has


def _find_ambiguous_word(
    automaton: Automaton, start: int, component: frozenset[int], limit: int
) -> tuple[str | None, int]:
    """Search the pairs of runs from `start` for one that parts and meets at `start` again."""
    # Return the shortest word, and the number of pairs of transitions followed.
    looked = 0
    first = (start, start, False)
    came: dict[tuple[int, int, bool], tuple[tuple[int, int, bool], str]] = {}
    queue = [first]
    for pair in queue:
        if looked > limit:
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
                    return _spell(came, after, first), looked
                queue.append(after)
    return None, looked


def _spell(
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
        self.groups: dict[int, tree.Node] = {}
        self.parts = self.links = 0
        self._alphabet = alphabet
        self._accepted: list[frozenset[str]] = []
        self._known: dict[tree.Char, frozenset[str]] = {}
        self._shared: dict[tuple[frozenset[str], frozenset[str]], str | None] = {}

    def add(self, char: tree.Char) -> int:
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


def automaton_of(root: tree.Node, alphabet: tuple[str, ...], budget: Budget) -> Automaton:
    """Return the automaton of a pattern, and spend the steps that this takes.

    Raises:
        PatternTooLargeError: it has too many positions.

    """
    automaton = Automaton(alphabet, budget)
    automaton.starts = _part(root, automaton).first
    return automaton


def _part(node: tree.Node, automaton: Automaton) -> _Part:  # noqa: C901, PLR0911 - a table
    automaton.parts += 1
    automaton.budget.spend(_PART_STEPS)
    if automaton.parts > _MAX_PARTS:
        raise PatternTooLargeError
    match node:
        case tree.Char():
            position = automaton.add(node)
            return _Part(0, {position: 1}, {position: 1})
        case tree.CaptureGroup(number=number, body=body):
            if number is not None:
                automaton.groups[number] = body
            return _part(body, automaton)
        case tree.Atomic(body=body):
            return _part(body, automaton)
        case tree.Back(group=group) if group in automaton.groups:
            return _part(automaton.groups[group], automaton)
        case tree.Sequence(parts=parts):
            whole = _Part(1)
            for part in parts:
                whole = _concatenate(whole, _part(part, automaton), automaton)
            return whole
        case tree.Either(options=options):
            whole = _Part(0)
            for option in options:
                branch = _part(option, automaton)
                empty = min(_TWO, whole.empty + branch.empty)
                whole = _Part(empty, whole.first | branch.first, whole.last | branch.last)
            return whole
        case tree.Repeat():
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


def _repeat(node: tree.Repeat, automaton: Automaton) -> _Part:
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
