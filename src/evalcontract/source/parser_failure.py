"""Where a parser of YAML stumbled, and the slip of the hand that is found there."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evalcontract.model.span import Span

_MOST = 60
#: A line that begins with a key, behind dashes or not.
KEY = re.compile(
    r"""(?P<lead>\s*(?:-\s+)*)(?P<key>"[^"]*"|'[^']*'|[^\s#"'\[\]{}][^#]*?):(?=\s|$)"""
)
#: A line that begins with an item of a list.
DASH = re.compile(r"(?P<lead>\s*)-\s")


@dataclass(frozen=True, slots=True)
class SyntaxHint:
    """What was done, where, and what to type instead."""

    message: str
    span: Span
    help: str


@dataclass(frozen=True, slots=True)
class ParserFailure:
    """Where the parser stopped: `line` and `column` from 0; `start` is where the part began."""

    said: str
    lines: list[str]
    line: int
    column: int
    start: tuple[int, int]

    def text(self, number: int) -> str:
        """Return a line; the empty text past the end."""
        return self.lines[number] if 0 <= number < len(self.lines) else ""


def span_at(line: int, column: int, length: int = 0) -> Span:
    """Return a stretch of a line, both counted from 0."""
    return Span(line + 1, column + 1, line + 1, column + 1 + length)


def shown(text: str) -> str:
    """Return a text, cut where it is long."""
    return text if len(text) <= _MOST else f"{text[: _MOST - 1]}…"


def line_above(lines: list[str], number: int) -> int:
    """Return the number of the line above that says something."""
    number -= 1
    while number > 0 and (not lines[number].strip() or lines[number].lstrip().startswith("#")):
        number -= 1
    return number
