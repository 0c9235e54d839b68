"""A regular expression as a tree, for those who want to prove something about it.

Python's own parser reads the pattern, so what a tree says is what `re` runs. What no proof here
can use (a group that asks whether another one matched) makes a pattern unreadable.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from re import _compiler, _parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LAST = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)

#: What is longer is not read: each item of a pattern is compiled on its own.
_MOST_CHARACTERS = 20_000
_MOST_LETTERS = 2_000

FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE}
#: All that `re` raises at a pattern. `(?a)(?u)` is a bare ValueError; the last two are for patterns
#: that nest too deep or count too far.
_REFUSALS = (re.error, ValueError, RecursionError, OverflowError)


@dataclass(frozen=True, slots=True)
class Char:
    """One character; `test` is a pattern of its own. `any_*` say what it takes for certain."""

    test: re.Pattern[str]
    any_other: bool = False
    any_newline: bool = False


@dataclass(frozen=True, slots=True)
class Anchor:
    """A condition on a place, such as `^`; it takes no character."""

    test: re.Pattern[str]
    is_start: bool = False
    is_end: bool = False
    is_line: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """A look ahead, or `behind` by so many characters."""

    body: Node
    behind: int | None
    negative: bool


@dataclass(frozen=True, slots=True)
class Back:
    """What a group took, once more."""

    group: int
    any_case: bool


@dataclass(frozen=True, slots=True)
class CaptureGroup:
    """A part whose match can be asked for; `number` is None where nobody can."""

    number: int | None
    body: Node


@dataclass(frozen=True, slots=True)
class Either:
    """One of several, the first one first; none at all never matches."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after the other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """The same `low` to `high` times; no `high` is no bound. `keeps` never gives back."""

    body: Node
    low: int
    high: int | None
    lazy: bool = False
    keeps: bool = False


@dataclass(frozen=True, slots=True)
class Atomic:
    """The first match of a part, and no other."""

    body: Node


Node = Char | Anchor | Look | Back | CaptureGroup | Either | Sequence | Repeat | Atomic


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern read. `alphabet` has a character of every sort that it tells apart."""

    root: Node
    alphabet: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Uncompilable:
    """Why Python takes a text for no pattern: in its words, and at which character from 0."""

    reason: str
    at: int | None = None

    def __str__(self) -> str:
        return self.reason if self.at is None else f"{self.reason}, at character {self.at + 1}"


def compile_pattern(pattern: str, flags: Iterable[str] = ()) -> re.Pattern[str] | Uncompilable:
    """Compile a pattern with flags of `i m s x`, as every place does that has a pattern of others.

    No pattern makes it raise.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "possible nested set": legal, and not ours to say
            return re.compile(pattern, _flags(flags))
    except RecursionError:
        return Uncompilable("it nests too deep for Python")
    except re.error as error:
        return Uncompilable(error.msg, error.pos)
    except _REFUSALS as error:
        return Uncompilable(str(error))


def _flags(flags: Iterable[str]) -> re.RegexFlag:
    wanted = re.RegexFlag(0)
    for flag in flags:
        wanted |= FLAGS[flag]
    return wanted


class _UnreadableError(Exception):
    pass


def read_pattern(pattern: str, flags: Iterable[str] = ()) -> Pattern | None:
    """Read a pattern with flags of `i m s x`; None where it does not compile or is not for us."""
    if len(pattern) > _MOST_CHARACTERS:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = _parser.parse(pattern, int(_flags(flags)))
            root = _sequence(parsed, parsed.state.flags)
            mentioned = islice(_mentioned(parsed), _MOST_LETTERS)
            alphabet = tuple(dict.fromkeys((*_READABLE, *mentioned)))
    except (*_REFUSALS, _UnreadableError):
        return None
    return Pattern(root, alphabet)


_READABLE = (
    *"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    *"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \n\t\r",
    *"\x00\x1c\x85\xa0\xdf\xe9\xc9\u0131\u017f\u03c3\u0663\u4e2d\u2028\ufeff\U0001f600",
)


def _sequence(parsed: Any, flags: int) -> Node:
    parts = tuple(_node(code, value, flags) for code, value in parsed)
    return parts[0] if len(parts) == 1 else Sequence(parts)


def _node(code: Any, value: Any, flags: int) -> Node:  # noqa: C901, PLR0911 - a table
    """Turn an item of Python's parser into a node. `str(code)` is its name."""
    match str(code):
        case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN":
            return Char(_test(code, value, flags), *_taken(str(code), value, flags))
        case "AT":
            return _place(code, value, flags)
        case "SUBPATTERN":
            number, added, removed, body = value
            if added & _parser.TYPE_FLAGS:  # `(?a:...)` is instead of what is around it
                flags &= ~_parser.TYPE_FLAGS
            return CaptureGroup(number, _sequence(body, (flags | added) & ~removed))
        case "BRANCH":
            return Either(tuple(_sequence(each, flags) for each in value[1]))
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
    """Compile one item alone, so that its meaning is what Python makes of it."""
    parts = tuple(value) if isinstance(value, list) else value
    return _compiled(code, parts, flags & ~re.VERBOSE)


@lru_cache(maxsize=512)
def _compiled(code: Any, value: Any, flags: int) -> re.Pattern[str]:
    state = _parser.State()
    state.flags = flags
    part = list(value) if isinstance(value, tuple) else value
    compiled: re.Pattern[str] = _compiler.compile(_parser.SubPattern(state, [(code, part)]))
    return compiled


def _place(code: Any, value: Any, flags: int) -> Anchor:
    name, lines = str(value), bool(flags & re.MULTILINE)
    return Anchor(
        _test(code, value, flags),
        is_start=name in ("AT_BEGINNING", "AT_BEGINNING_STRING"),
        is_end=name in ("AT_END", "AT_END_STRING"),
        is_line=lines and name in ("AT_BEGINNING", "AT_END"),
    )


def _taken(name: str, value: Any, flags: int) -> tuple[bool, bool]:
    """Tell whether an item takes every character but a line break, and whether it takes that."""
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
    """Tell whether a class takes a line break for certain; of a negated one, whether it may."""
    return any(
        (code == "LITERAL" and part == ord("\n"))
        or (code == "RANGE" and part[0] <= ord("\n") <= part[1])
        or (code == "CATEGORY" and str(part) in _WITH_NEWLINE)
        for code, part in items
    )


_WITH_NEWLINE = ("CATEGORY_SPACE", "CATEGORY_NOT_WORD", "CATEGORY_NOT_DIGIT")


def _mentioned(parsed: Any) -> Iterator[str]:
    """Yield the characters at which a pattern begins to tell others apart, and their neighbours."""
    for item in parsed:
        if isinstance(item, tuple | list) or hasattr(item, "data"):
            yield from _mentioned(item)
        elif isinstance(item, int) and not hasattr(item, "name"):
            for code in (item - 1, item, item + 1):
                if 0 <= code <= _LAST and code not in _SURROGATES:
                    yield chr(code)
