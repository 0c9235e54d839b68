"""Where text goes out: both standard streams, whatever they can take, and what if they cannot."""

from __future__ import annotations

import io
import os
import re
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BLOCK = 1 << 16
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")


class OutputError(Exception):
    """A standard stream does not take what is printed: it is closed, full, or nobody reads it.

    `quiet` says that the reader went away, which is its right and needs no words.
    """

    def __init__(self, reason: str, *, quiet: bool = False) -> None:
        super().__init__(reason)
        self.quiet = quiet


def configure_streams() -> None:
    """Make both streams take every character; a closed standard error is a silent one.

    Raises:
        OutputError: standard output is closed, so that no result could be told.

    """
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - to the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A stream of another encoding than UTF-8 gets `?` for what it cannot show.
            stream.reconfigure(errors="replace")
    if sys.stdout is None:
        raise OutputError("standard output is closed")


def put(pieces: Iterable[str], *, err: bool = False) -> None:
    """Print pieces of text as they are, in blocks.

    Raises:
        OutputError: the stream does not take them.

    """
    stream = sys.stderr if err else sys.stdout
    for block in _blocks(pieces):
        try:
            stream.write(block)
            stream.flush()
        except OSError as error:
            raise not_written(error) from None


def put_json(pieces: Iterable[str]) -> None:
    r"""Print JSON: in UTF-8, or with `\u` for all beyond ASCII where the stream is not UTF-8.

    Raises:
        OutputError: the stream does not take it.

    """
    is_utf8 = (sys.stdout.encoding or "utf-8").lower().replace("_", "-") in ("utf-8", "utf8")
    put(pieces if is_utf8 else (_BEYOND_ASCII.sub(_escape, piece) for piece in pieces))


def put_bytes(data: bytes) -> None:
    """Print bytes as they are.

    Raises:
        OutputError: the stream does not take them.

    """
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        raise not_written(error) from None


def not_written(error: OSError) -> OutputError:
    """Return what is told of a stream that failed."""
    reason = (error.strerror or str(error)).lower()
    return OutputError(
        f"the output cannot be written: {reason}", quiet=isinstance(error, BrokenPipeError)
    )


def close_quietly(stream: IO[Any] | None) -> None:
    """Drop what a failed stream still holds, or Python would fail on it once more at its end."""
    try:
        if stream is not None:
            stream.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())  # type: ignore[union-attr]
        os.close(nowhere)


def _blocks(pieces: Iterable[str]) -> Iterator[str]:
    """Join small pieces, since each block is flushed."""
    waiting: list[str] = []
    size = 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= _BLOCK:
            yield "".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield "".join(waiting)


def _escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
