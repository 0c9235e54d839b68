"""A plan: what a rubric will do with a row, worked out once for all rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

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
    """One check of a rubric. `inner` are the steps of the other rubric, for a composite."""

    name: str
    kind: str
    needs: Needs
    inner: tuple[Step, ...] = ()

    def outlook(self, row: Mapping[str, Any]) -> Prediction:
        """Return what will become of the check on a row."""
        if self.needs.never_runs is not None or not self.inner:
            return outlook_of(self.needs, row)
        inner = [step.outlook(row) for step in self.inner]
        if any(each.runs for each in inner):
            return outlook_of(self.needs, row)
        worst = next((each for each in inner if each.field is not None), inner[0])
        return Prediction(worst.state, f"no check of it runs: {worst.reason}", worst.field)


class Plan(NamedTuple):
    """What a rubric does with rows. `reads` are the fields that any of its checks looks at.

    `is_complete` is False where a check has a fault of structure, or refers to what is not there:
    then nobody knows what it would read. `bundles` are those that the rubric is for; empty means
    any. `conflicts` is what the rubric makes impossible of what it reads of a row.
    """

    artifact: Artifact
    steps: tuple[Step, ...]
    reads: frozenset[str]
    bundles: tuple[str, ...]
    is_complete: bool
    conflicts: Conflicts = Conflicts()


def plan_of(artifact: Artifact, around: EvalContext) -> Plan:
    """Work out the plan of a rubric; checks with a fault of structure are left out of it."""
    return _plan(artifact, around, depth=0)


def _plan(artifact: Artifact, around: EvalContext, *, depth: int) -> Plan:
    value: Any = artifact.document.value
    if not isinstance(value, dict):
        return Plan(artifact, (), frozenset(), (), is_complete=False)
    kept, checks = valid_parts(value, structure_of("rubric").check(value))
    reads: set[str] = set()
    steps = []
    known = True
    kinds = kinds_in_use()
    for path, check in checks:
        kind = kinds.get(check["kind"], _without_executor(check["kind"]))
        reads |= kind.reads(check, around)
        inner = _inner(check, around, depth)
        if inner is not None:
            reads |= inner.reads
        name = check.get("id") or f"{check['kind']}[{path[-1]}]"
        needs = kind.needs(check, around)
        if kind.name == "composite" and needs.never_runs is None:
            needs = _of_composite(check, inner)
        known &= kind.name in kinds
        known &= kind.name not in _REFERRING or not _is_unavailable(needs)
        known &= inner is None or inner.is_complete
        steps.append(Step(name, kind.name, needs, inner.steps if inner else ()))
    written = value.get("checks")
    ill_formed = [] if not isinstance(written, list) else _ill_formed(written, checks)
    complete = known and bool(steps) and not ill_formed
    steps += ill_formed
    bundles = tuple(kept.get("applicable_bundles", ()))
    conflicts = conflicts_of(checks, kept.get("scoring", {}).get("combine"))
    return Plan(artifact, tuple(steps), frozenset(reads), bundles, complete, conflicts)


def _without_executor(name: str) -> CheckKind:
    """Return a kind that only the schema knows: it never runs, and is not passed over."""
    needs = never_runs(State.UNAVAILABLE, f"checks of the kind `{name}` are not built in")
    return CheckKind(name, reads_nothing, lambda *_: needs)


def _ill_formed(written: list[Any], sound: Checks) -> list[Step]:
    """Return a step for each check that structure refuses: it cannot run, and must not be lost."""
    indexes = {path[-1] for path, _ in sound}
    needs = never_runs(State.UNAVAILABLE, "the check is ill-formed")
    found = []
    for index, check in enumerate(written):
        if index not in indexes:
            parts = check if isinstance(check, dict) else {}
            kind = str(parts.get("kind", "?"))
            found.append(Step(str(parts.get("id", f"{kind}[{index}]")), kind, needs))
    return found


# A composite reaches one level; what lies deeper, or in a cycle, is a finding of its own.
_DEEPEST = 1

#: The kinds that read what something else in the library says.
_REFERRING = frozenset({"fact_match", "llm_judge", "composite"})


def _of_composite(check: dict[str, Any], inner: Plan | None) -> Needs:
    """Return what a composite asks for itself, where its rubric is there."""
    if inner is None:
        return never_runs(State.UNAVAILABLE, "it stands below another composite")
    if not inner.steps:
        return never_runs(State.UNAVAILABLE, f"no check of `{check['rubric_ref']}` can be read")
    return Needs()


def _is_unavailable(needs: Needs) -> bool:
    return needs.never_runs is not None and needs.never_runs.state is State.UNAVAILABLE


def _inner(check: dict[str, Any], around: EvalContext, depth: int) -> Plan | None:
    reference = Reference.parse(check["rubric_ref"]) if check["kind"] == "composite" else None
    found = around.library.resolve(reference) if reference and depth < _DEEPEST else None
    return _plan(found.artifact, around, depth=depth + 1) if isinstance(found, Resolved) else None


#: What a row without a rubric is graded by: its own expectations, each by the kind that reads it.
OWN_EXPECTATIONS = {
    "criteria": "llm_judge",
    "expected": "format",
    "expected_facts": "fact_match",
    "expected_tools": "tool_usage",
    "must_not_contain": "must_not_contain",
}


def own_outlooks(row: Mapping[str, Any]) -> dict[str, Prediction]:
    """Return what will become of the expectations of a row without a rubric, by their keys."""
    return {field: _own_outlook(field, row[field]) for field in OWN_EXPECTATIONS if field in row}


def _own_outlook(field: str, value: Any) -> Prediction:
    if is_empty(field, value):
        return Prediction(State.VACUOUS, f"the row's `{field}` is empty", field)
    return ANY_TEXT if field == "expected" and value == {"format": "text"} else RUNS
