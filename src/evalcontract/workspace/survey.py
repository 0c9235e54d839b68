"""What the names in a folder are: all that decides which files a check reads, but their bytes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalcontract.source import SUFFIXES
from evalcontract.workspace.configuration import FILE_NAME
from evalcontract.workspace.discovery import ARTIFACT_FOLDERS, LIBRARY_FOLDERS, is_ours

if TYPE_CHECKING:
    from pathlib import Path

_ENDINGS = tuple(SUFFIXES)


@dataclass(frozen=True, slots=True)
class Survey:
    """The names below a folder, and what stands above it; equal ones lead to the same files.

    `files` are those below that may be read, without links.
    """

    above: tuple[tuple[str, bool, tuple[bool, ...]], ...]
    below: tuple[tuple[str, tuple[tuple[str, bool, str], ...]], ...]
    files: frozenset[str]


def survey(top: Path) -> Survey | None:
    """Look at a folder without links; None where names alone do not tell what is read."""
    above = tuple(
        (
            str(each),
            os.path.isfile(each / FILE_NAME),
            tuple(os.path.isdir(each / name) for name in LIBRARY_FOLDERS),
        )
        for each in (top, *top.parents)
    )
    below = []
    files: list[str] = []
    waiting = [str(top)]
    try:
        while waiting:
            folder = waiting.pop()
            names, inner = _look(folder, files)
            below.append((folder, names))
            waiting += inner
    except OSError:
        return None
    return Survey(above, tuple(below), frozenset(files))


def _look(folder: str, files: list[str]) -> tuple[tuple[tuple[str, bool, str], ...], list[str]]:
    """Return the names in a folder, with whether it is a file and where a link leads.

    Raises:
        OSError: it cannot be listed, or links to where artifacts are.

    """
    names, inner = [], []
    with os.scandir(folder) as found:
        for each in sorted(found, key=lambda entry: entry.name):
            name = each.name
            is_link = each.is_symlink()
            leads = os.path.realpath(each.path) if is_link else ""
            if each.is_dir():
                if is_link and name in ARTIFACT_FOLDERS:
                    raise OSError("what is behind the link is read, and not looked at here")
                if not is_link and is_ours(folder, name):
                    inner.append(each.path)
                names.append((name, False, leads))
            elif name.lower().endswith(_ENDINGS) or name == FILE_NAME:
                names.append((name, each.is_file(), leads))
                files.append(leads or each.path)
    return tuple(names), inner
