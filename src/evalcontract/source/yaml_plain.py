"""The plainest YAML, read without libyaml: importing PyYAML takes longer than a small file.

Mappings and lists in blocks of one indentation, scalars and `{…}` or `[…]` on one line, comments on
lines of their own. Of whatever else there is no value is given, and libyaml is asked. Where one is
given, it is libyaml's: a test holds both against each other.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from evalcontract.source.document import Document
from evalcontract.source.scalars import resolve_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from evalcontract.source.node import Node

_KEY = r"[A-Za-z_][A-Za-z0-9_-]{0,99}"
_IS_KEY = re.compile(_KEY)
# An indentation, a dash, and a key with what stands behind it, or a value.
_LINE = re.compile(rf"( *)(- )?(?:({_KEY}):(?: (.+))?|(.+))")
_IN_QUOTES = r"\"[^\"\\]*(?:\\[\"\\][^\"\\]*)*\"|'[^']*(?:''[^']*)*'"
_QUOTED = re.compile(_IN_QUOTES)
_ESCAPED = re.compile(r"\\(.)")
# What `{…}` and `[…]` are made of: a text without a sign of YAML but for these has one meaning.
_PART = re.compile(
    _IN_QUOTES + r"|[\[{] ?| ?[\]}]|, |: "
    r"|[A-Za-z0-9](?:[A-Za-z0-9_./+@() -]*[A-Za-z0-9_./+@()-])?"
)
_DEEPEST = 20


class _UnsureError(Exception):
    """There is something here that only libyaml knows."""


class _Line(NamedTuple):
    """A line of a block: `key` and its value, or the item of a list."""

    indent: int
    is_item: bool
    key: str | None
    value: str | None


def parse_plain(text: str, file: str, data: bytes) -> Document | None:
    """Parse a YAML document as `parse_yaml` does; None where it is not certain what it means."""
    try:
        value = _Blocks(_lines_of(text)).document()
    except (_UnsureError, ValueError):  # a number may have more digits than Python reads
        return None
    return Document(file, value, text, data, lambda: _nodes(text))


def _nodes(text: str) -> Node:
    from evalcontract.source.yaml import nodes_of  # slow to import

    return nodes_of(text)


def _lines_of(text: str) -> list[_Line]:
    """Return the lines of a document, without blank ones and comments."""
    # No tab, no other end of a line, nothing that libyaml refuses or passes over.
    if not text.replace("\n", "").isprintable():
        raise _UnsureError
    lines = []
    for line in text.split("\n"):
        start = line.lstrip(" ")[:1]
        if not start or start == "#":
            continue
        found = _LINE.fullmatch(line)
        if found is None:
            raise _UnsureError
        indent, dash, key, value, item = found.groups()
        if key is None and not dash:
            raise _UnsureError
        lines.append(_Line(len(indent), bool(dash), key, item if key is None else value))
    return lines


class _Blocks:
    """Reads the lines of a document from the first to the last."""

    def __init__(self, lines: list[_Line]) -> None:
        self._lines = lines
        self._at = 0

    def document(self) -> dict[str, Any]:
        """Return the mapping that all of the lines are."""
        if not self._lines:
            raise _UnsureError
        value = self._mapping(0, 0)
        if not value or self._at < len(self._lines):
            raise _UnsureError
        return value

    def _next(self) -> _Line | None:
        return self._lines[self._at] if self._at < len(self._lines) else None

    def _mapping(self, indent: int, depth: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        while (line := self._next()) and line.indent == indent and not line.is_item:
            key = line.key
            if key is None or key in values or depth > _DEEPEST:
                raise _UnsureError
            self._at += 1
            if line.value is None:
                values[key] = self._below(indent, depth + 1)
            else:
                values[key] = _scalar(line.value)
        self._refuse_deeper(indent)
        return values

    def _below(self, indent: int, depth: int) -> Any:
        """Return what stands below a key without a value; a list may stand as far to the left."""
        line = self._next()
        if line is None or line.indent < indent or (line.indent == indent and not line.is_item):
            return None
        if line.is_item:
            return self._sequence(line.indent, depth)
        return self._mapping(line.indent, depth)

    def _sequence(self, indent: int, depth: int) -> list[Any]:
        values: list[Any] = []
        while (line := self._next()) and line.indent == indent and line.is_item:
            if line.key is None and line.value is not None:
                self._at += 1
                values.append(_scalar(line.value))
            else:  # the rest of the line is the first of a mapping
                self._lines[self._at] = line._replace(indent=indent + 2, is_item=False)
                values.append(self._mapping(indent + 2, depth + 1))
        self._refuse_deeper(indent)
        return values

    def _refuse_deeper(self, indent: int) -> None:
        """What stands further in than the block before it goes on with a scalar, or is wrong."""
        line = self._next()
        if line is not None and line.indent > indent:
            raise _UnsureError


def _scalar(text: str) -> Any:
    first = text[0]
    if first in "\"'":
        if not _QUOTED.fullmatch(text):
            raise _UnsureError
        return _unquoted(text)
    if first in "[{":
        return _Flow(text).whole()
    if not first.isalnum() or ": " in text or " #" in text or text[-1] in ": ":
        raise _UnsureError
    return resolve_plain(text)


def _unquoted(text: str) -> str:
    inside = text[1:-1]
    if text[0] == "'":
        return inside.replace("''", "'")
    return _ESCAPED.sub(r"\1", inside) if "\\" in inside else inside


class _Flow:
    """Reads `{…}` or `[…]` on one line."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def whole(self) -> Any:
        """Return the value that all of the text is."""
        value = self._value(self._part(), 0)
        if self._at < len(self._text):
            raise _UnsureError
        return value

    def _part(self) -> str:
        found = _PART.match(self._text, self._at)
        if found is None:
            raise _UnsureError
        self._at = found.end()
        return found[0] if found[0] in (", ", ": ") else found[0].strip(" ")

    def _value(self, part: str, depth: int) -> Any:
        if depth > _DEEPEST or part in (", ", ": ", "]", "}"):
            raise _UnsureError
        if part == "[":
            return self._sequence(depth + 1)
        if part == "{":
            return self._mapping(depth + 1)
        return _unquoted(part) if part[0] in "\"'" else resolve_plain(part)

    def _sequence(self, depth: int) -> list[Any]:
        values: list[Any] = []
        part = self._part()
        if part == "]":
            return values
        while True:
            values.append(self._value(part, depth))
            if self._ends("]"):
                return values
            part = self._part()

    def _mapping(self, depth: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        key = self._part()
        if key == "}":
            return values
        while True:
            if key in values or not _IS_KEY.fullmatch(key) or self._part() != ": ":
                raise _UnsureError
            values[key] = self._value(self._part(), depth)
            if self._ends("}"):
                return values
            key = self._part()

    def _ends(self, bracket: str) -> bool:
        part = self._part()
        if part not in (bracket, ", "):
            raise _UnsureError
        return part == bracket
