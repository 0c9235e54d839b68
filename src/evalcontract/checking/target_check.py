"""Check the targets of a workspace: their structure, and the datasets that they name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.datasets.placing import to_diagnostics
from evalcontract.model.diagnostic import Problem
from evalcontract.model.reference import Kind
from evalcontract.source import read_file
from evalcontract.structure.validator import structure_of
from evalcontract.workspace.configuration import GRADED, meant_row_key

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evalcontract.datasets.run import Run
    from evalcontract.model.diagnostic import Diagnostic
    from evalcontract.source import Document
    from evalcontract.workspace import Target, Workspace

_DATASET = ("dataset",)


def check_targets(run: Run) -> Iterator[Diagnostic]:
    """Check the files of `targets/`."""
    for target in run.workspace.targets:
        yield from findings_of_target(run, target)


def findings_of_target(run: Run, target: Target) -> Iterator[Diagnostic]:
    """Check one target."""
    document, policy = target.document, run.standards.base
    found = to_diagnostics(_problems(run.workspace, target), document, policy, {})
    of_schema = run.schema_reference(Kind.TARGET, document, document.value, policy)
    yield from run.ignores.without_ignored(document, policy, found, of_schema)


def _problems(workspace: Workspace, target: Target) -> list[Problem]:
    document = target.document
    value = document.value if isinstance(document.value, dict) else {}
    problems = structure_of("target").check(document.value, (), document.raw)
    name = value.get("dataset")
    if isinstance(name, str) and not any("dataset" in problem.path for problem in problems):
        problems += _dataset_problems(workspace, target.dataset, name)
    return [*problems, *_graded_key_problems(document)]


def _dataset_problems(workspace: Workspace, path: Path | None, name: str) -> Iterator[Problem]:
    """Yield a problem if the path in a target is not a dataset; None is outside."""
    advice: str | None
    files = workspace.files
    if path is None:
        message = f"`{name}` is outside of the workspace"
        advice = _suggestion(workspace, name)
        yield Problem("target/missing-dataset", message, _DATASET, advice)
    elif not files.is_file(path):
        unreadable = read_file(path, name, files).unreadable
        reason = unreadable.faults[0].message if unreadable else "is not a file"
        exists = files.is_there(path)
        message = f"`{name}` {reason}" if exists else f"there is no file `{name}`"
        advice = None if exists else _suggestion(workspace, name)
        yield Problem("target/missing-dataset", message, _DATASET, advice)
    elif workspace.is_artifact(path):
        message = f"`{name}` is not a dataset: it has no `questions`"
        advice = "name the dataset to run; its rows refer to rubrics, and these to judges"
        yield Problem("target/wrong-kind", message, _DATASET, advice)


def _suggestion(workspace: Workspace, name: str) -> str:
    """Return a suggestion: a file with the same or a similar name in the likely folders."""
    folder, _, base = name.rpartition("/")
    for candidate in dict.fromkeys((folder, "datasets", folder.removeprefix("../"))):
        names = workspace.file_names(candidate)
        if names and (meant := names.meant_by(base)):
            return f"did you mean `{f'{candidate}/{meant}'.removeprefix('/')}`?"
    return "paths are relative to the workspace root"


def _graded_key_problems(document: Document) -> Iterator[Problem]:
    """Yield a problem for each misspelled key of rows in a target."""
    value = document.value if isinstance(document.value, dict) else {}
    keys = value.get(GRADED)
    for index, key in enumerate(keys if isinstance(keys, list) else ()):
        near = meant_row_key(key) if isinstance(key, str) else None
        if near:
            message, advice = f"rows have no key `{key}`", f"did you mean `{near}`?"
            yield Problem("target/misspelled-row-key", message, (GRADED, index), advice)
