"""Fast YAML reader: `yaml-rs`, used where it agrees with the exact reader.

Its values are only trusted for rows without any problem. Byte searches detect everything that it
may read differently; the exact reader then reads the file instead, as it does if `yaml-rs` refuses
the text or is not installed. A test compares both readers. Of a large dataset with a fault, the
exact reader reads only the rows that the fast one refuses, and those near them.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import pairwise
from typing import Any

from evalcontract.model.diagnostic import Path, Place, Within
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import MAX_DIGITS, is_writable
from evalcontract.source.document import EXPLICIT_KEY, Document, Node, value_at
from evalcontract.source.faults import MAX_DEPTH, ParseError, UnreadableFile, collector_paused
from evalcontract.source.text import split_lines

# Allowed bytes. Carriage returns are checked separately; tabs are read differently.
_ORDINARY = bytes({*range(256)} - {*range(0x20)} - {0x7F}) + b"\n"
# Control characters beyond ASCII, a byte order mark, and noncharacters, in UTF-8.
_UNUSUAL = [
    lazy_pattern(pattern)
    for pattern in (rb"\xc2[\x80-\x84\x86-\x9f]", rb"\xef(?:\xbb\xbf|\xbf[\xbe\xbf])")
]
# A tag, an anchor or a merge key at the start of a node; anywhere else they are text.
_NODE_PREFIXES = (b"!", b"&", b"<<")
_BEFORE_NODES = frozenset(b"\n:-?,[{")
# A directive, or the end of a document: on a later line, and on the first one.
_DOCUMENT_MARKERS = (b"\n%", b"\n...")
_FIRST_MARKERS = (b"%", b"...")
# The header of a block scalar, searched in the last bytes of a file.
_HEADER = lazy_pattern(rb"[|>][-+0-9]*+ *+(?:#.*+)?$")
_TAIL_BYTES = 1 << 12
# The length from which on a text may hold an integer of too many digits: it may be hexadecimal.
_FEWEST_BYTES = MAX_DIGITS * 4 // 5
# A word that other YAML parsers may read as a number, and the exact reader may not.
_OTHER_NUMBER = lazy_pattern(
    r"(?<![^\s,\[{])[-+]*(?:\.(?i:inf|nan)|[0-9.eE+-]*_|0[bBoOxX])", re.ASCII
)


def quick_value(text: str, data: bytes) -> Any:
    """Return the value of a YAML document; None if the exact reader has to read it.

    `data` are the bytes that `text` came from. The caller has to check with `is_plain` what it does
    not read again: keys may be other than strings, and values nested too deeply.
    """
    try:
        import yaml_rs  # slow to import, and not available on every platform
    except ImportError:
        return None
    if not _reads_alike(data.removeprefix(codecs.BOM_UTF8)):
        return None
    try:
        with collector_paused():
            value = yaml_rs.loads(text, parse_datetime=False)
    except (ValueError, RecursionError, TypeError):  # TypeError: a mapping as a key, `? : {}`
        return None
    return None if len(data) > _FEWEST_BYTES and _has_too_long(value) else value


def _has_too_long(value: Any) -> bool:
    """Whether a value has integers of too many digits."""
    import orjson  # not needed for small files

    try:
        orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)
    except TypeError:  # an integer has more than 64 bits, or a key is none of JSON
        pass
    else:
        return False
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            pending += part
            pending += part.values()
        elif isinstance(part, list):
            pending += part
        elif isinstance(part, int) and not is_writable(part):
            return True
    return False


def is_plain(rows: list[Any], depth: int) -> bool:
    """Whether all keys are strings, and no row has more levels than a depth."""
    level: Iterable[Any] = rows
    for _ in range(depth + 1):
        parts: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                if not all(isinstance(key, str) for key in value):
                    return False
                parts += value.values()
            elif isinstance(value, list):
                parts += value
        if not parts:
            return True
        level = parts
    return False


def _reads_alike(data: bytes) -> bool:
    """Whether a text has nothing that the fast and the exact reader may read differently."""
    unusual = data.translate(None, _ORDINARY)
    if unusual and (unusual.strip(b"\r") or len(unusual) != data.count(b"\r\n")):
        return False
    if not data.isascii() and any(pattern.search(data) for pattern in _UNUSUAL):
        return False
    if data.startswith(_FIRST_MARKERS) or any(marker in data for marker in _DOCUMENT_MARKERS):
        return False
    return _ends_plainly(data) and not any(_begins_node(data, prefix) for prefix in _NODE_PREFIXES)


def _ends_plainly(data: bytes) -> bool:
    """Whether a text ends neither with spaces nor with an empty block scalar."""
    lines = (line.strip() for line in reversed(data[-_TAIL_BYTES:].split(b"\n")))
    last = next((line for line in lines if line and not line.startswith(b"#")), None)
    return last is not None and not data.endswith(b" ") and _HEADER.search(last) is None


def _begins_node(data: bytes, prefix: bytes) -> bool:
    """Whether a prefix occurs anywhere that a node may start."""
    at = data.find(prefix)
    while at >= 0:
        before = data[max(at - 64, 0) : at].rstrip(b" ")
        if not before or before[-1] in _BEFORE_NODES:
            return True
        at = data.find(prefix, at + len(prefix))
    return False


def has_other_numbers(text: str) -> bool:
    """Whether a text has a word that only the fast reader may read as a number.

    Only relevant if a schema expects numbers; this search is slower than all the others together.
    """
    return _OTHER_NUMBER.search(text) is not None


_KEY = "questions"
_ROWS = lazy_pattern(r"questions: *+(?:#.*+)?\r?\n(?: *+(?:#.*+)?\r?\n)*+(?P<column> *+)-[ \r\n]")
# The end of the rows: a key at the root, or the end of the document.
_END_OF_ROWS = lazy_pattern(r"\n[^\s#-]")
# Number of cached rows: those of a batch are read exactly, then their findings get places.
_CACHED_PIECES = 500


class MisreadError(Exception):
    """The exact reader refuses a text that the fast reader accepted: discard all results.

    `unreadable` has the problems of the exact reader.
    """

    def __init__(self, unreadable: UnreadableFile) -> None:
        super().__init__(unreadable)
        self.unreadable = unreadable


class RowColumns(NamedTuple):
    """The offsets of the start and end of the rows, and the indentation and dash of each row."""

    start: int
    end: int
    dash: str

    def starts(self, text: str) -> list[int]:
        """Return where each row begins, and where the last one ends."""
        others = re.compile(rf"\n{self.dash}(?=[ \r\n])").finditer(text, self.start, self.end)
        return [self.start, *(match.start() + 1 for match in others), self.end]


def layout_of(text: str) -> RowColumns | None:
    """Return where the rows of a dataset are; None if their lines do not tell."""
    begin = _ROWS.match(text, 0 if text.startswith(f"{_KEY}:") else text.find(f"\n{_KEY}:") + 1)
    if begin is None:
        return None
    end = _END_OF_ROWS.search(text, begin.end())
    dash = f"{begin['column']}-"
    return RowColumns(begin.start("column"), end.start() + 1 if end else len(text), dash)


class _Piece(NamedTuple):
    """A part of the file that was parsed alone, and the number of lines before it."""

    document: Document
    lines_before: int


def read_quickly(text: str, file: str, data: bytes) -> QuickDocument | None:
    """Parse a mapping with the fast reader; return None if the exact reader has to read it.

    `data` are the bytes that `text` came from. The exact reader is also needed if the rows of a
    dataset cannot be located by their lines.
    """
    layout = layout_of(text)
    if layout is None and (text.startswith(_KEY) or f"\n{_KEY}:" in text):
        return None
    value = quick_value(text, data)
    if not isinstance(value, dict):
        return None
    # Rows with other keys than strings are read again, one by one.
    rows = value.get(_KEY) if layout else None
    rest = value if rows is None else {**value, _KEY: None}
    if not is_plain([rest], MAX_DEPTH):
        return None
    if layout is None:
        return QuickDocument(text, file, data, quick=value) if _KEY not in value else None
    if not isinstance(rows, list) or not rows:
        return None
    start, end, dash = layout
    others = sum(text.count(f"\n{dash}{blank}", start, end) for blank in " \n\r")
    return (
        YamlDataset(text, file, data, quick=value, layout=layout)
        if others + 1 == len(rows)
        else None
    )


class QuickDocument(Document):
    """A document with two values: `quick` from the fast reader, `value` from the exact reader."""

    is_quick = True

    def __init__(self, text: str, file: str, data: bytes, quick: dict[str, Any]) -> None:
        super().__init__(file, None, text, data, self._read_nodes)
        del self.value
        self._quick = quick

    def trust(self) -> None:
        self.value = self._quick

    @cached_property
    def value(self) -> Any:
        """The value from the exact reader; the first access may raise MisreadError."""
        from evalcontract.source.yaml.reading import parse_yaml  # slow to import

        return self._exactly(lambda: parse_yaml(self._text, self.file, b"").value)

    def _read_nodes(self) -> Node:
        from evalcontract.source.yaml.reading import nodes_of  # slow to import

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
        return self._quick

    @cached_property
    def has_other_numbers(self) -> bool:  # type: ignore[override]
        """Whether the fast reader may have read text as numbers."""
        return has_other_numbers(self._text)


class YamlDataset(QuickDocument):
    """A dataset whose rows the exact reader can read one by one."""

    def __init__(
        self, text: str, file: str, data: bytes, quick: dict[str, Any], layout: RowColumns
    ) -> None:
        super().__init__(text, file, data, quick)
        self._layout = layout
        self._pieces: dict[int, _Piece] = {}
        self._counted = 0, 0  # a place in the text, and the lines before it
        self.pieces = self

    def may_have_bare_keys(self, path: Path) -> bool:
        """Whether a row may have a key without a colon; not if each row in braces is JSON.

        Braces inside of a row, or of its texts, hold no key of the row itself.
        """
        if not super().may_have_bare_keys(path):
            return False
        if path != (_KEY,) or EXPLICIT_KEY.search(self._text):
            return True
        start, end, dash = self._layout
        in_braces = re.compile(rf"^{dash}(?:\s|#.*+)*+(?={{)", re.MULTILINE)
        if in_braces.search(self._text, start, end) is None:
            return False
        from evalcontract.source.json import is_json  # few datasets have rows in braces

        return not all(
            row is None or is_json(self._text[row.end() : last])
            for first, last in pairwise(self._starts)
            for row in (in_braces.match(self._text, first, last),)
        )

    def row(self, path: Path) -> Any:
        piece, inner = self._piece_of(path)
        return value_at(piece.document.value, inner) if piece else super().row(path)

    @property
    def root(self) -> Any:
        """The value from the exact reader; the list of rows may be empty."""
        piece = self._other_keys
        return {**piece.document.value, _KEY: []} if piece else self.value

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        piece, inner = self._piece_of(path)
        if piece is None:
            return super().place(path, on_key=on_key, within=within)
        place = piece.document.place(inner, on_key=on_key, within=within)
        return place._replace(span=place.span and place.span.below(piece.lines_before))

    def item_lines(self, path: Path) -> list[tuple[int, int]]:
        """Return the lines of the items of a list; those of the rows without parsing them."""
        if path != (_KEY,):
            return super().item_lines(path)
        lines = (self._lines_above(index) for index in range(len(self._starts)))
        return [(first + 1, last) for first, last in pairwise(lines)]

    def raw(self, path: Path) -> str | None:
        piece, inner = self._piece_of(path)
        return piece.document.raw(inner) if piece else super().raw(path)

    def _piece_of(self, path: Path) -> tuple[_Piece | None, Path]:
        """Return the piece that contains a path, if any, and the path within the piece."""
        if len(path) > 1 and path[0] == _KEY and isinstance(path[1], int):
            return self._row(path[1]), (0, *path[2:])
        return (self._other_keys if path and path[0] != _KEY else None), path

    @cached_property
    def _starts(self) -> list[int]:
        return self._layout.starts(self._text)

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
            self.put(index, self._document(*parsed, text))
        return self._pieces[index]

    def texts(self, first: int, count: int) -> list[str]:
        text, starts = self._text, self._starts
        every = [text[start:end] for start, end in pairwise(starts[first : first + count + 1])]
        return every if first + count + 1 < len(starts) else [*every[:-1], ""]

    def piece(self, index: int) -> Document | None:
        piece = self._pieces.get(index)
        return piece and piece.document

    def put(self, index: int, piece: Document) -> None:
        while len(self._pieces) >= _CACHED_PIECES:
            del self._pieces[next(iter(self._pieces))]
        self._pieces[index] = _Piece(piece, self._lines_above(index))

    @cached_property
    def _other_keys(self) -> _Piece | None:
        """The keys next to `questions`, parsed alone."""
        start, end, _ = self._layout
        blank = "\n" * self._text.count("\n", start, end)
        text = f"{self._text[:start]}{blank}{self._text[end:]}"
        parsed = _parse_alone(text)
        return _Piece(self._document(*parsed, text), 0) if parsed else None

    def _document(self, value: Any, node: Node, text: str) -> Document:
        return Document(self.file, value, text, data=b"", nodes=lambda: node)

    def _lines_above(self, index: int) -> int:
        """Return the number of lines before a row, counted from the row that was asked before."""
        at, lines = self._counted
        start = self._starts[index]
        ahead = self._text.count("\n", at, start) if start >= at else 0
        behind = self._text.count("\n", start, at) if start < at else 0
        self._counted = start, lines + ahead - behind
        return self._counted[1]


def _parse_alone(text: str, depth: int = 0) -> tuple[Any, Node] | None:
    """Parse a part of a file; None if it depends on other parts, or cannot be parsed."""
    from evalcontract.source.yaml.scalars import find_places  # only for a row that is faulty

    value = quick_value(text, text.encode())
    if (node := find_places(text, value)) is not None:
        return value, node
    from evalcontract.source.yaml.reading import read_piece  # slow to import

    try:
        return read_piece(text, depth=depth, keep_nodes=True)
    except ParseError:
        return None


# Somebody who writes in a file of thousands of rows breaks one of them. The fast reader accepts
# the others, piece by piece, so they have no fault, and none of them changes what the rest means:
# it has no anchors, and each piece is a complete list. What is before the rows, and each piece
# with a fault that counts alone, is read alone, too: nothing that begins there, such as a text in
# quotation marks, reaches into another piece. The exact reader reads a text with blank lines in
# place of the sound pieces, in which the fault is in the same line. Rows near a fault are kept,
# since the explanation of a fault may refer to them.

#: The rows of a piece, the fewest pieces that are worth it, and the most that may have faults.
_PIECE, _FEWEST, _MOST_FAULTY = 50, 8, 10
#: The faults of a row that have nothing to do with the rows after it.
_LOCAL = frozenset({"source/duplicate-key"})


def raise_early(text: str, data: bytes, parse: Callable[[str], object]) -> None:
    """Raise the faults of a text that the fast reader refuses, if few rows decide on them.

    `data` are the bytes of the text, `parse` is the exact reader. A text whose faults may be
    elsewhere, or that has none, raises nothing.

    Raises:
        ParseError: the same that `parse` raises for the text.

    """
    layout = None if b"\r" in data else layout_of(text)
    if layout is None:
        return
    *rows, end = layout.starts(text)
    edges = [*rows[::_PIECE], end]
    if len(edges) <= _FEWEST:
        return
    sizes = [len(rows[first : first + _PIECE]) for first in range(0, len(rows), _PIECE)]
    faulty = [
        number
        for number, (start, end) in enumerate(pairwise(edges))
        if not _is_sound(text[start:end], sizes[number])
    ]
    if not faulty or len(faulty) > _MOST_FAULTY:
        return
    # A text without its rows has the faults of its other parts, but must be complete.
    if not _is_complete(parse, text[: edges[0]]):
        return
    near = {0, len(edges) - 2}.union(*(_near(text, edges, number) for number in faulty))
    try:
        parse(_blank_out(text, edges, near))
    except ParseError as error:
        pieces = (text[edges[number] : edges[number + 1]] for number in faulty)
        if _is_local(error) and all(_is_complete(parse, piece) for piece in pieces):
            raise
        # A fault of the syntax may reach further down: keep all that follows.
        parse(_blank_out(text, edges, {*near, *range(faulty[0], len(edges))}))


def _is_complete(parse: Callable[[str], object], part: str) -> bool:
    """Whether nothing that begins in a part of a text can reach beyond its end."""
    try:
        parse(part)
    except ParseError as error:
        return _is_local(error)
    return True


def _is_local(error: ParseError) -> bool:
    return all(fault.code in _LOCAL for fault in error.faults)


def _near(text: str, edges: list[int], number: int) -> range:
    """Return the pieces that the explanation of a fault may look at."""
    from evalcontract.source.yaml.hints import MAX_LINES_ABOVE  # slow to import

    first, lines = number, 0
    while first and lines < MAX_LINES_ABOVE:
        first -= 1
        lines += text.count("\n", edges[first], edges[first + 1])
    return range(first, number + 2)


def _is_sound(piece: str, rows: int) -> bool:
    """Whether the fast reader accepts a piece as a list of its rows."""
    value = quick_value(piece, piece.encode("utf-8", "surrogatepass"))
    # The rows are in the root and in their list: two levels of the depth.
    return isinstance(value, list) and len(value) == rows and is_plain(value, MAX_DEPTH - 2)


def _blank_out(text: str, edges: list[int], numbers: set[int]) -> str:
    """Return a text with blank lines in place of the pieces that are not kept."""
    parts = [text[: edges[0]]]
    for number, (start, end) in enumerate(pairwise(edges)):
        is_kept = number in numbers
        parts.append(text[start:end] if is_kept else "\n" * text.count("\n", start, end))
    return "".join([*parts, text[edges[-1] :]])
