"""A parsed file: its value, and the way from a path to a line and a column."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from evalcontract.model.span import Place, Span
from evalcontract.source.text import split_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.model.path import Path
    from evalcontract.source.node import Node


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

    def place(self, path: Path, *, on_key: bool = False) -> Place:
        """Return where a path stands; where it leads nowhere, the nearest thing above it.

        `on_key` asks for the key at the end of the path instead of its value. What is not there
        (a missing key, say) is shown at the key of the mapping that should have it.
        """
        return place_in(self._root, path, self.file, self.lines, on_key=on_key)

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


def first_line_of(node: Node, lines: list[str]) -> Span:
    """Return what stands for a whole mapping or list: its first key, or its first line."""
    if isinstance(node.children, dict) and node.children:
        first, _ = next(iter(node.children.values()))
        if first >= node.span:  # a merged key stands elsewhere
            return first
    span = node.span
    if span.end_line == span.line:
        return span
    return Span(span.line, span.column, span.line, len(lines[span.line - 1].rstrip()) + 1)
