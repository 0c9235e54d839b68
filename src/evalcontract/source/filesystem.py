"""The file system as a run sees it: whatever it asks of it, it asks of a `Files`."""

from __future__ import annotations

import os
import stat
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from evalcontract.source.limits import MAX_DOCUMENT_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

#: What a path leads to: a regular file, a folder, another thing, nothing by a link, or nothing.
FILE, FOLDER, OTHER, DANGLING, NOTHING = "file", "folder", "other", "dangling", "nothing"
# Standard input, and what `<(command)` of a shell stands for.
_GIVEN = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")


class Entry(NamedTuple):
    """A name in a folder, and the kind of thing that it leads to."""

    name: str
    kind: str
    is_link: bool


class Stream(NamedTuple):
    """A file that is read piece by piece; each call of `open_` begins anew."""

    open_: Callable[[], BinaryIO]
    size: int


class TooLargeError(OSError):
    """A file has `size` bytes, which are too many to be read at once."""

    def __init__(self, size: int) -> None:
        super().__init__(f"it has {size:,} bytes")
        self.size = size


class Files:
    """The files of this machine.

    The paths that a run asks for come here, so that another `Files` can answer instead or take
    notes. It then answers `kind`, `real`, `entries`, `read` and `stream`.
    """

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def kind(self, path: str | Path) -> str:
        """Return the kind of thing that a path leads to; what may not be looked at is nothing."""
        return _kind(path)

    def is_file(self, path: str | Path) -> bool:
        """Whether a path leads to a regular file."""
        return self.kind(path) == FILE

    def is_folder(self, path: str | Path) -> bool:
        """Whether a path leads to a folder."""
        return self.kind(path) == FOLDER

    def is_there(self, path: str | Path) -> bool:
        """Whether a path leads to something, or is a link to nothing."""
        return self.kind(path) != NOTHING

    def real(self, path: str | Path) -> Path:
        """Return a path without links; a link that leads to itself stays as it is."""
        return Path(os.path.realpath(path))

    def entries(self, folder: str | Path, *endings: str) -> tuple[Entry, ...]:
        """Return the folders in a folder, and what else has a name with one of some endings.

        They are sorted, and hidden ones are left out.

        Raises:
            OSError: the folder cannot be listed.

        """
        with os.scandir(folder) as names:
            found = [_entry(name) for name in names if not name.name.startswith(".")]
        found = [e for e in found if e.kind == FOLDER or e.name.lower().endswith(endings)]
        return tuple(sorted(found))

    def read(self, path: str | Path, limit: int = MAX_DOCUMENT_BYTES) -> bytes:
        """Read a file whole.

        Raises:
            OSError: it cannot be read. A device or a pipe is not opened, since that may wait for
                ever, unless this process was given it.
            TooLargeError: it has more than `limit` bytes.
            ValueError: no system has a file of such a name.

        """
        status = os.stat(path)  # noqa: PTH116 - thousands of times
        is_regular = stat.S_ISREG(status.st_mode)
        if not is_regular and (what := _what_else(path, status.st_mode)):
            raise OSError(f"it is {what}")
        if status.st_size > limit:
            raise TooLargeError(status.st_size)
        with open(path, "rb", buffering=0 if is_regular else -1) as file:  # noqa: PTH123 - the same
            data = file.read(-1 if is_regular else limit + 1)
        if len(data) > limit:
            raise TooLargeError(len(data))
        return data

    def stream(self, path: str | Path) -> Stream:
        """Open a file of any size.

        Raises:
            OSError, ValueError: as `read`.

        """
        status = os.stat(path)  # noqa: PTH116 - as above
        if not stat.S_ISREG(status.st_mode):
            data = self.read(path)
            return Stream(partial(BytesIO, data), len(data))
        with open(path, "rb"):  # noqa: PTH123 - fails here, not while it is read
            return Stream(lambda: Path(path).open("rb"), status.st_size)


#: The files as they are.
DISK = Files()


def is_given(path: str | Path) -> bool:
    """Whether a path is that of a stream which this process was given."""
    return os.fspath(path).startswith(_GIVEN)


def _kind(path: str | Path) -> str:
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - thousands of times
    except (OSError, ValueError):
        return DANGLING if os.path.lexists(path) else NOTHING
    if stat.S_ISREG(mode):
        return FILE
    return FOLDER if stat.S_ISDIR(mode) else OTHER


def _entry(found: os.DirEntry[str]) -> Entry:
    """Look at a name in a folder; only what is behind a link has to be asked for by itself."""
    if found.is_dir(follow_symlinks=False):
        return Entry(found.name, FOLDER, is_link=False)
    if found.is_file(follow_symlinks=False):
        return Entry(found.name, FILE, is_link=False)
    return Entry(found.name, _kind(found.path), found.is_symlink())


def _what_else(path: str | Path, mode: int) -> str | None:
    """Say what a path is that is no file; None for a stream that this process was given."""
    if stat.S_ISDIR(mode):
        return "a folder" if os.access(path, os.R_OK | os.X_OK) else "a folder without access"
    if is_given(path):
        return None
    if stat.S_ISFIFO(mode):
        return "a named pipe; pipe into `-` instead"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"
