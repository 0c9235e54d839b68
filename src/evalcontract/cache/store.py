"""Results of earlier runs, kept in the user's own cache folder.

An entry is some bytes under a key. It is written at once or not at all, and one that is broken,
foreign or cut off is none. Nothing here raises: without a folder there is just no cache.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from contextlib import suppress
from pathlib import Path

FOLDER_VARIABLE = "EVALCONTRACT_CACHE_DIR"
#: Bytes of one entry, and of all of them; of those, the ones that were not used longest go.
MAX_ENTRY_BYTES = 1 << 25
MAX_BYTES = 200_000_000

# Changes where entries are written in another form.
_NAME = "results-2"
_TEMPORARY = ".new-"
_FORGOTTEN_SECONDS = 3600
_NOT_OURS = stat.S_IWGRP | stat.S_IWOTH


def cache_folder() -> Path | None:
    """Return the folder for caches, by the custom of the system; None where there is none.

    The variable EVALCONTRACT_CACHE_DIR names another.
    """
    if asked := os.environ.get(FOLDER_VARIABLE):
        return Path(asked)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")  # noqa: PTH111 - it does not raise
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(base):  # noqa: PTH117 - a relative one counts as none
            base = os.path.expanduser("~/.cache")  # noqa: PTH111 - it does not raise
    return Path(base) / "evalcontract" if base and os.path.isabs(base) else None  # noqa: PTH117


class Cache:
    """Bytes by key, in a folder that belongs to this user alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / _NAME

    def get(self, key: str) -> bytes | None:
        """Return what was put under a key; None where nothing can be trusted to be it."""
        try:
            path = self._folder / key
            if not self._is_ours() or not _is_entry(path):
                return None
            seal, _, body = path.read_bytes().partition(b"\n")
            if seal != _seal(key, body):
                return None
            with suppress(OSError):
                os.utime(path)
        except (OSError, ValueError):
            return None
        return body

    def put(self, key: str, body: bytes) -> None:
        """Keep bytes under a key, if they can be kept."""
        if len(body) > MAX_ENTRY_BYTES:
            return
        with suppress(OSError, ValueError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self._is_ours():
                self._write(self._folder / key, _seal(key, body) + b"\n" + body)
                self._trim()

    def _write(self, path: Path, data: bytes) -> None:
        import tempfile  # slow to import, and not needed to read

        # For this user alone: that is how temporary files are made.
        descriptor, name = tempfile.mkstemp(dir=self._folder, prefix=_TEMPORARY)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
            os.replace(name, path)  # noqa: PTH105 - the name is a text
        except BaseException:
            os.unlink(name)  # noqa: PTH108 - the same
            raise

    def _is_ours(self) -> bool:
        """Whether nobody else may put something into the folder."""
        status = self._folder.stat()
        if not hasattr(os, "geteuid"):
            return stat.S_ISDIR(status.st_mode)
        return status.st_uid == os.geteuid() and not status.st_mode & _NOT_OURS

    def _trim(self) -> None:
        """Drop what was not used longest, and what was never finished."""
        entries = []
        now = time.time()
        with os.scandir(self._folder) as found:
            for entry in found:
                status = entry.stat(follow_symlinks=False)
                if not entry.name.startswith(_TEMPORARY):
                    entries.append((status.st_mtime, status.st_size, entry.path))
                elif now - status.st_mtime > _FORGOTTEN_SECONDS:
                    os.unlink(entry.path)  # noqa: PTH108 - a text
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if total <= MAX_BYTES:
                break
            os.unlink(path)  # noqa: PTH108 - a text
            total -= size


def _is_entry(path: Path) -> bool:
    status = path.lstat()
    return stat.S_ISREG(status.st_mode) and status.st_size <= MAX_ENTRY_BYTES + 1024


def _seal(key: str, body: bytes) -> bytes:
    """Return the digest of an entry, its key included: none can be taken for another."""
    return digest(key.encode() + b"\n" + body).encode()


def digest(data: bytes) -> str:
    """Return the digest of some bytes, in hexadecimal."""
    from hashlib import blake2b  # slow to import

    return blake2b(data, digest_size=32).hexdigest()
