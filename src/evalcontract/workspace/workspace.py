"""A workspace: the library, the bundles and the targets of a folder."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evalcontract.library.artifact import read_artifact
from evalcontract.library.library import Library
from evalcontract.library.names import UnreadableNames, promised
from evalcontract.model.reference import Kind
from evalcontract.source import Document, RowStream, SourceFault, Unreadable, read_file
from evalcontract.workspace.configuration import FILE_NAME, Configuration, read_configuration
from evalcontract.workspace.discovery import ARTIFACT_FOLDERS, data_files, name_of
from evalcontract.workspace.plugins import entry_points
from evalcontract.workspace.recognition import is_dataset

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    Source = Document | RowStream | Unreadable

_SCHEMA = ".schema.json"


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """One file of `targets/`: which dataset is run, and how strictly it is judged."""

    document: Document
    dataset: Path | None


@dataclass(eq=False)
class Workspace:
    """What stands in a folder. Artifacts are read when first asked for."""

    root: Path
    configuration: Configuration = field(default_factory=Configuration)
    inner: tuple[Path, ...] = ()

    @cached_property
    def _artifact_files(self) -> dict[Kind, list[Document | Unreadable]]:
        return {kind: self._read_folder(f"{kind}s") for kind in (Kind.RUBRIC, Kind.JUDGE)}

    def _read_folder(self, name: str) -> list[Document | Unreadable]:
        paths = data_files(self.root / name, self.configuration.exclude, self.root)
        return [
            one_value(read_file(path, name_of(path)))
            for path in paths
            if not path.name.endswith(_SCHEMA)
        ]

    @cached_property
    def library(self) -> Library:
        """Every rubric and judge below `rubrics/` and `judges/`."""
        return Library(
            read_artifact(kind, document)
            for kind, documents in self._artifact_files.items()
            for document in documents
            if isinstance(document, Document)
        )

    @property
    def unreadable(self) -> list[Unreadable]:
        """The files of the library, of bundles and of targets that give no value."""
        files = [*self._artifact_files.values(), [*self.bundle_files.values()], self._target_files]
        return [each for group in files for each in group if isinstance(each, Unreadable)]

    @cached_property
    def unreadable_names(self) -> UnreadableNames:
        """What the unreadable files of the library would be, by their names."""
        found: UnreadableNames = {}
        for kind, files in self._artifact_files.items():
            for each in files:
                if isinstance(each, Unreadable):
                    id_, version = promised(each.file, kind)
                    found.setdefault(f"{kind}/{id_}", []).append((version, each.file))
        return found

    @cached_property
    def bundle_files(self) -> dict[str, Document | Unreadable]:
        """The files `bundles/{name}.schema.json`, by name."""
        found: dict[str, Document | Unreadable] = {}
        for path in data_files(self.root / "bundles", self.configuration.exclude, self.root):
            if path.name.endswith(_SCHEMA):
                name = path.name.removesuffix(_SCHEMA)
                found[name] = one_value(read_file(path, name_of(path)))
        return found

    @cached_property
    def bundles(self) -> dict[str, Any]:
        """The schemas of bundles by name: other packages' first, the workspace's own over them."""
        own = {
            name: document.value
            for name, document in self.bundle_files.items()
            if isinstance(document, Document)
        }
        return {**entry_points("bundles"), **own}

    @cached_property
    def _target_files(self) -> list[Document | Unreadable]:
        return self._read_folder("targets")

    @cached_property
    def targets(self) -> list[Target]:
        """The files of `targets/`; a dataset's path begins at the workspace's root."""
        found = []
        for document in self._target_files:
            if isinstance(document, Document):
                value = document.value if isinstance(document.value, dict) else {}
                name = value.get("dataset")
                path = (self.root / name) if isinstance(name, str) and "\0" not in name else None
                found.append(Target(document, path))
        return found

    def targets_of(self, dataset: Path) -> list[Target]:
        """Return the targets that run a dataset."""
        wanted = dataset.resolve()
        return [each for each in self.targets if each.dataset and each.dataset.resolve() == wanted]

    def scan(self) -> Iterator[tuple[Path, Source | None]]:
        """Yield every data file outside of the library, read; None for one that is no dataset."""
        named = {each.dataset.resolve() for each in self.targets if each.dataset}
        for path in data_files(self.root, self.configuration.exclude):
            if not self._is_elsewhere(path):
                yield path, self._dataset_at(path, named)

    def _is_elsewhere(self, path: Path) -> bool:
        if path.relative_to(self.root).parts[0] in ARTIFACT_FOLDERS:
            return True
        return any(folder in path.parents for folder in self.inner)

    def _dataset_at(self, path: Path, named: set[Path]) -> Source | None:
        globs = self.configuration.datasets
        asked = path.resolve() in named or any(
            path.relative_to(self.root).match(pattern) for pattern in globs
        )
        if globs and not asked:
            return None
        source = read_file(path, name_of(path))
        return source if asked or is_dataset(path, self.root, source) else None

    def read_json(self, name: str) -> Any:
        """Return the value of a JSON or YAML file below the root, by its relative name.

        Raises:
            LookupError: it stands elsewhere, or cannot be read; the message says so.

        """
        path = (self.root / name).resolve()
        if self.root not in path.parents:
            raise LookupError("stands outside of the workspace")
        source = read_file(path, name)
        if isinstance(source, Document):
            return source.value
        raise LookupError(
            source.faults[0].message if isinstance(source, Unreadable) else "is no single value"
        )


def one_value(source: Source) -> Document | Unreadable:
    """Refuse JSONL where one value is wanted: a rubric, a judge, a target."""
    if not isinstance(source, RowStream):
        return source
    message = "cannot be read: JSONL holds rows; this is to be one value"
    fault = SourceFault("source/unreadable", message, None, "write it as YAML or JSON")
    return Unreadable(source.file, (fault,))


def open_workspace(root: Path, inner: tuple[Path, ...] = ()) -> Workspace:
    """Open the workspace of a folder; `inner` are folders in it that are workspaces themselves.

    Raises:
        ConfigurationError: its configuration cannot be used.

    """
    root = root.resolve()
    path = root / FILE_NAME
    if not path.is_file():
        return Workspace(root, inner=inner)
    return Workspace(root, read_configuration(path, name_of(path)), inner)
