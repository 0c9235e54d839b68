"""Write files atomically: each one completely or not at all, and several all or none."""

from __future__ import annotations

import os
from contextlib import suppress
from errno import EISDIR
from secrets import token_hex
from typing import TYPE_CHECKING, BinaryIO, Self

if TYPE_CHECKING:
    from pathlib import Path

# Independent of the target's name, which may already have the maximum length.
_TEMPORARY = ".evalcontract."
_NEW_FILE = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)


def write_text(path: Path, text: str) -> str | None:
    """Write a text file atomically as UTF-8, creating its folder if needed.

    A symbolic link stays a link; its target is replaced. Return an error message, or None.
    """
    try:
        data = text.encode("utf-8")
        with Staged() as staged:
            staged.open(path).write(data)
            staged.put()
    except UnicodeEncodeError as error:
        return f"character {error.start} of the text is a lone surrogate, which UTF-8 cannot encode"
    except OSError as error:
        return (error.strerror or str(error)).lower()
    except (RuntimeError, ValueError) as error:  # a loop of links; an invalid path
        return str(error).lower()
    return None


class Staged:
    """Files written to temporary files next to their targets, and moved there together.

    A context manager: on exit, files that were not `put` are removed. `put` moves the files one
    after the other, so only a crash during `put` can leave some of them unwritten.
    """

    def __init__(self) -> None:
        self._files: dict[Path, tuple[BinaryIO, Path]] = {}
        self._temporaries: list[Path] = []
        self._folders: list[Path] = []  # those created, parents first

    def __enter__(self) -> Self:
        return self

    def open(self, path: Path) -> BinaryIO:
        """Open a temporary file for a target, creating its folder if needed.

        Raises:
            OSError: the file cannot be written, or was opened before.

        """
        target = path.resolve()
        if target in self._files:
            raise OSError("the file would be written twice")
        _check(target)
        # Record the folders before they are created: a signal may interrupt at any point.
        self._folders += [folder for folder in reversed(target.parents) if not folder.exists()]
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.parent / f"{_TEMPORARY}{token_hex(8)}"
        self._temporaries.append(temporary)
        stream = os.fdopen(os.open(temporary, _NEW_FILE, 0o600), "wb")
        self._files[target] = (stream, temporary)
        return stream

    def put(self) -> None:
        """Move every file to its target.

        Raises:
            OSError: a file cannot be moved; those after it are not moved either.

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
            with suppress(OSError):  # no space left for buffered data
                stream.close()
        for temporary in self._temporaries:
            temporary.unlink(missing_ok=True)
        for folder in reversed(self._folders):
            with suppress(OSError):  # not empty any more
                folder.rmdir()


def _check(target: Path) -> None:
    """Refuse a target that a file must not replace."""
    if target.is_symlink():
        raise OSError("the link points to itself")
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
