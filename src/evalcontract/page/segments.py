"""Cut the lines of excerpts into segments, each with the findings that are about it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from evalcontract.model.values import escape_controls

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcontract.page.content import Line, Mark

Segment = tuple[str, list[int]]


def segments(line: Line, marks: Sequence[Mark]) -> list[Segment]:
    """Return the parts of a line, each with the numbers of its findings.

    Texts have symbols in place of characters that a page or a terminal would act on. A place
    without a width takes the character behind it, or a space at the end of the line.
    """
    ranges = [(each.finding, *part) for each in marks if (part := _range_in(line, each))]
    length = len(line.text)
    if any(end > length for _, _, end in ranges):
        length += 1
    bounds = sorted({0, length, *(at for _, start, end in ranges for at in (start, end))})
    text = escape_controls(line.text.ljust(length))
    return [
        (
            text[start:end],
            sorted({finding for finding, low, high in ranges if low <= start and end <= high}),
        )
        for start, end in pairwise(bounds)
    ]


def _range_in(line: Line, mark: Mark) -> tuple[int, int] | None:
    """Return the part of a line that a mark covers; None if it begins on another line.

    Offsets count from 0 in the text of the line. Of several lines, only the first one is marked, as
    in the text report: what is missing from a rubric is not on all of its lines.
    """
    span = mark.span
    if span.line != line.number:
        return None
    length = len(line.text)
    start = span.column - line.column
    end = span.end_column - line.column if span.end_line == span.line else length
    if end < 0 or start > length:
        return None
    start = max(start, 0)
    return start, min(max(end, start + 1), max(length, start + 1))
