"""Files with other contents: drafts of fixes, what an editor has open, and what was read before."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, Self

from evalcontract.source.faults import MAX_DOCUMENT_BYTES
from evalcontract.source.filesystem import (
    EVERY_FILE,
    FILE,
    NOTHING,
    Entry,
    Files,
    Stream,
    TooLargeError,
)
from evalcontract.source.writing import StagedFiles


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
        return tuple(sorted([*listed, *(entry for entry in new if _is_listed(entry, endings))]))


def _is_listed(entry: Entry, endings: tuple[str, ...]) -> bool:
    if EVERY_FILE in endings or entry.name in endings:
        return True
    return not entry.name.startswith(".") and entry.name.lower().endswith(endings)


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
