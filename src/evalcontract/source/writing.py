"""Write files atomically: each one completely or not at all, and several all or none."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from errno import EEXIST, EISDIR, ENOTDIR
from functools import cache
from io import BufferedWriter, FileIO
from pathlib import Path
from secrets import token_hex
from time import time
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self, cast

from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.source.faults import MAX_DOCUMENT_BYTES
from evalcontract.source.processes import is_running, signals_deferred

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

# Independent of the target's name, which may already have the maximum length: the machine and the
# process that write it, a random number of the process, and one of the file.
_TEMPORARY = lazy_pattern(r"\.evalcontract\.([0-9a-f]{8})-([0-9]{1,9})-([0-9a-f]{8})[0-9a-f]{8}")
#: Nobody goes on with a temporary file that nothing was written to for so many seconds. That holds
#: for other machines, containers among them, and where another process has the number by now.
_ABANDONED_AFTER = 24 * 60 * 60
_IN_MEMORY = 1 << 24
# What git alone may change: settings and hooks in it run commands.
_OF_GIT = ".git"
_NEW_FILE = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)


def write_text(
    path: Path, text: str, *, bound: Path | None = None, replace: bool = False
) -> str | None:
    """Write a text file atomically as UTF-8; return an error message, or None.

    See `StagedFiles.open` for the parameters.
    """
    try:
        data = text.encode("utf-8")
        with StagedFiles() as staged:
            staged.write(path, data, bound=bound, replace=replace)
            staged.put()
    except UnicodeEncodeError as error:
        return f"character {error.start} of the text is a lone surrogate, which UTF-8 cannot encode"
    except OSError as error:
        return (error.strerror or str(error)).lower()
    except (RuntimeError, ValueError) as error:  # a loop of links; an invalid path
        return str(error).lower()
    return None


@contextmanager
def writing_alone(folder: Path) -> Iterator[None]:
    """Wait for others that write so in a folder, where the system can lock one: not on Windows.

    What is read meanwhile and written again loses nothing that another process has written.
    """
    with ExitStack() as stack:
        with suppress(ImportError, OSError):
            from fcntl import LOCK_EX, flock  # not on Windows

            descriptor = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, descriptor)
            flock(descriptor, LOCK_EX)
        yield


def spooled() -> BinaryIO:
    """Return a temporary file that stays in memory while it is small, for output to a stream."""
    from tempfile import SpooledTemporaryFile  # rarely needed

    return cast("BinaryIO", SpooledTemporaryFile(_IN_MEMORY))


class _File(NamedTuple):
    """A temporary file, the name that the caller gave, and whether it may replace a file."""

    stream: BinaryIO
    temporary: Path
    path: Path
    replace: bool


class _Temporary(FileIO):
    """A temporary file; the error of a failed write names the file that it is for."""

    def __init__(self, descriptor: int, path: Path) -> None:
        super().__init__(descriptor, "wb")
        self._path = path

    def write(self, data: ReadableBuffer, /) -> int:
        with _errors_name(self._path):
            return super().write(data)


@contextmanager
def _errors_name(path: Path) -> Iterator[None]:
    """Let errors of the operating system name a file, rather than a temporary one or none."""
    try:
        yield
    except OSError as error:
        error.strerror = error.strerror or str(error)
        error.filename, error.filename2 = str(path), None
        raise


class StagedFiles:
    """Files written to temporary files next to their targets, and moved there together.

    A context manager: on exit, files that were not `put` are removed. `put` moves the files one
    after the other, so only a crash during `put` can leave some of them unwritten. The temporary
    files of a process that was killed are removed when a file in the same folder is opened, and by
    `remove_abandoned`.
    """

    def __init__(self) -> None:
        self._files: dict[Path, _File] = {}
        self._temporaries: list[Path] = []
        self._folders: list[Path] = []  # those created, parents first
        self._tidied: set[Path] = set()

    def __enter__(self) -> Self:
        return self

    def open(self, path: Path, *, bound: Path | None = None, replace: bool = False) -> BinaryIO:
        """Open a temporary file for a target, creating its folder if needed.

        The target is a regular file or does not exist, and is not a symbolic link. Links in the
        names of its folders are followed, but not out of the folder `bound`. An existing file is
        only replaced with `replace`.

        Raises:
            FileExistsError: the file exists, and `replace` is false.
            OSError: the file cannot be written, or was opened before.

        """
        with _errors_name(path):
            target = target_of(path, bound)
            if target in self._files:
                raise OSError("the file would be written twice")
            check_target(target, replace=replace)
            if not target.parent.is_dir():
                self._make(target.parent)
            if target.parent not in self._tidied:
                self._tidied.add(target.parent)
                remove_abandoned(target.parent)
            name = f".evalcontract.{_machine()}-{os.getpid()}-{_process()}{token_hex(4)}"
            temporary = target.parent / name
            self._temporaries.append(temporary)
            stream = BufferedWriter(_Temporary(os.open(temporary, _NEW_FILE, 0o600), path))
            self._files[target] = _File(stream, temporary, path, replace)
            return stream

    def write(
        self, path: Path, data: bytes, *, bound: Path | None = None, replace: bool = False
    ) -> None:
        """Write a whole file, and close it: there may be more of them than can be open at once.

        See `open` for the parameters and errors.
        """
        with self.open(path, bound=bound, replace=replace) as stream:
            stream.write(data)

    def _make(self, folder: Path) -> None:
        # Record the folders before they are created: a signal may interrupt at any point.
        folders = [folder, *folder.parents]
        self._folders += [each for each in reversed(folders) if not each.exists()]
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError:  # one of the folders is a file
            raise NotADirectoryError(ENOTDIR, os.strerror(ENOTDIR)) from None

    def put(self) -> None:
        """Move every file to its target.

        Raises:
            OSError: a file cannot be moved; those after it are not moved either.

        """
        for target, file in self._files.items():
            file.stream.close()
            with _errors_name(file.path):
                check_target(target, replace=file.replace)  # it may be new
        mode = 0o666 & ~_umask()
        with signals_deferred():  # all or none
            while self._files:
                target = next(iter(self._files))
                file = self._files[target]
                with _errors_name(file.path):
                    _put(file.temporary, target, mode)
                del self._files[target]
            self._temporaries.clear()

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            with suppress(OSError):  # no space left for buffered data
                file.stream.close()
        for temporary in self._temporaries:
            temporary.unlink(missing_ok=True)
        for folder in reversed(self._folders):
            with suppress(OSError):  # not empty any more
                folder.rmdir()


def target_of(path: Path, bound: Path | None) -> Path:
    """Return the real path of a target; its last part is not followed.

    Raises:
        OSError: it is out of the folder `bound`, or in the folder of a git repository.

    """
    folder, name = os.path.split(os.path.abspath(path))  # noqa: PTH100 - links are not followed
    target = Path(os.path.realpath(folder), name)
    if bound is not None and not target.is_relative_to(os.path.realpath(bound)):
        raise OSError("a symbolic link leads out of the workspace")
    if any(part.casefold() == _OF_GIT for part in target.parts):
        raise OSError("it belongs to git")
    return target


def check_target(target: Path, *, replace: bool) -> None:
    """Refuse a target that a file must not replace."""
    if target.is_symlink():
        raise OSError("it is a symbolic link")
    if not target.exists():
        return
    if target.is_dir():
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
    if not target.is_file():
        raise OSError("it is a device or a pipe")
    if not replace:
        raise FileExistsError(EEXIST, os.strerror(EEXIST))


def _put(temporary: Path, path: Path, mode: int) -> None:
    temporary.chmod(path.stat().st_mode if path.exists() else mode)
    temporary.replace(path)


def remove_abandoned(folder: Path) -> None:
    """Remove the temporary files in a folder that nobody will write to again.

    Their process is gone from this machine, or nothing was written to them for a day.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            match = _TEMPORARY.fullmatch(entry.name)
            if match and entry.is_file(follow_symlinks=False) and _is_abandoned(match, entry):
                os.unlink(entry.path)  # noqa: PTH108 - a string


def _is_abandoned(name: re.Match[str], file: os.DirEntry[str]) -> bool:
    machine, process, written_by = name[1], int(name[2]), name[3]
    if machine == _machine():
        if process == os.getpid():  # an earlier process may have had the number of this one
            return written_by != _process()
        if not is_running(process):
            return True
    return time() - file.stat(follow_symlinks=False).st_mtime > _ABANDONED_AFTER


@cache
def _machine() -> str:
    """Return eight hexadecimal digits by the name of the machine: folders may be shared."""
    import platform  # slow to import
    from zlib import crc32

    return f"{crc32(platform.node().encode('utf-8', 'replace')):08x}"


@cache
def _process() -> str:
    """Return eight hexadecimal digits that this process, and those that it forks, have alone."""
    return token_hex(4)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


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
        with StagedFiles() as staged:
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

    def complete(
        self,
        of: Callable[[Iterator[bytes]], Iterable[bytes]],
        beside: Mapping[Path, Callable[[], bytes]],
    ) -> None:
        """Write what `of` makes of the lines to the target, and files beside it, all or none.

        Raises:
            OSError: that is not possible; then the partial file stays.

        """
        self.flush()
        with StagedFiles() as staged:
            staged.open(self._target, replace=self._replace).writelines(of(self.lines()))
            for path, data in beside.items():
                staged.write(path, data(), replace=self._replace)
            staged.put()
        self._open.close()
        self._partial.unlink(missing_ok=True)


def _lock(stream: BinaryIO) -> None:
    """Lock a file while it is open, so that two runs do not write it at a time."""
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


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file.

    Raises:
        OSError: the file cannot be read, or is larger than MAX_DOCUMENT_BYTES.

    """
    if path.stat().st_size > MAX_DOCUMENT_BYTES:
        raise OSError(None, f"it has more than {MAX_DOCUMENT_BYTES:,} bytes", str(path))
    return path.read_bytes()


def replace_all(
    changes: Iterable[tuple[Path, bytes, bytes]], new: Iterable[tuple[Path, bytes]] = ()
) -> None:
    """Replace the contents of files and add `new` ones, all or none.

    `changes` are (path, before, after).

    Raises:
        OSError: a file cannot be written, was changed in the meantime, or exists already.

    """
    with StagedFiles() as staged:
        for path, data in new:
            staged.write(path, data)
        for path, before, after in changes:
            if read_bytes(path) != before:
                raise OSError(None, "the file changed in the meantime", str(path))
            # A link stays a link: whoever names one means its target.
            staged.write(Path(os.path.realpath(path)), after, replace=True)
        staged.put()
