"""Read the most frequent kind of YAML alone, exactly as the reader of all YAML does, or not at all.

PyYAML takes long to import, and a near miss in a small file needs it for nothing but the row and
its places. Here a text has block mappings and lists, each key and each scalar on one line, in
ASCII: no block scalars, anchors, tags, escapes, brackets of mappings, or comments beside values.
Of any other text nothing is read. A test compares both readers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Span
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.source.document import Node
from evalcontract.source.yaml.parts import resolve_plain

if TYPE_CHECKING:
    import re

    from evalcontract.source.yaml.parts import Children

_TEXT = lazy_pattern(r"[\n -~]*+")
_KEY = lazy_pattern(r"([A-Za-z_][A-Za-z0-9_]*):(?: +|$)")
# A plain scalar, which ends where the line does.
_PLAIN = lazy_pattern(r"(?:[A-Za-z0-9_.(/]|-(?=[A-Za-z0-9]))[^#]*")
_QUOTED = lazy_pattern(r""""([^"\\#]*)"|'([^'#]*)'""")
_PLAIN_IN_BRACKETS = lazy_pattern(r"[A-Za-z0-9_](?:[A-Za-z0-9_./ -]*[A-Za-z0-9_./])?")
_COMMA = lazy_pattern(r" *(,|(?=\])) *")
_MAX_BLOCKS = 20


class _OtherError(Exception):
    """The text is of another kind."""


class _Line(NamedTuple):
    """The rest of a line from a column on; line and column count from 1."""

    number: int
    column: int
    text: str


def read_simple(text: str) -> tuple[Any, Node] | None:
    """Return what `read_piece` returns with nodes; None if it has to read the text.

    `text` is a block list or mapping.
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
    reader = _BlockReader([*lines, _Line(end, 1, "")])
    try:
        found = reader.block(0)
    except (_OtherError, ValueError):  # ValueError: an integer has too many digits
        return None
    return found if reader.is_done else None


class _BlockReader:
    """Reads blocks of lines; the last line is empty, and in no block."""

    def __init__(self, lines: list[_Line]) -> None:
        self._lines = lines
        self._at = 0

    @property
    def is_done(self) -> bool:
        """Whether all lines are read."""
        return self._at == len(self._lines) - 1

    def block(self, blocks: int, *, below: int = 0) -> tuple[Any, Node]:
        """Read the block that begins here; `below` is the column of the key that it belongs to."""
        line = self._lines[self._at]
        is_list = line.text.startswith("- ")
        # A list may begin in the column of its key.
        if blocks > _MAX_BLOCKS or self.is_done or line.column < below + (not is_list):
            raise _OtherError
        start = line.number, line.column
        value: Any
        nodes: Children
        if is_list:
            value, nodes = self._list(line.column, blocks, is_inner=line.column > below)
        else:
            value, nodes = self._mapping(line.column, blocks)
        return value, Node(
            Span(*start, self._lines[self._at].number, self._lines[self._at].column), nodes
        )

    def _list(self, column: int, blocks: int, *, is_inner: bool) -> tuple[list[Any], list[Node]]:
        values: list[Any] = []
        nodes: list[Node] = []
        while self._lines[self._at].column == column and self._lines[self._at].text.startswith(
            "- "
        ):
            number, _, text = self._lines[self._at]
            item = text[1:].lstrip(" ")
            line = _Line(number, column + len(text) - len(item), item)
            if _KEY.match(item):
                self._lines[self._at] = line
                value, node = self.block(blocks + 1, below=column)
            else:
                value, node = _inline(line)
                self._at += 1
            values.append(value)
            nodes.append(node)
        self._check_end(column, may_go_on=not is_inner)
        return values, nodes

    def _mapping(
        self, column: int, blocks: int
    ) -> tuple[dict[str, Any], dict[str, tuple[Span, Node]]]:
        values: dict[str, Any] = {}
        nodes: dict[str, tuple[Span, Node]] = {}
        while self._lines[self._at].column == column and (
            match := _KEY.match(self._lines[self._at].text)
        ):
            number, _, text = self._lines[self._at]
            key, after = match[1], match.end()
            if key in values:
                raise _OtherError
            self._at += 1
            if after == len(text):
                value, node = self.block(blocks + 1, below=column)
            else:
                value, node = _inline(_Line(number, column + after, text[after:]))
            values[key] = value
            nodes[key] = Span(number, column, number, column + len(key)), node
        self._check_end(column, may_go_on=False)
        if not values:
            raise _OtherError
        return values, nodes

    def _check_end(self, column: int, *, may_go_on: bool) -> None:
        """Refuse a line that goes on in a block in another way."""
        line = self._lines[self._at]
        if not self.is_done and (line.column > column or (line.column == column and not may_go_on)):
            raise _OtherError


def _inline(line: _Line) -> tuple[Any, Node]:
    """Read a scalar, or a list of scalars in brackets, that is the rest of a line."""
    text = line.text
    if text.startswith("["):
        return _brackets(line)
    quoted = _QUOTED.fullmatch(text)
    if quoted:
        raw = _inner(quoted)
        return _scalar(line, 0, len(text), raw, raw)
    if not _PLAIN.fullmatch(text) or ": " in text or text.endswith(":"):
        raise _OtherError
    return _scalar(line, 0, len(text), text, resolve_plain(text))


def _inner(quoted: re.Match[str]) -> str:
    inner: str = quoted[1] if quoted[2] is None else quoted[2]
    return inner


def _scalar(line: _Line, start: int, end: int, raw: str, value: object) -> tuple[Any, Node]:
    column = line.column
    return value, Node(Span(line.number, column + start, line.number, column + end), None, raw)


def _brackets(line: _Line) -> tuple[list[Any], Node]:
    values: list[Any] = []
    nodes: list[Node] = []
    text = line.text
    at = len(text) - len(text[1:].lstrip(" "))
    is_open = text[at:] != "]"
    while is_open:
        quoted = _QUOTED.match(text, at)
        match = quoted or _PLAIN_IN_BRACKETS.match(text, at)
        comma = match and _COMMA.match(text, match.end())
        if match is None or comma is None:
            raise _OtherError
        raw = _inner(quoted) if quoted else match[0]
        value, node = _scalar(line, at, match.end(), raw, raw if quoted else resolve_plain(raw))
        values.append(value)
        nodes.append(node)
        at = comma.end()
        is_open = bool(comma[1])
    if at + 1 != len(text):
        raise _OtherError
    return values, Node(Span(line.number, line.column, line.number, line.column + len(text)), nodes)
