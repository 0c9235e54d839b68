"""Where a change of YAML cuts into the text: everything outside of the cuts stays, byte for byte.

A cut is a guess from the places of keys and values; `editing` reads what comes of it before it
believes it. So aliases and other rarities need no care here: they are found out there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.model.span import Span
from evalcontract.source.yaml_text import block, flow, indented, literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.model.path import Path
    from evalcontract.source.document import Document

LINE_END = re.compile(r"\r\n|\n|\r")
_LAST_END = re.compile(r"(?:\r\n|\n|\r)\Z")
_LINE = re.compile(r"[^\r\n]*")
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]*")
_ALIAS = re.compile(r"[ \t]*(\*[^\s,\[\]{}]+)")
_COLON = re.compile(r"[ \t]*:")


class Cut(NamedTuple):
    """A stretch of the text, from `start` to before `end`, and what stands there instead."""

    start: int
    end: int
    text: str


class _Slot(NamedTuple):
    """Where a value stands: its part in its first line, and what it has of the next lines.

    The first is `start` to `end`, `like` its first character; the lines below are what stands
    from `line_end` to `lines_end`. New lines are moved to the right from `column`.
    """

    start: int
    end: int
    line_end: int
    lines_end: int
    column: int
    like: str = ""


def apply_cuts(text: str, cuts: Iterable[Cut]) -> str | None:
    """Return the text with its cuts made; None where two of them touch each other."""
    parts: list[str] = []
    done = 0
    last = -1
    for cut in sorted(cuts):
        if cut.start < done or cut.start == last:
            return None
        parts += [text[done : cut.start], cut.text]
        done, last = cut.end, cut.start
    return "".join([*parts, text[done:]])


class Splicer:
    """Finds the cuts for changes of one YAML text."""

    def __init__(self, text: str, document: Document) -> None:
        self._text = text
        self._document = document
        self._starts = [0, *(end.end() for end in LINE_END.finditer(text))]
        found = LINE_END.search(text)
        self._end = found.group() if found else "\n"
        steps: dict[type, int] = {}
        for kind, columns in self._steps((), document.value):
            steps.setdefault(kind, columns)
            if len(steps) == 2:  # noqa: PLR2004 - one for mappings, one for lists
                break
        self.step, self.offset = steps.get(dict, 2), steps.get(list, 0)

    def set(self, path: Path, new: Any, *, as_flow: bool = False) -> list[Cut]:
        """Return the cuts that put a value in the place of the one at a path.

        `as_flow` writes it in one line, where it could stand on lines of its own.
        """
        inside = any(self._is_flow(path[:depth]) for depth in range(len(path)))
        slot = self._slot(path)
        inline, lines = flow(new, inside=inside, like=slot.like), list[str]()
        body = None if inside or as_flow else literal(new)
        below_key = isinstance(path[-1], str)
        if body is not None:
            columns = self.step if below_key else 0
            inline, lines = body[0], indented(body[1:], slot.column + columns)
        elif isinstance(new, dict | list) and new and not (as_flow or inside):
            lines = block(new, self.step, self.offset)
            if below_key:
                columns = self.offset if isinstance(new, list) else self.step
                inline, lines = "", indented(lines, slot.column + columns)
            else:
                inline, lines = lines[0], indented(lines[1:], slot.column)
        return self._fill(slot, inline, lines)

    def add(self, above: Path, value: dict[str, Any], key: str, new: Any) -> list[Cut]:
        """Return the cuts that add a key at the end of the mapping `value`."""
        if self._is_flow(above):
            end = self._offset_at(self._span(above), end=True) - 1
            before = self._text[:end].rstrip()
            comma = "" if before.endswith("{") else " " if before.endswith(",") else ", "
            added = flow({key: new})[1:-1]
            return [Cut(len(before), len(before), f"{comma}{added}")]
        here = self._span(above)
        own = [self._key((*above, name)) for name in value if not self.is_merged((*above, name))]
        end = self._content_end(above, value)
        lines = block({key: new}, self.step, self.offset)
        column = (own[0] if own else here).column - 1
        return [Cut(end, end, self._lines(indented(lines, column), end))]

    def is_merged(self, path: Path) -> bool:
        """Whether a key stands outside of its mapping, which has it from a merge."""
        return self._offset_at(self._key(path)) < self._offset_at(self._span(path[:-1]))

    def _lines(self, lines: list[str], before: int) -> str:
        """Join lines that come behind a line; the text ends with a line end then."""
        text = "".join(self._end + line for line in lines)
        return text + self._end if lines and before == len(self._text) else text

    def _fill(self, slot: _Slot, inline: str, lines: list[str]) -> list[Cut]:
        """Put the first line of a value and its further ones where the old ones were."""
        start, end = slot.start, slot.end
        if not inline:  # no spaces stay behind the key
            start = len(self._text[:start].rstrip(" \t"))
        elif start == end:
            inline = inline if self._text[start - 1] in " \t" else f" {inline}"
        many = lines or slot.lines_end > slot.line_end or slot.start == end
        if many and not self._text[end : slot.line_end].strip():
            return [Cut(start, slot.lines_end, inline + self._lines(lines, slot.lines_end))]
        below = Cut(slot.line_end, slot.lines_end, self._lines(lines, slot.lines_end))
        return [
            Cut(start, end, inline),
            *([below] if below.text or below.start < below.end else []),
        ]

    def _slot(self, path: Path) -> _Slot:
        """Find where the value at a path stands, without what is not its own in these lines."""
        value, span = self._value(path), self._span(path)
        start = self._offset_at(span)
        key = self._key(path) if isinstance(path[-1], str) else None
        column = (key or span).column - 1
        if key and span < key and (alias := _ALIAS.match(self._text, self._after_colon(key))):
            line_end = self._line_end(alias.end())
            return _Slot(alias.start(1), alias.end(), line_end, line_end, column)
        first = self._first_character(path)
        if key is None and self._text[start - 1 : start] == "-":  # nothing behind the dash yet
            column += 1
        end, lines_end = self._offset_at(span, end=True), self._content_end(path, value)
        if isinstance(value, dict | list) and not self._is_flow(path):
            if key is None or key.line == span.line:
                return _Slot(start, lines_end, lines_end, lines_end, column)
            after = self._after_colon(key)
            return _Slot(after, after, self._line_end(after), lines_end, column)
        header = _BLOCK_HEADER.match(self._text, first) if end > start else None
        if header:
            line_end = self._line_end(first)
            return _Slot(start, header.end(), line_end, max(lines_end, line_end), column)
        like = self._text[first] if end > start else ""
        return _Slot(start, end, self._line_end(end), self._line_end(end), column, like)

    def _content_end(self, path: Path, value: Any) -> int:
        """Return the end of the last line that a value stands on, before its line end."""
        while isinstance(value, dict | list) and value and not self._is_flow(path):
            if isinstance(value, list):
                step: Any = len(value) - 1
            else:
                step = max(value, key=lambda name: self._key((*path, name)))
                key = self._key((*path, step))
                if self._span((*path, step)) < key:  # an alias: its value stands elsewhere
                    return self._line_end(self._offset_at(key, end=True))
            path, value = (*path, step), value[step]
        span = self._span(path)
        start, end = self._offset_at(span), self._offset_at(span, end=True)
        first = self._first_character(path)
        header = _BLOCK_HEADER.match(self._text, first) if end > start else None
        if header is None:
            return self._line_end(end)
        body = self._text[start:end]
        if "+" not in header.group():  # else the empty lines at its end are its own
            return self._line_end(start + len(body.rstrip()))
        return start + len(_LAST_END.sub("", body))

    def _steps(self, path: Path, value: Any) -> Iterator[tuple[type, int]]:
        """Yield how far mappings and lists stand to the right of their keys.

        The first item of a list speaks for all of them.
        """
        if isinstance(value, list) and value:
            yield from self._steps((*path, 0), value[0])
        elif isinstance(value, dict) and not self._is_flow(path):
            for name, part in value.items():
                below = (*path, name)
                key, span = self._key(below), self._span(below)
                if isinstance(part, dict | list) and span > key and not self._is_flow(below):
                    yield type(part), span.column - key.column
                    yield from self._steps(below, part)

    def _value(self, path: Path) -> Any:
        value = self._document.value
        for step in path:
            value = value[step]
        return value

    def _span(self, path: Path) -> Span:
        return self._document.place(path).span or Span.point()

    def _key(self, path: Path) -> Span:
        return self._document.place(path, on_key=True).span or Span.point()

    def _after_colon(self, key: Span) -> int:
        after = self._offset_at(key, end=True)
        colon = _COLON.match(self._text, after)
        return colon.end() if colon else after

    def _first_character(self, path: Path) -> int:
        """Return where a value begins, behind its anchor and its tag."""
        found = _PROPERTIES.match(self._text, self._offset_at(self._span(path)))
        return found.end() if found else 0

    def _is_flow(self, path: Path) -> bool:
        return self._text.startswith(("[", "{"), self._first_character(path))

    def _line_end(self, offset: int) -> int:
        found = _LINE.match(self._text, offset)
        return found.end() if found else offset

    def _offset_at(self, span: Span, *, end: bool = False) -> int:
        """Return where a span starts or ends, in characters from the start of the text."""
        line, column = (span.end_line, span.end_column) if end else (span.line, span.column)
        if line > len(self._starts):
            return len(self._text)
        return min(self._starts[line - 1] + column - 1, len(self._text))
