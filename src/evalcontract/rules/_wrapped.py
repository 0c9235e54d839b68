"""Texts in typographic quotation marks, which YAML and JSON treat as a part of the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.startup import lazy_pattern

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Place

# The English and German quotation marks, as a part of a character class.
_MARKS = "\u2018-\u201f"
_INNER = rf"[^{_MARKS}\"']+"
_WRAPPED = lazy_pattern(rf"[{_MARKS}]({_INNER})[{_MARKS}]")
# One mark of a pair of double ones: a comma has split the text.
_DOUBLE = "\u201c-\u201f"
_HALF = lazy_pattern(rf"(?P<first>[{_DOUBLE}]){_INNER}|{_INNER}(?P<last>[{_DOUBLE}])")
#: Matches exactly the texts with a fault; the pattern means the same in ECMA-262.
FAULTY = rf"^(?:[{_MARKS}]{_INNER}[{_MARKS}]|[{_DOUBLE}]{_INNER}|{_INNER}[{_DOUBLE}])$"


def fault_of(text: str) -> tuple[str, str] | None:
    """Return the message about a text within quotation marks and the advice, or None."""
    if pair := _WRAPPED.fullmatch(text):
        message = f"the quotation marks `{text[0]}` and `{text[-1]}` are a part of this text"
        return message, f'write straight ones: `"{pair[1]}"`'
    if half := _HALF.fullmatch(text):
        mark = half["first"] or half["last"]
        message = f"the quotation mark `{mark}` is a part of this text"
        return message, "write straight ones around the whole text"
    return None


def is_plain(place: Place) -> bool:
    """Whether the text at a place is written without straight quotation marks.

    Within straight ones, its typographic ones are intended.
    """
    if place.span is None or place.text is None:
        return True
    return not place.text.startswith(("'", '"'), place.span.column - 1)
