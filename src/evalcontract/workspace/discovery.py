"""Which folder is the workspace, and which files are in it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract.source import DISK, FOLDER, SUFFIXES
from evalcontract.workspace.configuration import FILE_NAME
from evalcontract.workspace.patterns import excludes

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from evalcontract.source import Entry, Files

    #: Called with what the system says of a folder that it does not list.
    OnFault = Callable[[OSError], None]

LIBRARY_FOLDERS = ("rubrics", "judges")
ARTIFACT_FOLDERS = (*LIBRARY_FOLDERS, "bundles", "targets")
_DATASETS = "datasets"
_OWN_FOLDERS = frozenset({*ARTIFACT_FOLDERS, _DATASETS})
_MARKERS = frozenset({FILE_NAME, *LIBRARY_FOLDERS})
_ENVIRONMENT = "pyvenv.cfg"
_SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages"})
# What the system makes up: endless, and nobody's data.
_MADE_UP = frozenset({"/dev", "/proc", "/sys"})


def name_of(path: Path) -> str:
    """Return what findings call a file: relative to the current folder where it is below it."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # another drive
        relative = ".."
    name = path.as_posix() if relative.startswith("..") else Path(relative).as_posix()
    return os.fsencode(name).decode("utf-8", "replace")


def find_root(start: Path, files: Files = DISK) -> Path:
    """Return the workspace of a file or folder.

    It is the nearest folder upward that is a workspace, else the folder itself, or the one above
    it if it is called `datasets`: bundles and targets stand beside that, too. `rubrics/` or
    `judges/` alone, in a folder that is itself a part of a workspace (`datasets/judges/`), is a
    name like any other.
    """
    folder = files.real(start if files.is_folder(start) else start.parent)
    found = [each for each in (folder, *folder.parents) if is_workspace(each, files)]
    own = folder.parent if folder.name == _DATASETS else folder
    roots = (each for n, each in enumerate(found) if not _is_part(each, found[n + 1 :], files))
    return next(roots, own)


def is_workspace(folder: Path, files: Files = DISK) -> bool:
    """Whether a folder holds a library, or a configuration."""
    return _is_configured(folder, files) or any(_libraries(folder, files))


def _is_configured(folder: Path, files: Files) -> bool:
    return files.is_file(folder / FILE_NAME)


def _libraries(folder: Path, files: Files) -> list[bool]:
    return [files.is_folder(folder / name) for name in LIBRARY_FOLDERS]


def _is_part(folder: Path, outer: list[Path], files: Files) -> bool:
    """Whether a folder only looks like a workspace, and is where one of `outer` keeps its files."""
    if _is_configured(folder, files) or all(_libraries(folder, files)):
        return False
    return any(folder.relative_to(each).parts[0] in _OWN_FOLDERS for each in outer)


def find_workspaces(path: Path, files: Files = DISK) -> list[Path]:
    """Return the workspaces that a check of a folder is about, the outer ones first.

    The one that the folder belongs to and all below that; else the folder itself, for the
    datasets that stand outside of those, and all below it.
    """
    top = top_of(path, files)
    below = (
        folder
        for folder, entries in _walk(top, files)
        if folder != top and _may_be_workspace(entries) and is_workspace(folder, files)
    )
    return [top, *(folder for folder in below if find_root(folder, files) == folder)]


def top_of(path: Path, files: Files = DISK) -> Path:
    """Return the folder below which `find_workspaces` looks."""
    root = find_root(path, files)
    return root if is_workspace(root, files) else files.real(path)


def _may_be_workspace(entries: tuple[Entry, ...]) -> bool:
    """Whether to ask; the names tell, but for the way in which a system takes `A` for `a`."""
    return any(each.name.lower() in _MARKERS for each in entries)


def inner_of(root: Path, roots: list[Path]) -> tuple[Path, ...]:
    """Return which of some workspaces are inside of another."""
    return tuple(each for each in roots if root in each.parents)


def _walk(
    top: Path,
    files: Files,
    endings: Collection[str] = SUFFIXES,
    on_fault: OnFault | None = None,
    without: Collection[Path] = (),
) -> Iterator[tuple[Path, tuple[Entry, ...]]]:
    """Yield each folder with what is in it; links to folders are not followed."""
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            entries = files.entries(folder, *endings, FILE_NAME, _ENVIRONMENT)
        except OSError as error:
            if on_fault:
                on_fault(error)
            continue
        if folder != top and any(each.name == _ENVIRONMENT for each in entries):
            continue
        yield folder, entries
        inner = [folder / each.name for each in entries if each.kind == FOLDER and not each.is_link]
        waiting += [each for each in reversed(inner) if _is_ours(each) and each not in without]


def _is_ours(folder: Path) -> bool:
    """Whether a folder in another one is looked into."""
    return folder.name not in _SKIPPED and str(folder) not in _MADE_UP


def data_files(
    top: Path,
    exclude: tuple[str, ...] = (),
    root: Path | None = None,
    *,
    without: Collection[Path] = (),
    on_fault: OnFault | None = None,
    suffixes: Collection[str] = SUFFIXES,
    files: Files = DISK,
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
    walk = _walk(top, files, suffixes, tell, without) if files.is_folder(top) else ()
    for folder, entries in walk:
        for entry in entries:
            path = folder / entry.name
            if entry.kind == FOLDER or path.suffix.lower() not in suffixes:
                continue
            if not excludes(exclude, path.relative_to(base).as_posix()):
                found.append(path)
    return found
