"""A parsed file: its value, and the line and column of every path in it."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

from evalcontract.model.diagnostic import Place, Span
from evalcontract.model.startup import NamedTuple
from evalcontract.source.filesystem import format_of
from evalcontract.source.text import clipped_span, split_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.model.diagnostic import Path, Within
    from evalcontract.source.fault import SourceProblem
    from evalcontract.source.node import Node
    from evalcontract.source.scalar_source_map import ScalarSourceMap

# Comments for editors are at the top of a file.
_HEAD_CHARACTERS = 1 << 10
# Files up to this size keep their bytes until the digest is needed.
_KEPT_BYTES = 1 << 16


class Batch(NamedTuple):
    """Consecutive rows: `rows[0]` is row `first_index` of the dataset, from 0.

    `faults` are the problems of lines without a row, each with the text of the line. `remarks`
    are the same for lines with a row, and only used for files of other systems.
    """

    first_index: int
    rows: list[Any]
    faults: tuple[tuple[SourceProblem, str], ...] = ()
    remarks: tuple[tuple[SourceProblem, str], ...] = ()


class Document:
    """A parsed value, and the positions of its parts in the text.

    `value` is plain Python data: dict with string keys, list, str, int, float, bool or None.
    `data` are the bytes of the file. `nodes` returns the tree of positions; it is called once, at
    the first call of `place` or `raw`, since it parses the text a second time.
    """

    #: A document is readable and not a stream of rows; see `Source`.
    stream = None
    unreadable = None
    #: Whether `quick` is available before `value`; see `QuickDocument`.
    is_quick = False
    #: Whether `quick` may hold numbers where `value` holds text.
    has_other_numbers = False

    def __init__(
        self, file: str, value: Any, text: str, data: bytes, nodes: Callable[[], Node]
    ) -> None:
        self.file = file
        self.value = value
        self._text = text
        self._nodes = nodes
        self._source_maps: dict[Path, ScalarSourceMap] = {}
        self._data = data
        if len(data) > _KEPT_BYTES:
            self.sha256  # noqa: B018 - compute it now, to free the bytes

    def __repr__(self) -> str:
        return f"Document({self.file!r})"

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 digest of the bytes of the file, in hexadecimal."""
        from hashlib import sha256  # slow to import

        digest = sha256(self._data).hexdigest()
        self._data = b""
        return digest

    @property
    def may_be_yaml(self) -> bool:
        """Whether the text may be YAML: its name says so, or as on standard input, nothing."""
        return format_of(self.file) in ("yaml", None)

    @property
    def text(self) -> str:
        """The text of the file."""
        return self._text

    @property
    def head(self) -> str:
        """The beginning of the text; the last line may be cut."""
        return self._text[:_HEAD_CHARACTERS]

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text, without line ends."""
        return split_lines(self._text)

    @cached_property
    def _root(self) -> Node:
        return self._nodes()

    @property
    def tree(self) -> Node:
        """The tree of positions."""
        return self._root

    @property
    def document(self) -> Self:
        """The document itself; see `Source`."""
        return self

    @property
    def progress(self) -> None:
        """None: the whole file is read at once."""

    def peek(self) -> Any:
        """Return the value; it may come from the fast reader, see `quick`."""
        return self.quick

    @property
    def quick(self) -> Any:
        """The value from the fast reader, if there is one (see `yaml_rows`); otherwise `value`."""
        return self.value

    def trust(self) -> None:
        """Use `quick` as the value, because no check can report anything in it."""

    @property
    def root(self) -> Any:
        """The value; the rows of a dataset may be missing from it."""
        return self.value

    def row(self, path: Path) -> Any:
        """Return the row at a path, from the exact reader."""
        return value_at(self.value, path)

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return the place of a path, or of its nearest existing ancestor.

        `on_key` selects the key at the end of the path instead of its value. `within` selects a
        part of a string; if that part is not found, the place is the whole string. The place of
        something missing, such as a required key, is the key of the mapping that should have it.
        """
        place = place_in(self._root, path, self.file, self.lines, on_key=on_key)
        part = self._part(path, place.span, within) if within and place.span else None
        return Place(self.file, part, self.lines[part.line - 1]) if part else place

    def _part(self, path: Path, span: Span, within: Within) -> Span | None:
        text = value_at(self.value, path)
        if not isinstance(text, str):
            return None
        from evalcontract.source.scalar_source_map import ScalarSourceMap  # slow to import

        if path not in self._source_maps:
            self._source_maps[path] = ScalarSourceMap(text, self.lines, span)
        return find_within(self._source_maps[path], text, within)

    def item_lines(self, path: Path) -> list[tuple[int, int]]:
        """Return the first and the last line of each item of the list at a path, from 1."""
        node, _, depth = self._root.find(path)
        items = node.children if depth == len(path) and isinstance(node.children, list) else []
        last = len(self.lines)
        return [(min(item.span.line, last), min(item.span.end_line, last)) for item in items]

    def raw(self, path: Path) -> str | None:
        """Return the source text of a scalar; None if the path does not lead to a scalar."""
        node, _, depth = self._root.find(path)
        return node.raw if depth == len(path) else None


def place_in(root: Node, path: Path, file: str, lines: list[str], *, on_key: bool) -> Place:
    """Return the place of a path below a node whose spans refer to `lines`."""
    node, key, depth = root.find(path)
    whole = depth == len(path) and not on_key
    span = clipped_span(node.span if whole else key or first_line_of(node, lines), lines)
    return Place(file, span, lines[span.line - 1])


def value_at(value: Any, path: Path) -> Any:
    """Return the part of a value at a path; None if the path does not exist."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def find_within(source_map: ScalarSourceMap, text: str, within: Within) -> Span | None:
    """Return the span in the source of a part of a text; None if it is not found."""
    starts = re.finditer(re.escape(within.text), text) if within.text else iter(())
    match = next(islice(starts, within.occurrence, None), None)
    if match is None:
        return None
    whole = within.whole if text.startswith(within.whole, match.start()) else ""
    return source_map.span(match.start(), match.start() + len(whole or within.text))


def first_line_of(node: Node, lines: list[str]) -> Span:
    """Return the span to show for a whole mapping or list: its first key, or its first line."""
    if isinstance(node.children, dict) and node.children:
        first, _ = next(iter(node.children.values()))
        # A merged key has its position elsewhere.
        if (first.line, first.column) >= (node.span.line, node.span.column):
            return first
    span = node.span
    if span.end_line == span.line:
        return span
    return Span(span.line, span.column, span.line, len(lines[span.line - 1].rstrip()) + 1)
