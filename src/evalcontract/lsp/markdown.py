"""Texts from files as Markdown: they are shown as they are, and never become links or HTML."""

from __future__ import annotations

from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import clipped, escape_controls

_SPECIAL = lazy_pattern(r"([\\`*_{}\[\]()<>#+\-.!|~&:@/=^$])")
_TICKS = lazy_pattern("`+")
_MAX_TEXT, _MAX_NAME = 1000, 120


def escaped(text: str) -> str:
    """Return a text of which no character has a meaning in Markdown or HTML, in one line."""
    return _SPECIAL.sub(r"\\\1", clipped(_line(text), _MAX_TEXT))


def code(text: object) -> str:
    """Return a text as code, in one line."""
    line = clipped(_line(str(text)), _MAX_NAME)
    longest = max((len(ticks) for ticks in _TICKS.findall(line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if line.startswith("`") or line.endswith("`") or not line else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def _line(text: str) -> str:
    return escape_controls(" ".join(text.split()))
