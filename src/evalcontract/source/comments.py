"""The comments of a YAML text: where they are, and which row of a dataset they belong to."""

from __future__ import annotations

from collections import deque

import yaml

from evalcontract.model.diagnostic import Place, Span
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.source.document import Document, Node
from evalcontract.source.text import line_starts, place_at

# Searched in the text between two tokens: a comment is everything from `#` to the end of the line.
_COMMENT = lazy_pattern(r"#[^\n\r]*")
#: What a comment begins with, after the `#`, that names a schema for editors: a modeline.
MODELINE = "yaml-language-server:"
# Line breaks in YAML 1.1, which PyYAML scans; ordinary characters in YAML 1.2.
_BREAKS_OF_1_1 = dict.fromkeys(map(ord, "\x85\u2028\u2029"), "_")


# The same tokens, by libyaml where PyYAML has it: seven times as fast.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Comment(NamedTuple):
    """A comment: its line (from 1), its text including the `#`, and the line of the next token."""

    line: int
    text: str
    next_line: int


def comments_of(text: str) -> list[Comment]:
    """Return the comments of a YAML text; an empty list if the text cannot be scanned."""
    comments: list[Comment] = []
    starts = line_starts(text)
    end = 0
    try:
        for token in yaml.scan(text.translate(_BREAKS_OF_1_1), Loader=_LOADER):
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
