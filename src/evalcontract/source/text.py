"""Decode bytes as UTF-8, split and clip text, and report invalid bytes with their offset."""

from __future__ import annotations

import codecs
import os
from bisect import bisect_right
from collections.abc import Callable, Iterator
from io import BufferedReader, RawIOBase
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO, cast

from evalcontract.model.diagnostic import Span
from evalcontract.model.startup import lazy_pattern
from evalcontract.source.faults import ParseError, SourceProblem


def sha256_of(path: Path) -> str | None:
    """Return the SHA-256 digest of a regular file, in hexadecimal; None if it cannot be read."""
    from hashlib import file_digest  # slow to import

    try:
        if not path.is_file():  # a pipe would wait, or be empty when it is read again
            return None
        with path.open("rb") as stream:
            return file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None


# The longer marks come first: a UTF-32 mark begins with the UTF-16 mark.
_OTHER_BOMS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_LFS_POINTER = b"version https://git-lfs.github.com/spec/v1"
LFS_POINTER = SourceProblem(
    "source/lfs-pointer",
    "this is a Git LFS pointer, not the file itself",
    None,
    "run `git lfs pull`",
)
EMPTY = SourceProblem("source/empty", "the file is empty")
#: A line end of text, CSV and YAML.
LINE_END = lazy_pattern(r"\r\n|\n|\r")


def strip_bom(data: bytes) -> bytes:
    """Remove a UTF-8 byte order mark; refuse those of other encodings, and a Git LFS pointer.

    Raises:
        ParseError: `source/encoding`, `source/lfs-pointer`.

    """
    if data.startswith(_LFS_POINTER):
        raise ParseError(LFS_POINTER)
    for bom, name in _OTHER_BOMS:
        if data.startswith(bom):
            raise ParseError(
                SourceProblem(
                    "source/encoding",
                    f"the file is {name}, not UTF-8",
                    None,  # no line can be shown without decoding the file
                    "save it as UTF-8",
                )
            )
    return data.removeprefix(codecs.BOM_UTF8)


def decode(data: bytes) -> str:
    """Decode a whole file, without its byte order mark.

    Raises:
        ParseError: `source/encoding`, `source/binary`, `source/empty`, `source/lfs-pointer`.

    """
    body = strip_bom(data)
    without_nul(body, len(data) - len(body))
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ParseError(encoding_fault(body, error, len(data) - len(body))) from None
    if not text or text.isspace():
        raise ParseError(EMPTY)
    return text


def without_nul(body: bytes, before: int = 0) -> bytes:
    """Return the bytes; refuse NUL, which is not text and silently ends the input of some readers.

    `before` is the number of bytes of the file before `body`.

    Raises:
        ParseError: `source/binary`.

    """
    nul = body.find(b"\0")
    if nul >= 0:
        message = f"the file is not text: byte {nul + before} is NUL"
        raise ParseError(SourceProblem("source/binary", message, None, "is it the right file?"))
    return body


def encoding_fault(
    body: bytes, error: UnicodeDecodeError, before: int = 0, *, is_line: bool = False
) -> SourceProblem:
    """Return the problem of an invalid byte; `before` is the number of bytes before `body`.

    With `is_line`, the body is a line of JSONL, in which a lone carriage return ends no line.
    """
    text = body[: error.start].decode("utf-8")
    lines = [text] if is_line else split_lines(text)
    span = Span.point(len(lines), len(lines[-1]) + 1)
    message = f"byte {error.start + before} (0x{body[error.start]:02X}) is not UTF-8"
    advice = "save the file as UTF-8"
    return SourceProblem("source/encoding", message, span, advice)


def split_lines(text: str) -> list[str]:
    r"""Split a text into lines like editors do: only `\n`, `\r\n` and `\r` end a line."""
    return LINE_END.split(text)


def line_starts(text: str) -> list[int]:
    """Return the offset at which each line of a text begins."""
    if "\r" in text:
        return [0, *(match.end() for match in LINE_END.finditer(text))]
    return [0, *accumulate(len(line) + 1 for line in text.split("\n")[:-1])]


def place_at(offset: int, starts: list[int]) -> tuple[int, int]:
    """Return the line and column of an offset, from 1; `starts` are those of the lines."""
    line = bisect_right(starts, offset)
    return line, offset - starts[line - 1] + 1


def clipped_span(span: Span, lines: list[str]) -> Span:
    """Return the part of a span that is inside of a text; parsers read one line end more."""
    line, column = _inside(span.line, span.column, lines)
    end_line, end_column = _inside(span.end_line, span.end_column, lines)
    return Span(line, column, end_line, end_column)


def _inside(line: int, column: int, lines: list[str]) -> tuple[int, int]:
    if line > len(lines):
        return len(lines), len(lines[-1]) + 1
    return line, min(column, len(lines[line - 1]) + 1)


_LONE_RETURN = lazy_pattern(rb"\r(?!\n)")


def text_lines(open_: Callable[[], BinaryIO]) -> Callable[[], BinaryIO]:
    r"""Return a function that opens a file with each lone carriage return as a line feed.

    All bytes stay at their offsets, and `\r\n` stays as it is.
    """
    return lambda: cast("BinaryIO", BufferedReader(_TextLines(open_())))


def plain_ends(line: bytes) -> bytes:
    """Return a line with ASCII spaces for white space of Unicode around it.

    Each character becomes one space, so that columns stay. A line that is not UTF-8 is unchanged.
    """
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return line
    rest = text.lstrip()
    before = len(text) - len(rest)
    whole = rest.rstrip()
    return f"{' ' * before}{whole}{' ' * (len(rest) - len(whole))}".encode()


class _TextLines(RawIOBase):
    """Reads another stream, and closes it; the bytes are changed as `text_lines` says."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._stream.seekable()

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        if b"\r" in data:
            after = b""
            if data.endswith(b"\r") and (after := self._stream.read(1)):
                self._stream.seek(-1, 1)
            data = _LONE_RETURN.sub(b"\n", data + after)[: len(data)]
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


_SEPARATOR = "\0"
# Characters of texts that are kept in memory before a file takes them.
_IN_MEMORY = 1 << 23


class TextBlocks:
    """Lists of texts in their order: in memory while they are few, then in a temporary file."""

    def __init__(self) -> None:
        self._recent: list[str | list[str]] = []
        self._room = _IN_MEMORY
        self._file: BinaryIO | None = None

    def add(self, texts: list[str]) -> None:
        """Keep a list that is not empty."""
        joined = _SEPARATOR.join(texts)
        can_split = joined.count(_SEPARATOR) == len(texts) - 1
        self._recent.append(joined if can_split else texts)
        self._room -= len(joined)
        if self._room < 0:
            self._write()

    def _write(self) -> None:
        import json  # none of these is needed for most datasets
        import weakref
        from tempfile import TemporaryFile

        if self._file is None:
            self._file = cast("BinaryIO", TemporaryFile())  # noqa: SIM115 - until nobody needs it
            weakref.finalize(self, self._file.close)
        self._file.seek(0, os.SEEK_END)
        self._file.writelines(json.dumps(block).encode() + b"\n" for block in self._recent)
        self._recent.clear()
        self._room = _IN_MEMORY

    def __iter__(self) -> Iterator[list[str]]:
        """Yield the lists; nothing is added meanwhile."""
        if self._file is not None:
            import json

            self._write()
            self._file.seek(0)
            for line in self._file:
                yield _split(json.loads(line))
        yield from map(_split, self._recent)


def _split(block: str | list[str]) -> list[str]:
    return block.split(_SEPARATOR) if isinstance(block, str) else block
