"""Access to the file system: everything goes through a `Files` object, which may have drafts."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from functools import partial
from io import BytesIO
from pathlib import Path, PurePath
from typing import Any, BinaryIO, Self

from evalcontract.model.startup import NamedTuple
from evalcontract.source.faults import MAX_DOCUMENT_BYTES

#: Kinds of paths: regular file, folder, other (device, pipe …), dangling link, or no such path.
FILE, FOLDER, OTHER, DANGLING, NOTHING = "file", "folder", "other", "dangling", "nothing"
#: An ending for `Files.entries` that every file and every folder has, hidden or not.
EVERY_FILE = "*"
#: The file format of each extension.
SUFFIXES = {".yaml": "yaml", ".yml": "yaml", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl"}
#: The file format of each extension of a table.
TABLES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
}
#: The extensions of tables with typed columns, which `check` reads, too.
TYPED_TABLES = tuple(suffix for suffix, of in TABLES.items() if of in ("parquet", "arrow"))
#: The files of a dataset that `save_to_disk` of Hugging Face `datasets` writes beside its rows, and
#: that of a folder with one for each split.
STATE, INFO, SPLITS = "state.json", "dataset_info.json", "dataset_dict.json"
#: The folder with the log of a Delta table.
DELTA_LOG = "_delta_log"
#: What the name of a file with a JSON Schema ends in.
SCHEMA_SUFFIX = ".schema.json"
# They come and go while somebody edits, and must not change a listing.
_TEMPORARY = (".swp", ".swo", ".swx")
# Standard input, and the process substitution `<(command)` of a shell.
_PROCESS_STREAMS = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")


def format_of(name: str) -> str | None:
    """Return the file format by the extension of a name; None if the extension is unknown."""
    return SUFFIXES.get(PurePath(name).suffix.lower())


class Entry(NamedTuple):
    """A name in a folder, and the kind of its target."""

    name: str
    kind: str
    is_link: bool


class Stream(NamedTuple):
    """A file to be read in pieces; each call of `open_` starts from the beginning."""

    open_: Callable[[], BinaryIO]
    size: int


class TooLargeError(OSError):
    """A file of `size` bytes is too large to be read at once."""

    def __init__(self, size: int) -> None:
        super().__init__(f"it has {size:,} bytes")
        self.size = size


class Files:
    """The files of this machine.

    Subclasses can replace or record the access by overriding `kind`, `real`, `entries`, `read`
    and `stream`.
    """

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def kind(self, path: str | Path) -> str:
        """Return the kind of a path; a path without permission is NOTHING."""
        try:
            mode = os.stat(path).st_mode  # noqa: PTH116 - called for thousands of files
        except (OSError, ValueError):
            return DANGLING if os.path.lexists(path) else NOTHING
        if stat.S_ISREG(mode):
            return FILE
        return FOLDER if stat.S_ISDIR(mode) else OTHER

    @property
    def of_machine(self) -> Files:
        """The files of this machine: these, unless they are those of a commit."""
        return self

    def is_file(self, path: str | Path) -> bool:
        """Whether a path leads to a regular file."""
        return self.kind(path) == FILE

    def is_folder(self, path: str | Path) -> bool:
        """Whether a path leads to a folder."""
        return self.kind(path) == FOLDER

    def is_there(self, path: str | Path) -> bool:
        """Whether a path exists, or is a dangling link."""
        return self.kind(path) != NOTHING

    def real(self, path: str | Path) -> Path:
        """Return a path with its links resolved; a link to itself is kept."""
        return Path(os.path.realpath(path))

    def owner(self, path: str | Path) -> int | None:
        """Return the user id of the owner of a path; None if it is unknown, as on Windows."""
        try:
            return os.stat(path).st_uid if os.name == "posix" else None  # noqa: PTH116 - a string
        except (OSError, ValueError):
            return None

    def entries(self, folder: str | Path, *endings: str) -> tuple[Entry, ...]:
        """Return the folders in a folder, and its files with one of the endings.

        The entries are sorted; hidden ones are left out, except files that an ending names in full.
        With the ending EVERY_FILE, all files and folders are returned, hidden ones too, except the
        temporary files of editors.

        Raises:
            OSError: the folder cannot be listed.

        """
        with os.scandir(folder) as names:
            if EVERY_FILE in endings:
                lasting = (name for name in names if not name.name.endswith(_TEMPORARY))
                return tuple(sorted(_entry(name) for name in lasting))
            entries = [
                _entry(name)
                for name in names
                if name.name in endings or not name.name.startswith(".")
            ]
        matches = [
            entry
            for entry in entries
            if entry.kind == FOLDER or entry.name.lower().endswith(endings)
        ]
        return tuple(sorted(matches))

    def read(self, path: str | Path, limit: int = MAX_DOCUMENT_BYTES) -> bytes:
        """Return the bytes of a file.

        Raises:
            OSError: the file cannot be read. Devices and pipes are refused, since opening one may
                block forever, unless the process was started with them.
            TooLargeError: the file has more than `limit` bytes.
            ValueError: the path is invalid, for example because it contains NUL.

        """
        status = os.stat(path)  # noqa: PTH116 - called for thousands of files
        is_regular = stat.S_ISREG(status.st_mode)
        if not is_regular and (kind := _other_kind(path, status.st_mode)):
            raise OSError(f"it is {kind}")
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
        with open(path, "rb"):  # noqa: PTH123 - fail here, not at the first read
            return Stream(lambda: Path(path).open("rb"), status.st_size)


#: The file system, without drafts or recording.
DISK = Files()


def is_given(path: str | Path) -> bool:
    """Whether a path is an open stream of this process, such as standard input."""
    return os.fspath(path).startswith(_PROCESS_STREAMS)


def _entry(item: os.DirEntry[str]) -> Entry:
    """Return the entry of a name in a folder; only a link costs another system call."""
    if item.is_dir(follow_symlinks=False):
        return Entry(item.name, FOLDER, is_link=False)
    if item.is_file(follow_symlinks=False):
        return Entry(item.name, FILE, is_link=False)
    return Entry(item.name, DISK.kind(item.path), item.is_symlink())


def _other_kind(path: str | Path, mode: int) -> str | None:
    """Name the kind of a path that is not a regular file; None for a stream of this process."""
    if stat.S_ISDIR(mode):
        return "a folder" if os.access(path, os.R_OK | os.X_OK) else "a folder without access"
    if is_given(path):
        return None
    if stat.S_ISFIFO(mode):
        return "a named pipe; pipe into `-` instead"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"


# Files with other contents: drafts of fixes, what an editor has open, and what was read before


class Drafts(Files):
    """The files of this machine, some with drafts; a draft is found by the resolved path."""

    def __init__(self) -> None:
        self._drafts: dict[Path, bytes] = {}

    def put(self, path: Path, data: bytes) -> None:
        """Set the draft of a file."""
        self._drafts[self.real(path)] = data

    def draft(self, path: str | Path) -> bytes | None:
        """Return the draft of a file, or None if it has none."""
        return self._drafts.get(self.real(path)) if self._drafts else None

    def kind(self, path: str | Path) -> str:
        return super().kind(path) if self.draft(path) is None else FILE

    def read(self, path: str | Path, limit: int = MAX_DOCUMENT_BYTES) -> bytes:
        draft = self.draft(path)
        return super().read(path, limit) if draft is None else draft

    def stream(self, path: str | Path) -> Stream:
        draft = self.draft(path)
        return (
            super().stream(path) if draft is None else Stream(partial(BytesIO, draft), len(draft))
        )


class OpenFiles(Drafts):
    """The files of this machine, where open ones have the texts of an editor.

    `texts` are the contents by resolved path. An open file that is not on the disk yet is listed in
    its folder. `look` is called at each access; what it raises ends the work that reads the files.
    """

    def __init__(
        self, texts: Mapping[Path, bytes] | None = None, look: Callable[[], None] | None = None
    ) -> None:
        super().__init__()
        self._drafts.update(texts or {})
        self._look = look
        self._folders: dict[str, list[str]] = {}
        for path in self._drafts:
            self._folders.setdefault(os.fspath(path.parent), []).append(path.name)

    def watched_by(self, look: Callable[[], None]) -> Self:
        """Return the same files, with `look` called at each access."""
        return type(self)(self._drafts, look)

    def draft(self, path: str | Path) -> bytes | None:
        if self._look:
            self._look()
        return super().draft(path)

    def entries(self, folder: str | Path, *endings: str) -> tuple[Entry, ...]:
        listed = super().entries(folder, *endings)
        names = self._folders.get(os.fspath(self.real(folder))) if self._folders else None
        if not names:
            return listed
        known = {entry.name for entry in listed}
        new = (Entry(name, FILE, is_link=False) for name in names if name not in known)
        return tuple(sorted([*listed, *(entry for entry in new if is_listed(entry, endings))]))


def is_listed(entry: Entry, endings: tuple[str, ...]) -> bool:
    """Whether `Files.entries` returns an entry, where there are no temporary files of editors."""
    if EVERY_FILE in endings:
        return True
    is_shown = entry.name in endings or not entry.name.startswith(".")
    return is_shown and (entry.kind == FOLDER or entry.name.lower().endswith(endings))


class KeptFiles(Files):
    """The files of this machine with all that was asked of them, which another machine can ask.

    When it is pickled, it is closed: what was not asked before is not there.
    """

    def __init__(self) -> None:
        self._answers: dict[tuple[Any, ...], Any] = {}
        self._is_closed = False

    def __getstate__(self) -> dict[str, Any]:
        return {"_answers": self._answers, "_is_closed": True}

    def kind(self, path: str | Path) -> str:
        return str(self._answer("kind", path, default=NOTHING))

    def real(self, path: str | Path) -> Path:
        return Path(self._answer("real", path, default=os.path.abspath(path)))  # noqa: PTH100

    def owner(self, path: str | Path) -> int | None:
        owner: int | None = self._answer("owner", path, default=None)
        return owner

    def entries(self, folder: str | Path, *endings: str) -> tuple[Entry, ...]:
        entries: tuple[Entry, ...] = self._answer("entries", folder, *endings)
        return entries

    def read(self, path: str | Path, limit: int = MAX_DOCUMENT_BYTES) -> bytes:
        return bytes(self._answer("read", path, limit))

    def stream(self, path: str | Path) -> Stream:
        data = self.read(path)
        return Stream(partial(BytesIO, data), len(data))

    def _answer(self, operation: str, path: str | Path, *more: Any, default: Any = ...) -> Any:
        """Return the answer that is kept, or keep that of this machine, which may be an error."""
        asked = (operation, os.fspath(path), *more)
        if asked not in self._answers:
            if self._is_closed and default is not ...:
                return default
            self._answers[asked] = self._ask(operation, path, *more)
        is_error, answer, arguments = self._answers[asked]
        if is_error:
            raise answer(*arguments)
        return answer

    def _ask(self, operation: str, path: str | Path, *more: Any) -> tuple[bool, Any, Any]:
        if self._is_closed:
            return True, FileNotFoundError, (None, "it was not there when it was asked for", path)
        try:
            return False, getattr(Files, operation)(self, path, *more), ()
        except TooLargeError as error:
            return True, TooLargeError, (error.size,)
        except (OSError, ValueError) as error:
            return True, type(error), error.args
