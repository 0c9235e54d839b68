"""Where a position is in the structure of a text, which may not be possible to parse.

An author asks for help in the middle of a word, so the lines around it decide, by their columns in
YAML and by their brackets in JSON. The result leads to a part of a schema; checks never use it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from evalcontract.lsp.text import Text
from evalcontract.model.startup import NamedTuple, lazy_pattern

_LINE = lazy_pattern(
    r"(?P<lead> *)(?P<dashes>(?:-(?: +|$))*)"
    r"(?:(?P<key>\"[^\"]*\"|'[^']*'|[^\s#\"'{}\[\],&*!|>%@`-][^#]{0,200}?|-[^\s#][^#]{0,200}?)\s*:(?=\s|$)"
    r"(?P<gap>\s*)(?P<value>.*))?"
)
_BLOCK = lazy_pattern(r"[|>][-+0-9]*\s*(?:#.*)?$")
_COMMENT = lazy_pattern(r"(?:^|\s)#.*$")
#: The lines around a position that are searched for its own mapping.
_MOST_LINES = 1 << 17
#: A line with more characters is not looked at.
_MOST_CHARACTERS = 1 << 14
_QUOTES = "\"'"
#: What a line begins with that has no structure: nothing, its end, or a comment.
_NOTHING = ("", "\r", "\n", "#")


class CursorStep(NamedTuple):
    """One step from the root to the position: a key, or an item of a list; and what is beside it.

    `siblings` are the keys of the mapping that the step is in, with their scalars as texts.
    """

    key: str | int
    siblings: dict[str, str]


class Cursor(NamedTuple):
    """A position: the steps to the mapping, list or scalar it is in.

    `typed` is the part of a word before the position, which begins at the character `start` of
    the line, and `rest` the part after it. In a value, `key` is its key; else a key can be written,
    beside the `siblings`. `quote` is the quotation mark that the word began with, and `bracket` the
    innermost one that is open.
    """

    steps: tuple[CursorStep, ...]
    siblings: dict[str, str]
    key: str | None
    typed: str
    start: int
    rest: str = ""
    quote: str = ""
    is_block: bool = False
    bracket: str = ""

    @property
    def word(self) -> str:
        """The whole word at the position."""
        return self.typed + self.rest

    @property
    def path(self) -> tuple[str | int, ...]:
        """The steps to the mapping or list, where each item of a list is number 0."""
        return tuple(step.key for step in self.steps)

    @property
    def value(self) -> Any:
        """The mappings around the position as a value, with just what leads to it."""
        inner: Any = dict(self.siblings)
        for step in reversed(self.steps):
            inner = [inner] if isinstance(step.key, int) else {**step.siblings, step.key: inner}
        return inner


class _Entry(NamedTuple):
    """A line of YAML: where its dashes are, and its key with the text of its value."""

    dashes: tuple[int, ...]
    column: int
    key: str | None
    value: str
    value_at: int


def cursor_in_yaml(text: Text, line: int, character: int) -> Cursor:
    """Return the cursor at a place in block-style YAML; both numbers are from 0."""
    whole = text.line(line)
    if len(whole) > _MOST_CHARACTERS:
        return Cursor((), {}, "", "", character)
    here = _entry(whole[:character])
    block = _block_above(text, line, here.column if whole.strip() else character)
    if block is not None:
        owner = _entry(text.line(block))
        steps, siblings = _above(text, block, owner)
        typed, rest = whole[:character], whole[character:]
        return Cursor(steps, siblings, owner.key, typed, 0, rest, is_block=True)
    steps, siblings = _above(text, line, here)
    siblings = {**siblings, **_below(text, line, here)}
    if here.key is None:
        word = re.match(r"[^\s:]*", whole[character:])
        start, typed, quote = _unquote(here.column, whole[here.column : character])
        return Cursor(steps, siblings, None, typed, start, word[0] if word else "", quote)
    start, typed, quote = _unquote(here.value_at, whole[here.value_at : character])
    rest_of = _COMMENT.sub("", whole[character:]).strip().removesuffix(quote)
    return Cursor(steps, siblings, here.key, typed, start, rest_of, quote)


def structured_lines(text: Text) -> Iterator[int]:
    """Yield the numbers of the lines of YAML with content, but of those in blocks of text."""
    block: int | None = None
    for number, line in enumerate(text.lines):
        bare = line.lstrip(" ")
        if bare[:1] in _NOTHING:
            continue
        if block is not None and len(line) - len(bare) > block:
            continue
        block = None
        yield number
        if "|" in line or ">" in line:
            entry = _entry(text.line(number))
            if entry.key is not None and _BLOCK.match(entry.value):
                block = entry.column


def _unquote(start: int, typed: str) -> tuple[int, str, str]:
    if typed[:1] and typed[0] in _QUOTES:
        return start + 1, typed[1:], typed[0]
    return start, typed, ""


def _entry(line: str) -> _Entry:
    match = _LINE.match(line[:_MOST_CHARACTERS])
    if match is None:
        return _Entry((), 0, None, "", 0)
    at = len(match["lead"])
    dashes = tuple(at + n for n, sign in enumerate(match["dashes"]) if sign == "-")
    key = match["key"]
    column = match.start("key") if key else match.end("dashes")
    value = _COMMENT.sub("", match["value"] or "").strip() if key else ""
    value_at = match.start("value") if key else column
    return _Entry(dashes, column, key.strip(_QUOTES) if key else None, value, value_at)


def _block_above(text: Text, line: int, column: int) -> int | None:
    """Return the line of the key whose block of text a line belongs to, if it does."""
    for number, above, lead in _lines_above(text, line):
        if lead >= column:
            continue
        entry = _entry(above)
        if entry.key is not None and _BLOCK.match(entry.value) and entry.column < column:
            return number
        if not lead:
            return None
        column = lead
    return None


def _above(text: Text, line: int, here: _Entry) -> tuple[tuple[CursorStep, ...], dict[str, str]]:
    """Return the steps to the mapping of a line, and the keys of the mapping above the line."""
    steps: list[CursorStep] = []
    own: dict[str, str] = {}
    siblings, column, in_list = own, here.column, False
    dashes = here.dashes
    lines = _lines_above(text, line)
    while True:
        for dash in reversed(dashes):
            if dash < column:
                siblings = {}
                steps.append(CursorStep(0, siblings))
                column, in_list = dash, True
        _, above, lead = next(lines, (0, "", -1))
        if lead < 0:
            return tuple(reversed(steps)), own
        if lead > column or (lead == column and above[lead] == "-"):
            dashes = ()
            continue
        entry = _entry(above)
        dashes = entry.dashes
        if entry.key is None:
            continue
        if entry.column < column or (in_list and entry.column == column):
            siblings = {}
            steps.append(CursorStep(entry.key, siblings))
            column, in_list = entry.column, False
        elif entry.column == column:
            siblings.setdefault(entry.key, _scalar(entry.value))


def _lines_above(text: Text, line: int) -> Iterator[tuple[int, str, int]]:
    """Yield the lines above that are not blank, the nearest first, each with its indentation."""
    for number in range(line - 1, max(line - _MOST_LINES, -1), -1):
        above = text.lines[number] if number < len(text.lines) else ""
        bare = above.lstrip(" ")
        if bare[:1] in _NOTHING:
            continue
        if above.startswith(("---", "...")):
            return
        yield number, text.line(number), len(above) - len(bare)


def _below(text: Text, line: int, here: _Entry) -> dict[str, str]:
    """Return the keys of the mapping of a line that are below the line."""
    scalars: dict[str, str] = {}
    for number in range(line + 1, min(line + _MOST_LINES, len(text.lines))):
        below = text.line(number)
        if below.lstrip(" ")[:1] in _NOTHING:
            continue
        entry = _entry(below)
        first = entry.dashes[0] if entry.dashes else entry.column
        if first < here.column:
            break
        if entry.key is not None and entry.column == here.column:
            scalars.setdefault(entry.key, _scalar(entry.value))
    return scalars


def _scalar(value: str) -> str:
    return value.strip(_QUOTES)


_PART = lazy_pattern(r'"(?:\\.|[^"\\\n])*(?:"|(?=\n)|\Z)|[{}\[\],:]|[^\s{}\[\],:"]+')
#: The brackets around a position that are followed, and the characters of a line of YAML.
_MOST_BRACKETS, _MOST_JSON_CHARACTERS = 100, 1 << 14
#: The characters after the position that are searched for the other keys of its mapping.
_BEYOND = 1 << 14


class _OpenBracket(NamedTuple):
    """A bracket that is not closed: the key that it is the value of, and what is in it so far."""

    bracket: str
    key: str | None
    siblings: dict[str, str]


class _Scan:
    """Reads tokens, and remembers the brackets that are open."""

    def __init__(self, *opened: _OpenBracket) -> None:
        self.opened = [*opened]
        self.key: str | None = None  # the key whose value is next, or is being read
        self.last: str | None = None  # the last scalar

    def read(self, part: str) -> None:
        """Read one part."""
        siblings = self.opened[-1].siblings if self.opened else {}
        if part == ":":
            self.key, self.last = self.last, None
            if self.key is not None:
                siblings.setdefault(self.key, "")
        elif part not in "{}[],":
            self.last = bare(part)
            if self.key is not None:
                siblings[self.key] = self.last
        else:
            if part in "{[":
                self.opened.append(_OpenBracket(part, self.key, {}))
            elif part in "}]" and self.opened:
                self.opened.pop()
            self.key = self.last = None


def bare(part: str) -> str:
    """Return a scalar without its quotation marks."""
    return part.removeprefix('"').removesuffix('"') if part.startswith('"') else part


def cursor_in_json(text: str, at: int, column: int) -> Cursor:
    """Return the cursor at an offset of JSON; `column` is the character of it in its line."""
    scan = _Scan()
    typed, quote = "", ""
    for match in _PART.finditer(text, 0, at):
        part = match[0]
        is_open = part.startswith('"') and (len(part) == 1 or not part.endswith('"'))
        if match.end() == at and (is_open or part[0] not in '{}[],:"'):
            typed, quote = part.removeprefix('"'), '"' if is_open else ""
            continue
        scan.read(part)
    rest = re.match(r'[^"\n]*' if quote else r'[^\s{}\[\],:"]*', text[at:])
    word = rest[0] if rest else ""
    opened = scan.opened
    if len(opened) > _MOST_BRACKETS:
        return Cursor((), {}, "", "", column)
    innermost = opened[-1] if opened else _OpenBracket("", None, {})
    _read_beyond(innermost, text, at + len(word) + len(quote))
    steps = [
        CursorStep(0, {}) if outer.bracket == "[" else CursorStep(inner.key or "", outer.siblings)
        for outer, inner in pairwise(opened)
    ]
    if innermost.bracket == "[":
        steps.append(CursorStep(0, {}))
    siblings = {key: value for key, value in innermost.siblings.items() if key != typed}
    start, bracket = column - len(typed), innermost.bracket
    return Cursor(tuple(steps), siblings, scan.key, typed, start, word, quote, bracket=bracket)


def _read_beyond(innermost: _OpenBracket, text: str, at: int) -> None:
    """Read the keys of the innermost mapping that follow."""
    beyond = _Scan(innermost)
    for match in _PART.finditer(text, at, at + _BEYOND) if innermost.bracket else ():
        beyond.read(match[0])
        if not beyond.opened:
            return


def open_bracket(line: str, at: int) -> int | None:
    """Return where the first bracket opens in a line of YAML that is not closed before `at`.

    A bracket begins a value only after a colon, a dash or another bracket.
    """
    opened: list[int] = []
    before = ""
    if at > _MOST_JSON_CHARACTERS:
        return None
    for match in _PART.finditer(line, 0, at):
        part = match[0]
        begins = before in ("", ":", "-") or opened
        if part in ("{", "[") and begins:
            opened.append(match.start())
        elif part in ("}", "]") and opened:
            opened.pop()
        before = part if part in (":", "-") else "text"
    return opened[0] if opened else None
