"""Where something stands inside a text."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    r"""A stretch of text.

    Lines and columns count from 1, columns in Unicode code points; the end is exclusive, so an
    empty span has its end at its start. Only `\n`, `\r\n` and `\r` end a line; in JSONL
    only the first two, since a lone `\r` may stand inside of a row.
    """

    line: int
    column: int
    end_line: int
    end_column: int

    @classmethod
    def point(cls, line: int = 1, column: int = 1) -> Span:
        """Return the empty span at a place."""
        return cls(line, column, line, column)

    def below(self, lines: int) -> Span:
        """Return the same stretch so many lines further down."""
        return Span(self.line + lines, self.column, self.end_line + lines, self.end_column)


class Place(NamedTuple):
    """A span in a named file, with the text of its first line for a reader who has no file.

    `file` is the name the author used (relative where theirs was); `text` is None where the
    place is a whole file.
    """

    file: str
    span: Span | None = None
    text: str | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.span.line}:{self.span.column}" if self.span else self.file
