"""A file that grows line by line, and gets its name when it is complete.

Until then it is called `{name}.partial`. An interrupted run leaves it there, so that the next run
can go on; a run that wrote nothing, or began it and could not write it, leaves none.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO, Self

from evalcontract.source.writing import Staged, check_target, target_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from types import TracebackType

# The manifest of results names all rubrics and judges of a workspace.
_LONGEST = 100_000_000
_FLAGS = os.O_CREAT | os.O_RDWR | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


class GrowingFile:
    """A context manager; on exit the file stays partial, unless it was completed.

    Raises:
        FileExistsError: the file exists, and `replace` is false.
        OSError: it cannot be written, or is a link or no regular file.

    """

    def __init__(self, path: Path, *, replace: bool = False) -> None:
        self._target = target_of(path, None)
        self._replace = replace
        check_target(self._target, replace=replace)
        self._partial = self._target.with_name(f"{self._target.name}.partial")
        check_target(self._partial, replace=True)
        self._stream: BinaryIO | None = None
        self._is_new = self._has_failed = False

    def __enter__(self) -> Self:
        stream = os.fdopen(os.open(self._partial, _FLAGS, 0o666), "r+b")
        try:
            _lock(stream)
        except OSError:
            stream.close()
            raise
        self._is_new |= not os.fstat(stream.fileno()).st_size
        self._stream = stream
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        stream = self._stream
        if stream is None or stream.closed:
            return
        try:
            self.flush()
        except OSError:
            if error is None:  # otherwise it says what went wrong
                raise
        finally:
            self._close(stream)

    def _close(self, stream: BinaryIO) -> None:
        """Close the file, and remove it if nobody can go on with it: first, while it is locked."""
        is_empty = not os.fstat(stream.fileno()).st_size
        is_useless = is_empty or (self._is_new and self._has_failed)
        if is_useless and sys.platform != "win32":
            self._partial.unlink(missing_ok=True)
        with suppress(OSError):
            stream.close()
        if is_useless and sys.platform == "win32":  # there, an open file cannot be removed
            self._partial.unlink(missing_ok=True)

    @property
    def _open(self) -> BinaryIO:
        if self._stream is None:
            raise ValueError("the file is not open")
        return self._stream

    def first_line(self) -> bytes:
        """Return the first line of what is there, up to a length that a manifest may have."""
        self._open.seek(0)
        return self._open.readline(_LONGEST)

    def lines(self) -> Iterator[bytes]:
        """Yield the complete lines of an earlier run; what follows the last of them is removed."""
        stream = self._open
        stream.seek(0)
        end = 0
        for line in stream:
            if not line.endswith(b"\n"):
                break
            end += len(line)
            yield line
        stream.seek(end)
        stream.truncate()

    def keep(self, lines: Iterable[bytes]) -> None:
        """Replace what an earlier run has written, at once, so that none of `lines` can be lost.

        Raises:
            OSError: that is not possible; then all is as it was.

        """
        earlier = self._open
        with Staged() as staged:
            staged.open(self._partial, replace=True).writelines(lines)
            if sys.platform == "win32":  # there, an open file cannot be replaced, nor is it locked
                earlier.close()
            staged.put()
        self.__enter__()
        earlier.close()
        self._open.seek(0, os.SEEK_END)

    def restart(self) -> None:
        """Remove what an earlier run has written."""
        self._open.seek(0)
        self._open.truncate()
        self._is_new = True

    def write(self, line: str) -> None:
        r"""Append a line of JSON; a lone surrogate is written as its `\u` escape."""
        with self._writing():
            self._open.write(line.encode("utf-8", "backslashreplace"))

    def flush(self) -> None:
        """Hand what was written to the operating system, so that it survives this process."""
        with self._writing():
            self._open.flush()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            self._has_failed = True
            raise

    def complete(self) -> None:
        """Give the file its name.

        Raises:
            OSError: that is not possible.

        """
        self.flush()
        self._open.close()
        check_target(self._target, replace=self._replace)
        self._partial.replace(self._target)


def _lock(stream: BinaryIO) -> None:
    """Lock a file for as long as it is open, so that two runs do not write it at a time.

    Raises:
        OSError: another run writes it.

    """
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock  # not on Windows
    except ImportError:
        return
    try:
        flock(stream, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        raise OSError("another run is writing it") from None
    except OSError:
        return  # a file system without locks
