"""Store bytes by key, and folders of files by their digest, in the cache folder of the user.

Entries are written atomically; damaged, truncated or foreign ones are ignored. `Cache` raises
nothing: without a usable folder, nothing is cached.
"""

from __future__ import annotations

import math
import os
import stat
import sys
import time
from collections.abc import Mapping
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
    """Return the seconds since a time."""
    # For one in the future it is infinite: the clock has been set back, and nobody knows its age.
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


# Change this when the digest of the same files changes.
_LIBRARIES = "libraries-1"
_NEW, _OLD = ".new-", ".old-"
_STALE_FOLDER_SECONDS = 24 * 60 * 60
_TRIES = 10


def digest_of_files(contents: Mapping[str, bytes]) -> str:
    r"""Return the SHA-256 digest of files, by their relative names and contents, in hexadecimal.

    Line ends count as `\n`, since git may write others into a checkout.
    """
    from hashlib import sha256  # slow to import

    whole = sha256()
    for name in sorted(contents):
        content = sha256(contents[name].replace(b"\r\n", b"\n")).hexdigest()
        whole.update(name.encode("utf-8", "surrogateescape") + f"\0{content}\n".encode())
    return whole.hexdigest()


def kept_folder(digest: str) -> Path | None:
    """Return where the files with a digest are kept, if they are; None without a cache folder."""
    folder = cache_folder()
    return folder / _LIBRARIES / digest if folder else None


def is_kept(path: Path) -> bool:
    """Whether a path leads into a folder that is kept, whose files nobody should change."""
    folder = cache_folder()
    kept = folder and os.path.realpath(folder / _LIBRARIES)
    return kept is not None and Path(os.path.realpath(path)).is_relative_to(kept)


def keep(contents: Mapping[str, bytes]) -> Path | None:
    """Keep files, and return their folder; None without a cache folder.

    The folder appears with all of its files. Whatever was there under its name is replaced.

    Raises:
        OSError: it cannot be written.

    """
    folder = kept_folder(digest_of_files(contents))
    if folder is None:
        return None
    if _has(folder, contents):
        return folder
    from evalcontract.source.writing import StagedFiles  # not for entries

    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _remove_stale_folders(folder.parent)
    new = _beside(folder, _NEW)
    new.mkdir(mode=0o700)
    try:
        with StagedFiles() as staged:
            for name, content in contents.items():
                staged.write(new / name, content, bound=new)
            staged.put()
        for name in contents if os.name == "posix" else ():
            (new / name).chmod(0o444)
        _move(new, folder, contents)
    finally:
        _discard(new)
    return folder


def _has(folder: Path, contents: Mapping[str, bytes]) -> bool:
    """Whether a folder has these files and no others."""
    try:
        names = {
            path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
        }
        return names == contents.keys() and all(
            (folder / name).read_bytes() == content for name, content in contents.items()
        )
    except OSError:
        return False


def _move(new: Path, folder: Path, contents: Mapping[str, bytes]) -> None:
    """Give a folder its name, unless another process has put the same there."""
    for attempt in range(_TRIES):
        try:
            new.rename(folder)
        except OSError:
            if _has(folder, contents):
                return
            if attempt == _TRIES - 1:
                raise
        else:
            return
        old = _beside(folder, _OLD)
        with suppress(OSError):  # another process was first
            folder.rename(old)
            _discard(old)


def _beside(folder: Path, prefix: str) -> Path:
    from secrets import token_hex  # slow to import

    return folder.with_name(f"{prefix}{token_hex(8)}")


def _discard(folder: str | Path) -> None:
    import shutil  # slow to import

    shutil.rmtree(folder, ignore_errors=True)


def _remove_stale_folders(folder: Path) -> None:
    """Remove what processes have left that were interrupted a day ago."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            age = time.time() - entry.stat(follow_symlinks=False).st_mtime
            if entry.name.startswith((_NEW, _OLD)) and age > _STALE_FOLDER_SECONDS:
                _discard(entry.path)
