"""Where a position is in the structure of JSON, or of YAML in flow style, by its brackets."""

from __future__ import annotations

import re

from evalcontract.lsp.cursor import Cursor, Step
from evalcontract.model.startup import NamedTuple, lazy_pattern

_PART = lazy_pattern(r'"(?:\\.|[^"\\\n])*(?:"|(?=\n)|\Z)|[{}\[\],:]|[^\s{}\[\],:"]+')
#: The brackets around a position that are followed, and the characters of a line of YAML.
_MOST_BRACKETS, _MOST_CHARACTERS = 100, 1 << 14
#: The characters after the position that are searched for the other keys of its mapping.
_BEYOND = 1 << 14


class _Open(NamedTuple):
    """A bracket that is not closed: what is in it so far."""

    bracket: str
    siblings: dict[str, str]


class _Scan:
    """Reads tokens, and remembers the brackets that are open, and the key before each of them."""

    def __init__(self) -> None:
        self.opened: list[_Open] = []
        self.keys: list[str | None] = []  # the key that each bracket is the value of
        self.key: str | None = None  # the last key, after its colon
        self.last: str | None = None  # the last scalar
        self.after_colon = False

    def read(self, part: str) -> None:
        """Read one part."""
        if part in "{[":
            self.keys.append(self.key if self.after_colon else None)
            self.opened.append(_Open(part, {}))
            self.key, self.last, self.after_colon = None, None, False
        elif part in "}]":
            if self.opened:
                self.opened.pop()
                self.keys.pop()
            self.key, self.last, self.after_colon = None, None, False
        elif part == ":":
            self.key, self.last, self.after_colon = self.last, None, True
            if self.opened and self.key is not None:
                self.opened[-1].siblings.setdefault(self.key, "")
        elif part == ",":
            self.key, self.last, self.after_colon = None, None, False
        else:
            self.last = bare(part)
            if self.after_colon and self.key is not None and self.opened:
                self.opened[-1].siblings[self.key] = self.last


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
    after = at + (len(rest[0]) + len(quote) if rest else 0)
    _read_beyond(scan, text, after)
    if len(scan.opened) > _MOST_BRACKETS:
        return Cursor((), {}, "", "", column)
    steps: list[Step] = []
    for number, key in enumerate(scan.keys):
        outer = scan.opened[number - 1] if number else None
        if outer is None:
            continue
        steps.append(Step(0, {}) if outer.bracket == "[" else Step(key or "", outer.siblings))
    innermost = scan.opened[-1] if scan.opened else _Open("{", {})
    if innermost.bracket == "[":
        steps.append(Step(0, {}))
    siblings = {key: value for key, value in innermost.siblings.items() if key != typed}
    key = scan.key if scan.after_colon else None
    word = rest[0] if rest else ""
    start, bracket = column - len(typed), scan.opened[-1].bracket if scan.opened else ""
    return Cursor(tuple(steps), siblings, key, typed, start, word, quote, bracket=bracket)


def _read_beyond(scan: _Scan, text: str, at: int) -> None:
    """Read the keys of the innermost mapping that follow."""
    depth = len(scan.opened)
    beyond = _Scan()
    if not depth:
        return
    beyond.opened = [scan.opened[-1]]
    beyond.keys = [None]
    for match in _PART.finditer(text, at, at + _BEYOND):
        beyond.read(match[0])
        if not beyond.opened:
            return


def open_bracket(line: str, at: int) -> int | None:
    """Return where the first bracket opens in a line of YAML that is not closed before `at`.

    A bracket begins a value only after a colon, a dash or another bracket.
    """
    opened: list[int] = []
    before = ""
    if at > _MOST_CHARACTERS:
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
