"""Places inside a text."""

from __future__ import annotations

from evalcontract.model.record import NamedTuple


class Span(NamedTuple):
    r"""A range of text.

    Lines and columns count from 1, columns in Unicode code points; the end is exclusive. Only
    `\n`, `\r\n` and `\r` end a line; in JSONL only the first two, since a lone `\r` may occur
    inside a row.
    """

    line: int
    column: int
    end_line: int
    end_column: int

    @classmethod
    def point(cls, line: int = 1, column: int = 1) -> Span:
        """Return the empty span at a position."""
        return cls(line, column, line, column)

    def below(self, lines: int) -> Span:
        """Return the span moved down by a number of lines."""
        return Span(self.line + lines, self.column, self.end_line + lines, self.end_column)


class Place(NamedTuple):
    """A span in a named file, with the text of its first line, so that it can be shown.

    `file` is the name as given by the user, relative or absolute; `text` is None if the place is a
    whole file.
    """

    file: str
    span: Span | None = None
    text: str | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.span.line}:{self.span.column}" if self.span else self.file


class TextEdit(NamedTuple):
    """A replacement of the text at a span."""

    span: Span
    text: str
