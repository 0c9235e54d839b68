"""Find the workspace of a path, its configuration and its repository; list folders."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

from evalcontract.model.errors import ConfigurationError
from evalcontract.source import DISK, FILE, FOLDER, NOTHING, SUFFIXES, Entry, Files
from evalcontract.source.filesystem import EVERY_FILE
from evalcontract.workspace.configuration import FILE_NAME, PYPROJECT, excludes, has_settings

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
            patterns = (EVERY_FILE,) if is_part else (*endings, *_SPECIAL_NAMES)
            entries = files.entries(folder, *patterns)
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


def folder_not_searched(path: Path, top: Path, files: Files = DISK) -> Path | None:
    """Return the folder above a file, below `top`, that is not searched; None if all are."""
    above = [folder for folder in path.parents if top in folder.parents]
    for folder in reversed(above):
        if not _is_searched(folder) or files.is_file(folder / _VENV_MARKER):
            return folder
    return None


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
    folders = (
        folders_below(top, files, suffixes, on_error=report, without=without)
        if files.is_folder(top)
        else ()
    )
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

    def path_of(self, name: str) -> Path:
        """Return the path of the file with a name relative to the repository."""
        return (self._top or self._here) / name

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
