"""A workspace: the library, the bundles, the targets and the configuration of a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract.library.library import (
    NOTHING_SHARED,
    Library,
    MisnamedFolder,
    UnreadableNames,
    identity_from_name,
    read_artifact,
)
from evalcontract.meaning import LOCK_NAME
from evalcontract.model.diagnostic import Span
from evalcontract.model.errors import ConfigurationError
from evalcontract.model.nearest import Suggestions
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple
from evalcontract.source import (
    DISK,
    FILE,
    SCHEMA_SUFFIX,
    Document,
    Files,
    RowSource,
    SourceProblem,
    UnreadableFile,
    read_file,
    read_text,
)
from evalcontract.source.filesystem import INFO, SPLITS, STATE, TABLES
from evalcontract.source.installed import entry_points
from evalcontract.structure.authored import SchemaAnalyses
from evalcontract.workspace.configuration import (
    PYPROJECT,
    Configuration,
    line_of_table,
    read_configuration,
    selects,
)
from evalcontract.workspace.listing import Listing
from evalcontract.workspace.recognition import (
    Target,
    is_dataset,
    read_target,
    recorded_kind,
    require_single_value,
    verified,
)
from evalcontract.workspace.roots import (
    ARTIFACT_FOLDERS,
    display_name,
    find_configuration,
    find_root,
    pyproject_in,
)

if TYPE_CHECKING:
    from evalcontract.meaning.lock import LockFile, Recall
    from evalcontract.workspace.libraries import Libraries


class ChosenConfiguration(NamedTuple):
    """The configuration that the caller wants: a file, or with `is_isolated` none at all.

    `keeps_nulls` takes the place of that setting, unless it is None.
    """

    file: Path | None = None
    is_isolated: bool = False
    keeps_nulls: bool | None = None


#: The nearest configuration upward.
NEAREST = ChosenConfiguration()


def configuration_of(
    root: Path, files: Files = DISK, choice: ChosenConfiguration = NEAREST
) -> Configuration:
    """Return the configuration of a workspace.

    Patterns of a chosen file are relative to its folder, or to the workspace if that is not below.

    Raises:
        ConfigurationError: the configuration cannot be used.

    """
    configuration = _configuration_of(root, files, choice)
    if choice.keeps_nulls is None:
        return configuration
    return configuration._replace(keeps_nulls=choice.keeps_nulls)


def _configuration_of(root: Path, files: Files, choice: ChosenConfiguration) -> Configuration:
    if choice.is_isolated:
        return Configuration()
    path = files.real(choice.file) if choice.file else find_configuration(root, files)
    if path is None:
        return Configuration()
    if choice.file and not files.is_file(path):
        raise ConfigurationError(f"there is no configuration {display_name(choice.file)}")
    configuration = read_configuration(path, display_name(path), files)
    if choice.file:
        is_above = path.parent in (root, *root.parents)
        return configuration if is_above else configuration._replace(folder=root)
    return configuration._replace(shadowed=_shadowed_by(path, files))


def _shadowed_by(path: Path, files: Files) -> UnreadableFile | None:
    """Return the settings beside a configuration that are not read because of it."""
    other = pyproject_in(path.parent, files) if path.name != PYPROJECT else None
    text = read_text(other, display_name(other), files) if other else None
    if other is None or not isinstance(text, str):
        return None
    message = f"`[tool.evalcontract]` is not read: `{path.name}` beside it takes precedence"
    advice = f"move the settings to `{path.name}`, or delete that file"
    span = Span.point(line_of_table(text))
    fault = SourceProblem("workspace/shadowed-configuration", message, span, advice)
    return UnreadableFile(display_name(other), (fault,), tuple(text.splitlines()))


_SAVED = frozenset({STATE, INFO, SPLITS})


class FileNames(NamedTuple):
    """The names of the files in a folder, to find the one that was probably meant."""

    names: frozenset[str]
    similar: Suggestions

    def meant_by(self, name: str) -> str | None:
        """Return the file with exactly this name, or else a similar one, or None."""
        return name if name in self.names else self.similar.nearest(name)


class Workspace:
    """The files of a workspace. Artifacts are read at first use.

    `nested` are the workspaces inside it, whose files do not belong to it. `extra_datasets` are
    datasets that targets of other workspaces name. `scanned` is the number of
    `data_files` that `scan` has come to. `recall_lock` may know the value of the lock.
    """

    def __init__(
        self,
        root: Path,
        configuration: Configuration,
        nested: tuple[Path, ...] = (),
        files: Files = DISK,
    ) -> None:
        self.root = root
        self.configuration = configuration
        self.nested = nested
        self._file_names: dict[str, FileNames | None] = {}
        self._nested = frozenset(nested)
        self.files = files
        self.schemas: SchemaAnalyses = SchemaAnalyses()
        self.listing: Listing = Listing(root, configuration, nested, files=files)
        self.extra_datasets: list[Path] = []
        self.scanned = 0
        self._json: dict[str, Document | str] = {}
        self.recall_lock: Recall | None = None

    @property
    def unreadable_dirs(self) -> dict[Path, UnreadableFile]:
        """The folders that could not be listed so far."""
        return self.listing.unreadable_dirs

    @cached_property
    def data_files(self) -> list[Path]:
        """The YAML, JSON and JSONL files of the workspace."""
        return self.listing.data_files(self.root)

    @cached_property
    def _artifact_files(self) -> dict[Kind, list[RowSource]]:
        return {kind: self._read_folder(kind) for kind in (Kind.RUBRIC, Kind.JUDGE)}

    def _read_folder(self, kind: Kind) -> list[RowSource]:
        return [
            verified(kind, require_single_value(self.listing.read(path, quick=True)))
            for path in self.listing.data_files(self.root / f"{kind}s")
            if not path.name.endswith(SCHEMA_SUFFIX)
        ]

    @cached_property
    def library(self) -> Library:
        """All rubrics below `rubrics/`, all judges below `judges/`, and those of libraries."""
        artifacts = (
            read_artifact(kind, source.document)
            for kind, sources in self._artifact_files.items()
            for source in sources
            if source.document
        )
        libraries = self.libraries
        shared = libraries.shared() if libraries else NOTHING_SHARED
        return Library(artifacts, lru_cache(self._misnamed_folder), shared)

    @cached_property
    def libraries(self) -> Libraries | None:
        """The libraries that the settings name; None if they name none."""
        if not self.configuration.libraries:
            return None
        from evalcontract.workspace.libraries import Libraries  # rarely needed

        return Libraries(self.root, self.configuration, self.lock_file, self.files)

    @cached_property
    def faults_of_libraries(self) -> list[UnreadableFile]:
        """The findings on the libraries in the settings."""
        return self.libraries.faults(self.library) if self.libraries else []

    def _misnamed_folder(self, kind: Kind) -> MisnamedFolder | None:
        from evalcontract.workspace.unread import misnamed_folder  # rarely needed

        return misnamed_folder(self.root, self.files, kind)

    @property
    def unreadable(self) -> list[UnreadableFile]:
        """The files that cannot be read, and the folders that could not be listed so far."""
        files = [*self._artifact_files.values(), [*self.bundle_files.values()], self._target_files]
        failed = [source.unreadable for group in files for source in group if source.unreadable]
        return [*failed, *self.unreadable_dirs.values()]

    @cached_property
    def unreadable_names(self) -> UnreadableNames:
        """The unreadable files of the library, by the ids that their names suggest."""
        names: UnreadableNames = {}
        for kind, files in self._artifact_files.items():
            for source in files:
                if source.unreadable:
                    id_, version = identity_from_name(source.file, kind)
                    names.setdefault(f"{kind}/{id_}", []).append((version, source.file))
        return names

    @cached_property
    def bundle_files(self) -> dict[str, RowSource]:
        """The files `bundles/{name}.schema.json`, by name."""
        sources: dict[str, RowSource] = {}
        for path in self.listing.data_files(self.root / "bundles"):
            if path.name.endswith(SCHEMA_SUFFIX):
                name = path.name.removesuffix(SCHEMA_SUFFIX)
                sources[name] = require_single_value(self.listing.read(path))
        return sources

    @cached_property
    def bundles(self) -> dict[str, Any]:
        """The schemas of bundles by name; the workspace's own override those of others."""
        own = {
            name: source.document.value
            for name, source in self.bundle_files.items()
            if source.document
        }
        return {
            **entry_points("bundles"),
            **(self.libraries.bundles if self.libraries else {}),
            **own,
        }

    @cached_property
    def usable_bundles(self) -> dict[str, Any]:
        """The schemas of the bundles that rows can be checked against."""
        if not self.bundles:
            return {}
        from evalcontract.structure.parts import plain  # rarely needed

        faults = self.schemas.faults
        return {name: plain(schema) for name, schema in self.bundles.items() if not faults(schema)}

    @cached_property
    def lock_file(self) -> LockFile | None:
        """The lock of the workspace, readable or not; None if it has none."""
        path = self.root / LOCK_NAME
        if not self.files.is_there(path):
            return None
        from evalcontract.meaning.lock import read_lock  # most workspaces have none

        is_inside = self.contains(self.files.real(path))
        name, recall = display_name(path), self.recall_lock
        return read_lock(path, name, self.files, is_inside=is_inside, recall=recall)

    def relative_name(self, file: str) -> str | None:
        """Return the name of a file from the root, with forward slashes; None if it is outside."""
        # Strings, since this is asked of thousands of files.
        path = os.path.abspath(file)  # noqa: PTH100 - links are not followed
        top = os.path.join(self.root, "")  # noqa: PTH118 - ends in a separator
        return path[len(top) :].replace(os.sep, "/") if path.startswith(top) else None

    @cached_property
    def _target_files(self) -> list[RowSource]:
        return self._read_folder(Kind.TARGET)

    @cached_property
    def targets(self) -> list[Target]:
        """The files of `targets/`; the path of a dataset is relative to the workspace root."""
        documents = [source.document for source in self._target_files]
        return [self.target(document) for document in documents if document]

    def target(self, document: Document) -> Target:
        """Return the target in a document."""
        return read_target(document, self.root, self.contains)

    def contains(self, path: Path) -> bool:
        """Whether a path leads into the workspace; what a file names must not lead out of it."""
        return self.listing.contains(path)

    def file_names(self, folder: str) -> FileNames | None:
        """Return the names of the datasets in a folder, which may be tables; None if it is none."""
        if folder not in self._file_names:
            self._file_names[folder] = self._list(self.root / folder)
        return self._file_names[folder]

    def _list(self, folder: Path) -> FileNames | None:
        if not self.contains(folder):
            return None
        try:
            entries = self.files.entries(folder, "")
        except (OSError, ValueError):
            return None
        names = tuple(
            entry.name
            for entry in entries
            if entry.kind == FILE or self.has_dataset(folder / entry.name)
        )
        return FileNames(frozenset(names), Suggestions(names))

    def targets_of(self, dataset: Path) -> list[Target]:
        """Return the targets that run a dataset."""
        by_dataset = self._targets_by_dataset
        return by_dataset.get(self.files.real(dataset), []) if by_dataset else []

    @cached_property
    def _targets_by_dataset(self) -> dict[Path, list[Target]]:
        """The targets by the real path of the dataset that they run."""
        targets: dict[Path, list[Target]] = {}
        for target in self.targets:
            if target.dataset:
                targets.setdefault(self.files.real(target.dataset), []).append(target)
        return targets

    def scan(
        self, is_remembered: Callable[[Path, bool], bool] = lambda _path, _is_named: False
    ) -> Iterator[tuple[Path, RowSource | None]]:
        """Yield every data file that is not an artifact, with its source if it is a dataset.

        Files called `{name}.schema.json`, such as those that `schema export` writes, are schemas.
        A file that a target names is a dataset, whatever its folder and name; of tables, see
        `tables`. A file is skipped if `is_remembered`, called with its path and whether a target
        names it.

        Raises:
            ConfigurationError: a pattern of the configuration matches no file.

        """
        real = self.files.real
        paths = {real(path): path for path in self._named_datasets() if not self._is_table(path)}
        files = self.data_files
        self.listing.check_configurations()
        self.listing.check_patterns(files)
        for number, path in enumerate(files, 1):
            self.scanned = number
            if path.relative_to(self.root).parts[0] not in ARTIFACT_FOLDERS:
                is_named = bool(paths) and paths.pop(real(path), None) is not None
                if is_remembered(path, is_named):
                    continue
                source = self._dataset_at(path, is_named=is_named)
                if source or not path.name.endswith(SCHEMA_SUFFIX):
                    yield path, source
        for actual, path in paths.items():
            self.listing.mark_read(actual)
            if not self.is_artifact(path):
                yield path, read_file(path, display_name(path), self.files)

    def tables(self) -> list[Path]:
        """Return the tables that are datasets, when the rest is scanned.

        They are those that targets name, and those with typed columns among the datasets.
        """
        named = [path for path in self._named_datasets() if self._is_table(path)]
        return self.listing.tables(self.configuration.datasets, named)

    def _is_table(self, dataset: Path) -> bool:
        return dataset.suffix.lower() in TABLES or self.files.is_folder(dataset)

    def has_dataset(self, path: Path) -> bool:
        """Whether a path that a target names leads to a file, or to a folder that is a table."""
        if not self.files.is_folder(path):
            return self.files.is_file(path)
        from evalcontract.source.tables.arrow import is_saved  # neither is needed for files
        from evalcontract.source.tables.folders import is_folder_table

        return is_saved(path, self.files) or is_folder_table(path, self.files, is_named=True)

    def scans(self, path: Path) -> bool:
        """Whether `scan` yields the file at a path, or `tables` has it."""
        if self.files.real(path) in map(self.files.real, self._named_datasets()):
            return True
        files = self.data_files
        if self._is_table(path):
            return path in self.tables()
        is_artifact = path.relative_to(self.root).parts[0] in ARTIFACT_FOLDERS
        if is_artifact or path not in files:
            return False
        return self._dataset_at(path, is_named=False) is not None

    def recorded_kind(self, path: Path) -> str | None:
        """Return `output` or `results` for a data file that is one of these, else None."""
        return recorded_kind(self.listing.read(path, quick=True))

    def targets_outside(self) -> list[Target]:
        """Return the targets whose dataset is in another workspace, nested or outside."""
        return [
            target
            for target in self.targets
            if target.dataset
            and self.has_dataset(target.dataset)
            and not self._owns(target.dataset)
        ]

    def _named_datasets(self) -> list[Path]:
        """Return what targets of this workspace and of others name."""
        paths = [target.dataset for target in self.targets if target.dataset]
        own = [path for path in paths if self.has_dataset(path) and self._owns(path)]
        return [*own, *self.extra_datasets]

    def _owns(self, path: Path) -> bool:
        parents = {*Path(os.path.abspath(path)).parents}  # noqa: PTH100 - links are not followed
        return self.root in parents and self._nested.isdisjoint(parents)

    def is_artifact(self, path: Path) -> bool:
        """Whether a file that a target names is an artifact, and not a dataset."""
        root = self.root if self._owns(path) else find_root(path, self.files)
        path = Path(os.path.abspath(path))  # noqa: PTH100 - links are not followed
        if path.relative_to(root).parts[0] not in ARTIFACT_FOLDERS:
            return False
        source = read_file(path, display_name(path), self.files)
        return not source.unreadable and not is_dataset(path, root, source, files=self.files)

    def _dataset_at(self, path: Path, *, is_named: bool) -> RowSource | None:
        globs = self.configuration.datasets
        relative = path.relative_to(self.listing.base).as_posix()
        is_selected = is_named or any(selects(pattern, relative) for pattern in globs)
        if globs and not is_selected:
            return None
        if path.name in _SAVED and self.listing.is_saved(path):
            return None
        source = self.listing.read(path, quick=True)
        if is_selected or is_dataset(path, self.root, source, files=self.files):
            return source
        self.listing.note_stray(path, source)
        return None

    def read_json(self, name: str) -> Any:
        """Return the value of a JSON or YAML file; `name` is relative to the workspace root.

        That of a library is called `{library}:{name}`.

        Raises:
            LookupError: the file is outside the workspace, or cannot be read.

        """
        read = self._read_json(name)
        if not isinstance(read, str):
            return read.value
        raise LookupError(read)

    def digest_of_json(self, name: str) -> str | None:
        """Return the SHA-256 digest of a file of `read_json`; None if it cannot be read."""
        read = self.json_document(name)
        return read.sha256 if read else None

    def json_document(self, name: str) -> Document | None:
        """Return a file of `read_json`; None if it cannot be read."""
        read = self._read_json(name)
        return None if isinstance(read, str) else read

    def _read_json(self, name: str) -> Document | str:
        """Return a file, which is read once, or why it cannot be read."""
        if name not in self._json:
            self._json[name] = self._parse_json(name)
        return self._json[name]

    def _parse_json(self, name: str) -> Document | str:
        shared = self.libraries.read(name) if self.libraries else None
        if shared is not None:
            return shared
        try:
            path = self.files.real(self.root / name)
        except ValueError:  # a null character, or half of a surrogate pair
            return "is not a valid path"
        if not self.contains(path):
            return "is outside the workspace"
        self.listing.mark_read(path)
        source = read_file(path, name, self.files)
        unreadable = source.unreadable
        missing = unreadable.faults[0].message if unreadable else "is not a single value"
        return source.document or missing


def open_workspace(
    root: Path,
    nested: tuple[Path, ...] = (),
    files: Files = DISK,
    choice: ChosenConfiguration = NEAREST,
) -> Workspace:
    """Open the workspace of a folder; `nested` are workspaces inside it.

    Its configuration is the nearest one upward, so that a configuration at the top of a repository
    applies to every workspace in it. For those above the workspace, see `counts_above`. The
    caller may have made another `choice`.

    Raises:
        ConfigurationError: the configuration cannot be used.

    """
    root = files.real(root)
    return Workspace(root, configuration_of(root, files, choice), nested, files=files)
