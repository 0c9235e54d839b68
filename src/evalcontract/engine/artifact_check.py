"""Check one rubric or judge: its structure, then rules on its valid parts and its references."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.engine.crash import guarded, one_finding
from evalcontract.engine.diagnostics import from_unreadable_files, to_diagnostics
from evalcontract.engine.wrong_kind import other_kind, wrong_kind
from evalcontract.library.references import check_cycles, check_depth, check_use
from evalcontract.model.diagnostic import Problem
from evalcontract.model.reference import Kind
from evalcontract.rules._rule import Context, Subject
from evalcontract.structure.valid_parts import declared_kind, valid_parts
from evalcontract.structure.validator import structure_of
from evalcontract.workspace.rules_in_use import rules_in_use

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.engine.run import Run
    from evalcontract.library.artifact import Artifact
    from evalcontract.library.library import Library
    from evalcontract.library.names import UnreadableNames
    from evalcontract.model.diagnostic import Diagnostic
    from evalcontract.model.path import Path


def artifact_findings(run: Run, library: Library | None = None) -> Iterator[Diagnostic]:
    """Check the scheduled artifacts of a run, in a library that is by default the workspace's."""
    from evalcontract.rules._composites import CompositeChecks  # only needed for artifacts

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
        from evalcontract.engine.bundle_check import check_bundles  # slow to import

        yield from check_bundles(run)


def target_findings(run: Run) -> Iterator[Diagnostic]:
    """Check the files of `targets/`, if there are any."""
    if run.workspace.targets:
        from evalcontract.engine.target_check import check_targets  # only for targets

        yield from check_targets(run)


def listing_errors(run: Run) -> Iterator[Diagnostic]:
    """Yield the findings for folders of a workspace that could not be listed."""
    yield from from_unreadable_files(run.workspace.unreadable_dirs.values(), run.standards.base)


def unread_files(run: Run) -> Iterator[Diagnostic]:
    """Yield the findings for files in the folders of a workspace that are not read."""
    yield from from_unreadable_files(run.workspace.listing.unread(), run.standards.base)


def check_artifact(
    artifact: Artifact,
    context: Context,
    unreadable: UnreadableNames,
    declared: frozenset[str] = frozenset(),
) -> Iterator[Problem]:
    """Yield the problems of one artifact of a library.

    `declared` are the kinds of checks that only another runner knows.
    """
    document = artifact.document
    other = other_kind(artifact.kind, document.value)
    if other is not None:
        yield wrong_kind(artifact.kind, other)
        return
    problems = structure_of(artifact.kind).check(document.value, (), document.raw)
    if problems:
        from evalcontract.engine.other_tool import problem_of_root  # both are slow to import

        if isinstance(document.value, dict) and (
            foreign := problem_of_root(artifact.kind, document.value)
        ):
            yield foreign
            return
        from evalcontract.library.spelling import with_advice

        advised = with_advice(problems, document.value, context.library)
        yield from _without_executor(advised, document.value, declared)
    if not isinstance(document.value, dict):
        return
    valid_value, checks = valid_parts(document.value, problems)
    subject = Subject(
        artifact, valid_value, checks, _misspelled_keys(artifact) if problems else frozenset()
    )
    for rule in rules_in_use().on(artifact.kind):
        yield from guarded(rule.code, rule.check, subject, context)
    for site in artifact.uses:
        yield from check_use(site, context.library, unreadable)
    if artifact.kind is Kind.RUBRIC:
        yield from guarded("rubric/cycle", check_cycles, artifact, context.library)
        yield from guarded("rubric/nested-composite", check_depth, artifact, context.library)


def _without_executor(
    problems: Iterable[Problem], value: Any, declared: frozenset[str]
) -> Iterator[Problem]:
    """Yield problems, with a warning in place of the fault of a kind that is declared."""
    for problem in problems:
        kind = declared_kind(problem, value, declared)
        if kind is None:
            yield problem
            continue
        message = f"nothing here runs checks of the kind `{kind}`"
        advice = "install a package that brings it, or use a runner that knows it"
        yield Problem("rubric/no-executor", message, problem.path, advice)


def _misspelled_keys(artifact: Artifact) -> frozenset[Path]:
    """Return the paths of misspelled keys; each of these is a fault of structure, too."""
    from evalcontract.structure.keys.mismatches import meant_paths  # slow to import

    return meant_paths(artifact.document.value, structure_of(artifact.kind).schema)
