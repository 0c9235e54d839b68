r"""What libyaml reads otherwise than YAML 1.2 is hidden from it: private characters stand there.

Each stands for one character, so that every place stays what it is. Hidden are the line breaks of
YAML 1.1; a `?` that begins a text, which libyaml takes for the sign of a key inside of brackets;
a `#` right behind a quote or a bracket, which libyaml takes for a comment; and the backslashes of
two escapes that are the halves of one character, as JSON writes them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from evalcontract.source.yaml_parts import placeholders, put_back, unused

_BLANK = frozenset(" \t\r\n")
_BEFORE_QUESTION = _BLANK | frozenset(("", *"[{,:"))
_NOT_BEHIND_QUESTION = _BLANK | frozenset(("", *",[]{}"))
# A `#` behind one of these is part of a text, or else nothing that YAML allows.
_OF_HEAD, _HEAD = frozenset("+-0123456789"), re.compile(r"[|>][-+0-9]{1,2}\Z")
_BEFORE_COMMENT = frozenset("\"'[]{},:|>") | _OF_HEAD
# Escapes are taken in turn, so that a backslash that is escaped itself begins none.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}(?P<pair>\\)u[dD][c-fC-F][0-9a-fA-F]{2}|.)", re.DOTALL
)


class Hidden(NamedTuple):
    """A text for libyaml; `restore` gives the character behind each private one.

    `halves` matches the two halves of a character, where there are some. `has_explicit_keys`
    says that a `?` may be the sign of a key, which may have several lines then.
    """

    text: str
    restore: dict[str, str]
    halves: re.Pattern[str] | None
    has_explicit_keys: bool

    def show(self, text: str, *, escaped: bool) -> str:
        """Put back what was hidden; in a text with escapes, join the halves of characters."""
        if escaped and self.halves:
            text = self.halves.sub(_joined, text)
        return put_back(text, self.restore)


def hide(text: str) -> Hidden:
    """Hide in a text what libyaml reads otherwise."""
    questions = _behind(text, "?", _BEFORE_QUESTION)
    begun = [at for at in questions if text[at + 1 : at + 2] not in _NOT_BEHIND_QUESTION]
    places = {"?": begun, "#": _comments(text)}
    restore = placeholders(text)
    hidden = text.translate({ord(old): new for new, old in restore.items()}) if restore else text
    for character, found in places.items():
        if found:
            private = next(each for each in unused(text) if each not in restore)
            restore[private] = character
            hidden = _replaced(hidden, found, private)
    return Hidden(hidden, restore, None, len(begun) < len(questions))


def hide_halves(hidden: Hidden) -> Hidden | None:
    """Hide the halves of characters too; None where there are none, or they are hidden.

    Looked for where libyaml has refused a text, since it takes long and few have any.
    """
    pairs = [found for found in _ESCAPE.finditer(hidden.text) if found["pair"]]
    if not pairs:
        return None
    private = next(each for each in unused(hidden.text) if each not in hidden.restore)
    places = [at for found in pairs for at in (found.start(), found.start("pair"))]
    return hidden._replace(
        text=_replaced(hidden.text, places, private),
        restore=hidden.restore | {private: "\\"},
        halves=re.compile(f"{private}u(....){private}u(....)"),
    )


def _comments(text: str) -> list[int]:
    found = _behind(text, "#", _BEFORE_COMMENT)
    return [
        at for at in found if text[at - 1] not in _OF_HEAD or _HEAD.search(text, max(at - 3, 0), at)
    ]


def _behind(text: str, character: str, before: frozenset[str]) -> list[int]:
    """Return where a character stands behind one of others, or, for "", at the beginning."""
    found = []
    at = text.find(character)
    while at >= 0:
        if text[at - 1 : at] in before:
            found.append(at)
        at = text.find(character, at + 1)
    return found


def _replaced(text: str, places: list[int], private: str) -> str:
    starts = [0, *(at + 1 for at in places)]
    ends = [*places, len(text)]
    return private.join(text[a:b] for a, b in zip(starts, ends, strict=True))


def _joined(found: re.Match[str]) -> str:
    return bytes.fromhex(found[1] + found[2]).decode("utf-16-be")
