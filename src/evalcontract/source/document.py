"""A parsed file: its value, and the line and column of every path in it."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property
from itertools import accumulate, islice
from typing import Any, Protocol, Self

from evalcontract.model.diagnostic import Path, Place, Span, Within
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.source.faults import SourceProblem
from evalcontract.source.filesystem import format_of
from evalcontract.source.text import clipped_span, split_lines

# Comments for editors are at the top of a file.
_HEAD_CHARACTERS = 1 << 10
#: A key of YAML after a question mark, which needs no value.
EXPLICIT_KEY = lazy_pattern(r"^[ \t-]*+\?(?=\s)", re.MULTILINE)
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


class RowPieces(Protocol):
    """The rows of a file that are read one by one, by their numbers."""

    def texts(self, first: int, count: int) -> list[Any]:
        """Return the texts of rows; one that does not alone decide on its value is empty."""

    def piece(self, index: int) -> Any:
        """Return what was made of the text of a row to find places in it, if it is still there."""

    def put(self, index: int, piece: Any) -> None:
        """Take over the piece of a row with the same text."""


class Document:
    """A parsed value, and the positions of its parts in the text.

    `value` is plain Python data: dict with string keys, list, str, int, float, bool or None.
    `data` are the bytes of the file. `nodes` returns the tree of positions; it is called once, at
    the first call of `place` or `raw`, since it parses the text a second time.
    """

    #: A document is readable and not a stream of rows; see `RowSource`.
    stream = None
    unreadable = None
    #: Whether `quick` is available before `value`; see `QuickDocument`.
    is_quick = False
    #: Whether `quick` may hold numbers where `value` holds text.
    has_other_numbers = False
    #: The rows, if each can be read alone.
    pieces: RowPieces | None = None

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

    def may_have_bare_keys(self, path: Path) -> bool:
        """Whether an item of the list at a path may have a key without a colon and a value.

        YAML allows it between braces, and after a question mark.
        """
        if not self.may_be_yaml:
            return False
        return "{" in self._text or EXPLICIT_KEY.search(self._text) is not None

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
        """The document itself; see `RowSource`."""
        return self

    @property
    def progress(self) -> None:
        """None: the whole file is read at once."""

    def peek(self) -> Any:
        """Return the value; it may come from the fast reader, see `quick`."""
        return self.quick

    @property
    def quick(self) -> Any:
        """The value from the fast reader, if there is one (see `yaml.quick`); otherwise `value`."""
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
        place = place_in(self._root, path, self.file, lines=self.lines, on_key=on_key)
        part = self._part(path, place.span, within) if within and place.span else None
        return Place(self.file, part, self.lines[part.line - 1]) if part else place

    def _part(self, path: Path, span: Span, within: Within) -> Span | None:
        text = value_at(self.value, path)
        if not isinstance(text, str):
            return None

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


class Node(NamedTuple):
    """The span of a value, and the nodes of its parts.

    `children` maps the keys of a mapping to (span of the key, node of the value), and is a list
    for a sequence and None for a scalar. `raw` is the source text of a scalar.
    """

    span: Span
    children: dict[str, tuple[Span, Node]] | list[Node] | None = None
    raw: str | None = None

    def find(self, path: Path) -> tuple[Node, Span | None, int]:
        """Follow a path as far as it exists.

        Return the last node, the span of its key (None for a list item), and the number of steps
        followed, which is less than the length of the path if a part of it is missing.
        """
        node: Node = self
        key: Span | None = None
        for depth, step in enumerate(path):
            part = node.part(step)
            if part is None:
                return node, key, depth
            key, node = part
        return node, key, len(path)

    def part(self, step: str | int) -> tuple[Span | None, Node] | None:
        """Return the part at a step, after the span of its key; None if there is none."""
        children = self.children
        if isinstance(children, dict) and isinstance(step, str):
            return children.get(step)
        if isinstance(children, list) and isinstance(step, int) and step < len(children):
            return None, children[step]
        return None


_BLANKS = dict.fromkeys(map(ord, " \t\n\r"))
#: The properties (anchor, tag) before a YAML scalar, and the header line of a block scalar.
_PROPERTIES = lazy_pattern(r"(?:[&!]\S*\s+)*+")
_BLOCK_HEAD = lazy_pattern(r"[|>][-+0-9]*+[ \t]*+(?:#[^\n]*+)?(?:\n|\Z)")
_RUNS = {
    "": lazy_pattern(r"[^ \t\n]++"),
    "'": lazy_pattern(r"''|[^ \t\n']++"),
    '"': lazy_pattern(
        r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
        r"|\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.|\n)"
        r'|[^ \t\n"\\]++'
    ),
}
_NAMED_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "", "n": "", "v": "\v", "f": "\f", "r": "", "e": "\x1b",
    " ": "", "\t": "", "\n": "", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip


class ScalarSourceMap:
    """The positions of the characters of a scalar in its source.

    `text` is the value of the scalar, `lines` are the lines of the source, and `span` is the whole
    scalar in it, including quotes or the header of a block. Offsets count from 0 in `text`.
    """

    def __init__(self, text: str, lines: list[str], span: Span) -> None:
        self._text = text
        self._first = span
        rows = lines[span.line - 1 : span.end_line]
        if len(rows) > span.end_line - span.line:
            rows[-1] = rows[-1][: span.end_column - 1]
        if rows:
            rows[0] = rows[0][span.column - 1 :]
        self._source = "\n".join(rows)
        self._starts = [0, *accumulate(len(row) + 1 for row in rows)]
        # Runs of non-blank characters: the number of them before each run, and its source offsets.
        self._counts: list[int] = []
        self._begins: list[int] = []
        self._ends: list[int] = []
        self._is_known = self._read()

    def _read(self) -> bool:
        """Collect the runs of the source; return whether they match the text."""
        properties = _PROPERTIES.match(self._source)
        begin = properties.end() if properties else 0
        header = _BLOCK_HEAD.match(self._source, begin)
        quote = "" if header else self._source[begin : begin + 1]
        quote = quote if quote in _RUNS else ""
        begin = header.end() if header else begin + len(quote)
        pieces, count = [], 0
        for run in _RUNS[quote].finditer(self._source, begin):
            piece = _decoded(run[0], quote)
            if piece:
                self._counts.append(count)
                self._begins.append(run.start())
                self._ends.append(run.end())
                pieces.append(piece)
                count += len(piece)
        self._counts.append(count)
        return "".join(pieces).startswith(self._text.translate(_BLANKS))

    def span(self, start: int, end: int) -> Span | None:
        """Return the span of the characters from `start` up to `end`, cut to their first line.

        None if they are all blank, or if the source does not match the text.
        """
        part = self._text[start:end].translate(_BLANKS)
        if not self._is_known or not part:
            return None
        first = len(self._text[:start].translate(_BLANKS))
        begin, _ = self._place(first)
        _, after = self._place(first + len(part) - 1)
        line = bisect_right(self._starts, begin) - 1
        if after > self._starts[line + 1]:  # cut it to the end of its first line
            after = self._ends[bisect_right(self._begins, self._starts[line + 1] - 1) - 1]
        shift = self._first.column if line == 0 else 1
        columns = (offset - self._starts[line] + shift for offset in (begin, after))
        number = self._first.line + line
        return Span(number, next(columns), number, next(columns))

    def _place(self, count: int) -> tuple[int, int]:
        """Return the start and end offset in the source of the n-th non-blank character."""
        index = bisect_right(self._counts, count) - 1
        begin, end = self._begins[index], self._ends[index]
        if end - begin != self._counts[index + 1] - self._counts[index]:  # an escape
            return begin, end
        begin += count - self._counts[index]
        return begin, begin + 1


def _decoded(run: str, quote: str) -> str:
    """Return the non-blank characters that a run of the source encodes."""
    if quote == "'":
        return "'" if run == "''" else run
    if quote != '"' or run[0] != "\\":
        return run
    if run.count("\\") > 1 and run[1] != "\\":  # a surrogate pair, as in JSON
        surrogates = run.encode().decode("unicode_escape")
        return surrogates.encode("utf-16", "surrogatepass").decode("utf-16")
    if len(run) > len(r"\n"):
        digits = run[2:]
        code = int(digits, 16)
        return chr(code).translate(_BLANKS) if code <= sys.maxunicode else ""
    return _NAMED_ESCAPES.get(run[1], run[1])
