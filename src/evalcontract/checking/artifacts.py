"""Check what a run refers to (rubrics, judges, bundles, targets) and the listing of its files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract.datasets.opening import Input
from evalcontract.datasets.placing import from_unreadable_files, one_finding, to_diagnostics
from evalcontract.datasets.run import Run
from evalcontract.library.library import Artifact, Library, read_artifact
from evalcontract.model.diagnostic import Diagnostic, Problem, RunOutcome
from evalcontract.model.reference import Kind
from evalcontract.policy import Policy
from evalcontract.workspace import display_name, require_single_value

if TYPE_CHECKING:
    from evalcontract.checking.known_results import KnownResults


def artifact_findings(
    run: Run, library: Library | None = None, known: KnownResults | None = None
) -> Iterator[Diagnostic]:
    """Check the scheduled artifacts of a run, in a library that is by default the workspace's.

    Those with known findings are not checked again.
    """
    unknown: list[tuple[Artifact, Policy]] = []
    for artifact, policy in run.scheduled.policies.values():
        findings = known.of_artifact(artifact, policy) if known else None
        if findings is None:
            unknown.append((artifact, policy))
        else:
            yield from findings
    if not unknown:
        return
    from evalcontract.checking.artifact_check import check_artifact  # not for rows alone
    from evalcontract.rules._rule import CompositeChecks, Context

    workspace = run.workspace
    library = library or workspace.library
    documents = {**run.documents, **{each.file: each.document for each in library.artifacts}}
    composites = CompositeChecks()
    for artifact, policy in unknown:
        context = Context(
            library=library,
            today=run.today,
            max_age_days=policy.max_age_days,
            read_json=run.read_json,
            schemas=workspace.schemas,
            searches=lambda: run.patterns,
            composites=composites,
            used=library.used,
            age_from=policy.age_from,
        )
        kinds = workspace.configuration.declared_kinds
        document = artifact.document
        results: list[Diagnostic] = []
        with one_finding(artifact.file, results.append):
            names = workspace.unreadable_names
            found = [*check_artifact(artifact, context, names, declared=kinds)]
            problems = chain(found, artifact_problems_by_lock(run, artifact, library, found))
            diagnostics = to_diagnostics(problems, document, policy, documents=documents)
            of_schema = run.schema_reference(artifact.kind, document, document.value, policy=policy)
            results += run.ignores.without_ignored(document, policy, diagnostics, of_schema)
            if known:
                known.keep_artifact(artifact, policy, results)
        yield from results


def artifact_problems_by_lock(
    run: Run, artifact: Artifact, library: Library, found: list[Problem]
) -> Iterator[Problem]:
    """Yield what is wrong with an artifact by the lock of the workspace, if there is one.

    `found` is what is wrong with it besides: no new version makes a wrong key right.
    """
    own = run.lock and run.workspace.library.in_file(artifact.kind, artifact.file)
    name = run.workspace.relative_name(artifact.file) if own else None
    if run.lock and name is not None:  # else `lock` does not look at it either
        from evalcontract.meaning.locked import artifact_problems, library_problems  # for a lock

        keys = {problem.path for problem in found if problem.on_key}
        for problem in artifact_problems(artifact, run.lock, library, name):
            if problem.code == "lock/changed-meaning" and problem.path in keys:
                advice = f"correct the key first; if it is to stay, {problem.help}"
                yield problem._replace(help=advice, fix=None)
            else:
                yield problem
        if library.shared.artifacts:
            uses = ((use.reference, use.path) for use in artifact.uses)
            yield from library_problems(uses, run.lock, library, run.problems_in_libraries)


def lock_findings(
    run: Run, *, is_whole: bool = False, has_bundles: bool = True
) -> Iterator[Diagnostic]:
    """Check the lock, if there is one, and the files that it has besides artifacts and datasets.

    Without `has_bundles`, no dataset was checked, and bundles do not matter.
    """
    if run.workspace.lock_file and not run.is_locking:
        from evalcontract.checking.artifact_check import check_lock  # only with a lock

        found = run.workspace.lock_file
        yield from check_lock(run, found, is_whole=is_whole, has_bundles=has_bundles)


def bundle_findings(run: Run) -> Iterator[Diagnostic]:
    """Check the files of `bundles/`, if there are any."""
    if run.workspace.bundle_files:
        from evalcontract.checking.artifact_check import check_bundles  # slow to import

        yield from check_bundles(run)


def target_findings(run: Run) -> Iterator[Diagnostic]:
    """Check the files of `targets/`, if there are any."""
    if run.workspace.targets:
        from evalcontract.checking.artifact_check import check_targets  # only for targets

        yield from check_targets(run)


def listing_errors(run: Run) -> Iterator[Diagnostic]:
    """Yield the findings for folders of a workspace that could not be listed."""
    yield from from_unreadable_files(run.workspace.unreadable_dirs.values(), run.standards.base)


def unread_files(run: Run) -> Iterator[Diagnostic]:
    """Yield the findings for files in the folders of a workspace that are not read."""
    yield from from_unreadable_files(run.workspace.listing.unread(), run.standards.base)


def check_target(
    run: Run, input_: Input, outcome: RunOutcome, policies: dict[Path, Policy]
) -> Iterator[Diagnostic]:
    """Check a target, and add its dataset to `policies` with its policy, unless that is a fault."""
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
    if target.dataset is None or any(finding.path == ("dataset",) for finding in diagnostics):
        return
    path, policy = run.workspace.files.real(target.dataset), run.standards.policy_of(target)
    policies[path] = policies[path].join(policy) if path in policies else policy


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
    artifact, library = _insert(read_artifact(kind, source.document), library)
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


def _insert(artifact: Artifact, library: Library) -> tuple[Artifact, Library]:
    """Return the artifact and a library in which it replaces the one from the same file."""
    # If both are identical, return the one in the library, and the library unchanged.
    old = library.at(artifact.file)
    if old and (old.kind, old.document.sha256) == (artifact.kind, artifact.document.sha256):
        return old, library
    others = [other for other in library.artifacts if other.file != artifact.file]
    return artifact, Library([artifact, *others], shared=library.shared)
