"""A YAML dataset whose rows a fast reader has read, and the exact reader reads one by one.

Each row begins with a dash in one column, below `questions`. The fast reader keeps to YAML 1.2,
where nothing else can begin so: no line of a row stands that far left. So where there are as many
such lines as rows, they are the rows. A row is read exactly from its own lines, and the keys
beside the rows from a text that has empty lines in place of the rows.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.source.document import Document, value_at
from evalcontract.source.fault import ParseError, UnreadableFile
from evalcontract.source.text import split_lines
from evalcontract.source.yaml_quick import has_other_numbers, quick_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.model.diagnostic import Within
    from evalcontract.model.path import Path
    from evalcontract.model.span import Place
    from evalcontract.source.node import Node

_KEY = "questions"
_ROWS = re.compile(r"questions: *+(?:#.*+)?\r?\n(?: *+(?:#.*+)?\r?\n)*+(?P<column> *+)-[ \r\n]")
# What stands behind rows: a key at the root, or the end of the document.
_BEHIND = re.compile(r"\n[^\s#-]")
# Pieces that are kept: the findings of a row come together, and so does what they relate to.
_KEPT = 4


class MisreadError(Exception):
    """The exact reader refuses what the fast one reads; what was found is not to be believed."""

    def __init__(self, unreadable: UnreadableFile) -> None:
        super().__init__(unreadable)
        self.unreadable = unreadable


class _Layout(NamedTuple):
    """Where the rows begin and end in a text, and what a row begins with."""

    start: int
    end: int
    dash: str


class _Piece(NamedTuple):
    """A part of the file that was read by itself, and how many lines stand before it."""

    document: Document
    lines_before: int


def read_quickly(text: str, file: str, data: bytes) -> QuickDocument | None:
    """Read a mapping by the fast reader; None where it is to be read exactly.

    `data` are the bytes that `text` came from. A dataset is read exactly, too, where its rows
    cannot be told apart by their lines.
    """
    start = 0 if text.startswith(f"{_KEY}:") else text.find(f"\n{_KEY}:") + 1
    found = _ROWS.match(text, start)
    if found is None and (start or text.startswith(_KEY)):
        return None
    value = quick_value(text, data)
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        return None
    if found is None:
        return QuickDocument(text, file, data, value) if _KEY not in value else None
    rows = value.get(_KEY)
    if not isinstance(rows, list) or not rows:
        return None
    dash = f"{found['column']}-"
    behind = _BEHIND.search(text, found.end())
    layout = _Layout(found.start("column"), behind.start() + 1 if behind else len(text), dash)
    starts = sum(text.count(f"\n{dash}{end}", found.end() - 1, layout.end) for end in " \n\r")
    return YamlDataset(text, file, data, value, layout) if starts + 1 == len(rows) else None


class QuickDocument(Document):
    """A document; `quick` is what the fast reader has read, `value` what the exact one reads."""

    is_quick = True

    def __init__(self, text: str, file: str, data: bytes, quick: dict[str, Any]) -> None:
        super().__init__(file, None, text, data, self._read_nodes)
        del self.value
        self._quick = quick

    def trust(self) -> None:
        """Take what the fast reader has read for the value."""
        self.value = self._quick

    @cached_property
    def value(self) -> Any:
        """What the exact reader reads of the whole text; it may raise MisreadError."""
        from evalcontract.source.yaml import parse_yaml  # slow to import

        return self._exactly(lambda: parse_yaml(self._text, self.file, b"").value)

    def _read_nodes(self) -> Node:
        from evalcontract.source.yaml import nodes_of  # slow to import

        node: Node = self._exactly(lambda: nodes_of(self._text))
        return node

    def _exactly(self, read: Callable[[], Any]) -> Any:
        try:
            return read()
        except ParseError as fault:
            lines = tuple(split_lines(self._text))
            raise MisreadError(UnreadableFile(self.file, fault.faults, lines)) from None

    @property
    def quick(self) -> Any:
        """The value as the fast reader has read it."""
        return self._quick

    @cached_property
    def has_other_numbers(self) -> bool:  # type: ignore[override]
        """Whether numbers may be read otherwise than by the exact reader."""
        return has_other_numbers(self._text)


class YamlDataset(QuickDocument):
    """A dataset whose rows can be read one by one."""

    def __init__(
        self, text: str, file: str, data: bytes, quick: dict[str, Any], layout: _Layout
    ) -> None:
        super().__init__(text, file, data, quick)
        self._layout = layout
        self._pieces: dict[int, _Piece] = {}

    def row(self, path: Path) -> Any:
        """Return a row by its path, as the exact reader reads it."""
        piece, inner = self._piece_of(path)
        return value_at(piece.document.value, inner) if piece else super().row(path)

    @property
    def root(self) -> Any:
        """The value as the exact reader reads it; the list of rows may be left empty."""
        piece = self._beside
        return {**piece.document.value, _KEY: []} if piece else self.value

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return where a path stands; see `Document.place`."""
        piece, inner = self._piece_of(path)
        if piece is None:
            return super().place(path, on_key=on_key, within=within)
        place = piece.document.place(inner, on_key=on_key, within=within)
        return place._replace(span=place.span and place.span.below(piece.lines_before))

    def raw(self, path: Path) -> str | None:
        """Return a scalar as the author wrote it; see `Document.raw`."""
        piece, inner = self._piece_of(path)
        return piece.document.raw(inner) if piece else super().raw(path)

    def _piece_of(self, path: Path) -> tuple[_Piece | None, Path]:
        """Return what was read by itself of what a path leads to, and the path in there."""
        if len(path) > 1 and path[0] == _KEY and isinstance(path[1], int):
            return self._row(path[1]), (0, *path[2:])
        return (self._beside if path and path[0] != _KEY else None), path

    @cached_property
    def _starts(self) -> list[int]:
        start, end, dash = self._layout
        others = re.compile(rf"\n{dash}(?=[ \r\n])").finditer(self._text, start, end)
        return [start, *(found.start() + 1 for found in others), end]

    def _row(self, index: int) -> _Piece | None:
        """Read a row by itself, with another behind it: so it cannot end elsewhere than here."""
        if index not in self._pieces:
            start, end = self._starts[index : index + 2]
            behind = f"{self._layout.dash} 0\n" if end < self._layout.end else ""
            read = _alone(f"{self._text[start:end]}{behind}", depth=1)
            others = [0] if behind else []
            if read is None or not isinstance(read[0], list) or read[0][1:] != others:
                return None
            while len(self._pieces) >= _KEPT:
                del self._pieces[next(iter(self._pieces))]
            document = self._document(*read, self._text[start:end])
            self._pieces[index] = _Piece(document, self._lines_before[index])
        return self._pieces[index]

    @cached_property
    def _beside(self) -> _Piece | None:
        """The keys beside the rows, read by themselves."""
        start, end, _ = self._layout
        blank = "\n" * self._text.count("\n", start, end)
        text = f"{self._text[:start]}{blank}{self._text[end:]}"
        read = _alone(text)
        return _Piece(self._document(*read, text), 0) if read else None

    def _document(self, value: Any, node: Node, text: str) -> Document:
        return Document(self.file, value, text, b"", lambda: node)

    @cached_property
    def _lines_before(self) -> list[int]:
        """How many lines stand before each row."""
        edges = pairwise((0, *self._starts))
        return [*accumulate(self._text.count("\n", start, end) for start, end in edges)]


def _alone(text: str, depth: int = 0) -> tuple[Any, Node] | None:
    """Read a part of a file that needs no other; None where it does, or cannot be read."""
    from evalcontract.source.yaml import read_piece  # slow to import

    try:
        return read_piece(text, depth=depth, keep_nodes=True)
    except ParseError:
        return None
