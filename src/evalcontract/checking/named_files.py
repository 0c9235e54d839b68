"""Check the rubrics, judges and targets that a command names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.checking.artifacts import artifact_findings
from evalcontract.datasets.placing import from_unreadable_files
from evalcontract.datasets.run import Run
from evalcontract.library.artifact import Artifact, read_artifact
from evalcontract.library.library import Library
from evalcontract.model.reference import Kind
from evalcontract.workspace import display_name, require_single_value

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evalcontract.datasets.opening import Input
    from evalcontract.model.diagnostic import Diagnostic, RunOutcome
    from evalcontract.policy import Policy


def check_target(
    run: Run, input_: Input, outcome: RunOutcome, named: dict[Path, Policy]
) -> Iterator[Diagnostic]:
    """Check a target, and add its dataset to `named` with its policy, unless that is a fault."""
    outcome.count(Kind.TARGET, display_name(input_.path))
    source = require_single_value(input_.read())
    if source.unreadable:
        yield from from_unreadable_files([source.unreadable], run.standards.base)
    if source.document is None:
        return
    target = run.workspace.target(source.document)
    from evalcontract.checking.artifact_check import findings_of_target  # only for targets

    diagnostics = list(findings_of_target(run, target))
    yield from diagnostics
    if target.dataset is None or any(found.path == ("dataset",) for found in diagnostics):
        return
    path, policy = run.workspace.files.real(target.dataset), run.standards.policy_of(target)
    named[path] = named[path].join(policy) if path in named else policy


def check_artifact_file(
    run: Run, kind: Kind, input_: Input, outcome: RunOutcome
) -> Iterator[Diagnostic]:
    """Check a rubric or a judge, or schedule its check if the library has the same file."""
    outcome.count(kind, display_name(input_.path))
    library = run.workspace.library
    known = None if input_.stream else library.in_file(kind, display_name(input_.path))
    if known is not None:
        run.scheduled.add(known, run.standards.base, library)
        return
    source = require_single_value(input_.read())
    if source.unreadable:
        yield from from_unreadable_files([source.unreadable], run.standards.base)
    if source.document is None:
        return
    artifact, library = _inserted(read_artifact(kind, source.document), library)
    # A separate run: the artifact replaces the one in the library.
    artifact_run = Run(
        run.workspace,
        run.standards.forced,
        run.today,
        selection=run.standards.selection,
        ignores=run.ignores,
    )
    artifact_run.scheduled.add(artifact, run.standards.base, library)
    yield from artifact_findings(artifact_run, library)


def _inserted(artifact: Artifact, library: Library) -> tuple[Artifact, Library]:
    """Return the artifact and a library in which it replaces the one from the same file.

    If both are identical, return the one in the library, and the library unchanged.
    """
    old = library.at(artifact.file)
    if old and (old.kind, old.document.sha256) == (artifact.kind, artifact.document.sha256):
        return old, library
    others = [other for other in library.artifacts if other.file != artifact.file]
    return artifact, Library([artifact, *others])
