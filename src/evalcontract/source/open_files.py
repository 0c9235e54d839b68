"""Files that are open in an editor, with the texts that are not saved yet."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Self

from evalcontract.source.drafts import Drafts
from evalcontract.source.filesystem import EVERY_FILE, FILE, Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path


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
        """Return the text of an open file, or None."""
        if self._look:
            self._look()
        return super().draft(path)

    def entries(self, folder: str | Path, *endings: str) -> tuple[Entry, ...]:
        """List a folder, with the open files in it; see `Files.entries`."""
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
