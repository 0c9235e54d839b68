"""The files of a workspace: those to read, those that are not, and faults of patterns."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from evalcontract.model.errors import ConfigurationError
from evalcontract.source import (
    FILE,
    FOLDER,
    SCHEMA_SUFFIX,
    SUFFIXES,
    Entry,
    Files,
    RowSource,
    SourceProblem,
    UnreadableFile,
    format_of,
    read_file,
)
from evalcontract.source.filesystem import DANGLING, DELTA_LOG, EVERY_FILE, TYPED_TABLES
from evalcontract.workspace.configuration import (
    FILE_NAME,
    SETTINGS,
    Configuration,
    excludes,
    selects,
)
from evalcontract.workspace.roots import (
    ARTIFACT_FOLDERS,
    DATASETS,
    OTHER_CONFIGURATIONS,
    WORKSPACE_FOLDERS,
    data_files,
    display_name,
    is_data_file,
)

_LEADS_OUT = "it is a link that leads out of the workspace"
_REPLACE = "replace it by the file itself, or list it under `exclude`"


class Listing:
    """The files of a workspace, as they are found: each folder is listed when it is needed.

    `unreadable_dirs` are the folders that could not be listed so far. `excluded` are the names of
    files that the configuration excludes, relative to its folder.
    """

    def __init__(
        self, root: Path, configuration: Configuration, nested: tuple[Path, ...], files: Files
    ) -> None:
        self.unreadable_dirs: dict[Path, UnreadableFile] = {}
        self.excluded: set[str] = set()
        self._root = root
        self._bundles = os.path.join(root, "bundles", "")  # noqa: PTH118 - with a slash at the end
        self._configuration = configuration
        self._nested = frozenset(nested)
        self._files = files
        self._links: set[Path] = set()
        self._others: dict[Path, Entry] = {}
        self._configurations: set[Path] = set()
        self._misnamed: dict[Path, tuple[Path, str]] = {}
        self._deltas: set[Path] = set()
        self._tables: set[Path] = set()

    @property
    def excluded_count(self) -> int:
        """The number of YAML, JSON and JSONL files that are excluded."""
        return sum(format_of(name) is not None for name in self.excluded)

    @property
    def base(self) -> Path:
        """The folder that patterns are relative to; the configuration may be in a parent folder."""
        return self._configuration.folder or self._root

    def data_files(self, top: Path) -> list[Path]:
        """List the YAML, JSON and JSONL files below a folder of the workspace, sorted."""
        if top != self._root and not self.contains(top):
            self.unreadable_dirs[top] = _unreadable_link(top, _LEADS_OUT)
            return []
        return data_files(
            top,
            self._configuration.exclude,
            self.base,
            without=self._nested,
            on_error=self._record_unreadable,
            suffixes=(*SUFFIXES, *TYPED_TABLES) if self._configuration.datasets else SUFFIXES,
            select=self._select,
            files=self._files,
        )

    def _select(self, path: Path, entry: Entry, is_excluded: bool) -> bool:  # noqa: FBT001 - see `Select`
        """Return whether to read a file, and remember why not."""
        if is_excluded:
            self.excluded.add(path.relative_to(self.base).as_posix())
            return False
        if entry.is_link:
            self._links.add(path)
        if path.parent.name == DELTA_LOG:
            self._deltas.add(path.parent.parent)
            return False
        if is_data_file(path, entry):
            if str(path).startswith(self._bundles) and not path.name.endswith(SCHEMA_SUFFIX):
                self._others[path] = entry
            return True
        if path.name in OTHER_CONFIGURATIONS and path.parent == self._root:
            self._configurations.add(path)
        self._others[path] = entry
        return False

    def read(self, path: Path, *, quick: bool = False) -> RowSource:
        """Read a file of the workspace; a link that leads out of the workspace is not followed."""
        name = display_name(path)
        if path in self._links and (message := self._fault_of_link(path)):
            return _unreadable_link(path, message)
        return read_file(path, name, self._files, quick=quick)

    def _fault_of_link(self, path: Path) -> str | None:
        if self._files.kind(path) == DANGLING:
            return "it is a link that leads nowhere"
        return None if self.contains(path) else _LEADS_OUT

    def contains(self, path: Path) -> bool:
        """Whether a path leads to something in the workspace, through links, too."""
        try:
            return self._files.real(path).is_relative_to(self._root)
        except ValueError:  # it contains NUL
            return False

    def tables(self, globs: Sequence[str], named: Sequence[Path] = ()) -> list[Path]:
        """Return the tables with typed columns among the datasets, and mark them as read.

        Without `globs`, these are the ones in `datasets/`. A file of a folder that Hugging Face
        `datasets` wrote is none, and neither is a link that leads out of the workspace. A folder
        that is one table stands for its files. Those that targets have `named` are any tables.
        """
        from evalcontract.source.tables.arrow import is_saved  # rarely needed

        chosen = {self._files.real(path): path for path in named}
        deltas = [path for path in self._deltas if self._is_dataset(path / DELTA_LOG, globs)]
        folders = {path: path for path in (*chosen, *deltas)}
        found = [
            path
            for path, entry in self._others.items()
            if path.suffix.lower() in TYPED_TABLES
            and entry.kind == FILE
            and not entry.name.startswith(".")
            and self._is_dataset(path, globs)
            and not (path in self._links and self._fault_of_link(path))
            and not is_saved(path.parent, self._files)
        ]
        for parent in {path.parent for path in found}:
            if (folder := self._table_above(parent, folders)) is not None:
                folders[parent] = folder
        tables = {*chosen, *deltas, *(folders.get(path.parent, path) for path in found)}
        for path in [*self._others]:
            if not tables.isdisjoint((path, *path.parents)) or path in named:
                self.mark_read(path)
        self._tables |= {chosen.get(self._files.real(path), path) for path in tables}
        return sorted(self._tables)

    def _table_above(self, parent: Path, known: dict[Path, Path]) -> Path | None:
        """Return the folder that is one table and has a folder; None if there is none."""
        from evalcontract.source.tables.folders import table_above  # rarely needed

        datasets = self._root / DATASETS
        top = datasets if datasets in (parent, *parent.parents) else self._root
        of_delta = (folder for folder in (parent, *parent.parents) if folder in known)
        return next(of_delta, None) or table_above(parent, top, self._files)

    def _is_dataset(self, path: Path, globs: Sequence[str]) -> bool:
        if globs:
            return any(self._is_selected(path, pattern) for pattern in globs)
        return path.relative_to(self._root).parts[0] == DATASETS

    def _is_selected(self, path: Path, pattern: str) -> bool:
        """Whether a pattern selects a file of a table, or the folder that is the table."""
        from evalcontract.source.tables.folders import is_folder_table  # rarely needed

        relative = path.relative_to(self.base)
        return selects(pattern, relative.as_posix()) or any(
            selects(pattern, folder.as_posix()) and is_folder_table(self.base / folder, self._files)
            for folder in relative.parents[:-1]
        )

    def mark_read(self, path: Path) -> None:
        """Remember that a file was read because another file names it."""
        self._others.pop(path, None)

    def is_saved(self, path: Path) -> bool:
        """Whether a file is one of a folder of Hugging Face `datasets`, whose data is not read."""
        from evalcontract.source.tables.arrow import saved_in  # rarely needed

        return bool(saved_in(path.parent, self._files))

    def note_stray(self, path: Path, source: RowSource) -> None:
        """Remember a target or bundle in a folder such as `target/`, which is not read.

        Raises:
            ConfigurationError: it is a configuration in another format.

        """
        if path.stem == "evalcontract" and path.parent == self._root and source.document:
            check_value(path, source.document.quick)
        from evalcontract.workspace.unread import meant_folder  # rarely needed

        folder = self._root / path.relative_to(self._root).parts[0]
        if folder not in self._misnamed and (meant := meant_folder(path, self._root, source)):
            self._misnamed[folder] = path, meant

    def unread(self) -> Iterator[UnreadableFile]:
        """Yield the files in the folders of the workspace that are not read, and why not."""
        if self._others:
            from evalcontract.workspace.unread import explain_unread  # rarely needed

            places = {path: entry for path, entry in self._others.items() if self._is_part(path)}
            yield from explain_unread(places, self._files)
        for folder, (path, meant) in self._misnamed.items():
            message = f"{meant} are read from `{meant}/`; this file is not read"
            advice = f"rename the folder `{folder.name}/`"
            fault = SourceProblem("workspace/misnamed-file", message, None, advice)
            yield UnreadableFile(display_name(path), (fault,))

    def _is_part(self, path: Path) -> bool:
        """Whether a file is where only files of the workspace are expected."""
        folders = path.relative_to(self._root).parts[:-1]
        return bool(folders) and folders[0] in WORKSPACE_FOLDERS

    def check_configurations(self) -> None:
        """Reject settings in a file that is not read as a configuration.

        Raises:
            ConfigurationError: there are some.

        """
        if self._configurations:
            check_places(sorted(self._configurations))

    def check_patterns(self, files: list[Path]) -> None:
        """Reject a pattern of the configuration that matches nothing; `files` are all data files.

        Raises:
            ConfigurationError: there is one.

        """
        configuration = self._configuration
        if configuration.datasets or configuration.exclude or configuration.per_file_ignores:
            is_part = self.base != self._root or self._nested
            if is_part and (configuration.datasets or configuration.per_file_ignores):
                files = data_files(self.base, configuration.exclude, files=self._files)
            patterns = self._without_tables(configuration.datasets)
            paths = [path.relative_to(self.base) for path in files]
            names = [path.as_posix() for path in paths if path.parts[0] not in ARTIFACT_FOLDERS]
            check_datasets(configuration._replace(datasets=patterns), names, self._files)
            check_per_file_ignores(configuration, [path.as_posix() for path in paths])
            if self.base == self._root:
                check_exclude(configuration, self.excluded, self._files)

    def _without_tables(self, patterns: Sequence[str]) -> tuple[str, ...]:
        """Return the patterns of datasets that select no table."""
        tables = [path for path in self._others if path.suffix.lower() in TYPED_TABLES]
        return tuple(
            pattern
            for pattern in patterns
            if not any(self._is_selected(path, pattern) for path in tables)
        )

    def _record_unreadable(self, error: OSError) -> None:
        path = Path(error.filename)
        message = f"the folder cannot be listed: {(error.strerror or str(error)).lower()}"
        advice = "grant read permission, or list the folder under `exclude` in evalcontract.toml"
        fault = SourceProblem("source/unreadable", message, None, advice)
        self.unreadable_dirs[path] = UnreadableFile(display_name(path), (fault,))


def _unreadable_link(path: Path, message: str) -> UnreadableFile:
    fault = SourceProblem("source/unreadable", f"cannot be read: {message}", None, _REPLACE)
    return UnreadableFile(display_name(path), (fault,))


#: Names of YAML and JSON files that may be meant as a configuration.
_NAMES = frozenset(f"evalcontract{suffix}" for suffix in (".yaml", ".yml", ".json"))


def check_places(paths: Iterable[Path]) -> None:
    """Reject `.evalcontract.toml`.

    Raises:
        ConfigurationError: there is one.

    """
    for path in paths:
        name = display_name(path)
        raise ConfigurationError(f"{name}: is not read; rename it to `{FILE_NAME}`")


def check_value(path: Path, value: Any) -> None:
    """Reject a YAML or JSON file called `evalcontract` that has settings.

    Raises:
        ConfigurationError: it has.

    """
    if path.name in _NAMES and isinstance(value, dict) and not SETTINGS.isdisjoint(value):
        raise ConfigurationError(
            f"{display_name(path)}: is not read; write the settings as TOML to `{FILE_NAME}`"
        )


# A large folder without data.
_SKIPPED = frozenset({".git"})
_WILDCARDS = frozenset("*?[")


def check_datasets(configuration: Configuration, names: Collection[str], files: Files) -> None:
    """Reject a pattern of `datasets` that matches none of the files.

    Raises:
        ConfigurationError: there is one.

    """
    folder = configuration.folder or Path()
    for pattern in configuration.datasets:
        if not any(selects(pattern, name) for name in names):
            is_folder = files.is_folder(folder / pattern)
            advice = f"; `{pattern.rstrip('/')}/*` matches the files in it" if is_folder else ""
            raise ConfigurationError(
                f"{configuration.datasets_at}: `datasets`: the pattern `{pattern}` "
                f"matches no YAML, JSON or JSONL file{advice}"
            )


def check_exclude(configuration: Configuration, excluded: Collection[str], files: Files) -> None:
    """Reject a pattern of `exclude` that matches nothing; `excluded` are files that one matches.

    Raises:
        ConfigurationError: there is one.

    """
    folder = configuration.folder or Path()
    for pattern in configuration.exclude:
        if any(excludes((pattern,), name) for name in excluded):
            continue
        if _is_there(folder, pattern, files):
            continue
        # The pattern may match what is never read, such as a Markdown file.
        if not any(excludes((pattern,), name) for name in _names_below(folder, files)):
            raise ConfigurationError(
                f"{configuration.exclude_at}: `exclude`: the pattern `{pattern}` matches nothing; "
                "patterns are relative to the folder of the configuration"
            )


def check_per_file_ignores(configuration: Configuration, names: Collection[str]) -> None:
    """Reject a pattern of `per_file_ignores` that matches none of the data files.

    Raises:
        ConfigurationError: there is one.

    """
    for pattern, _ in configuration.per_file_ignores:
        if not any(excludes((pattern,), name) for name in names):
            raise ConfigurationError(
                f"{configuration.per_file_ignores_at}: `per_file_ignores`: the pattern "
                f"`{pattern}` matches no YAML, JSON or JSONL file; "
                "patterns are relative to the folder of the configuration"
            )


def _is_there(folder: Path, pattern: str, files: Files) -> bool:
    """Whether a pattern names one path, or everything in one folder, and this exists."""
    name = pattern.removesuffix("/").removesuffix("/**").removesuffix("/*")
    return _WILDCARDS.isdisjoint(name) and files.is_there(folder / name)


def _names_below(folder: Path, files: Files) -> Iterator[str]:
    """Yield the names of all folders and files below a folder, relative to it."""
    waiting = [folder]
    while waiting:
        parent = waiting.pop()
        try:
            entries = files.entries(parent, EVERY_FILE)
        except OSError:
            continue
        for entry in entries:
            path = parent / entry.name
            yield path.relative_to(folder).as_posix()
            if entry.kind == FOLDER and not entry.is_link and entry.name not in _SKIPPED:
                waiting.append(path)
