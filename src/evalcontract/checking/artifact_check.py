"""Check one rubric or judge: its structure, then rules on its valid parts and its references."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.datasets.kinds import other_kind, wrong_kind
from evalcontract.datasets.placing import guarded
from evalcontract.library.references import check_cycles, check_depth, check_use
from evalcontract.model.diagnostic import Problem
from evalcontract.model.reference import Kind
from evalcontract.rules._rule import Context, Subject
from evalcontract.structure.validator import declared_kind, structure_of, valid_parts
from evalcontract.workspace.catalogue import rules_in_use

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.library.artifact import Artifact, UnreadableNames
    from evalcontract.model.diagnostic import Path


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
        from evalcontract.datasets.kinds import problem_of_root  # both are slow to import

        if isinstance(document.value, dict) and (
            foreign := problem_of_root(artifact.kind, document.value)
        ):
            yield foreign
            return
        from evalcontract.library.advice import with_advice

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
