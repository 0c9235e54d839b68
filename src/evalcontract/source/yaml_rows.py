"""The rows of a large YAML dataset, one after another, where the text is laid out for it.

The file must end with the rows of a block list below `questions`. Each row begins with a dash in
one column, and its text is read by itself, with a dash behind it as there is in the file: that
such a piece gives one row and then the dash proves where the row ends, since a parser reads from
left to right. What is not laid out so, or has anchors, is read as a whole; see `YamlRows.whole`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.model.span import Place
from evalcontract.source.document import Document
from evalcontract.source.fault import Fault, Unreadable
from evalcontract.source.rows import Batch
from evalcontract.source.text import split_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Within
    from evalcontract.model.path import Path
    from evalcontract.source.node import Node
    from evalcontract.source.rows import TextSift

#: Smaller files gain nothing.
LEAST_BYTES = 1 << 15
_KEY = "questions"
_ROWS = re.compile(r"questions: *+(?:#.*+)?\n(?: *+(?:#.*+)?\n)*+( *+)- ")
# So many rows are read at once before there is a sift, or where nothing goes through it.
_FIRST, _MOST = 60, 64
_CHUNK, _END = 1 << 16, 1 << 12
# What a line of the file may be made of. Carriage returns are looked at apart.
_ORDINARY = bytes({*range(256)} - {*range(0x20)} - {0x7F}) + b"\n\t"
# Control characters, marks and line breaks of YAML 1.1 beyond ASCII, by their first byte.
_STRANGE = [
    re.compile(pattern)
    for pattern in (
        rb"\xc2[\x80-\x9f]",
        rb"\xe2\x80[\xa8\xa9]",
        rb"\xef(?:\xbb\xbf|\xbf[\xbe\xbf])",
    )
]


class TangledError(Exception):
    """Rows that cannot be told apart for certain: the file is to be read as a whole."""


def lay_out(text: str, file: str, data: bytes) -> YamlRows | None:
    """Return the rows of a dataset; None where it is to be read as a whole.

    `data` are the bytes that `text` came from.
    """
    plain = _with_line_feeds(text, data) if len(data) >= LEAST_BYTES else None
    if plain is None:
        return None
    key = f"\n{_KEY}:"
    found = _ROWS.match(plain, 0 if plain.startswith(key[1:]) else plain.find(key) + 1)
    head = _head_of(plain[: found.start(1)], file) if found else None
    if found is None or head is None or _goes_on(plain, found.end()):
        return None
    return YamlRows((text, plain), data, head, (found.start(1), found.end(1)))


def _head_of(text: str, file: str) -> Document | None:
    """Return what stands before the rows; None unless they are the value of its last key."""
    from evalcontract.source.yaml import read_piece  # slow to import

    try:
        value, node = read_piece(text, keep_nodes=True)
    except Fault:
        return None
    if not isinstance(value, dict) or next(reversed(value), None) != _KEY:
        return None
    # A directive is the whole document's; behind its end another one may begin.
    if value[_KEY] is not None or re.search(r"^(?:%|\.\.\.)", text, re.MULTILINE):
        return None
    return Document(file, value, text, b"", lambda: node)


def _with_line_feeds(text: str, data: bytes) -> str | None:
    r"""Return a text whose lines end at `\n`; None where it has characters out of the ordinary."""
    strange = data.translate(None, _ORDINARY)
    if strange:
        text = text.replace("\r\n", "\n")
        if strange.strip(b"\r") or "\r" in text:
            return None
    if not data.isascii() and any(pattern.search(data) for pattern in _STRANGE):
        return None
    return text


def _goes_on(text: str, start: int) -> bool:
    """Whether something stands behind the rows, as far as can be seen from the end."""
    return re.search(r"\n[^-#\s]", text[max(start, len(text) - _END) :]) is not None


def place_rows(text: str) -> tuple[Node, list[str]]:
    """Return where the parts of a row stand, whose text was taken from a dataset, and its lines."""
    from evalcontract.source.yaml import read_piece  # slow to import

    _, node = read_piece(text, depth=1, keep_nodes=True)
    return (node.children[0] if isinstance(node.children, list) else node), split_lines(text)


class _Piece(NamedTuple):
    """Rows that were read with their places, and how many lines of the file stand before them."""

    first: int
    rows: int
    lines_before: int
    document: Document


class YamlRows:
    """The rows of a YAML dataset that is laid out row by row."""

    prefix: Path = (_KEY,)

    def __init__(
        self, texts: tuple[str, str], data: bytes, head: Document, start: tuple[int, int]
    ) -> None:
        self.file = head.file
        self.root: dict[str, Any] = head.value
        self._head = head
        self._data = data
        self._whole_text, self._text = texts
        self._start = start[0]
        columns = start[1] - start[0]
        self._dash = " " * columns + "-"
        # Where a row may begin: each row does so, but not all that looks so is a row.
        self._begin = re.compile(rf"\n(?= {{{columns}}}-[ \n])")
        # The rows that were read: their first index, and where their texts begin and end.
        self._runs: list[tuple[int, int, int]] = []
        self._starts: tuple[int, list[int]] = (-1, [])
        self._kept: _Piece | None = None
        # The rows whose places were asked for since some were read, and how many that were.
        self._asked: set[int] = set()
        self._were_read = 1

    def __repr__(self) -> str:
        return f"YamlRows({self.file!r})"

    @property
    def sha256(self) -> str:
        """The digest of the file's bytes."""
        import hashlib  # slow to import

        return hashlib.sha256(self._data).hexdigest()

    def whole(self) -> Document | Unreadable:
        """Read the file as one document."""
        from evalcontract.source.yaml import parse_yaml  # slow to import

        try:
            return parse_yaml(self._whole_text, self.file, self._data)
        except Fault as fault:
            return Unreadable(self.file, fault.faults, tuple(split_lines(self._whole_text)))

    def batches(self, sift: TextSift | None = None) -> Iterator[Batch]:
        """Read the rows from the first to the last.

        Raises:
            TangledError: now or later; nothing that was yielded is to be believed then.

        """
        text = self._text
        self._runs.clear()
        self._kept, self._asked, self._were_read = None, set(), 1
        index, at, size = 0, self._start, _FIRST
        while at < len(text):
            sifted, end = sift.take(text, at) if sift else (None, at)
            if sifted is not None and end > at:
                batch = Batch(index, [], (), sifted)
                size = 1
            else:
                batch, end = self._read(index, at, size, keep_texts=sift is not None)
                size = min(size * 2, _MOST)
            self._runs.append((index, at, end))
            yield batch
            index, at = index + batch.number, end

    def _read(self, index: int, start: int, most: int, *, keep_texts: bool) -> tuple[Batch, int]:
        """Read a number of rows, and return where they end."""
        starts, at = [start], start
        while len(starts) <= most and (found := self._begin.search(self._text, at)):
            at = found.end()
            starts.append(at)
        if len(starts) <= most:
            starts.append(len(self._text))
        # A row that is read by itself is most likely to have places asked for, as are those behind
        # rows of most of which they were.
        keep = most == 1 or len(self._asked) * 2 > self._were_read
        rows, node = self._piece(start, starts[-1], keep_nodes=keep)
        if len(rows) != len(starts) - 1:
            raise TangledError
        self._asked, self._were_read = set(), len(rows)
        if keep:
            self._kept = self._as_document(index, (start, starts[-1]), rows, node)
        texts = tuple(self._text[a:b] for a, b in pairwise(starts)) if keep_texts else ()
        return Batch(index, rows, texts=texts), starts[-1]

    def _piece(self, start: int, end: int, *, keep_nodes: bool) -> tuple[list[Any], Node]:
        """Return the rows of a piece of the text that goes on with the dash of another row."""
        from evalcontract.source.yaml import read_piece  # slow to import

        text = self._text[start:end]
        goes_on = end < len(self._text)
        end_mark = f"{self._dash} 0\n" if goes_on else ""
        try:
            rows, node = read_piece(text + end_mark, depth=1, keep_nodes=keep_nodes)
        except Fault:
            raise TangledError from None
        if not isinstance(rows, list) or (goes_on and rows.pop() != 0) or not rows:
            raise TangledError
        return rows, node

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return where a path stands; see `Document.place`."""
        if len(path) > 1 and path[0] == _KEY and isinstance(path[1], int) and self._runs:
            piece = self._piece_with(path[1])
            inner = (path[1] - piece.first, *path[2:])
            place = piece.document.place(inner, on_key=on_key, within=within)
            span = place.span and place.span.below(piece.lines_before)
            return place._replace(span=span)
        if path and path[0] in self.root and path[0] != _KEY:
            return self._head.place(path, on_key=on_key, within=within)
        whole = self._document
        if whole is None:
            return Place(self.file)
        return whole.place(path, on_key=on_key, within=within)

    @cached_property
    def _document(self) -> Document | None:
        whole = self.whole()
        return whole if isinstance(whole, Document) else None

    def raw(self, path: Path) -> str | None:
        """Return a scalar as the author wrote it; see `Document.raw`."""
        if len(path) > 1 and path[0] == _KEY and isinstance(path[1], int) and self._runs:
            piece = self._piece_with(path[1])
            return piece.document.raw((path[1] - piece.first, *path[2:]))
        return self._head.raw(path)

    def _piece_with(self, index: int) -> _Piece:
        """Return a piece that was read with the places of a row; that row alone, if need be."""
        self._asked.add(index)
        kept = self._kept
        if kept is None or not kept.first <= index < kept.first + kept.rows:
            bounds = self._bounds(index)
            rows, node = self._piece(*bounds, keep_nodes=True)
            self._kept = kept = self._as_document(index, bounds, rows, node)
        return kept

    def _as_document(
        self, index: int, bounds: tuple[int, int], rows: list[Any], node: Node
    ) -> _Piece:
        start, end = bounds
        document = Document(self.file, rows, self._text[start:end], b"", lambda: node)
        return _Piece(index, len(rows), self._lines_before(start), document)

    def _bounds(self, index: int) -> tuple[int, int]:
        """Return where the text of a row begins and ends."""
        number = bisect_right(self._runs, index, key=lambda run: run[0]) - 1
        first, start, end = self._runs[number]
        if self._starts[0] != number:
            inner = self._begin.finditer(self._text, start, end)
            self._starts = (number, [start, *(each.end() for each in inner), end])
        starts = self._starts[1]
        return starts[index - first], starts[index - first + 1]

    @cached_property
    def _line_counts(self) -> list[int]:
        """How many lines end before each chunk of the text."""
        chunks = range(0, len(self._text), _CHUNK)
        return [0, *accumulate(self._text.count("\n", at, at + _CHUNK) for at in chunks)]

    def _lines_before(self, at: int) -> int:
        chunk = at // _CHUNK
        return self._line_counts[chunk] + self._text.count("\n", chunk * _CHUNK, at)
