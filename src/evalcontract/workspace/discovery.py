"""Which folder is the workspace, and which files are in it."""

from __future__ import annotations

import os
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract.source import SUFFIXES
from evalcontract.workspace.configuration import FILE_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

LIBRARY_FOLDERS = ("rubrics", "judges")
ARTIFACT_FOLDERS = (*LIBRARY_FOLDERS, "bundles", "targets")
_SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages"})


def name_of(path: Path) -> str:
    """Return what findings call a file: relative to the current folder where it is below it."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # another drive
        relative = ".."
    name = path.as_posix() if relative.startswith("..") else Path(relative).as_posix()
    return os.fsencode(name).decode("utf-8", "replace")


def find_root(start: Path) -> Path:
    """Return the workspace of a file or folder.

    It is the nearest folder upward with a configuration file, else the nearest that holds
    `rubrics/` or `judges/`, else the folder itself.
    """
    folder = start if start.is_dir() else start.parent
    folder = folder.resolve()
    upward = [folder, *folder.parents]
    configured = next((each for each in upward if (each / FILE_NAME).is_file()), None)
    return configured or next((each for each in upward if is_workspace(each)), folder)


def is_workspace(folder: Path) -> bool:
    """Whether a folder holds a library, or a configuration."""
    configured = (folder / FILE_NAME).is_file()
    return configured or any((folder / name).is_dir() for name in LIBRARY_FOLDERS)


def find_workspaces(path: Path) -> list[Path]:
    """Return the workspaces that a check of a folder is about.

    The one that the folder belongs to; else every one below it, and the folder itself for the
    datasets that stand outside of those.
    """
    root = find_root(path)
    if is_workspace(root):
        return [root]
    below = [folder for folder in _folders(path.resolve()) if is_workspace(folder)]
    inner = [each for each in below if not any(up in below for up in each.parents)]
    return [path.resolve(), *inner]


def _folders(top: Path) -> Iterator[Path]:
    for folder, names, _ in os.walk(top):
        names[:] = sorted(name for name in names if _is_ours(Path(folder), name))
        yield Path(folder)


def _is_ours(folder: Path, name: str) -> bool:
    if name.startswith(".") or name in _SKIPPED:
        return False
    return not (folder / name / "pyvenv.cfg").exists()


def data_files(top: Path, exclude: tuple[str, ...] = (), root: Path | None = None) -> list[Path]:
    """List the YAML, JSON and JSONL files below a folder, sorted.

    `exclude` are globs below `root`, which is the folder itself by default. Hidden folders,
    virtual environments and other people's packages are passed over.
    """
    if not top.is_dir():
        return []
    found = []
    for folder in _folders(top):
        for path in sorted(folder.iterdir()):
            hidden = path.name.startswith(".")
            if path.suffix.lower() in SUFFIXES and not hidden and not path.is_dir():
                relative = path.relative_to(root or top).as_posix()
                if not any(fnmatch(relative, pattern) for pattern in exclude):
                    found.append(path)
    return found
