"""Compile untrusted regular expressions with Python's `re`, or say why that fails."""

from __future__ import annotations

import re
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from re import _compiler, _parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
