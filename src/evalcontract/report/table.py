"""Tables and wrapped sentences, for text for people."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from evalcontract.model.values import escape_controls
from evalcontract.report.frame import display_width

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_GAP = "  "
#: The minimum width of a sentence in a table, however long the names before it are.
_MIN_WIDTH = 24
#: The number of name columns in a table of counts.
_NAMES = 2
_NOTE = "note: "
# Stands for a space at which a line is not broken; no text for people has it.
_NO_BREAK = "\x1f"


def aligned(rows: Sequence[tuple[str, ...]], width: int | None = None) -> Iterator[str]:
    """Yield a table with names aligned left and counts aligned right.

    With a `width`, the last column has sentences, which are wrapped.
    """
    shown = [[escape_controls(cell) for cell in row] for row in rows]
    widths = [max(display_width(row[n]) for row in shown) for n in range(len(shown[0]))]
    for row in shown:
        padded = [
            _padded(cell, room, right=width is None and n >= _NAMES)
            for n, (cell, room) in enumerate(zip(row, widths, strict=True))
        ]
        if width is None:
            yield f"    {_GAP.join(padded)}".rstrip() + "\n"
            continue
        head = f"    {_GAP.join(padded[:-1])}{_GAP}"
        lines = _lines(row[-1], max(width - display_width(head), _MIN_WIDTH))
        yield f"{head}{lines[0]}\n"
        yield from (f"{' ' * display_width(head)}{line}\n" for line in lines[1:])


def wrapped(text: str, indent: int, width: int) -> Iterator[str]:
    """Yield a sentence, wrapped with a hanging indent."""
    first, *rest = _lines(text, max(width - indent - 2, _MIN_WIDTH))
    yield f"{' ' * indent}{first}\n"
    yield from (f"{' ' * (indent + 2)}{line}\n" for line in rest)


def note(text: str, *, indent: int = 0, width: int = 80) -> Iterator[str]:
    """Yield a note for people, wrapped; what is between backticks stays whole, to be copied."""
    start = f"{' ' * indent}{_NOTE}"
    whole = re.sub("`[^`]*`", lambda match: match[0].replace(" ", _NO_BREAK), text)
    for line in _lines(whole, width - len(start)):
        yield f"{start}{line.replace(_NO_BREAK, ' ')}\n"
        start = " " * len(start)


def _padded(cell: str, width: int, *, right: bool) -> str:
    space = " " * (width - display_width(cell))
    return space + cell if right else cell + space


def _lines(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]
