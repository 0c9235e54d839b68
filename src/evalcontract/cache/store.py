"""Store bytes by key in the cache folder of the user.

Entries are written atomically; damaged, truncated or foreign ones are ignored. Nothing here raises:
without a usable folder, nothing is cached.
"""

from __future__ import annotations

import math
import os
import stat
import sys
import time
from contextlib import suppress
from pathlib import Path

FOLDER_VARIABLE = "EVALCONTRACT_CACHE_DIR"
#: The maximum size of one entry, and of all; the least recently used entries are removed.
MAX_ENTRY_BYTES = 1 << 25
MAX_BYTES = 200_000_000

# Change this when the format of entries changes.
_NAME = "results-3"
_TEMPORARY = ".new-"
_STALE_SECONDS = 3600
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def cache_folder() -> Path | None:
    """Return the cache folder by the conventions of the platform; None if there is none.

    The environment variable EVALCONTRACT_CACHE_DIR overrides it.
    """
    if folder := os.environ.get(FOLDER_VARIABLE):
        return Path(folder)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")  # noqa: PTH111 - does not raise
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(base):  # noqa: PTH117 - a relative path is ignored
            base = os.path.expanduser("~/.cache")  # noqa: PTH111 - does not raise
    return Path(base) / "evalcontract" if base and os.path.isabs(base) else None  # noqa: PTH117


class Cache:
    """Bytes by key, in a folder that only this user can write to.

    `name` is that of the entries' own folder, which is not followed if it is a link. Old entries
    are removed after the first of `trim_every` new ones, since that takes longer the more there
    are.
    """

    def __init__(self, folder: Path, name: str = _NAME, *, trim_every: int = 1) -> None:
        self._folder = folder / name
        self._trim_every = trim_every
        self._puts = 0

    def get(self, key: str) -> bytes | None:
        """Return the bytes stored under a key; None if there is no valid entry."""
        try:
            path = self._folder / key
            if not self._is_private() or not _is_entry(path):
                return None
            checksum, _, body = path.read_bytes().partition(b"\n")
            if checksum != _checksum(key, body):
                return None
            with suppress(OSError):
                os.utime(path)
        except (OSError, ValueError):
            return None
        return body

    def put(self, key: str, body: bytes) -> None:
        """Store bytes under a key, if possible."""
        if len(body) > MAX_ENTRY_BYTES:
            return
        with suppress(OSError, ValueError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self._is_private():
                self._write(self._folder / key, _checksum(key, body) + b"\n" + body)
                if self._puts % self._trim_every == 0:
                    self._trim()
                self._puts += 1

    def _write(self, path: Path, data: bytes) -> None:
        import tempfile  # slow to import, and not needed for reading

        # Temporary files are readable and writable only by this user.
        descriptor, name = tempfile.mkstemp(dir=self._folder, prefix=_TEMPORARY)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
            os.replace(name, path)  # noqa: PTH105 - the name is a string
        except BaseException:
            os.unlink(name)  # noqa: PTH108 - the same
            raise

    def _is_private(self) -> bool:
        """Whether nobody else can write to the folder, and it is none that a link leads to."""
        status = self._folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or getattr(
            status, "st_reparse_tag", False
        ):  # a junction
            return False
        if not hasattr(os, "geteuid"):
            return True
        return status.st_uid == os.geteuid() and not status.st_mode & _WRITABLE_BY_OTHERS

    def _trim(self) -> None:
        """Remove the least recently used entries, and stale temporary files."""
        entries = []
        now = time.time()
        with os.scandir(self._folder) as iterator:
            for entry in iterator:
                status = entry.stat(follow_symlinks=False)
                age = _age(status.st_mtime, now)
                if not entry.name.startswith(_TEMPORARY):
                    entries.append((age, status.st_size, entry.path))
                elif age > _STALE_SECONDS:
                    os.unlink(entry.path)  # noqa: PTH108 - a string
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries, reverse=True):
            if total <= MAX_BYTES:
                break
            os.unlink(path)  # noqa: PTH108 - a string
            total -= size


def _age(time: float, now: float) -> float:
    """Return the seconds since a time.

    For one in the future it is infinite: the clock has been set back, and nobody knows its age.
    """
    return now - time if time < now + _STALE_SECONDS else math.inf


def _is_entry(path: Path) -> bool:
    status = path.lstat()
    return stat.S_ISREG(status.st_mode) and status.st_size <= MAX_ENTRY_BYTES + 1024


def _checksum(key: str, body: bytes) -> bytes:
    """Return the checksum of an entry, which includes its key."""
    return digest(key.encode() + b"\n" + body).encode()


def digest(data: bytes) -> str:
    """Return a hexadecimal digest of some bytes."""
    from hashlib import blake2b  # slow to import

    return blake2b(data, digest_size=32).hexdigest()
