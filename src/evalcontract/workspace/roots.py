"""Find the workspace of a path, and the workspaces in a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract.model.errors import ConfigurationError
from evalcontract.source import DISK, FILE, FOLDER, NOTHING
from evalcontract.workspace.configuration import FILE_NAME
from evalcontract.workspace.discovery import (
    DATASETS,
    LIBRARY_FOLDERS,
    WORKSPACE_FOLDERS,
    display_name,
    folders_below,
)
from evalcontract.workspace.pyproject import PYPROJECT, has_settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.source import Entry, Files

_TARGETS = "targets"
_MARKERS = frozenset({FILE_NAME, PYPROJECT, *LIBRARY_FOLDERS})
_REPOSITORY = ".git"


def find_root(start: Path, files: Files = DISK) -> Path:
    """Return the workspace of a file or folder.

    This is the nearest folder upward that is a workspace. Without one, it is the folder itself, or
    its parent if the folder is called `datasets` or `targets`, since `bundles/`, `targets/` and
    `datasets/` are siblings. A folder named `rubrics` or `judges` inside another folder of a
    workspace, such as `datasets/judges/`, does not make that folder a workspace. Folders above the
    repository, or those of other users, do not count; see `counts_above`.
    """
    folder = files.real(start if files.is_folder(start) else start.parent)
    candidates: list[Path] = []
    for path in (folder, *folder.parents):
        for marker in _markers(path, files):
            if path == folder or counts_above(marker, folder, files):
                candidates.append(path)
                break
    default = folder.parent if folder.name in (DATASETS, _TARGETS) else folder
    roots = (
        path for n, path in enumerate(candidates) if not _is_part(path, candidates[n + 1 :], files)
    )
    return next(roots, default)


def find_configuration(root: Path, files: Files = DISK) -> Path | None:
    """Return the configuration file of a workspace: its own, or else the nearest one upward.

    Raises:
        ConfigurationError: it is a link that leads out of its folder.

    """
    for folder in (root, *root.parents):
        path = configuration_in(folder, files)
        if path and (folder == root or counts_above(path, root, files)):
            if folder not in files.real(path).parents:
                name = display_name(path)
                raise ConfigurationError(f"{name}: is a symbolic link that leads out of its folder")
            return path
    return None


def configuration_in(folder: Path, files: Files = DISK) -> Path | None:
    """Return the configuration file in a folder: `evalcontract.toml`, or a table for us."""
    path = folder / FILE_NAME
    return path if files.kind(path) == FILE else pyproject_in(folder, files)


def pyproject_in(folder: Path, files: Files = DISK) -> Path | None:
    """Return the `pyproject.toml` of a folder if it has settings for us."""
    path = folder / PYPROJECT
    is_ours = files.kind(path) == FILE and has_settings(path, display_name(path), files)
    return path if is_ours else None


def counts_above(path: Path, folder: Path, files: Files = DISK) -> bool:
    """Whether something above a folder decides on its files.

    It has to be in the same repository, or outside of a repository, to have the same owner: anybody
    may write to `/tmp`, and must not decide on what is checked below it.
    """
    repository = find_repository(folder, files)
    if repository is not None:
        return repository in path.parents
    return files.owner(path) == files.owner(folder)


def find_repository(folder: Path, files: Files = DISK) -> Path | None:
    """Return the top of the repository that a folder is in, known by its `.git`; None if in none.

    `.git` is a folder, or a file in a worktree or a submodule.
    """
    for top in (folder, *folder.parents):
        if files.kind(top / _REPOSITORY) != NOTHING:
            return top
    return None


def write_bound(path: Path, files: Files = DISK) -> Path | None:
    """Return the folder that a file named by the user must not leave through symbolic links.

    This is the nearest workspace upward, or else the current folder if the path is below it. Links
    are not followed to find it, since a link may have been put there by somebody else.
    """
    parents = Path(os.path.abspath(path)).parents  # noqa: PTH100 - links are not followed
    here = Path.cwd()
    roots = (folder for folder in parents if is_workspace(folder, files))
    return next(roots, here if here in parents else None)


def is_workspace(folder: Path, files: Files = DISK) -> bool:
    """Whether a folder has `rubrics/`, `judges/` or a configuration file."""
    return bool(_markers(folder, files))


def _markers(folder: Path, files: Files) -> list[Path]:
    """Return what makes a folder a workspace."""
    configuration = configuration_in(folder, files)
    markers = [path for name in LIBRARY_FOLDERS if files.kind(path := folder / name) == FOLDER]
    return [configuration, *markers] if configuration else markers


def _is_part(folder: Path, outer: list[Path], files: Files) -> bool:
    """Whether a folder that looks like a workspace is a folder of one of the `outer` workspaces."""
    markers = _markers(folder, files)
    is_configured = any(marker.name in (FILE_NAME, PYPROJECT) for marker in markers)
    if is_configured or len(markers) == len(LIBRARY_FOLDERS):
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
        for folder, entries in folders_below(top, files)
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
