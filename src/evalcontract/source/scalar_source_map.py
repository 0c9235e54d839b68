r"""The way from a character of a text to the place where its author wrote it.

A reader folds lines, drops indentation and resolves escapes; but it keeps every character that is
no blank, and their order. So the n-th of them in the text is the n-th of them in the source, an
escape counted as what it stands for. It takes one pass over the text, whatever is asked of it.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from itertools import accumulate

from evalcontract.model.span import Span

_BLANKS = dict.fromkeys(map(ord, " \t\n\r"))
#: What may stand before a scalar of YAML, and before the text of a block, a comment included.
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*+")
_BLOCK_HEAD = re.compile(r"[|>][-+0-9]*+[ \t]*+(?:#[^\n]*+)?(?:\n|\Z)")
_RUNS = {
    "": re.compile(r"[^ \t\n]++"),
    "'": re.compile(r"''|[^ \t\n']++"),
    '"': re.compile(
        r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
        r"|\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.|\n)"
        r'|[^ \t\n"\\]++'
    ),
}
_NAMED = {
    "0": "\0", "a": "\a", "b": "\b", "t": "", "n": "", "v": "\v", "f": "\f", "r": "", "e": "\x1b",
    " ": "", "\t": "", "\n": "", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip


class ScalarSourceMap:
    """A text as it stands in a source. `span(start, end)` is where a part of it was written.

    `lines` are those of the source, `span` the place of the whole text with its quotes or the
    head of its block.
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
        # Runs of characters: how many stand before each, and its place in the source.
        self._counts: list[int] = []
        self._begins: list[int] = []
        self._ends: list[int] = []
        self._is_known = self._read()

    def _read(self) -> bool:
        """Find the runs of the source; tell whether they are those of the text."""
        properties = _PROPERTIES.match(self._source)
        begin = properties.end() if properties else 0
        head = _BLOCK_HEAD.match(self._source, begin)
        mark = "" if head else self._source[begin : begin + 1]
        mark = mark if mark in _RUNS else ""
        begin = head.end() if head else begin + len(mark)
        pieces, count = [], 0
        for run in _RUNS[mark].finditer(self._source, begin):
            piece = _meant(run[0], mark)
            if piece:
                self._counts.append(count)
                self._begins.append(run.start())
                self._ends.append(run.end())
                pieces.append(piece)
                count += len(piece)
        self._counts.append(count)
        return "".join(pieces).startswith(self._text.translate(_BLANKS))

    def span(self, start: int, end: int) -> Span | None:
        """Return where the characters from `start` to before `end` stand, those of one line.

        None where there are none but blanks, or where the source does not show the text.
        """
        part = self._text[start:end].translate(_BLANKS)
        if not self._is_known or not part:
            return None
        first = len(self._text[:start].translate(_BLANKS))
        begin, _ = self._place(first)
        _, after = self._place(first + len(part) - 1)
        line = bisect_right(self._starts, begin) - 1
        if after > self._starts[line + 1]:  # as far as its first line goes
            after = self._ends[bisect_right(self._begins, self._starts[line + 1] - 1) - 1]
        shift = self._first.column if line == 0 else 1
        columns = (each - self._starts[line] + shift for each in (begin, after))
        number = self._first.line + line
        return Span(number, next(columns), number, next(columns))

    def _place(self, count: int) -> tuple[int, int]:
        """Return where a character begins and ends in the source."""
        index = bisect_right(self._counts, count) - 1
        begin, end = self._begins[index], self._ends[index]
        if end - begin != self._counts[index + 1] - self._counts[index]:  # an escape
            return begin, end
        begin += count - self._counts[index]
        return begin, begin + 1


def _meant(run: str, mark: str) -> str:
    """Return the characters that a run of the source stands for, without blanks."""
    if mark == "'":
        return "'" if run == "''" else run
    if mark != '"' or run[0] != "\\":
        return run
    if run.count("\\") > 1 and run[1] != "\\":  # the two halves of a character, in JSON
        halves = run.encode().decode("unicode_escape")
        return halves.encode("utf-16", "surrogatepass").decode("utf-16")
    if len(run) > len(r"\n"):
        digits = run[2:]
        code = int(digits, 16)
        return chr(code).translate(_BLANKS) if code <= sys.maxunicode else ""
    return _NAMED.get(run[1], run[1])
