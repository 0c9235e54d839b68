"""Write to the standard streams, whatever their encoding, and handle failures to write."""

from __future__ import annotations

import io
import os
import re
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import COMMAND, harmless_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BLOCK = 1 << 16
# What runners of CI act on when they read it in a log: `::error::` at the start of a line (GitHub),
# and `##[error]`, `##vso[…]` (Azure, GitHub) and `##teamcity[…]` anywhere.
_COMMAND_AT_START = lazy_pattern(r"(?:^|(?<=\r))(\s*:)(?=:)", re.MULTILINE)


class OutputError(Exception):
    """A standard stream cannot be written: it is closed or full, or its reader is gone.

    `quiet` is whether the reader is gone, which is not reported.
    """

    def __init__(self, reason: str, *, quiet: bool = False) -> None:
        super().__init__(reason)
        self.quiet = quiet


def configure_streams() -> None:
    """Make both streams accept every character, and discard output to a closed standard error.

    Raises:
        OutputError: standard output is closed.

    """
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - to the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Print `?` for characters that the stream's encoding cannot represent.
            stream.reconfigure(errors="replace")
    if sys.stdout is None:
        raise OutputError("standard output is closed")


def put(pieces: Iterable[str], *, err: bool = False, raw: bool = False) -> None:
    r"""Print pieces of text, in blocks.

    Unless the text is `raw`, a backslash breaks what a runner of CI takes for a command, as in
    `:\:error::` and `#\#[error]`: names and texts of files must not set variables or hide findings.

    Raises:
        OutputError: the stream cannot be written.

    """
    stream = sys.stderr if err else sys.stdout
    for block in _blocks(pieces):
        try:
            stream.write(block if raw else _without_commands(block))
            stream.flush()
        except OSError as error:
            raise not_written(error) from None


def put_json(pieces: Iterable[str]) -> None:
    r"""Print JSON in UTF-8, or as ASCII with `\u` escapes if the stream has another encoding.

    Characters that a terminal acts on, and `#` in what a runner of CI takes for a command, are
    always written as `\u` escapes, which changes no value.

    Raises:
        OutputError: the stream cannot be written.

    """
    is_utf8 = (sys.stdout.encoding or "utf-8").lower().replace("_", "-") in ("utf-8", "utf8")
    put(harmless_json(pieces, is_ascii=not is_utf8), raw=True)


def put_bytes(data: bytes) -> None:
    """Print bytes unchanged.

    Raises:
        OutputError: the stream cannot be written.

    """
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        raise not_written(error) from None


class StandardOutput:
    """Standard output, as a stream of bytes."""

    def write(self, data: bytes) -> None:
        """Print bytes unchanged.

        Raises:
            OutputError: the stream cannot be written.

        """
        put_bytes(data)


def not_written(error: OSError) -> OutputError:
    """Return the error for a stream that failed."""
    reason = (error.strerror or str(error)).lower()
    return OutputError(
        f"the output cannot be written: {reason}", quiet=isinstance(error, BrokenPipeError)
    )


def close_quietly(stream: IO[Any] | None) -> None:
    """Discard the buffer of a failed stream, or Python would fail again on it at exit."""
    try:
        if stream is not None:
            stream.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())  # type: ignore[union-attr]
        os.close(nowhere)


def _without_commands(text: str) -> str:
    if "::" not in text and "##" not in text:
        return text
    return COMMAND.sub(r"#\\", _COMMAND_AT_START.sub(r"\1\\", text))


def _blocks(pieces: Iterable[str]) -> Iterator[str]:
    """Join small pieces, since each block is flushed."""
    buffer: list[str] = []
    size = 0
    for piece in pieces:
        buffer.append(piece)
        size += len(piece)
        if size >= _BLOCK:
            yield "".join(buffer)
            buffer, size = [], 0
    if buffer:
        yield "".join(buffer)
