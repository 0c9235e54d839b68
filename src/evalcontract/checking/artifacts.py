"""Check what a run refers to (rubrics, judges, bundles, targets) and the listing of its files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.datasets.placing import from_unreadable_files, one_finding, to_diagnostics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.datasets.run import Run
    from evalcontract.library.library import Library
    from evalcontract.model.diagnostic import Diagnostic


def artifact_findings(run: Run, library: Library | None = None) -> Iterator[Diagnostic]:
    """Check the scheduled artifacts of a run, in a library that is by default the workspace's."""
    if not run.scheduled.policies:
        return
    from evalcontract.checking.artifact_check import check_artifact  # not for rows alone
    from evalcontract.rules._rule import CompositeChecks, Context

    workspace = run.workspace
    library = library or workspace.library
    documents = {**run.documents, **{each.file: each.document for each in library.artifacts}}
    composites = CompositeChecks()
    for artifact, policy in run.scheduled.policies.values():
        context = Context(
            library,
            run.today,
            policy.max_age_days,
            run.read_json,
            workspace.schemas,
            run.patterns,
            composites,
            library.used,
            policy.age_from,
        )
        kinds = workspace.configuration.declared_kinds
        document = artifact.document
        told: list[Diagnostic] = []
        with one_finding(artifact.file, told.append):
            problems = check_artifact(artifact, context, workspace.unreadable_names, kinds)
            found = to_diagnostics(problems, document, policy, documents)
            of_schema = run.schema_reference(artifact.kind, document, document.value, policy)
            told += run.ignores.without_ignored(document, policy, found, of_schema)
        yield from told


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
