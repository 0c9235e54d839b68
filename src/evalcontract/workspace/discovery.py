"""Which folder is the workspace, and which files are in it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract.source import SUFFIXES
from evalcontract.workspace.configuration import FILE_NAME
from evalcontract.workspace.patterns import excludes

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    #: Called with what the system says of a folder that it does not list.
    OnFault = Callable[[OSError], None]

LIBRARY_FOLDERS = ("rubrics", "judges")
ARTIFACT_FOLDERS = (*LIBRARY_FOLDERS, "bundles", "targets")
_DATASETS = "datasets"
_OWN_FOLDERS = frozenset({*ARTIFACT_FOLDERS, _DATASETS})
_SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages"})
# What the system makes up: endless, and nobody's data.
_MADE_UP = frozenset({"/dev", "/proc", "/sys"})

# `os.path` asks here, and not `Path`: what may not be looked at is then simply not there.


def name_of(path: Path) -> str:
    """Return what findings call a file: relative to the current folder where it is below it."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # another drive
        relative = ".."
    name = path.as_posix() if relative.startswith("..") else Path(relative).as_posix()
    return os.fsencode(name).decode("utf-8", "replace")


def real(path: Path) -> Path:
    """Return a path without links; a link that leads to itself stays as it is."""
    return Path(os.path.realpath(path))


def find_root(start: Path) -> Path:
    """Return the workspace of a file or folder.

    It is the nearest folder upward that is a workspace, else the folder itself, or the one above
    it if it is called `datasets`: bundles and targets stand beside that, too. `rubrics/` or
    `judges/` alone, in a folder that is itself a part of a workspace (`datasets/judges/`), is a
    name like any other.
    """
    folder = real(start if os.path.isdir(start) else start.parent)
    found = [each for each in (folder, *folder.parents) if is_workspace(each)]
    own = folder.parent if folder.name == _DATASETS else folder
    return next((each for n, each in enumerate(found) if not _is_part(each, found[n + 1 :])), own)


def is_workspace(folder: Path) -> bool:
    """Whether a folder holds a library, or a configuration."""
    return _is_configured(folder) or any(_libraries(folder))


def _is_configured(folder: Path) -> bool:
    return os.path.isfile(folder / FILE_NAME)


def _libraries(folder: Path) -> list[bool]:
    return [os.path.isdir(folder / name) for name in LIBRARY_FOLDERS]


def _is_part(folder: Path, outer: list[Path]) -> bool:
    """Whether a folder only looks like a workspace, and is where one of `outer` keeps its files."""
    if _is_configured(folder) or all(_libraries(folder)):
        return False
    return any(folder.relative_to(each).parts[0] in _OWN_FOLDERS for each in outer)


def find_workspaces(path: Path) -> list[Path]:
    """Return the workspaces that a check of a folder is about, the outer ones first.

    The one that the folder belongs to and all below that; else the folder itself, for the
    datasets that stand outside of those, and all below it.
    """
    root = find_root(path)
    top = root if is_workspace(root) else real(path)
    below = (folder for folder, _ in _walk(top) if folder != top and is_workspace(folder))
    return [top, *(folder for folder in below if find_root(folder) == folder)]


def inner_of(root: Path, roots: list[Path]) -> tuple[Path, ...]:
    """Return which of some workspaces are inside of another."""
    return tuple(each for each in roots if root in each.parents)


def _walk(
    top: Path, on_fault: OnFault | None = None, without: Collection[Path] = ()
) -> Iterator[tuple[Path, list[str]]]:
    """Yield each folder with the names of what is no folder in it, sorted."""
    for folder, names, files in os.walk(top, onerror=on_fault):
        here = Path(folder)
        names[:] = sorted(
            name for name in names if is_ours(folder, name) and here / name not in without
        )
        yield here, sorted(files)


def is_ours(folder: str, name: str) -> bool:
    """Whether a folder in another one is looked into."""
    if name.startswith(".") or name in _SKIPPED:
        return False
    path = os.path.join(folder, name)  # noqa: PTH118 - thousands of times
    return path not in _MADE_UP and not os.path.exists(f"{path}/pyvenv.cfg")


def data_files(
    top: Path,
    exclude: tuple[str, ...] = (),
    root: Path | None = None,
    *,
    without: Collection[Path] = (),
    on_fault: OnFault | None = None,
    suffixes: Collection[str] = SUFFIXES,
) -> list[Path]:
    """List the YAML, JSON and JSONL files below a folder, or those of other `suffixes`, sorted.

    `exclude` are globs below `root`, which is the folder itself by default; `without` are folders
    that are not entered. Hidden folders, virtual environments and other people's packages are
    passed over. A folder that cannot be listed is told to `on_fault`. What is listed need be no
    regular file: who reads it is told.
    """
    base = root or top

    def tell(error: OSError) -> None:
        where = Path(error.filename)
        if on_fault and not excludes(exclude, (where / "_").relative_to(base).as_posix()):
            on_fault(error)

    found = []
    for folder, names in _walk(top, tell, without) if os.path.isdir(top) else ():
        for name in names:
            path = folder / name
            if path.suffix.lower() not in suffixes or name.startswith("."):
                continue
            if not excludes(exclude, path.relative_to(base).as_posix()):
                found.append(path)
    return found
