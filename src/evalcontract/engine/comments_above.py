"""The comments of a YAML dataset, by the row that they stand in or above."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from evalcontract.source.comments import comments_of

if TYPE_CHECKING:
    from evalcontract.source import Document
    from evalcontract.source.comments import Comment


class CommentsAbove:
    """Hands out the comments of one document, row by row, from the first to the last.

    `header` has those above the first row, once a row was asked for.
    """

    def __init__(self) -> None:
        self.header: list[str] = []
        self._pending: deque[Comment] | None = None

    def row(self, source: Document, path: tuple[str | int, ...]) -> list[str]:
        """Return the comments in a row, and directly above it; none if it is not YAML."""
        if self._pending is None:
            self._pending = self._begin(source, path)
        until = _next_line(source, path)
        comments: list[str] = []
        while self._pending and (until is None or self._pending[0].next_line < until):
            comments.append(self._pending.popleft().text)
        return comments

    def _begin(self, source: Document, path: tuple[str | int, ...]) -> deque[Comment]:
        """Return the comments after the header, which ends where the first row begins."""
        found = comments_of("\n".join(source.lines)) if source.may_be_yaml else []
        pending = deque(found)
        first = source.place(path).span
        while pending and first and pending[0].next_line <= first.line:
            self.header.append(pending.popleft().text)
        return pending


def _next_line(source: Document, path: tuple[str | int, ...]) -> int | None:
    """Return the line of the row after this one; None for the last row."""
    if not path:
        return None  # the document is the row
    *above, index = path
    after = source.place((*above, int(index) + 1)).span
    own = source.place(path).span
    # After the last row, a path leads to the whole list.
    return after.line if own and after and after.line > own.line else None
