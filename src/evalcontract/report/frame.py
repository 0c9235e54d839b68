"""A line of the author's file, with what is meant underlined."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.span import Place


def frame(place: Place, width: int) -> Iterator[tuple[str, str]]:
    """Yield the lines of a frame as (gutter, text): the source line, and the underline.

    Long lines are cut to `width` cells around the place; control characters are shown, not sent.
    """
    if place.span is None or place.text is None:
        return
    span, text = place.span, place.text
    start = min(span.column - 1, len(text))
    end = span.end_column - 1 if span.end_line == span.line else len(text)
    end = max(min(end, len(text)), start)
    before, marked, after = _cut(text, start, end, width)
    yield str(span.line), f"{before}{marked}{after}".rstrip()
    yield "", " " * cells(before) + "^" * max(1, cells(marked))


def _cut(text: str, start: int, end: int, width: int) -> tuple[str, str, str]:
    before, marked, after = (visible(part) for part in (text[:start], text[start:end], text[end:]))
    if cells(before + marked + after) <= width:
        return before, marked, after
    marked = _head(marked, max(width * 3 // 4, 8))
    room = width - cells(marked)
    after_room = room - min(cells(before), room // 2)
    after = _head(after, max(after_room, 0))
    before = _tail(before, max(width - cells(marked) - cells(after), 0))
    return before, marked, after


def _head(text: str, room: int) -> str:
    if cells(text) <= room:
        return text
    kept = ""
    for character in text:
        if cells(kept + character) > room - 1:
            break
        kept += character
    return kept + "…" if room > 0 else ""


def _tail(text: str, room: int) -> str:
    return _head(text[::-1], room)[::-1]


def visible(text: str) -> str:
    """Replace what a terminal would act on by a sign for it."""
    return "".join(_sign(character) for character in text)


def _sign(character: str) -> str:
    if character == "\t":
        return " "
    code = ord(character)
    if code < ord(" "):
        return chr(0x2400 + code)  # the picture of the control character
    if unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp"):
        return "\N{REPLACEMENT CHARACTER}"
    return character


def cells(text: str) -> int:
    """Count the cells of a terminal that a text takes."""
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
