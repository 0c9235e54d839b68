"""A parsed file: its value, and the way from a path to a line and a column."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

from evalcontract.model.span import Place, Span
from evalcontract.source.text import split_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.model.diagnostic import Within
    from evalcontract.model.path import Path
    from evalcontract.source.node import Node
    from evalcontract.source.scalar_source_map import ScalarSourceMap

# The digest of a small file is worked out when it is asked for.
_KEPT_BYTES = 1 << 16


class Document:
    """A value, and where its parts stand in the text that it came from.

    `value` is plain Python data: dict with string keys, list, str, int, float, bool, None;
    `data` are the file's bytes. Positions cost a second look at the text, taken at the first call
    of `place`.
    """

    #: A document is no stream of rows, and it was read; see `Source`.
    stream = None
    unreadable = None
    #: Whether `quick` is known before `value`; see `QuickDocument`.
    is_quick = False
    #: Whether a fast reader may have read numbers into `quick` where `value` holds text.
    has_other_numbers = False

    def __init__(
        self, file: str, value: Any, text: str, data: bytes, nodes: Callable[[], Node]
    ) -> None:
        self.file = file
        self.value = value
        self._text = text
        self._nodes = nodes
        self._insides: dict[Path, ScalarSourceMap] = {}
        self._data = data
        if len(data) > _KEPT_BYTES:
            self.sha256  # noqa: B018 - now, and the bytes can go

    def __repr__(self) -> str:
        return f"Document({self.file!r})"

    @cached_property
    def sha256(self) -> str:
        """The digest of the file's bytes, in hexadecimal."""
        from hashlib import sha256  # slow to import

        digest = sha256(self._data).hexdigest()
        self._data = b""
        return digest

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text, without their ends."""
        return split_lines(self._text)

    @cached_property
    def _root(self) -> Node:
        return self._nodes()

    @property
    def document(self) -> Self:
        """The document itself; see `Source`."""
        return self

    @property
    def progress(self) -> None:
        """None: it is read at once."""

    def peek(self) -> Any:
        """Return the value, as a fast reader may have read it."""
        return self.quick

    @property
    def quick(self) -> Any:
        """The value as a fast reader has read it, where one has; see `yaml_rows`."""
        return self.value

    def trust(self) -> None:
        """Take `quick` for the value: nothing can be found in it."""

    @property
    def root(self) -> Any:
        """The value, in which the rows of a dataset may be left out."""
        return self.value

    def row(self, path: Path) -> Any:
        """Return a row by its path, as the exact reader reads it."""
        return value_at(self.value, path)

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return where a path stands; where it leads nowhere, the nearest thing above it.

        `on_key` asks for the key at the end of the path instead of its value, `within` for a part
        of its text; where that cannot be found, the whole text is meant. What is not there
        (a missing key, say) is shown at the key of the mapping that should have it.
        """
        place = place_in(self._root, path, self.file, self.lines, on_key=on_key)
        part = self._part(path, place.span, within) if within and place.span else None
        return Place(self.file, part, self.lines[part.line - 1]) if part else place

    def _part(self, path: Path, span: Span, within: Within) -> Span | None:
        text = value_at(self.value, path)
        if not isinstance(text, str):
            return None
        from evalcontract.source.scalar_source_map import ScalarSourceMap  # slow to import

        if path not in self._insides:
            self._insides[path] = ScalarSourceMap(text, self.lines, span)
        return find_within(self._insides[path], text, within)

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


def value_at(value: Any, path: Path) -> Any:
    """Return what stands at a path of a value; None where it leads nowhere."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def find_within(inside: ScalarSourceMap, text: str, within: Within) -> Span | None:
    """Find a part of a text where it was written; None where it is not there."""
    starts = re.finditer(re.escape(within.text), text) if within.text else iter(())
    found = next(islice(starts, within.occurrence, None), None)
    if found is None:
        return None
    whole = within.whole if text.startswith(within.whole, found.start()) else ""
    return inside.span(found.start(), found.start() + len(whole or within.text))


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
