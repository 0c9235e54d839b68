"""The text of an open document, which an editor changes by pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.startup import NamedTuple, lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

#: A line with its end. The protocol knows the same line ends as `source.text.LINE_END`.
_LINE = lazy_pattern(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")
_ENDS = "\r\n"
#: The bytes of a code unit, and the codec, of each encoding that positions may count in.
_UNITS = {"utf-8": (1, "utf-8"), "utf-16": (2, "utf-16-le"), "utf-32": (4, "utf-32-le")}


class Point(NamedTuple):
    """A place in a text: the line and the character, both from 0 and in code points."""

    line: int
    character: int


class Text:
    """The lines of a text, and the positions in it, which count units of an encoding.

    Positions beyond the end of a line mean its end, positions beyond the last line the end of the
    text, and negative ones the beginning.
    """

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self._size, self._codec = _UNITS[encoding]
        self.lines: list[str] = _split(text)
        self._whole: str | None = text

    @property
    def whole(self) -> str:
        """The text as one string."""
        if self._whole is None:
            self._whole = "".join(self.lines)
        return self._whole

    def line(self, number: int) -> str:
        """Return a line without its end; a line that does not exist is empty."""
        return self.lines[number].rstrip(_ENDS) if 0 <= number < len(self.lines) else ""

    def point(self, line: int, units: int) -> Point:
        """Return the place of a position."""
        if line < 0:
            return Point(0, 0)
        if line >= len(self.lines):
            last = len(self.lines) - 1
            ends = self.lines[last].endswith(("\n", "\r"))
            return Point(last + 1, 0) if ends else Point(last, len(self.lines[last]))
        text = self.line(line)
        if units <= 0 or text.isascii() or self._size == 4:  # noqa: PLR2004 - bytes of UTF-32
            return Point(line, min(max(units, 0), len(text)))
        data = text.encode(self._codec, "surrogatepass")[: units * self._size]
        return Point(line, len(data.decode(self._codec, "ignore")))

    def units(self, line: int, character: int) -> int:
        """Return the units before a character of a line, both from 0."""
        text = self.line(line)[:character]
        if text.isascii():
            return len(text)
        return len(text.encode(self._codec, "surrogatepass")) // self._size

    def replace(self, start: Point, end: Point, new: str) -> None:
        """Replace what is between two places; an end before the start means the start."""
        end = max(start, end)
        before = self._at(start.line)[: start.character]
        after = self._at(end.line)[end.character :]
        self.lines[start.line : end.line + 1] = _split(f"{before}{new}{after}", is_whole=False)
        if start.line and start.line <= len(self.lines):
            self._rejoin(start.line)
        if not self.lines:
            self.lines = [""]
        self._whole = None

    def replace_all(self, new: str) -> None:
        """Replace the whole text."""
        self.lines, self._whole = _split(new), new

    def _at(self, number: int) -> str:
        return self.lines[number] if number < len(self.lines) else ""

    def _rejoin(self, number: int) -> None:
        r"""Make one line end of a `\r` and a `\n` that an edit has brought together."""
        above = self.lines[number - 1]
        if above.endswith("\r") and self._at(number).startswith("\n"):
            self.lines[number - 1 : number + 1] = [f"{above}\n", *self._rest(number)]

    def _rest(self, number: int) -> Sequence[str]:
        rest = self.lines[number][1:]
        return [rest] if rest else []


def _split(text: str, *, is_whole: bool = True) -> list[str]:
    lines = _LINE.findall(text)
    return lines or ([""] if is_whole else [])
