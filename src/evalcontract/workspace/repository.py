"""Names of files relative to their repository, for reports that other machines read."""

from __future__ import annotations

import os
from pathlib import Path

from evalcontract.workspace.roots import find_repository

#: The name of standard input in findings.
_STDIN = "<stdin>"


class RepositoryNames:
    """Turns the name of a file in findings into its path from the top of the repository.

    The repository is that of the current folder; for a file outside of it, that of the file.
    Without one, paths start at the current folder. They have forward slashes and are never
    absolute.
    """

    def __init__(self) -> None:
        self._here = Path.cwd()
        self._top = find_repository(self._here)
        self._tops: dict[Path, Path | None] = {}
        self._names = {_STDIN: _STDIN}

    def __call__(self, file: str) -> str:
        """Return the path of a file."""
        if file not in self._names:
            self._names[file] = self._name(file)
        return self._names[file]

    def _name(self, file: str) -> str:
        path = Path(os.path.abspath(file))  # noqa: PTH100 - links are not followed
        for top in (self._top, self._repository_of(path.parent), self._here):
            if top is not None and top in path.parents:
                return path.relative_to(top).as_posix()
        try:
            return Path(os.path.relpath(path, self._top or self._here)).as_posix()
        except ValueError:  # on another drive
            return path.relative_to(path.anchor).as_posix()

    def _repository_of(self, folder: Path) -> Path | None:
        if self._top in (folder, *folder.parents):
            return None
        if folder not in self._tops:
            self._tops[folder] = find_repository(folder)
        return self._tops[folder]
