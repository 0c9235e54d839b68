"""Find the workspace of a path, and the data files in it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract.source import DISK, EVERY_FILE, FOLDER, SUFFIXES
from evalcontract.workspace.configuration import FILE_NAME
from evalcontract.workspace.patterns import excludes

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from evalcontract.source import Entry, Files

    #: Called with the error for a folder that cannot be listed.
    OnError = Callable[[OSError], None]
    #: Called with a path and its entry, and whether it is excluded; returns whether it is listed.
    Select = Callable[[Path, Entry, bool], bool]

LIBRARY_FOLDERS = ("rubrics", "judges")
ARTIFACT_FOLDERS = (*LIBRARY_FOLDERS, "bundles", "targets")
DATASETS = "datasets"
_TARGETS = "targets"
WORKSPACE_FOLDERS = frozenset({*ARTIFACT_FOLDERS, DATASETS})
#: Where a configuration might be expected, but is not read; see `misplaced`.
OTHER_CONFIGURATIONS = (f".{FILE_NAME}", "pyproject.toml")
_MARKERS = frozenset({FILE_NAME, *LIBRARY_FOLDERS})
_VENV_MARKER = "pyvenv.cfg"
_SPECIAL_NAMES = (FILE_NAME, _VENV_MARKER, *OTHER_CONFIGURATIONS)
_SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages"})
# File systems of the kernel: endless, and without data files.
_PSEUDO_FILE_SYSTEMS = frozenset({"/dev", "/proc", "/sys"})


def display_name(path: Path) -> str:
    """Return the name of a file in findings: relative to the current folder if it is below it."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # on another drive
        relative = ".."
    name = path.as_posix() if relative.startswith("..") else Path(relative).as_posix()
    return os.fsencode(name).decode("utf-8", "replace")


def find_root(start: Path, files: Files = DISK) -> Path:
    """Return the workspace of a file or folder.

    This is the nearest folder upward that is a workspace. Without one, it is the folder itself, or
    its parent if the folder is called `datasets` or `targets`, since `bundles/`, `targets/` and
    `datasets/` are siblings. A folder named `rubrics` or `judges` inside another folder of a
    workspace, such as `datasets/judges/`, does not make that folder a workspace.
    """
    folder = files.real(start if files.is_folder(start) else start.parent)
    candidates = [path for path in (folder, *folder.parents) if is_workspace(path, files)]
    default = folder.parent if folder.name in (DATASETS, _TARGETS) else folder
    roots = (
        path for n, path in enumerate(candidates) if not _is_part(path, candidates[n + 1 :], files)
    )
    return next(roots, default)


def is_workspace(folder: Path, files: Files = DISK) -> bool:
    """Whether a folder has `rubrics/`, `judges/` or a configuration file."""
    return _has_configuration(folder, files) or any(_has_library_folders(folder, files))


def _has_configuration(folder: Path, files: Files) -> bool:
    return files.is_file(folder / FILE_NAME)


def _has_library_folders(folder: Path, files: Files) -> list[bool]:
    return [files.is_folder(folder / name) for name in LIBRARY_FOLDERS]


def _is_part(folder: Path, outer: list[Path], files: Files) -> bool:
    """Whether a folder that looks like a workspace is a folder of one of the `outer` workspaces."""
    if _has_configuration(folder, files) or all(_has_library_folders(folder, files)):
        return False
    return any(folder.relative_to(root).parts[0] in WORKSPACE_FOLDERS for root in outer)


def find_workspaces(path: Path, files: Files = DISK) -> list[Path]:
    """Return the workspaces to check for a folder, outer ones first.

    These are the workspace that contains the folder, and all workspaces below that. If no workspace
    contains it, they are the folder itself, for datasets outside any workspace, and all workspaces
    below it.
    """
    top = search_root(path, files)
    below = (
        folder
        for folder, entries in _walk(top, files)
        if folder != top and _may_be_workspace(entries) and is_workspace(folder, files)
    )
    return [top, *(folder for folder in below if find_root(folder, files) == folder)]


def search_root(path: Path, files: Files = DISK) -> Path:
    """Return the folder in which `find_workspaces` searches."""
    root = find_root(path, files)
    return root if is_workspace(root, files) else files.real(path)


def _may_be_workspace(entries: tuple[Entry, ...]) -> bool:
    """Whether a folder may be a workspace, by the names of its entries, ignoring case."""
    return any(entry.name.lower() in _MARKERS for entry in entries)


def nested_workspaces(roots: Iterable[Path]) -> dict[Path, tuple[Path, ...]]:
    """Return, for each of some workspaces, those of them that are inside it, in order."""
    nested: dict[Path, list[Path]] = {root: [] for root in roots}
    for root in nested:
        for parent in root.parents:
            if parent in nested:
                nested[parent].append(root)
    return {root: tuple(inner) for root, inner in nested.items()}


def _walk(
    top: Path,
    files: Files,
    endings: Collection[str] = SUFFIXES,
    on_error: OnError | None = None,
    without: Collection[Path] = (),
) -> Iterator[tuple[Path, tuple[Entry, ...]]]:
    """Yield each folder with its entries; links to folders are not followed.

    In the folders of a workspace, the entries are all files, so that none is overlooked.
    """
    waiting = [(top, top.name in WORKSPACE_FOLDERS)]
    while waiting:
        folder, is_part = waiting.pop()
        try:
            chosen = (EVERY_FILE,) if is_part else (*endings, *_SPECIAL_NAMES)
            entries = files.entries(folder, *chosen)
        except OSError as error:
            if on_error:
                on_error(error)
            continue
        if folder != top and any(entry.name == _VENV_MARKER for entry in entries):
            continue
        yield folder, entries
        nested = [
            folder / entry.name for entry in entries if entry.kind == FOLDER and not entry.is_link
        ]
        waiting += [
            (path, is_part or path.name in WORKSPACE_FOLDERS)
            for path in reversed(nested)
            if _is_searched(path) and path not in without
        ]


def _is_searched(folder: Path) -> bool:
    """Whether a subfolder is searched."""
    if folder.name.startswith("."):
        return False
    return folder.name not in _SKIPPED and str(folder) not in _PSEUDO_FILE_SYSTEMS


def data_files(
    top: Path,
    exclude: tuple[str, ...] = (),
    root: Path | None = None,
    *,
    without: Collection[Path] = (),
    on_error: OnError | None = None,
    suffixes: Collection[str] = SUFFIXES,
    select: Select | None = None,
    files: Files = DISK,
) -> list[Path]:
    """List the YAML, JSON and JSONL files below a folder, or those of other `suffixes`, sorted.

    `exclude` are globs relative to `root`, which defaults to the folder; `without` are folders that
    are not searched. Hidden folders, virtual environments and installed packages are skipped.
    `on_error` is called for a folder that cannot be listed, and `select` for every file and every
    link; it decides instead of `exclude` and `suffixes`. The paths may lead to other things than
    regular files; reading those fails.
    """
    base = root or top

    def report(error: OSError) -> None:
        folder = Path(error.filename)
        if on_error and not excludes(exclude, (folder / "_").relative_to(base).as_posix()):
            on_error(error)

    def is_chosen(path: Path, entry: Entry, is_excluded: bool) -> bool:  # noqa: FBT001 - as `Select`
        return not is_excluded and is_data_file(path, entry, suffixes)

    choose = select or is_chosen
    paths = []
    walk = _walk(top, files, suffixes, report, without) if files.is_folder(top) else ()
    for folder, entries in walk:
        for entry in entries:
            if entry.kind == FOLDER and not entry.is_link:
                continue
            path = folder / entry.name
            is_excluded = bool(exclude) and excludes(exclude, path.relative_to(base).as_posix())
            if choose(path, entry, is_excluded):
                paths.append(path)
    return paths


def is_data_file(path: Path, entry: Entry, suffixes: Collection[str] = SUFFIXES) -> bool:
    """Whether a file has one of the extensions, and is not hidden."""
    if entry.kind == FOLDER or entry.name.startswith("."):
        return False
    return path.suffix.lower() in suffixes
