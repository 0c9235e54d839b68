"""Texts in typographic quotation marks, which YAML and JSON treat as a part of the text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalcontract.model.span import Place

#: The English and German quotation marks, as a part of a character class.
MARKS = "\u2018-\u201f"
_WRAPPED = re.compile(rf"[{MARKS}]([^{MARKS}\"']+)[{MARKS}]")


def unwrapped(text: str) -> str | None:
    """Return the text between a pair of quotation marks, or None if it is not within one."""
    match = _WRAPPED.fullmatch(text)
    return match[1] if match else None


def is_plain(place: Place) -> bool:
    """Whether the text at a place is written without straight quotation marks.

    Within straight ones, its typographic ones are intended.
    """
    if place.span is None or place.text is None:
        return True
    return not place.text.startswith(("'", '"'), place.span.column - 1)


def message_of(text: str, inner: str) -> tuple[str, str]:
    """Return the message about a text in quotation marks, and the advice."""
    message = f"the quotation marks `{text[0]}` and `{text[-1]}` are a part of this text"
    return message, f'write straight ones: `"{inner}"`'
