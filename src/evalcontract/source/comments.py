"""The comments of a YAML text: where they are, which row has them, and texts that they cut off."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from evalcontract.model.diagnostic import Path, Place, Span
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.source.document import Document, Node, value_at
from evalcontract.source.text import line_starts, place_at

# Searched in the text between two tokens: a comment is everything from `#` to the end of the line.
_COMMENT = lazy_pattern(r"#[^\n\r]*")
#: What a comment begins with, after the `#`, that names a schema for editors: a modeline.
MODELINE = "yaml-language-server:"
# Line breaks in YAML 1.1, which PyYAML scans; ordinary characters in YAML 1.2.
_BREAKS_OF_1_1 = dict.fromkeys(map(ord, "\x85\u2028\u2029"), "_")


class Comment(NamedTuple):
    """A comment: its line (from 1), its text including the `#`, and the line of the next token."""

    line: int
    text: str
    next_line: int


def comments_of(text: str) -> list[Comment]:
    """Return the comments of a YAML text; an empty list if the text cannot be scanned."""
    import yaml  # slow to import

    # The same tokens, by libyaml where PyYAML has it: seven times as fast.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    comments: list[Comment] = []
    starts = line_starts(text)
    end = 0
    try:
        for token in yaml.scan(text.translate(_BREAKS_OF_1_1), Loader=loader):
            start = token.start_mark.index
            if start > end:
                next_line, _ = place_at(start, starts)
                for match in _COMMENT.finditer(text, end, start):
                    line, _ = place_at(match.start(), starts)
                    comments.append(Comment(line, match[0].rstrip(), next_line))
            end = max(end, token.end_mark.index)
    except yaml.YAMLError:
        return []
    return comments


def extents_of(document: Document) -> dict[int, int]:
    """Return the last line of the largest part that begins on a line, by that line.

    Parts are the items of lists, and keys with their values. The document itself is none.
    """
    extents: dict[int, int] = {}
    seen: set[int] = set()

    def extend(node: Node, first: int, last: int) -> int:
        """Return the last line of a part, after its own parts are added."""
        if id(node) not in seen:  # else it is the value of an anchor, which stands elsewhere
            seen.add(id(node))
            for begin, end, part in _parts(node):
                if begin >= first:  # else it is merged from elsewhere
                    end_of_part = extend(part, begin, end)
                    extents[begin] = max(end_of_part, extents.get(begin, 0))
                    last = max(last, end_of_part)
        return last

    extend(document.tree, 0, 0)
    return extents


def _parts(node: Node) -> list[tuple[int, int, Node]]:
    """Return the first line, the last line of a scalar or else the first, and the node of parts."""
    children = node.children
    if isinstance(children, dict):
        return [
            (key.line, max(key.end_line, _last(child)), child) for key, child in children.values()
        ]
    return [(child.span.line, _last(child), child) for child in children or ()]


def _last(node: Node) -> int:
    """Return the last line of a scalar; of a mapping or list the first: its parts have the last."""
    span: Span = node.span
    if node.children:
        return span.line
    ends_before = span.end_column == 1 and span.end_line > span.line
    return span.end_line - ends_before


def without_modelines(comments: list[str]) -> list[str]:
    """Return comment lines without modelines."""
    return [comment for comment in comments if MODELINE not in comment]


class CommentsAbove:
    """Hands out the comments of one document, row by row, from the first to the last.

    `header` has those above the first row, once a row was asked for. Where the rows stand below a
    key, those between the key and the first row belong to the row.
    """

    def __init__(self) -> None:
        self._header: list[Comment] = []
        self._pending: deque[Comment] | None = None

    @property
    def header(self) -> list[str]:
        """The texts of the comments above the first row."""
        return [comment.text for comment in self._header]

    def row(self, source: Document, path: tuple[str | int, ...]) -> list[str]:
        """Return the comments in a row, and directly above it; none if it is not YAML."""
        return [comment.text for comment in self._of_row(source, path)]

    def places(self, source: Document, path: tuple[str | int, ...]) -> list[Place]:
        """Return the places of the comments of a row, as `row` returns their texts."""
        return [_place(source, comment) for comment in self._of_row(source, path)]

    def end(self, source: Document) -> None:
        """Take all comments as those above the rows if no row was asked for."""
        if self._pending is None:
            self._pending = deque()
            self._header = comments_of("\n".join(source.lines)) if source.may_be_yaml else []

    def header_places(self, source: Document) -> list[Place]:
        """Return the places of the comments above the first row, but for modelines."""
        lines = without_modelines(self.header)
        return [_place(source, comment) for comment in self._header if comment.text in lines]

    def _of_row(self, source: Document, path: tuple[str | int, ...]) -> list[Comment]:
        if self._pending is None:
            self._pending = self._begin(source, path)
        if not self._pending:
            return []  # places are slow to find
        until = _next_line(source, path)
        comments: list[Comment] = []
        while self._pending and (until is None or self._pending[0].next_line < until):
            comments.append(self._pending.popleft())
        return comments

    def _begin(self, source: Document, path: tuple[str | int, ...]) -> deque[Comment]:
        """Return the comments after the header, which ends where the first row begins."""
        comments = comments_of("\n".join(source.lines)) if source.may_be_yaml else []
        pending = deque(comments)
        first = source.place(path).span if pending else None
        end = first.line - (len(path) > 1) if first else 0
        while pending and pending[0].next_line <= end:
            self._header.append(pending.popleft())
        return pending


def _place(source: Document, comment: Comment) -> Place:
    """Return the place of a comment, which ends where its line does."""
    text = source.lines[comment.line - 1]
    end = len(text.rstrip()) + 1
    start = end - len(comment.text)
    return Place(source.file, Span(comment.line, start, comment.line, end), text)


def _next_line(source: Document, path: tuple[str | int, ...]) -> int | None:
    """Return the line of the row after this one; None for the last row."""
    if not path:
        return None  # the document is the row
    *above, index = path
    after = source.place((*above, int(index) + 1)).span
    own = source.place(path).span
    # After the last row, a path leads to the whole list.
    return after.line if own and after and after.line > own.line else None


# A `#` right before a letter or a digit; a comment usually has a space there.
_MARK = lazy_pattern(" #(?=[0-9A-Za-z])")
# A line with a key or a dash, a text of several words without quotation marks, and a comment that
# is no usual remark on the file.
_LINE = lazy_pattern(
    r"^[ \t]*(?:- +)*(?:(?P<key>[\w-]+): +)?(?P<text>[^\s\"'\[\]{}|>&*!%@`#,?:-][^\n]*?)(?<! ) +"
    r"(?P<rest>#(?!(?:TODO|FIXME|XXX|NOTE|HACK|noqa|nosec|pragma|type|region|endregion)\b)"
    r"[0-9A-Za-z][^\r\n]*)",
    re.MULTILINE,
)
_SENTENCE_ENDS = (".", "?", "!", "…", ";")


#: The path of a text, the key in the same line, and the text.
_Text = tuple[Path, str | None, str]


class CutText(NamedTuple):
    """A text that ends where a comment begins: its path, and the comment."""

    path: Path
    rest: str


def cut_texts(document: Document, prefix: Path) -> Iterator[CutText]:
    """Yield the texts of rows that a comment probably cuts off; a clean file costs one search."""
    rests = _rests(document.text)
    rows = value_at(document.quick, prefix) if rests else ()
    for index, row in enumerate(rows):
        if isinstance(row, dict):
            yield from _cut_texts(_texts(row, _DEPTH), (*prefix, index), rests)


def cut_texts_of_artifact(document: Document) -> Iterator[CutText]:
    """Yield the texts of a rubric or judge that a comment probably cuts off."""
    rests = _rests(document.text)
    if rests and isinstance(document.quick, dict):
        parts = {key: value for key, value in document.quick.items() if key != "metadata"}
        yield from _cut_texts(_texts(parts, None), (), rests)


# How deep the texts of a row are searched.
_DEPTH = 2

#: The comments that follow a text, from the first to the last, by its key and the text.
_Rests = dict[tuple[str | None, str], deque[str]]


def _rests(text: str) -> _Rests:
    rests: _Rests = {}
    if _MARK.search(text) is None:
        return rests
    for match in _LINE.finditer(text):
        if " " in match["text"] and not match["text"].endswith(_SENTENCE_ENDS):
            key = (match["key"], match["text"])
            rests.setdefault(key, deque()).append(match["rest"].rstrip())
    return rests


def _cut_texts(texts: Iterator[_Text], prefix: Path, rests: _Rests) -> Iterator[CutText]:
    for path, key, text in texts:
        of_text = rests.get((key, text))
        if of_text:
            yield CutText((*prefix, *path), of_text.popleft())


def _texts(
    value: Any, depth: int | None, key: str | None = None, path: Path = ()
) -> Iterator[_Text]:
    """Yield the texts of a value down to a depth; None for all."""
    if isinstance(value, str):
        yield path, key, value
    elif isinstance(value, dict | list) and depth != 0:
        below = None if depth is None else depth - 1
        parts: Iterable[Any] = value.items() if isinstance(value, dict) else enumerate(value)
        for step, part in parts:
            yield from _texts(
                part, below, None if isinstance(value, list) else step, path=(*path, step)
            )
