"""A plan: what a rubric's checks need from a row, computed once for all rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.analysis.clashes import ALTERNATIVES
from evalcontract.checks import kinds_in_use
from evalcontract.checks._kind import (
    ANY_TEXT,
    RUNS,
    CheckKind,
    EvalContext,
    Needs,
    Prediction,
    State,
    is_empty,
    never_runs,
    outlook_of,
    reads_nothing,
)
from evalcontract.checks.conflicts import Conflicts, conflicts_of
from evalcontract.library.library import Resolved
from evalcontract.model.reference import Reference
from evalcontract.structure.valid_parts import valid_parts
from evalcontract.structure.validator import structure_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.library.artifact import Artifact
    from evalcontract.structure.valid_parts import Checks


class Step(NamedTuple):
    """One check of a rubric, or of the rubric of a composite: then named `composite/check`."""

    name: str
    kind: str
    needs: Needs

    def outlook(self, row: Mapping[str, Any]) -> Prediction:
        """Return the prediction for the check on a row."""
        return outlook_of(self.needs, row)


class Plan(NamedTuple):
    """What a rubric does with rows. `reads` has the fields that any of its checks reads.

    `steps` has the checks of its composites in place of these. `is_complete` is False if a check
    is malformed or refers to something that does not exist: then it is unknown what it would read.
    `bundles` are those that the rubric applies to; empty means any. `conflicts` has the limits
    that it sets for a row's expectations; `decisive` are the checks that all have to pass, each
    with its path or that of the composite that reaches it. `graded` are the keys of rows that the
    graders of the runner read besides; `reads` has them too.
    """

    artifact: Artifact
    steps: tuple[Step, ...]
    reads: frozenset[str]
    bundles: tuple[str, ...]
    is_complete: bool
    conflicts: Conflicts = Conflicts()
    decisive: Checks = ()
    graded: frozenset[str] = frozenset()

    def beside(self, graded: frozenset[str]) -> Plan:
        """Return the plan for a runner whose own graders read these keys of a row."""
        return self._replace(reads=self.reads | graded, graded=graded) if graded else self


def plan_of(artifact: Artifact, context: EvalContext) -> Plan:
    """Return the plan of a rubric. Malformed checks become steps that never run."""
    return _plan(artifact, context, depth=0)


def _plan(artifact: Artifact, context: EvalContext, *, depth: int) -> Plan:
    value: Any = artifact.document.value
    if not isinstance(value, dict):
        return Plan(artifact, (), frozenset(), (), is_complete=False)
    valid, checks = valid_parts(value, structure_of("rubric").check(value))
    reads: set[str] = set()
    steps: list[Step] = []
    weighed = list(checks)
    known = True
    kinds = kinds_in_use()
    for path, check in checks:
        kind = kinds.get(check["kind"], _without_executor(check["kind"]))
        reads |= kind.reads(check, context)
        inner = _inner(check, context, depth)
        if inner is not None:
            reads |= inner.reads
        name = check.get("id") or f"{check['kind']}[{path[-1]}]"
        needs = kind.needs(check, context)
        if kind.name == "composite" and needs.never_runs is None:
            needs = _of_composite(check, inner)
        known &= kind.name in kinds
        known &= kind.name not in _REFERRING or not _is_unavailable(needs)
        known &= inner is None or inner.is_complete
        if inner is None or needs.never_runs is not None:
            steps.append(Step(name, kind.name, needs))
            continue
        steps += (step._replace(name=f"{name}/{step.name}") for step in inner.steps)
        weighed += ((path, other) for _, other in inner.decisive)
    written = value.get("checks")
    malformed = [] if not isinstance(written, list) else _malformed(written, checks)
    complete = known and bool(steps) and not malformed
    steps += malformed
    bundles = tuple(valid.get("applicable_bundles", ()))
    combine = valid.get("scoring", {}).get("combine")
    decisive = () if combine is None or combine in ALTERNATIVES else tuple(weighed)
    conflicts = conflicts_of(decisive)
    return Plan(artifact, tuple(steps), frozenset(reads), bundles, complete, conflicts, decisive)


def _without_executor(name: str) -> CheckKind:
    """Return a kind that only the schema knows; its checks never run."""
    needs = never_runs(State.UNAVAILABLE, f"checks of the kind `{name}` are not built in")
    return CheckKind(name, reads_nothing, lambda *_: needs)


def _malformed(written: list[Any], valid: Checks) -> list[Step]:
    """Return a step that never runs for each malformed check, so that it is still reported."""
    indexes = {path[-1] for path, _ in valid}
    needs = never_runs(State.UNAVAILABLE, "the check is malformed")
    steps = []
    for index, check in enumerate(written):
        if index not in indexes:
            parts = check if isinstance(check, dict) else {}
            kind = str(parts.get("kind", "?"))
            steps.append(Step(str(parts.get("id", f"{kind}[{index}]")), kind, needs))
    return steps


# Composites cannot be nested; deeper nesting and cycles are reported by themselves.
_MAX_DEPTH = 1

#: The kinds that refer to other artifacts of the library.
_REFERRING = frozenset({"fact_match", "llm_judge", "composite"})


def _of_composite(check: dict[str, Any], inner: Plan | None) -> Needs:
    """Return the needs of a composite, given the plan of its rubric."""
    if inner is None:
        return never_runs(State.UNAVAILABLE, "it is inside another composite")
    if not inner.steps:
        return never_runs(State.UNAVAILABLE, f"`{check['rubric_ref']}` has no valid checks")
    return Needs()


def _is_unavailable(needs: Needs) -> bool:
    return needs.never_runs is not None and needs.never_runs.state is State.UNAVAILABLE


def _inner(check: dict[str, Any], context: EvalContext, depth: int) -> Plan | None:
    reference = Reference.parse(check["rubric_ref"]) if check["kind"] == "composite" else None
    target = context.library.resolve(reference) if reference and depth < _MAX_DEPTH else None
    if not isinstance(target, Resolved):
        return None
    return _plan(target.artifact, context, depth=depth + 1)


#: The expectations that grade a row without a rubric, each with the kind of check that reads it.
OWN_EXPECTATIONS = {
    "criteria": "llm_judge",
    "expected": "format",
    "expected_facts": "fact_match",
    "expected_tools": "tool_usage",
    "must_contain_any": "must_contain_any",
    "must_not_contain": "must_not_contain",
}


#: The kind of what the graders of the runner read from a row.
RUNNER = "runner"


def predictions(
    row: Mapping[str, Any], plan: Plan | None, graded: frozenset[str]
) -> list[tuple[str, str, Prediction]]:
    """Return the name and the kind of each check of a row, with what will become of it.

    Without a rubric (`plan` is None) these are the row's own expectations, by their keys. `graded`
    are the keys that the graders of the runner read, whatever the rubric does.
    """
    checks = [(step.name, step.kind, step.outlook(row)) for step in plan.steps] if plan else []
    own = {} if plan else OWN_EXPECTATIONS
    keys = [*own, *sorted(graded - own.keys())]
    return checks + [
        (key, own.get(key, RUNNER), _own_outlook(key, row[key]))
        for key in keys
        if row.get(key) is not None
    ]


def _own_outlook(field: str, value: Any) -> Prediction:
    if is_empty(field, value):
        return Prediction(State.VACUOUS, f"the row's `{field}` is empty", field)
    return ANY_TEXT if field == "expected" and value == {"format": "text"} else RUNS
