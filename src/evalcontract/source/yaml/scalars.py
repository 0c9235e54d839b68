"""Plain scalars of YAML by the core schema of 1.2.2, and places in texts that have little else.

By this schema `yes`, `2026-05-08`, `1_000` and `12:30` are strings here, as they are in editors.
"""

from __future__ import annotations

import re
from typing import Any

from evalcontract.model.diagnostic import Span
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import integer
from evalcontract.source.document import Node

_CONSTANTS: dict[str, object] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_INTEGER = lazy_pattern(r"[-+]?[0-9]+")
_BASED = lazy_pattern(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = lazy_pattern(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
# Every constant and number begins with one of these, so most texts need only one lookup.
_STARTS = frozenset("0123456789+-.~ntfNTF")


def resolve_plain(text: str) -> object:
    """Return the value of a plain scalar: None, bool, int, float or str.

    Raises:
        ValueError: an integer has too many digits.

    """
    if not text or text[0] in _STARTS:
        if text in _CONSTANTS:
            return _CONSTANTS[text]
        if _INTEGER.fullmatch(text):
            return _integer(text)
        if _FLOAT.fullmatch(text):
            return float(text)
        if _BASED.fullmatch(text):
            return _integer(text, 0)
    return text


def _integer(text: str, base: int = 10) -> int:
    number = integer(text, base)
    if number is None:
        raise ValueError(text)
    return number


_TAGGED: dict[str, type | tuple[type, ...]] = {
    "tag:yaml.org,2002:int": int,
    "tag:yaml.org,2002:float": (int, float),
    "tag:yaml.org,2002:bool": bool,
    "tag:yaml.org,2002:null": type(None),
}


def resolve_tagged(tag: str, text: str) -> object:
    """Return the value of a scalar with an explicit tag.

    Raises:
        LookupError: the tag is not in the core schema.
        ValueError: the text is not a valid value for the tag.

    """
    if tag in ("!", "tag:yaml.org,2002:str"):
        return text
    expected = _TAGGED[tag]
    value = resolve_plain(text)
    if not isinstance(value, expected) or (isinstance(value, bool) and expected is not bool):
        raise ValueError(text)
    return float(value) if tag.endswith(":float") and isinstance(value, int) else value


# Places without PyYAML, which takes long to import, and which a near miss in a small file needs
# for nothing but places. Here a text has block mappings and lists, each key and each scalar on one
# line, in ASCII: no block scalars, anchors, tags, escapes, brackets of mappings, or comments beside
# values. The fast reader decides on the value; each part of it has to stand in the next line. A
# test compares both readers.

_TEXT = lazy_pattern(r"[\n -~]*+")
_KEY = lazy_pattern(r"([A-Za-z_][A-Za-z0-9_]*):(?: +|$)")
_QUOTED = r""""([^"\\#]*)"|'([^'#]*)'"""
# A plain scalar is the third group. It ends where the line does, or in brackets without a blank.
_SCALAR = lazy_pattern(rf"{_QUOTED}|((?:[A-Za-z0-9_.(/]|-(?=[A-Za-z0-9]))(?:[^#:]|:(?! |$))*+)")
_PLAIN_GROUP = 3
_ITEM = rf"{_QUOTED}|([A-Za-z0-9_][A-Za-z0-9_./]*+(?:[ -]++[A-Za-z0-9_./]++)*+)"
_ITEMS = lazy_pattern(_ITEM)
_BRACKETS = lazy_pattern(rf"\[ *+(?:(?:{_ITEM})(?: *+, *+(?:{_ITEM}))*+ *+)?\]")
_MAX_BLOCKS = 20


class _OtherError(Exception):
    """The text is of another kind."""


class _Line(NamedTuple):
    """The rest of a line from a column on; line and column count from 1."""

    number: int
    column: int
    text: str


def find_places(text: str, value: Any) -> Node | None:
    """Return the tree of positions of a value; None if the exact reader has to read the text.

    The text is a block list or mapping.
    """
    if not _TEXT.fullmatch(text):
        return None
    lines = []
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip(" ")
        if stripped and not stripped.startswith("#"):
            lines.append(_Line(number, line.index(stripped) + 1, stripped))
    end = text.count("\n") + (1 if text.endswith("\n") else 2)
    # What follows the last line, in the first column.
    finder = _BlockFinder([*lines, _Line(end, 1, "")])
    try:
        node = finder.block(value)
    except (_OtherError, ValueError):  # ValueError: an integer has too many digits
        return None
    return node if finder.is_done else None


class _BlockFinder:
    """Finds blocks in lines; the last line is empty, and in no block."""

    def __init__(self, lines: list[_Line]) -> None:
        self._lines = lines
        self._at = 0

    @property
    def is_done(self) -> bool:
        """Whether all lines belong to the blocks."""
        return self._at == len(self._lines) - 1

    def block(self, value: Any, depth: int = 0) -> Node:
        """Return the places of a mapping or list that begins here."""
        first = self._lines[self._at]
        if not (isinstance(value, dict | list) and value) or depth > _MAX_BLOCKS:
            raise _OtherError
        pairs: dict[str, tuple[Span, Node]] = {}
        items: list[Node] = []
        for part in value:  # no comprehension: it is a frame for each block
            if isinstance(value, dict):
                pairs[part] = self._pair(part, value[part], first.column, depth=depth)
            else:
                items.append(self._item(part, first.column, depth))
        after = self._lines[self._at]
        span = Span(first.number, first.column, after.number, after.column)
        return Node(span, pairs or items)

    def _item(self, value: Any, column: int, depth: int) -> Node:
        number, _, text = line = self._lines[self._at]
        if line.column != column or not text.startswith("- "):
            raise _OtherError
        item = text[1:].lstrip(" ")
        rest = _Line(number, column + len(text) - len(item), item)
        if isinstance(value, dict):
            self._lines[self._at] = rest
            return self.block(value, depth + 1)
        self._at += 1
        return _inline(value, rest)

    def _pair(self, key: Any, value: Any, column: int, depth: int) -> tuple[Span, Node]:
        number, _, text = line = self._lines[self._at]
        match = _KEY.match(text)
        if line.column != column or match is None or match[1] != key:
            raise _OtherError
        self._at += 1
        rest = text[match.end() :]
        node = (
            _inline(value, _Line(number, column + match.end(), rest))
            if rest
            else self.block(value, depth + 1)
        )
        return Span(number, column, number, column + len(match[1])), node


def _inline(value: Any, line: _Line) -> Node:
    """Return the place of a scalar, or of a list of scalars in brackets, at the end of a line."""
    number, column, text = line
    if not isinstance(value, list):
        return _scalar(value, line, _SCALAR.fullmatch(text))
    items = list(_ITEMS.finditer(text))
    if len(items) != len(value) or not _BRACKETS.fullmatch(text):
        raise _OtherError
    nodes = [_scalar(item, line, match) for item, match in zip(value, items, strict=True)]
    return Node(Span(number, column, number, column + len(text)), nodes)


def _scalar(value: Any, line: _Line, match: re.Match[str] | None) -> Node:
    if match is None or match.lastindex is None:
        raise _OtherError
    raw = match[match.lastindex]
    # `repr` tells 1 from true.
    if repr(resolve_plain(raw) if match.lastindex == _PLAIN_GROUP else raw) != repr(value):
        raise _OtherError
    start, end = line.column + match.start(), line.column + match.end()
    return Node(Span(line.number, start, line.number, end), None, raw)
