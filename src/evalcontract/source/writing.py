"""Writing files: the whole of each or nothing, and several together or none."""

from __future__ import annotations

import os
from contextlib import suppress
from errno import EISDIR
from secrets import token_hex
from typing import TYPE_CHECKING, BinaryIO, Self

if TYPE_CHECKING:
    from pathlib import Path

# Short, whatever the file's own name is: that one may be as long as the file system allows.
_TEMPORARY = ".evalcontract."
_ANEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)


def write_text(path: Path, text: str) -> str | None:
    """Write a text file in one step, its folder made if need be; nothing is ever half written.

    A link is written through: it stays a link, and the file that it leads to is replaced.
    Returns what went wrong, None if nothing did.
    """
    try:
        data = text.encode("utf-8")
        with Staged() as staged:
            staged.open(path).write(data)
            staged.put()
    except UnicodeEncodeError as error:
        return f"character {error.start} of the text is half of a pair, and has no UTF-8"
    except OSError as error:
        return (error.strerror or str(error)).lower()
    except (RuntimeError, ValueError) as error:  # links in a circle; a name that cannot be
        return str(error).lower()
    return None


class Staged:
    """Files that are written beside their places, and put there together at the end.

    Use it as a context: what is not `put` when the block is left is removed again. Only while
    they are put, one after the other, can a system that goes down leave some of them.
    """

    def __init__(self) -> None:
        self._files: dict[Path, tuple[BinaryIO, Path]] = {}
        self._temporaries: list[Path] = []
        self._folders: list[Path] = []  # those that were made, each after the one that it is in

    def __enter__(self) -> Self:
        return self

    def open(self, path: Path) -> BinaryIO:
        """Begin a file; its folder is made if need be.

        Raises:
            OSError: it cannot be.

        """
        target = path.resolve()
        if target in self._files:
            raise OSError("it is asked for twice")
        _check(target)
        # What is to be made is noted first: a signal may come right behind it.
        self._folders += [each for each in reversed(target.parents) if not each.exists()]
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.parent / f"{_TEMPORARY}{token_hex(8)}"
        self._temporaries.append(temporary)
        stream = os.fdopen(os.open(temporary, _ANEW, 0o600), "wb")
        self._files[target] = (stream, temporary)
        return stream

    def put(self) -> None:
        """Put every file in its place.

        Raises:
            OSError: one cannot be; those after it are not.

        """
        for stream, _ in self._files.values():
            stream.close()
        while self._files:
            target = next(iter(self._files))
            _, temporary = self._files[target]
            _put(temporary, target)
            del self._files[target]

    def __exit__(self, *_: object) -> None:
        for stream, _temporary in self._files.values():
            with suppress(OSError):  # what it still holds has no room
                stream.close()
        for temporary in self._temporaries:
            temporary.unlink(missing_ok=True)
        for folder in reversed(self._folders):
            with suppress(OSError):  # somebody put something there
                folder.rmdir()


def _check(target: Path) -> None:
    """Refuse what no file may take the place of."""
    if target.is_symlink():
        raise OSError("the link leads back to itself")
    if target.is_dir():
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
    if target.exists() and not target.is_file():
        raise OSError("it is a device or a pipe")


def _put(temporary: Path, path: Path) -> None:
    temporary.chmod(path.stat().st_mode if path.exists() else 0o666 & ~_umask())
    temporary.replace(path)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
