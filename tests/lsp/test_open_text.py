"""Open documents: their text after changes, and positions in it."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.lsp.text import Text, edits_between
from evalcontract.source.text import split_lines

#: Characters of one, two, three and four bytes, line ends, and what only Python takes for one.
TEXTS = st.text(st.sampled_from("ab\n\r\té漢😀\u0301\u2028\x0c"), max_size=30)
NUMBERS = st.integers(-2, 12)


def offset(text: str, line: int, units: int) -> int:
    """Return the offset of a position as the protocol defines it, counted one by one."""
    starts = [0, *(end.end() for end in re.finditer(r"\r\n|\n|\r", text))]
    if line < 0:
        return 0
    if line >= len(starts):
        return len(text)
    content = split_lines(text)[line]
    at = used = 0
    while at < len(content) and used + (size := 1 + (content[at] > "\uffff")) <= max(units, 0):
        used += size
        at += 1
    return starts[line] + at


@given(TEXTS, st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS, TEXTS), max_size=4))
def test_changes(before: str, changes: list[tuple[int, int, int, int, str]]) -> None:
    text, expected = Text(before), before
    for line, character, end_line, end_character, new in changes:
        start = offset(expected, line, character)
        end = max(start, offset(expected, end_line, end_character))
        text.replace(text.point(line, character), text.point(end_line, end_character), new)
        expected = expected[:start] + new + expected[end:]
        assert text.whole == expected
        assert [text.line(n) for n in range(len(split_lines(expected)))] == split_lines(expected)


@given(TEXTS, NUMBERS, NUMBERS)
def test_positions_come_back(content: str, line: int, character: int) -> None:
    for encoding in ("utf-8", "utf-16", "utf-32"):
        text = Text(content, encoding)
        point = text.point(line, character)
        assert text.point(point.line, text.units(*point)) == point


@given(TEXTS, TEXTS)
def test_edits_between_texts(before: str, after: str) -> None:
    text = Text(before)
    for edit in reversed(edits_between(before, after, "utf-16")):
        start, end = edit.range.start, edit.range.end
        text.replace(
            text.point(start.line, start.character),
            text.point(end.line, end.character),
            edit.new_text,
        )
    assert text.whole == after


@every_case(
    ("before", "after", "number"),
    [
        ("a\nb\nc\n", "a\nB\nc\n", 1),
        ("a\nb\nc\n", "A\nb\nC\n", 2),
        ("a\nb\nc\n", "a\nc\n", 1),
        ("a\n", "a\n", 0),
    ],
)
def test_only_what_differs_is_replaced(before: str, after: str, number: int) -> None:
    assert len(edits_between(before, after, "utf-16")) == number
