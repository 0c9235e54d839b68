"""Regular expressions: compiled, explained where they do not compile, and as a syntax tree.

The pattern is parsed by Python's own parser, so the tree is what `re` runs. Conditional groups,
`(?(1)…)`, are not supported. The tree may prove that a pattern matches every text, or none.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, lru_cache
from itertools import islice
from re import _compiler, _parser  # type: ignore[attr-defined]
from typing import Any

from evalcontract.model.startup import NamedTuple

_LAST = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)
_MAX_LETTERS = 2_000

#: Samples of common classes of characters, readable ones first.
_SAMPLES = (
    *"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    *"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \n\t\r",
    *"\x00\x1c\x85\xa0\xdf\xe9\xc9\u0131\u017f\u03c3\u0663\u4e2d\u2028\ufeff\U0001f600",
)


def _mentioned(parsed: Any) -> Iterator[str]:
    """Yield the characters that a pattern mentions, and their neighbours."""
    # At these characters, its classes begin or end.
    for item in parsed:
        if isinstance(item, tuple | list) or hasattr(item, "data"):
            yield from _mentioned(item)
        elif isinstance(item, int) and not hasattr(item, "name"):
            for code in (item - 1, item, item + 1):
                if 0 <= code <= _LAST and code not in _SURROGATES:
                    yield chr(code)


#: Longer patterns are not read, since each item of a pattern is compiled separately.
MAX_CHARACTERS = 20_000

FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE}
#: The exceptions that `re` raises for a pattern: a plain ValueError for `(?a)(?u)`, RecursionError
#: for deep nesting, OverflowError for huge repeat counts.
REFUSALS = (re.error, ValueError, RecursionError, OverflowError)


@dataclass(frozen=True, slots=True)
class Uncompilable:
    """Why Python cannot compile a pattern: its message, and the index of the character."""

    reason: str
    at: int | None = None

    def __str__(self) -> str:
        return self.reason if self.at is None else f"{self.reason}, at character {self.at + 1}"


def compile_pattern(pattern: str, flags: Iterable[str] = ()) -> re.Pattern[str] | Uncompilable:
    """Compile an untrusted pattern with flags of `i m s x`. Never raises."""
    try:
        with _future_warnings_off():
            return re.compile(pattern, _flags(flags))
    except RecursionError:
        return Uncompilable("it is nested too deeply for Python")
    except re.error as error:
        return Uncompilable(error.msg, error.pos)
    except REFUSALS as error:
        return Uncompilable(str(error))


def why_uncompilable(pattern: str, flags: Iterable[str] = ()) -> Uncompilable | None:
    """Return why Python cannot compile a pattern with flags of `i m s x`; None if it can."""
    return _compilation(pattern, tuple(flags))[0]


def shortest_match(pattern: str, flags: Iterable[str] = ()) -> int | None:
    """Return a lower bound of the length of a match; None if the pattern is invalid or too long."""
    return _compilation(pattern, tuple(flags))[1]


@lru_cache(maxsize=16_384)
def _compilation(pattern: str, flags: tuple[str, ...]) -> tuple[Uncompilable | None, int | None]:
    """Compile a pattern; keep no more of it than is asked, since several rules ask in turn."""
    if len(pattern) <= MAX_CHARACTERS:
        try:
            parsed = parsed_pattern(pattern, flags)
            with _future_warnings_off():
                _compiler.compile(parsed, int(_flags(flags)))
            return None, int(parsed.getwidth()[0])
        except REFUSALS:
            pass
    compiled = compile_pattern(pattern, flags)
    return (compiled if isinstance(compiled, Uncompilable) else None), None


def _flags(flags: Iterable[str]) -> re.RegexFlag:
    combined = re.RegexFlag(0)
    for flag in flags:
        combined |= FLAGS[flag]
    return combined


def parsed_pattern(pattern: str, flags: Iterable[str]) -> Any:
    """Return the parse tree of Python's own parser; raises one of `REFUSALS`."""
    with _future_warnings_off():
        return _parser.parse(pattern, int(_flags(flags)))


@contextmanager
def _future_warnings_off() -> Iterator[None]:
    """Keep to itself that a later version of Python may read `[[` differently."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@dataclass(frozen=True, slots=True)
class Char:
    """One character, matched by `test`.

    `any_other` is whether it is certain to match every character but a newline, `any_newline`
    whether it is certain to match a newline.
    """

    test: re.Pattern[str]
    any_other: bool = False
    any_newline: bool = False


@dataclass(frozen=True, slots=True)
class Anchor:
    """A zero-width assertion such as `^`."""

    test: re.Pattern[str]
    is_start: bool = False
    is_end: bool = False
    is_line: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """A lookahead, or a lookbehind by `behind` characters."""

    body: Node
    behind: int | None
    negative: bool


@dataclass(frozen=True, slots=True)
class Back:
    """A backreference to a group."""

    group: int
    any_case: bool


@dataclass(frozen=True, slots=True)
class CaptureGroup:
    """A group; `number` is None if it is non-capturing."""

    number: int | None
    body: Node


@dataclass(frozen=True, slots=True)
class Either:
    """Alternatives in order of preference. Without options it never matches."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Sequence:
    """A concatenation."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A repetition, `low` to `high` times; `high` is None if unbounded. `keeps`: possessive."""

    body: Node
    low: int
    high: int | None
    lazy: bool = False
    keeps: bool = False


@dataclass(frozen=True, slots=True)
class Atomic:
    """An atomic group: the first match of its body and no other."""

    body: Node


Node = Char | Anchor | Look | Back | CaptureGroup | Either | Sequence | Repeat | Atomic


class Pattern:
    """A parsed pattern; `parsed` is the parse tree of `re`."""

    def __init__(self, root: Node, parsed: Any) -> None:
        self.root = root
        self._parsed = parsed

    @cached_property
    def alphabet(self) -> tuple[str, ...]:
        """A sample of every class of characters that the pattern distinguishes."""
        return tuple(dict.fromkeys((*_SAMPLES, *islice(_mentioned(self._parsed), _MAX_LETTERS))))


class _UnreadableError(Exception):
    pass


def read_pattern(pattern: str, flags: Iterable[str] = ()) -> Pattern | None:
    """Parse a pattern with flags of `i m s x`; None if it is invalid, too long or unsupported."""
    if len(pattern) > MAX_CHARACTERS:
        return None
    try:
        parsed = parsed_pattern(pattern, flags)
        return Pattern(_sequence(parsed, parsed.state.flags), parsed)
    except (*REFUSALS, _UnreadableError):
        return None


def _sequence(parsed: Any, flags: int) -> Node:
    parts = tuple(_node(code, value, flags) for code, value in parsed)
    return parts[0] if len(parts) == 1 else Sequence(parts)


def _node(code: Any, value: Any, flags: int) -> Node:  # noqa: C901, PLR0911 - a table
    """Convert an item of Python's parse tree, named `str(code)`, into a node."""
    match str(code):
        case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN":
            return Char(_test(code, value, flags), *_coverage(str(code), value, flags))
        case "AT":
            return _anchor(code, value, flags)
        case "SUBPATTERN":
            number, added, removed, body = value
            if added & _parser.TYPE_FLAGS:  # `(?a:...)` replaces the outer flag
                flags &= ~_parser.TYPE_FLAGS
            return CaptureGroup(number, _sequence(body, (flags | added) & ~removed))
        case "BRANCH":
            return Either(tuple(_sequence(option, flags) for option in value[1]))
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT" as name:
            low, high, body = value
            bound = None if high is _parser.MAXREPEAT else int(high)
            inner = _sequence(body, flags)
            return Repeat(inner, int(low), bound, name[:3] == "MIN", name[:3] == "POS")
        case "ATOMIC_GROUP":
            return Atomic(_sequence(value, flags))
        case "ASSERT" | "ASSERT_NOT" as name:
            direction, body = value
            behind = body.getwidth()[0] if direction < 0 else None
            return Look(_sequence(body, flags), behind, name == "ASSERT_NOT")
        case "GROUPREF":
            return Back(value, bool(flags & re.IGNORECASE))
        case "FAILURE":
            return Either(())
    raise _UnreadableError


def _test(code: Any, value: Any, flags: int) -> re.Pattern[str]:
    """Compile one item separately, so that Python itself defines its meaning."""
    parts = tuple(value) if isinstance(value, list) else value
    return _compile(code, parts, flags & ~re.VERBOSE)


@lru_cache(maxsize=512)
def _compile(code: Any, value: Any, flags: int) -> re.Pattern[str]:
    state = _parser.State()
    state.flags = flags
    part = list(value) if isinstance(value, tuple) else value
    compiled: re.Pattern[str] = _compiler.compile(_parser.SubPattern(state, [(code, part)]))
    return compiled


def _anchor(code: Any, value: Any, flags: int) -> Anchor:
    name, lines = str(value), bool(flags & re.MULTILINE)
    return Anchor(
        _test(code, value, flags),
        is_start=name in ("AT_BEGINNING", "AT_BEGINNING_STRING"),
        is_end=name in ("AT_END", "AT_END_STRING"),
        is_line=lines and name in ("AT_BEGINNING", "AT_END"),
    )


def _coverage(name: str, value: Any, flags: int) -> tuple[bool, bool]:
    """Return whether an item matches every character but newline, and whether it matches newline.

    False means that it may or may not.
    """
    newline = 10
    if name == "ANY":
        return True, bool(flags & re.DOTALL)
    if name == "NOT_LITERAL":
        return value == newline, value != newline
    if name == "LITERAL":
        return False, value == newline
    items = [(str(code), part) for code, part in value]
    if items[0][0] == "NEGATE":
        return items[1:] == [("LITERAL", newline)], not _has_newline(items[1:])
    kinds = {str(part) for code, part in items if code == "CATEGORY"}
    both = any(kind.replace("CATEGORY_", "CATEGORY_NOT_") in kinds for kind in kinds)
    everything = both or ("RANGE", (0, _LAST)) in items
    return everything, everything or _has_newline(items)


def _has_newline(items: list[tuple[str, Any]]) -> bool:
    """Whether the items of a class are certain to include a newline."""
    # For the items of a negated class, whether they may include it.
    return any(
        (code == "LITERAL" and part == ord("\n"))
        or (code == "RANGE" and part[0] <= ord("\n") <= part[1])
        or (code == "CATEGORY" and str(part) in _WITH_NEWLINE)
        for code, part in items
    )


_WITH_NEWLINE = ("CATEGORY_SPACE", "CATEGORY_NOT_WORD", "CATEGORY_NOT_DIGIT")


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
            return _ways_to_repeat(node)
        case Anchor():
            return _ways_past(node)
        case Look(body=body, behind=None, negative=False):
            return frozenset((start, start) for start, _ in _ways(body))
        case Atomic() | Repeat():
            # It keeps its first match, which need not be the one that leads on.
            return _STAY if _is_empty(node) else _NOWHERE
        case _:
            return _NOWHERE


def _chain(one: Ways, other: Ways) -> Ways:
    return frozenset((a, d) for a, b in one for c, d in other if b == c)


def _ways_to_repeat(node: Repeat) -> Ways:
    if node.high is None and node.low == 0:
        other, newline = _coverage_of(node.body)
        if other:
            return _STAY | (_ONWARD if newline else _TO_THE_SIDE)
    body = _ways(node.body)
    ways = _STAY
    for _ in range(min(node.low, len(_STAY))):  # more repetitions than places add nothing
        ways = _chain(ways, body)
    if node.low == 0:
        ways |= body if node.high != 0 else _NOWHERE
    return ways


def _coverage_of(node: Node) -> tuple[bool, bool]:
    """Return whether one repetition matches any character but newline, and whether newline."""
    match node:
        case Char():
            return node.any_other, node.any_newline
        case CaptureGroup(body=body):
            return _coverage_of(body)
        case Either(options=options):
            covered = [_coverage_of(option) for option in options]
            return any(other for other, _ in covered), any(newline for _, newline in covered)
        case Repeat(body=body, low=low, high=high, keeps=False) if low <= 1 and high != 0:
            return _coverage_of(body)
        case _:
            return False, False


def _ways_past(anchor: Anchor) -> Ways:
    if anchor.is_start:
        return frozenset({(_START, _START)} | ({(_LINE_START,) * 2} if anchor.is_line else set()))
    if anchor.is_end:
        return frozenset({(_END, _END)} | ({(_LINE_END,) * 2} if anchor.is_line else set()))
    return _NOWHERE


def _is_empty(node: Node) -> bool:
    """Whether a part matches only the empty string."""
    return isinstance(node, Sequence) and not node.parts


# Proofs that a pattern matches in no text. A part of it is followed as a set of states: what
# precedes the place that was reached, and what an anchor requires to follow. After `$` nothing can
# follow but a final newline, and `^` cannot follow a character. A part that is not understood
# changes nothing or allows everything, so the proof is sound but not complete.


class _Before(IntEnum):
    """What precedes a place: nothing that the pattern has matched, a newline, another character."""

    NOTHING = 0
    NEWLINE = 1
    OTHER = 2


class _After(IntEnum):
    """What must follow a place, in ascending strictness."""

    # LINE_END: a newline, or the end of the text. FINAL: the end, or a last newline and the end.

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
                return frozenset(
                    after for state in states for after in _anchor_positions(node, state)
                )
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


def _anchor_positions(anchor: Anchor, state: _State) -> Iterator[_State]:
    if anchor.is_start:
        if state.before is _Before.NOTHING or (anchor.is_line and state.before is _Before.NEWLINE):
            yield state
    elif anchor.is_end:
        required = _After.LINE_END if anchor.is_line else _After.FINAL
        yield _State(state.before, max(state.after, required))
    else:
        yield state
