"""The comments of a YAML dataset, by the row that they stand in or above."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from evalcontract.model.diagnostic import Place, Span
from evalcontract.source.comments import comments_of
from evalcontract.workspace.modelines import without_modelines

if TYPE_CHECKING:
    from evalcontract.source import Document
    from evalcontract.source.comments import Comment


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
        kept = without_modelines(self.header)
        return [_place(source, comment) for comment in self._header if comment.text in kept]

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
        found = comments_of("\n".join(source.lines)) if source.may_be_yaml else []
        pending = deque(found)
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
