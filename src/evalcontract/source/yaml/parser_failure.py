"""The position where the YAML parser failed, and hints about the likely mistake."""

from __future__ import annotations

from dataclasses import dataclass

from evalcontract.model.diagnostic import Span
from evalcontract.model.startup import lazy_pattern

_MAX_SHOWN = 60
#: A line that begins with a key, with or without dashes before it.
KEY = lazy_pattern(
    r"""(?P<lead>\s*(?:-\s+)*)(?P<key>"[^"]*"|'[^']*'|[^\s#"'\[\]{}][^#]*?):(?=\s|$)"""
)
#: A line that begins with a list item.
DASH = lazy_pattern(r"(?P<lead>\s*)-\s")


@dataclass(frozen=True, slots=True)
class SyntaxHint:
    """A likely mistake of the author: what is wrong, its span, and what to type instead."""

    message: str
    span: Span
    help: str


@dataclass(frozen=True, slots=True)
class ParserFailure:
    """Where the parser failed: `line` and `column` from 0, and the `message` of libyaml.

    `lines` are those of the text; `start` is the line and column where the failed construct starts.
    """

    message: str
    lines: list[str]
    line: int
    column: int
    start: tuple[int, int]

    def text(self, number: int) -> str:
        """Return a line by its number, from 0; an empty one outside of the text."""
        return self.lines[number] if 0 <= number < len(self.lines) else ""


def span_at(line: int, column: int, length: int = 0) -> Span:
    """Return the span of a part of a line; `line` and `column` are from 0."""
    return Span(line + 1, column + 1, line + 1, column + 1 + length)


def shown(text: str) -> str:
    """Return a text, truncated if it is long."""
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"


def line_above(lines: list[str], number: int) -> int:
    """Return the number of the nearest line above that is not blank and not a comment."""
    number -= 1
    while number > 0 and (not lines[number].strip() or lines[number].lstrip().startswith("#")):
        number -= 1
    return number
