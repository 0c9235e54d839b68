"""What a run has seen of the files: each that was read with the digest of its bytes.

Every file is opened in this room, so a witness here misses none, whoever asks for it.
"""

from __future__ import annotations

import os
import stat
import sys
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

#: A stream above this size is not held in memory, so that nobody can say what was read of it.
MAX_STREAM_BYTES = 1 << 24

_MISSING = "missing"
_BYTES, _WHERE, _NAMES = "bytes", "where", "names"


class Witness:
    """Notes what a run asks of the files, so that a later one can ask the same.

    `seen` has, by what was asked and of which path, the answer. `is_sound` is False where
    something was asked that cannot be asked again, or was answered in two ways. The names below
    `top` are known to whoever takes a witness, and among them `files`, without links.
    """

    def __init__(self, top: Path, files: Collection[str]) -> None:
        self.seen: dict[tuple[str, str], str] = {}
        self.is_sound = True
        self._top = top
        self._files = files

    def spoil(self) -> None:
        """Note that the run depends on what is not known."""
        self.is_sound = False

    def read(self, path: Path, limit: int) -> bytes | None:
        """Read a file, and note its bytes; None where there is more or other than can be noted.

        Raises:
            FileNotFoundError: it is not there, which is noted.

        """
        try:
            data = _content(path, limit)
        except FileNotFoundError:
            self._note(_BYTES, path, _MISSING)
            raise
        except (OSError, ValueError):
            self.spoil()
            return None
        self._note(_BYTES, path, digest(data))
        return data

    def followed(self, path: Path) -> None:
        """Note where a path leads that somebody wrote down."""
        self._note(_WHERE, path, answer(_WHERE, _key(path)))

    def named(self, path: Path) -> None:
        """Note where a path leads that is used as a dataset: one of `files`, or nowhere."""
        self.followed(path)
        if os.path.lexists(path) and os.path.realpath(path) not in self._files:
            self.spoil()

    def looked(self, folder: Path) -> None:
        """Note the names of all that is in a folder."""
        self._note(_NAMES, folder, answer(_NAMES, _key(folder)))

    def listed(self, folder: Path) -> None:
        """Note that data files below a folder were asked for: below `top` they are known."""
        if folder != self._top and self._top not in folder.parents:
            self.spoil()

    def _note(self, question: str, path: Path, found: str | None) -> None:
        key = (question, _key(path))
        if found is None or self.seen.setdefault(key, found) != found:
            self.spoil()


def _key(path: Path) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - links stay as they are


def answer(question: str, path: str) -> str | None:
    """Answer what a witness noted, as the files are now; None where that cannot be told."""
    try:
        if question == _WHERE:
            return f"{os.path.isfile(path)} {os.path.lexists(path)} {os.path.realpath(path)}"
        if question == _NAMES:
            return _names(path)
        return digest(_content(path, sys.maxsize)) if question == _BYTES else None
    except FileNotFoundError:
        return _MISSING
    except (OSError, ValueError):
        return None


def _names(folder: str) -> str:
    try:
        with os.scandir(folder) as found:
            return repr(sorted((each.name, each.is_file()) for each in found))
    except NotADirectoryError:
        return _MISSING


def _content(path: str | Path, limit: int) -> bytes:
    """Read a file; a device or a pipe is not opened, since that may wait for ever.

    Raises:
        OSError: it cannot be read, is no regular file, or too large.

    """
    status = os.stat(path)  # noqa: PTH116 - thousands of times
    if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
        raise OSError("no regular file, or too large")
    with open(path, "rb", buffering=0) as stream:  # noqa: PTH123 - the same
        return stream.readall()


def digest(data: bytes) -> str:
    """Return the digest of some bytes, in hexadecimal."""
    from hashlib import blake2b  # slow to import

    return blake2b(data, digest_size=32).hexdigest()


_present: ContextVar[Witness | None] = ContextVar("witness", default=None)


@contextmanager
def present(witness: Witness) -> Iterator[None]:
    """Let a witness see what is read in this thread meanwhile."""
    token = _present.set(witness)
    try:
        yield
    finally:
        _present.reset(token)


def the_witness() -> Witness | None:
    """Return the witness of what is read now, if there is one."""
    return _present.get()
