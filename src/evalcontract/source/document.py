"""A parsed file: its value, and the way from a path to a line and a column."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evalcontract.model.span import Place, Span
from evalcontract.source.text import split_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.model.diagnostic import Within
    from evalcontract.model.path import Path
    from evalcontract.source.node import Node

#: What a block scalar begins with; a comment may follow, which is not its text.
_BLOCK_HEAD = re.compile(r"(?:[&!]\S*\s+)*[|>][-+0-9]*(?:\s|$)")


class Document:
    """A value, and where its parts stand in the text that it came from.

    `value` is plain Python data: dict with string keys, list, str, int, float, bool, None.
    `sha256` is the digest of the file's bytes, in hexadecimal. Positions cost a second look at
    the text, taken at the first call of `place`.
    """

    def __init__(
        self, file: str, value: Any, text: str, sha256: str, nodes: Callable[[], Node]
    ) -> None:
        self.file = file
        self.value = value
        self.sha256 = sha256
        self._text = text
        self._nodes = nodes

    def __repr__(self) -> str:
        return f"Document({self.file!r})"

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text, without their ends."""
        return split_lines(self._text)

    @cached_property
    def _root(self) -> Node:
        return self._nodes()

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return where a path stands; where it leads nowhere, the nearest thing above it.

        `on_key` asks for the key at the end of the path instead of its value, `within` for a part
        of its text; where an escape hides the part, the whole text is meant. What is not there
        (a missing key, say) is shown at the key of the mapping that should have it.
        """
        place = place_in(self._root, path, self.file, self.lines, on_key=on_key)
        part = find_within(self.lines, place.span, within) if within and place.span else None
        return Place(self.file, part, self.lines[part.line - 1]) if part else place

    def raw(self, path: Path) -> str | None:
        """Return a scalar as the author wrote it; None where the path leads to no scalar."""
        node, _, depth = self._root.find(path)
        return node.raw if depth == len(path) else None


def place_in(root: Node, path: Path, file: str, lines: list[str], *, on_key: bool) -> Place:
    """Return where a path stands below a node whose spans count in `lines`."""
    node, key, depth = root.find(path)
    whole = depth == len(path) and not on_key
    span = node.span if whole else key or first_line_of(node, lines)
    return Place(file, span, lines[span.line - 1] if span.line <= len(lines) else "")


def find_within(lines: list[str], span: Span, within: Within) -> Span | None:
    """Find a part of a text in the lines that the text stands in; None where it is not there.

    Block scalars keep their lines and quoted ones most characters, so the part is looked for as
    it is; the same number of times before it means the same place.
    """
    count = within.occurrence
    head = lines[span.line - 1][span.column - 1 :] if span.line <= len(lines) else ""
    first = span.line + 1 if _BLOCK_HEAD.match(head) else span.line
    for number in range(first, min(span.end_line, len(lines)) + 1):
        line = lines[number - 1]
        start = span.column - 1 if number == span.line else 0
        end = span.end_column - 1 if number == span.end_line else len(line)
        while (at := line.find(within.text, start, end)) >= 0:
            if count == 0:
                shown = within.whole if line.startswith(within.whole, at, end) else ""
                return Span(number, at + 1, number, at + 1 + len(shown or within.text))
            count -= 1
            start = at + len(within.text)
    return None


def first_line_of(node: Node, lines: list[str]) -> Span:
    """Return what stands for a whole mapping or list: its first key, or its first line."""
    if isinstance(node.children, dict) and node.children:
        first, _ = next(iter(node.children.values()))
        # A merged key stands elsewhere.
        if (first.line, first.column) >= (node.span.line, node.span.column):
            return first
    span = node.span
    if span.end_line == span.line:
        return span
    return Span(span.line, span.column, span.line, len(lines[span.line - 1].rstrip()) + 1)
