"""Lines as Python's text files have them: a lone carriage return ends one, too.

Loaders that iterate over an open text file and strip each line read more than JSON Lines allows.
"""

from __future__ import annotations

from io import BufferedReader, RawIOBase
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from evalcontract.model.startup import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable

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
