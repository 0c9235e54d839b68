"""Check the targets of a workspace: their structure, and the datasets that they name."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalcontract.model.diagnostic import Problem
from evalcontract.model.suggestions import Suggestions
from evalcontract.source import FILE, read_file
from evalcontract.structure.validator import structure_of
from evalcontract.workspace.graded_keys import GRADED, meant_row_key

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evalcontract.source import Document
    from evalcontract.workspace import Target, Workspace

_DATASET = ("dataset",)


class _FileNames(NamedTuple):
    """The names of the files in a folder, to find the one that was probably meant."""

    names: frozenset[str]
    similar: Suggestions

    def meant_by(self, name: str) -> str | None:
        """Return the file with exactly this name, or else a similar one, or None."""
        return name if name in self.names else self.similar.nearest(name)


class TargetCheck:
    """The check of the targets of one workspace; each folder of datasets is listed once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._names: dict[str, _FileNames | None] = {}

    def problems(self, target: Target) -> list[Problem]:
        """Return the problems of a target."""
        document = target.document
        value = document.value if isinstance(document.value, dict) else {}
        problems = structure_of("target").check(document.value, (), document.raw)
        name = value.get("dataset")
        if isinstance(name, str) and not any("dataset" in problem.path for problem in problems):
            problems += self._dataset_problems(target.dataset, name)
        return [*problems, *_graded_key_problems(document)]

    def _dataset_problems(self, path: Path | None, name: str) -> Iterator[Problem]:
        """Yield a problem if the path in a target is not a dataset; None is outside."""
        advice: str | None
        files = self._workspace.files
        if path is None:
            message = f"`{name}` is outside of the workspace"
            advice = self._suggestion(name)
            yield Problem("target/missing-dataset", message, _DATASET, advice)
        elif not files.is_file(path):
            unreadable = read_file(path, name, files).unreadable
            reason = unreadable.faults[0].message if unreadable else "is not a file"
            exists = files.is_there(path)
            message = f"`{name}` {reason}" if exists else f"there is no file `{name}`"
            advice = None if exists else self._suggestion(name)
            yield Problem("target/missing-dataset", message, _DATASET, advice)
        elif self._workspace.is_artifact(path):
            message = f"`{name}` is not a dataset: it has no `questions`"
            advice = "name the dataset to run; its rows refer to rubrics, and these to judges"
            yield Problem("target/wrong-kind", message, _DATASET, advice)

    def _suggestion(self, name: str) -> str:
        """Return a suggestion: a file with the same or a similar name in the likely folders."""
        folder, _, base = name.rpartition("/")
        for candidate in dict.fromkeys((folder, "datasets", folder.removeprefix("../"))):
            names = self._names_in(candidate)
            if names and (meant := names.meant_by(base)):
                return f"did you mean `{f'{candidate}/{meant}'.removeprefix('/')}`?"
        return "paths are relative to the workspace root"

    def _names_in(self, folder: str) -> _FileNames | None:
        """Return the names of the files in a folder of the workspace, or None if it has none."""
        if folder not in self._names:
            self._names[folder] = self._list(self._workspace.root / folder)
        return self._names[folder]

    def _list(self, folder: Path) -> _FileNames | None:
        if not self._workspace.contains(folder):
            return None
        try:
            entries = self._workspace.files.entries(folder, "")
        except (OSError, ValueError):
            return None
        names = tuple(entry.name for entry in entries if entry.kind == FILE)
        return _FileNames(frozenset(names), Suggestions(names))


def _graded_key_problems(document: Document) -> Iterator[Problem]:
    """Yield a problem for each misspelled key of rows in a target."""
    value = document.value if isinstance(document.value, dict) else {}
    keys = value.get(GRADED)
    for index, key in enumerate(keys if isinstance(keys, list) else ()):
        near = meant_row_key(key) if isinstance(key, str) else None
        if near:
            message, advice = f"rows have no key `{key}`", f"did you mean `{near}`?"
            yield Problem("target/misspelled-row-key", message, (GRADED, index), advice)
