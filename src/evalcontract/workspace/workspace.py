"""A workspace: the library, the bundles and the targets of a folder."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.library.artifact import read_artifact
from evalcontract.library.library import Library
from evalcontract.library.names import UnreadableNames, promised
from evalcontract.model.errors import ConfigurationError
from evalcontract.model.reference import Kind
from evalcontract.source import DISK, SourceProblem, UnreadableFile, read_file
from evalcontract.source.plugins import entry_points
from evalcontract.workspace.configuration import FILE_NAME, Configuration, read_configuration
from evalcontract.workspace.discovery import (
    ARTIFACT_FOLDERS,
    data_files,
    find_root,
    name_of,
)
from evalcontract.workspace.patterns import selects
from evalcontract.workspace.recognition import is_dataset
from evalcontract.workspace.single import one_value, settled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.source import Document, Files, Source

_SCHEMA = ".schema.json"


class Target(NamedTuple):
    """One file of `targets/`: which dataset is run, and how strictly it is judged."""

    document: Document
    dataset: Path | None


class Workspace:
    """What stands in a folder. Artifacts are read when first asked for.

    `inner` are the workspaces in it; what stands there is theirs. `also` are datasets that the
    targets of other workspaces name. `unlisted` are the folders that were met and cannot be
    listed.
    """

    def __init__(
        self,
        root: Path,
        configuration: Configuration,
        inner: tuple[Path, ...] = (),
        files: Files = DISK,
    ) -> None:
        self.root = root
        self.configuration = configuration
        self.inner = inner
        self.files = files
        self.also: list[Path] = []
        self.unlisted: dict[Path, UnreadableFile] = {}

    def _data_files(self, top: Path) -> list[Path]:
        return data_files(
            top,
            self.configuration.exclude,
            self._base,
            without=frozenset(self.inner),
            on_fault=self._note,
            files=self.files,
        )

    @property
    def _base(self) -> Path:
        """The folder that patterns begin at: the configuration may stand further up."""
        return self.configuration.folder or self.root

    def _note(self, error: OSError) -> None:
        path = Path(error.filename)
        message = f"the folder cannot be listed: {(error.strerror or str(error)).lower()}"
        advice = "allow it, or leave the folder out with `exclude` in evalcontract.toml"
        fault = SourceProblem("source/unreadable", message, None, advice)
        self.unlisted[path] = UnreadableFile(name_of(path), (fault,))

    @cached_property
    def _artifact_files(self) -> dict[Kind, list[Source]]:
        return {kind: self._read_folder(kind) for kind in (Kind.RUBRIC, Kind.JUDGE)}

    def _read_folder(self, kind: Kind) -> list[Source]:
        return [
            settled(kind, one_value(read_file(path, name_of(path), self.files, quick=True)))
            for path in self._data_files(self.root / f"{kind}s")
            if not path.name.endswith(_SCHEMA)
        ]

    @cached_property
    def library(self) -> Library:
        """Every rubric and judge below `rubrics/` and `judges/`."""
        return Library(
            read_artifact(kind, source.document)
            for kind, sources in self._artifact_files.items()
            for source in sources
            if source.document
        )

    @property
    def unreadable(self) -> list[UnreadableFile]:
        """The files that give no value, with the folders that were met and cannot be listed."""
        files = [*self._artifact_files.values(), [*self.bundle_files.values()], self._target_files]
        broken = [source.unreadable for group in files for source in group if source.unreadable]
        return [*broken, *self.unlisted.values()]

    @cached_property
    def unreadable_names(self) -> UnreadableNames:
        """What the unreadable files of the library would be, by their names."""
        found: UnreadableNames = {}
        for kind, files in self._artifact_files.items():
            for source in files:
                if source.unreadable:
                    id_, version = promised(source.file, kind)
                    found.setdefault(f"{kind}/{id_}", []).append((version, source.file))
        return found

    @cached_property
    def bundle_files(self) -> dict[str, Source]:
        """The files `bundles/{name}.schema.json`, by name."""
        found: dict[str, Source] = {}
        for path in self._data_files(self.root / "bundles"):
            if path.name.endswith(_SCHEMA):
                name = path.name.removesuffix(_SCHEMA)
                found[name] = one_value(read_file(path, name_of(path), self.files))
        return found

    @cached_property
    def bundles(self) -> dict[str, Any]:
        """The schemas of bundles by name: other packages' first, the workspace's own over them."""
        own = {
            name: source.document.value
            for name, source in self.bundle_files.items()
            if source.document
        }
        return {**entry_points("bundles"), **own}

    @cached_property
    def usable_bundles(self) -> dict[str, Any]:
        """The bundles that rows can be checked against; the others are reported as such."""
        if not self.bundles:
            return {}
        from evalcontract.workspace.bundles import usable  # slow to import

        return usable(self.bundles)

    @cached_property
    def _target_files(self) -> list[Source]:
        return self._read_folder(Kind.TARGET)

    @cached_property
    def targets(self) -> list[Target]:
        """The files of `targets/`; a dataset's path begins at the workspace's root."""
        found = []
        for source in self._target_files:
            if document := source.document:
                value = document.value if isinstance(document.value, dict) else {}
                name = value.get("dataset")
                path = (self.root / name) if isinstance(name, str) and "\0" not in name else None
                found.append(Target(document, path))
        return found

    def targets_of(self, dataset: Path) -> list[Target]:
        """Return the targets that run a dataset."""
        real = self.files.real
        wanted = real(dataset)
        return [each for each in self.targets if each.dataset and real(each.dataset) == wanted]

    def scan(self) -> Iterator[tuple[Path, Source | None]]:
        """Yield every data file outside of the library, read; None for one that is no dataset.

        What a target names is a dataset wherever it stands and whatever it is called.

        Raises:
            ConfigurationError: a pattern of the configuration matches nothing.

        """
        real = self.files.real
        named = {real(path): path for path in (*self._named(), *self.also)}
        files = self._data_files(self.root)
        self._check_patterns(files)
        for path in files:
            if path.relative_to(self.root).parts[0] not in ARTIFACT_FOLDERS:
                asked = named.pop(real(path), None) is not None
                yield path, self._dataset_at(path, asked=asked)
        for path in named.values():
            if not self.is_no_dataset(path):
                yield path, read_file(path, name_of(path), self.files)

    def named_elsewhere(self) -> list[Target]:
        """Return the targets whose dataset stands in a workspace in this one, or outside."""
        return [
            each
            for each in self.targets
            if each.dataset and self.files.is_file(each.dataset) and not self._owns(each.dataset)
        ]

    def _named(self) -> list[Path]:
        paths = [each.dataset for each in self.targets if each.dataset]
        return [path for path in paths if self.files.is_file(path) and self._owns(path)]

    def _owns(self, path: Path) -> bool:
        above = Path(os.path.abspath(path)).parents  # noqa: PTH100 - a link stands where it stands
        return self.root in above and not any(each in above for each in self.inner)

    def is_no_dataset(self, path: Path) -> bool:
        """Whether what a target names stands among the artifacts, and is one of them."""
        root = self.root if self._owns(path) else find_root(path, self.files)
        path = Path(os.path.abspath(path))  # noqa: PTH100 - a link stands where it stands
        if path.relative_to(root).parts[0] not in ARTIFACT_FOLDERS:
            return False
        source = read_file(path, name_of(path), self.files)
        return not source.unreadable and not is_dataset(path, root, source, self.files)

    def _check_patterns(self, files: list[Path]) -> None:
        """Refuse a pattern of datasets that means no file: a check of nothing is no check."""
        globs = self.configuration.datasets
        if globs and (self._base != self.root or self.inner):
            files = data_files(self._base, self.configuration.exclude, files=self.files)
        paths = [path.relative_to(self._base) for path in files]
        names = [each.as_posix() for each in paths if each.parts[0] not in ARTIFACT_FOLDERS]
        for pattern in globs:
            if not any(selects(pattern, name) for name in names):
                folder = self.files.is_folder(self._base / pattern)
                advice = f"; `{pattern.rstrip('/')}/*` means the files in it" if folder else ""
                raise ConfigurationError(
                    f"{self.configuration.datasets_at}: `datasets`: the pattern `{pattern}` "
                    f"matches no YAML, JSON or JSONL file{advice}"
                )

    def _dataset_at(self, path: Path, *, asked: bool) -> Source | None:
        globs = self.configuration.datasets
        relative = path.relative_to(self._base).as_posix()
        asked = asked or any(selects(pattern, relative) for pattern in globs)
        if globs and not asked:
            return None
        source = read_file(path, name_of(path), self.files, quick=True)
        return source if asked or is_dataset(path, self.root, source, self.files) else None

    def read_json(self, name: str) -> Any:
        """Return the value of a JSON or YAML file below the root, by its relative name.

        Raises:
            LookupError: it stands elsewhere, or cannot be read; the message says so.

        """
        path = self.files.real(self.root / name)
        if self.root not in path.parents:
            raise LookupError("stands outside of the workspace")
        source = read_file(path, name, self.files)
        if source.document:
            return source.document.value
        unreadable = source.unreadable
        raise LookupError(unreadable.faults[0].message if unreadable else "is no single value")


def open_workspace(root: Path, inner: tuple[Path, ...] = (), files: Files = DISK) -> Workspace:
    """Open the workspace of a folder; `inner` are folders in it that are workspaces themselves.

    Its configuration is the nearest one upward, so that one at the top of a repository holds for
    every workspace in it.

    Raises:
        ConfigurationError: the configuration cannot be used.

    """
    root = files.real(root)
    paths = (folder / FILE_NAME for folder in (root, *root.parents))
    path = next((each for each in paths if files.is_file(each)), None)
    configuration = read_configuration(path, name_of(path), files) if path else Configuration()
    return Workspace(root, configuration, inner, files)
