"""Find the data files in a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract.source import DISK, EVERY_FILE, FOLDER, SUFFIXES
from evalcontract.workspace.configuration import FILE_NAME
from evalcontract.workspace.patterns import excludes
from evalcontract.workspace.pyproject import PYPROJECT

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from evalcontract.source import Entry, Files

    #: Called with the error for a folder that cannot be listed.
    OnError = Callable[[OSError], None]
    #: Called with a path and its entry, and whether it is excluded; returns whether it is listed.
    Select = Callable[[Path, Entry, bool], bool]

LIBRARY_FOLDERS = ("rubrics", "judges")
ARTIFACT_FOLDERS = (*LIBRARY_FOLDERS, "bundles", "targets")
DATASETS = "datasets"
WORKSPACE_FOLDERS = frozenset({*ARTIFACT_FOLDERS, DATASETS})
#: Where a configuration might be expected, but is not read; see `misplaced`.
OTHER_CONFIGURATIONS = (f".{FILE_NAME}",)
_VENV_MARKER = "pyvenv.cfg"
_SPECIAL_NAMES = (FILE_NAME, PYPROJECT, _VENV_MARKER, *OTHER_CONFIGURATIONS)
_SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages"})
# File systems of the kernel: endless, and without data files.
_PSEUDO_FILE_SYSTEMS = frozenset({"/dev", "/proc", "/sys"})


def display_name(path: Path) -> str:
    r"""Return the name of a file in findings: relative to the current folder if it is below it.

    Bytes that are not UTF-8 become escapes such as `\xff`, so that no two files have one name.
    """
    try:
        relative = os.path.relpath(path)
    except ValueError:  # on another drive
        relative = ".."
    name = path.as_posix() if relative.startswith("..") else Path(relative).as_posix()
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def folders_below(
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
    folders = folders_below(top, files, suffixes, report, without) if files.is_folder(top) else ()
    for folder, entries in folders:
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
