r"""Map the characters of a scalar's value to their positions in the source.

A parser folds lines, drops indentation and resolves escapes, but it keeps every non-blank
character, in order. So the n-th non-blank character of the value is the n-th one of the source,
where an escape counts as the character that it encodes. The source is scanned once.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from itertools import accumulate

from evalcontract.model.diagnostic import Span
from evalcontract.model.startup import lazy_pattern

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
