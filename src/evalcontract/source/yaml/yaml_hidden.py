r"""Hide from libyaml what it does not read like YAML 1.2: replace it by private-use characters.

Each replaces a single character, so that all positions stay the same. These are hidden:

- the line breaks of YAML 1.1;
- a `?` at the start of a text, which libyaml reads as the indicator of a key in brackets;
- a `#` directly after a quote or a bracket, which libyaml reads as a comment;
- the backslashes of an escaped surrogate pair, as JSON writes it.
"""

from __future__ import annotations

import re

from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.source.yaml.yaml_parts import placeholders, put_back, unused

_BLANK = frozenset(" \t\r\n")
_BEFORE_QUESTION = _BLANK | frozenset(("", *"[{,:"))
_NOT_AFTER_QUESTION = _BLANK | frozenset(("", *",[]{}"))
# A `#` after one of these is part of a text, or not valid YAML.
_OF_HEADER, _HEADER = frozenset("+-0123456789"), lazy_pattern(r"[|>][-+0-9]{1,2}\Z")
_BEFORE_COMMENT = frozenset("\"'[]{},:|>") | _OF_HEADER
# Matches every escape sequence, so that an escaped backslash does not start another one.
_ESCAPE = lazy_pattern(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}(?P<pair>\\)u[dD][c-fC-F][0-9a-fA-F]{2}|.)", re.DOTALL
)


class Hidden(NamedTuple):
    """A text for libyaml; `restore` maps each private character to the one that it replaces.

    `surrogates` matches hidden surrogate pairs, if there are any. `has_explicit_keys` is true if a
    `?` may be the indicator of a key: such a key can span several lines.
    """

    text: str
    restore: dict[str, str]
    surrogates: re.Pattern[str] | None
    has_explicit_keys: bool

    def show(self, text: str, *, escaped: bool) -> str:
        """Restore the hidden characters; in a text with escapes, also join surrogate pairs."""
        if escaped and self.surrogates:
            text = self.surrogates.sub(_joined, text)
        return put_back(text, self.restore)


def hide(text: str) -> Hidden:
    """Hide everything but surrogate pairs."""
    questions = _after(text, "?", _BEFORE_QUESTION)
    starting_text = [at for at in questions if text[at + 1 : at + 2] not in _NOT_AFTER_QUESTION]
    places = {"?": starting_text, "#": _comments(text)}
    restore = placeholders(text)
    hidden = text.translate({ord(old): new for new, old in restore.items()}) if restore else text
    for character, offsets in places.items():
        if offsets:
            private = next(char for char in unused(text) if char not in restore)
            restore[private] = character
            hidden = _replaced(hidden, offsets, private)
    return Hidden(hidden, restore, None, len(starting_text) < len(questions))


def hide_surrogates(hidden: Hidden) -> Hidden | None:
    """Hide surrogate pairs, too; None if there are none, or they are already hidden.

    Only needed if libyaml refuses a text: the search is slow, and few texts have any.
    """
    pairs = [match for match in _ESCAPE.finditer(hidden.text) if match["pair"]]
    if not pairs:
        return None
    private = next(char for char in unused(hidden.text) if char not in hidden.restore)
    places = [at for match in pairs for at in (match.start(), match.start("pair"))]
    return hidden._replace(
        text=_replaced(hidden.text, places, private),
        restore=hidden.restore | {private: "\\"},
        surrogates=re.compile(f"{private}u(....){private}u(....)"),
    )


def _comments(text: str) -> list[int]:
    """Return the offsets of each `#` that libyaml would wrongly read as a comment."""
    return [
        at
        for at in _after(text, "#", _BEFORE_COMMENT)
        if text[at - 1] not in _OF_HEADER or _HEADER.search(text, max(at - 3, 0), at)
    ]


def _after(text: str, character: str, before: frozenset[str]) -> list[int]:
    """Return the offsets of a character after one in `before`; "" is the start of the text."""
    offsets = []
    at = text.find(character)
    while at >= 0:
        if text[at - 1 : at] in before:
            offsets.append(at)
        at = text.find(character, at + 1)
    return offsets


def _replaced(text: str, places: list[int], private: str) -> str:
    starts = [0, *(at + 1 for at in places)]
    ends = [*places, len(text)]
    return private.join(text[a:b] for a, b in zip(starts, ends, strict=True))


def _joined(match: re.Match[str]) -> str:
    return bytes.fromhex(match[1] + match[2]).decode("utf-16-be")
