"""YAML documents from the fast reader, with single rows read again by the exact reader.

All rows below `questions` begin with a dash in the same column. In YAML 1.2 no other line of the
list can start like that, since all lines of a row are indented further. So if there are as many
such lines as rows, they are the starts of the rows. The exact reader then reads a row from its own
lines, and the other keys from a text with blank lines in place of the rows.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.source.document import Document, value_at
from evalcontract.source.fault import ParseError, UnreadableFile
from evalcontract.source.limits import MAX_DEPTH
from evalcontract.source.text import split_lines
from evalcontract.source.yaml.yaml_quick import has_other_numbers, is_plain, quick_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.model.diagnostic import Path, Place, Within
    from evalcontract.source.node import Node

_KEY = "questions"
_ROWS = lazy_pattern(r"questions: *+(?:#.*+)?\r?\n(?: *+(?:#.*+)?\r?\n)*+(?P<column> *+)-[ \r\n]")
# The end of the rows: a key at the root, or the end of the document.
_END_OF_ROWS = lazy_pattern(r"\n[^\s#-]")
# Number of cached rows: diagnostics of one row, and the rows they refer to, come together.
_CACHED_PIECES = 4


class MisreadError(Exception):
    """The exact reader refuses a text that the fast reader accepted: discard all results.

    `unreadable` has the problems of the exact reader.
    """

    def __init__(self, unreadable: UnreadableFile) -> None:
        super().__init__(unreadable)
        self.unreadable = unreadable


class _Layout(NamedTuple):
    """The offsets of the start and end of the rows, and the indentation and dash of each row."""

    start: int
    end: int
    dash: str


class _Piece(NamedTuple):
    """A part of the file that was parsed alone, and the number of lines before it."""

    document: Document
    lines_before: int


def read_quickly(text: str, file: str, data: bytes) -> QuickDocument | None:
    """Parse a mapping with the fast reader; return None if the exact reader has to read it.

    `data` are the bytes that `text` came from. The exact reader is also needed if the rows of a
    dataset cannot be located by their lines.
    """
    start = 0 if text.startswith(f"{_KEY}:") else text.find(f"\n{_KEY}:") + 1
    list_start = _ROWS.match(text, start)
    if list_start is None and (start or text.startswith(_KEY)):
        return None
    value = quick_value(text, data)
    if not isinstance(value, dict):
        return None
    # Rows with other keys than strings are read again, one by one.
    rows = value.get(_KEY) if list_start else None
    rest = value if rows is None else {**value, _KEY: None}
    if not is_plain([rest], MAX_DEPTH):
        return None
    if list_start is None:
        return QuickDocument(text, file, data, value) if _KEY not in value else None
    if not isinstance(rows, list) or not rows:
        return None
    dash = f"{list_start['column']}-"
    end = _END_OF_ROWS.search(text, list_start.end())
    layout = _Layout(list_start.start("column"), end.start() + 1 if end else len(text), dash)
    # `list_start` includes the dash of the first row.
    others = sum(
        text.count(f"\n{dash}{blank}", list_start.end() - 1, layout.end) for blank in " \n\r"
    )
    return YamlDataset(text, file, data, value, layout) if others + 1 == len(rows) else None


class QuickDocument(Document):
    """A document with two values: `quick` from the fast reader, `value` from the exact reader."""

    is_quick = True

    def __init__(self, text: str, file: str, data: bytes, quick: dict[str, Any]) -> None:
        super().__init__(file, None, text, data, self._read_nodes)
        del self.value
        self._quick = quick

    def trust(self) -> None:
        """Use the value of the fast reader as `value`."""
        self.value = self._quick

    @cached_property
    def value(self) -> Any:
        """The value from the exact reader; the first access may raise MisreadError."""
        from evalcontract.source.yaml.yaml import parse_yaml  # slow to import

        return self._exactly(lambda: parse_yaml(self._text, self.file, b"").value)

    def _read_nodes(self) -> Node:
        from evalcontract.source.yaml.yaml import nodes_of  # slow to import

        node: Node = self._exactly(lambda: nodes_of(self._text))
        return node

    def _exactly(self, read: Callable[[], Any]) -> Any:
        try:
            return read()
        except ParseError as error:
            lines = tuple(split_lines(self._text))
            raise MisreadError(UnreadableFile(self.file, error.faults, lines)) from None

    @property
    def quick(self) -> Any:
        """The value from the fast reader."""
        return self._quick

    @cached_property
    def has_other_numbers(self) -> bool:  # type: ignore[override]
        """Whether the fast reader may have read text as numbers."""
        return has_other_numbers(self._text)


class YamlDataset(QuickDocument):
    """A dataset whose rows the exact reader can read one by one."""

    def __init__(
        self, text: str, file: str, data: bytes, quick: dict[str, Any], layout: _Layout
    ) -> None:
        super().__init__(text, file, data, quick)
        self._layout = layout
        self._pieces: dict[int, _Piece] = {}

    def row(self, path: Path) -> Any:
        """Return the row at a path, from the exact reader."""
        piece, inner = self._piece_of(path)
        return value_at(piece.document.value, inner) if piece else super().row(path)

    @property
    def root(self) -> Any:
        """The value from the exact reader; the list of rows may be empty."""
        piece = self._other_keys
        return {**piece.document.value, _KEY: []} if piece else self.value

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return the place of a path; see `Document.place`."""
        piece, inner = self._piece_of(path)
        if piece is None:
            return super().place(path, on_key=on_key, within=within)
        place = piece.document.place(inner, on_key=on_key, within=within)
        return place._replace(span=place.span and place.span.below(piece.lines_before))

    def item_lines(self, path: Path) -> list[tuple[int, int]]:
        """Return the lines of the items of a list; those of the rows without parsing them."""
        if path != (_KEY,):
            return super().item_lines(path)
        return [(first + 1, last) for first, last in pairwise(self._lines_before)]

    def raw(self, path: Path) -> str | None:
        """Return the source text of a scalar; see `Document.raw`."""
        piece, inner = self._piece_of(path)
        return piece.document.raw(inner) if piece else super().raw(path)

    def _piece_of(self, path: Path) -> tuple[_Piece | None, Path]:
        """Return the piece that contains a path, if any, and the path within the piece."""
        if len(path) > 1 and path[0] == _KEY and isinstance(path[1], int):
            return self._row(path[1]), (0, *path[2:])
        return (self._other_keys if path and path[0] != _KEY else None), path

    @cached_property
    def _starts(self) -> list[int]:
        start, end, dash = self._layout
        others = re.compile(rf"\n{dash}(?=[ \r\n])").finditer(self._text, start, end)
        return [start, *(match.start() + 1 for match in others), end]

    def _row(self, index: int) -> _Piece | None:
        """Parse a row alone, followed by a dummy row that proves where it ends."""
        if index not in self._pieces:
            start, end = self._starts[index : index + 2]
            dummy = f"{self._layout.dash} 0\n" if end < self._layout.end else ""
            text = f"{self._text[start:end]}{dummy}"
            parsed = _parse_alone(text, depth=1)
            others = [0] if dummy else []
            if parsed is None or not isinstance(parsed[0], list) or parsed[0][1:] != others:
                return None
            while len(self._pieces) >= _CACHED_PIECES:
                del self._pieces[next(iter(self._pieces))]
            document = self._document(*parsed, text)
            self._pieces[index] = _Piece(document, self._lines_before[index])
        return self._pieces[index]

    @cached_property
    def _other_keys(self) -> _Piece | None:
        """The keys next to `questions`, parsed alone."""
        start, end, _ = self._layout
        blank = "\n" * self._text.count("\n", start, end)
        text = f"{self._text[:start]}{blank}{self._text[end:]}"
        parsed = _parse_alone(text)
        return _Piece(self._document(*parsed, text), 0) if parsed else None

    def _document(self, value: Any, node: Node, text: str) -> Document:
        return Document(self.file, value, text, b"", lambda: node)

    @cached_property
    def _lines_before(self) -> list[int]:
        """The number of lines before each row."""
        edges = pairwise((0, *self._starts))
        return [*accumulate(self._text.count("\n", start, end) for start, end in edges)]


def _parse_alone(text: str, depth: int = 0) -> tuple[Any, Node] | None:
    """Parse a part of a file; None if it depends on other parts, or cannot be parsed."""
    from evalcontract.source.yaml.yaml_simple import read_simple  # only for a row that is faulty

    # The fast reader decides on the value; the other one only knows the places in it.
    simple = read_simple(text)
    if simple is not None and repr(quick_value(text, text.encode())) == repr(simple[0]):
        return simple
    from evalcontract.source.yaml.yaml import read_piece  # slow to import

    try:
        return read_piece(text, depth=depth, keep_nodes=True)
    except ParseError:
        return None
