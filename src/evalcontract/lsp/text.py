"""The text of an open document, edited by pieces, and the conversions of positions and URIs."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from logging import LogRecord
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import clipped, escape_controls

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
        # A slice, since another thread may take lines away meanwhile.
        return "".join(self.lines[number : number + 1]).rstrip(_ENDS) if number >= 0 else ""

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

    def range(self, line: int, start: int, end: int) -> types.Range:
        """Return the range of some characters of a line, all from 0."""
        units = (self.units(line, start), self.units(line, end))
        return types.Range(*(types.Position(line, each) for each in units))

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
            rest = self.lines[number][1:]
            self.lines[number - 1 : number + 1] = [f"{above}\n", *([rest] if rest else [])]


def _split(text: str, *, is_whole: bool = True) -> list[str]:
    lines = _LINE.findall(text)
    return lines or ([""] if is_whole else [])


def edits_between(before: str, after: str, encoding: str) -> list[types.TextEdit]:
    """Return the edits that make one text of another: line by line if none comes or goes."""
    if before == after:
        return []
    text, new = Text(before, encoding), Text(after, encoding)
    if list(map(_end, text.lines)) == list(map(_end, new.lines)):
        pairs = enumerate(zip(text.lines, new.lines, strict=True))
        changed = [(number, old, line) for number, (old, line) in pairs if old != line]
        return [_edit(text, number, old, new=line) for number, old, line in changed]
    start = _alike(text.lines, new.lines)
    same = _alike(text.lines[start:][::-1], new.lines[start:][::-1])
    old_end, new_end = len(text.lines) - same, len(new.lines) - same
    lines = "".join(new.lines[start:new_end])
    end = text.point(old_end, 0)
    last = types.Position(end.line, text.units(end.line, end.character))
    return [types.TextEdit(types.Range(types.Position(start, 0), last), lines)]


def _edit(text: Text, number: int, old: str, new: str) -> types.TextEdit:
    """Return the edit of one line: what is between its common beginning and end."""
    start = _alike(old, new)
    most = min(len(old), len(new)) - start
    same = _alike(old[::-1][:most], new[::-1][:most])
    end = min(len(old) - same, len(text.line(number)))
    ending = len(old) - end  # the end of the line, which stays
    return types.TextEdit(text.range(number, start, end), new[start : len(new) - ending])


def _end(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of parts that two sequences have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    differ = (number for number, (mine, its) in pairs if mine != its)
    return next(differ, min(len(one), len(other)))


_SPECIAL = lazy_pattern(r"([\\`*_{}\[\]()<>#+\-.!|~&:@/=^$])")
_TICKS = lazy_pattern("`+")
_MAX_TEXT, _MAX_NAME = 1000, 120


def escaped(text: str) -> str:
    """Return a text of which no character has a meaning in Markdown or HTML, in one line."""
    return _SPECIAL.sub(r"\\\1", clipped(_line(text), _MAX_TEXT))


def code(text: object) -> str:
    """Return a text as code, in one line."""
    line = clipped(_line(str(text)), _MAX_NAME)
    longest = max((len(ticks) for ticks in _TICKS.findall(line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if line.startswith("`") or line.endswith("`") or not line else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def _line(text: str) -> str:
    return escape_controls(" ".join(text.split()))


class RequestRefusal(JsonRpcException):
    """The answer to a request that is refused; an editor shows the reason."""

    CODE = types.LSPErrorCodes.RequestFailed.value

    def __init__(self, reason: str) -> None:
        super().__init__(escape_controls(reason))


class RequestDelay(RequestRefusal):
    """The answer to a request for findings that are not there yet: the editor asks again."""

    CODE = types.LSPErrorCodes.ServerCancelled.value

    def __init__(self) -> None:
        super().__init__("the check takes long")
        self.data = types.DiagnosticServerCancellationData(retrigger_request=True)


def is_fault(record: LogRecord) -> bool:
    """Whether a record of the log is of a fault.

    A refusal is an answer like any other, and an editor may cancel what was just answered.
    """
    if str(record.msg).startswith("Cancel notification for unknown message"):
        return False
    return not (record.exc_info and isinstance(record.exc_info[1], RequestRefusal))


_DRIVE = lazy_pattern(r"/(?=[A-Za-z]:(?:/|$))")
_UNSAFE = lazy_pattern(r"[^\w.-]+", re.ASCII)
#: The extension of a document without a file, by the language that the editor takes it for.
_SUFFIXES = {"json": ".json", "jsonc": ".json", "jsonl": ".jsonl", "ndjson": ".jsonl"}
_MAX_FILE_NAME = 80


def path_of_uri(uri: str) -> Path | None:
    """Return the path of a `file:` address; None for others, and for those without a usable path.

    Percent-encoding, drive letters of Windows and the names of computers are understood.
    """
    try:
        parts = urlsplit(uri)
    except ValueError:  # a malformed computer name
        return None
    if parts.scheme != "file":
        return None
    rest = uri.partition(":")[2]  # `#` and `?` that an editor did not encode are parts of the name
    name = rest[2 + len(parts.netloc) :] if rest.startswith("//") else rest
    path = os.fsdecode(unquote_to_bytes(name))
    if "\0" in path or not path:
        return None
    if parts.netloc not in ("", "localhost"):
        return Path(f"//{parts.netloc}{path}") if os.name == "nt" else None
    if os.name == "nt":
        path = _DRIVE.sub("", path, count=1)
    return Path(os.path.abspath(path))  # noqa: PTH100 - links are not followed


def uri_of_path(path: Path) -> str:
    """Return the address of a file."""
    return Path(os.path.abspath(path)).as_uri()  # noqa: PTH100 - links are not followed


def unsaved_name(uri: str, language: str) -> str:
    """Return a name for a document that has no file, such as `untitled:Untitled-1`.

    Only letters, digits, dots, dashes and underscores of ASCII are kept of the address.
    """
    stem = _UNSAFE.sub("_", os.fsdecode(unquote_to_bytes(uri.partition(":")[2])))
    stem = stem.strip("._")[-_MAX_FILE_NAME:] or "untitled"
    known = Path(stem).suffix.lower() in {".yaml", ".yml", ".json", ".jsonl", ".ndjson"}
    return stem if known else f"{stem}{_SUFFIXES.get(language, '.yaml')}"
