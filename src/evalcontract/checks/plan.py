"""The plan of a rubric: its steps, and what each needs of a row, computed once for all rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, TypeVar

from evalcontract.analysis.clashes import ALTERNATIVES
from evalcontract.checks import KINDS, kinds_in_use
from evalcontract.checks._kind import (
    ANY_TEXT,
    RUNS,
    CheckKind,
    EvalContext,
    Needs,
    Prediction,
    Row,
    State,
    is_empty,
    never_runs,
    outlooks_of,
)
from evalcontract.checks.conflicts import Conflicts, conflicts_of
from evalcontract.library.library import Artifact, Library
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import NAME_LENGTH, SHOWN, clipped
from evalcontract.structure.authored import SchemaAnalyses
from evalcontract.structure.validator import Checks, valid_parts_of_rubric

T = TypeVar("T")

# The names that are kept of a group: one more than a message lists, see `listed`.
_NAMED = SHOWN + 1


class Step(NamedTuple):
    """One check of a rubric, or of the rubric of a composite: then named `composite/check`.

    `check` is what the rubric says; None if it is malformed.
    """

    name: str
    kind: str
    needs: Needs
    check: dict[str, Any] | None = None


class StepGroup(NamedTuple):
    """The checks of a plan that need the same from a row, so that one prediction is for all.

    `total` is their number. `names` are the first of them and `judges` all their judges, each with
    the number of the check in the plan; long names are clipped. `needs` is without judges.
    """

    needs: Needs
    total: int
    names: tuple[tuple[int, str], ...]
    judges: tuple[tuple[int, Artifact], ...] = ()


class NestedRubric(NamedTuple):
    """A composite in place of which the checks of its rubric run: those of `plan`.

    `check` is what the outer rubric says.
    """

    name: str
    plan: Plan
    check: dict[str, Any]

    @property
    def steps(self) -> Steps:
        """The checks of the rubric, and their groups."""
        return self.plan.steps


class Steps(NamedTuple):
    """The checks of a rubric, in order, with their number and their groups.

    Those of composites are made when they are asked for: many composites may reach one rubric.
    """

    parts: tuple[Step | NestedRubric, ...] = ()
    total: int = 0
    groups: tuple[StepGroup, ...] = ()

    def each(self) -> Iterator[Step]:
        """Yield every check."""
        for part in self.parts:
            if isinstance(part, Step):
                yield part
            else:
                for step in part.steps.each():
                    yield step._replace(name=f"{part.name}/{step.name}")

    def each_with(self, values: Iterable[T]) -> Iterator[tuple[Step, T]]:
        """Yield every check with the value of its group; `values` has one for each group."""
        by_needs = {group.needs: value for group, value in zip(self.groups, values, strict=True)}
        for step in self.each():
            yield step, by_needs[step.needs._replace(judges=())]


def steps_of(parts: Iterable[Step | NestedRubric]) -> Steps:
    """Return the checks of a rubric with their groups."""
    parts = tuple(parts)
    groups: dict[Needs, _GroupBuilder] = {}
    nested: dict[int, list[tuple[int, NestedRubric]]] = {}
    count = 0
    for part in parts:
        if isinstance(part, Step):
            needs = part.needs._replace(judges=())
            group = groups.setdefault(needs, _GroupBuilder())
            group.add([(count, part.name)], [(count, judge) for judge in part.needs.judges])
            count += 1
        else:
            nested.setdefault(id(part.steps), []).append((count, part))
            count += part.steps.total
    for places in nested.values():
        for inner in places[0][1].steps.groups:
            groups.setdefault(inner.needs, _GroupBuilder()).add_nested(inner, places)
    groups_with_needs = [group.step_group(needs) for needs, group in groups.items()]
    groups_with_needs.sort(key=lambda group: group.names[0])
    return Steps(parts, count, tuple(groups_with_needs))


class _GroupBuilder:
    """A group while it is made."""

    def __init__(self) -> None:
        self._count = 0
        self._names: list[tuple[int, str]] = []
        self._judges: list[tuple[int, Artifact]] = []

    def add(
        self,
        names: Iterable[tuple[int, str]],
        judges: Iterable[tuple[int, Artifact]],
        count: int = 1,
    ) -> None:
        self._count += count
        self._names += names
        self._judges += judges

    def add_nested(self, inner: StepGroup, places: list[tuple[int, NestedRubric]]) -> None:
        """Add a group of a rubric for each of the composites that reach it."""
        first = places[0][0]
        names = [
            (start + number, f"{clipped(part.name, NAME_LENGTH)}/{name}")
            for start, part in places[:_NAMED]
            for number, name in inner.names
        ]
        judges = [(first + number, judge) for number, judge in inner.judges]
        self.add(names, judges, inner.total * len(places))

    def step_group(self, needs: Needs) -> StepGroup:
        names = [(number, clipped(name, NAME_LENGTH)) for number, name in sorted(self._names)]
        judges: dict[int, tuple[int, Artifact]] = {}
        for number, judge in sorted(self._judges, key=lambda numbered: numbered[0]):
            judges.setdefault(id(judge), (number, judge))
        return StepGroup(needs, self._count, tuple(names[:_NAMED]), tuple(judges.values()))


class Plan(NamedTuple):
    """The plan of a rubric: its checks, and what each needs from a row.

    `reads` has the fields that any of its checks reads.
    `steps` has the checks of its composites in place of these. `is_complete` is False if a check
    is malformed or refers to something that does not exist: then it is unknown what it would read.
    `bundles` are those that the rubric applies to; empty means any. `conflicts` has the limits
    that it sets for a row's expectations. `decisive` are, in the plan of a composite's rubric, the
    checks that all have to pass, each with its path. `graded` are the keys of rows that the graders
    of the runner read besides; `reads` has them too. `scoring` is how the rubric combines scores;
    None if that or a check is malformed, so that the others alone would give another score.
    `is_gradable` says whether outputs can be graded: neither the rubric nor that of a composite is
    so malformed.
    """

    artifact: Artifact
    steps: Steps
    reads: frozenset[str]
    bundles: tuple[str, ...]
    is_complete: bool
    conflicts: Conflicts = Conflicts()
    decisive: Checks = ()
    graded: frozenset[str] = frozenset()
    scoring: Mapping[str, Any] | None = None
    is_gradable: bool = False

    def beside(self, graded: frozenset[str]) -> Plan:
        """Return the plan for a runner whose own graders read these keys of a row."""
        return self._replace(reads=self.reads | graded, graded=graded) if graded else self


def plan_of(artifact: Artifact, context: EvalContext, plans: dict[int, Plan] | None = None) -> Plan:
    """Return the plan of a rubric. Malformed checks become steps that never run.

    `plans` remembers those of the rubrics that composites reach, for plans with the same context.
    """
    return _plan(artifact, context.of(artifact), {} if plans is None else plans)


def _plan(artifact: Artifact, context: EvalContext, plans: dict[int, Plan] | None) -> Plan:
    """Return the plan of a rubric."""
    # `plans` are those of the rubrics of composites, by the `id()` of the rubric, as far as they
    # are made; None inside a composite.
    value: dict[str, Any] = artifact.document.value
    valid, checks = valid_parts_of_rubric(value, context.declared)
    reads: set[str] = set()
    parts: list[Step | NestedRubric] = []
    added: set[int] = set()
    weighed = list(checks)
    known = can_grade = True
    kinds = kinds_in_use()
    for path, check in checks:
        kind = kinds.get(check["kind"]) or _without_executor(check["kind"])
        reads |= kind.reads(check, context)
        inner = _inner(check, context, plans)
        id_ = check.get("id")
        name = id_ if id_ and isinstance(id_, str) else f"{check['kind']}[{path[-1]}]"
        needs = _hashable(kind.needs(check, context))
        if kind.prepare is None and kind.name != "composite" and needs.never_runs is None:
            needs = _without_executor(kind.name).needs(check, context)
        if kind.name == "composite" and needs.never_runs is None:
            needs = _of_composite(check, inner)
        known &= kind.name in kinds
        known &= kind.name not in _REFERRING or not _is_unavailable(needs)
        if inner is not None:
            reads |= inner.reads
            known &= inner.is_complete
        if inner is None or needs.never_runs is not None:
            parts.append(Step(name, kind.name, needs, check))
            continue
        parts.append(NestedRubric(name, inner, check))
        can_grade &= inner.is_gradable
        if id(inner) not in added:  # another composite with this rubric decides nothing else
            added.add(id(inner))
            weighed += ((path, other) for _, other in inner.decisive)
    written = value.get("checks")
    malformed = [] if not isinstance(written, list) else _malformed(written, checks)
    complete = known and bool(parts) and not malformed
    steps = steps_of([*parts, *malformed])
    bundles = tuple(valid.get("applicable_bundles", ()))
    scoring = None if malformed or not parts else valid.get("scoring")
    combine = valid.get("scoring", {}).get("combine")
    decisive = () if combine is None or combine in ALTERNATIVES else tuple(weighed)
    conflicts = conflicts_of(decisive)
    if plans is not None:
        decisive = ()  # only those of a composite's rubric are needed later
    return Plan(
        artifact=artifact,
        steps=steps,
        reads=frozenset(reads),
        bundles=bundles,
        is_complete=complete,
        conflicts=conflicts,
        decisive=decisive,
        scoring=scoring,
        is_gradable=scoring is not None and can_grade,
    )


def _without_executor(name: str) -> CheckKind:
    """Return a kind that only the schema or the configuration knows; its checks never run."""
    needs = never_runs(State.UNAVAILABLE, f"there is no executor for the kind `{name}`")
    return CheckKind(name, needs=lambda *_: needs)


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


#: The kinds that refer to other artifacts of the library.
_REFERRING = frozenset({"fact_match", "llm_judge", "composite"})


def _of_composite(check: dict[str, Any], inner: Plan | None) -> Needs:
    if inner is None:
        return never_runs(State.UNAVAILABLE, "it is inside another composite")
    if not inner.steps.total:
        return never_runs(State.UNAVAILABLE, f"`{check['rubric_ref']}` has no valid checks")
    return Needs()


def _is_unavailable(needs: Needs) -> bool:
    return needs.never_runs is not None and needs.never_runs.state is State.UNAVAILABLE


def _inner(
    check: dict[str, Any], context: EvalContext, plans: dict[int, Plan] | None
) -> Plan | None:
    """Return the plan of a composite's rubric; None for other checks."""
    # Composites cannot be nested; deeper nesting and cycles are reported by themselves.
    if plans is None or check["kind"] != "composite":
        return None
    rubric = context.library.artifact_of(check["rubric_ref"])
    if rubric is None:
        return None
    if id(rubric) not in plans:
        plans[id(rubric)] = _plan(rubric, context.of(rubric), None)
    return plans[id(rubric)]


def _hashable(needs: Needs) -> Needs:
    """Return needs with tuples, whatever the executor of another package gives."""
    return Needs(tuple(needs.fields), needs.never_runs, tuple(needs.present), tuple(needs.judges))


#: The expectations that grade a row without a rubric, each with the kind of check that reads it.
OWN_EXPECTATIONS = {
    "criteria": "llm_judge",
    "expected": "format",
    "expected_facts": "fact_match",
    "expected_tools": "tool_usage",
    "must_contain_any": "must_contain_any",
    "must_not_contain": "must_not_contain",
}
_NO_JUDGE = never_runs(
    State.UNAVAILABLE, "a judge reads `criteria`, and the row has no rubric that names one"
)
_NO_JUDGE_OF_REFERENCE = Prediction(
    State.UNAVAILABLE,
    "a judge reads `expected.reference`, and the row has no rubric that names one",
    "expected.reference",
)


@cache
def own_needs(key: str) -> Needs:
    """Return what the check of an expectation needs that grades a row without a rubric."""
    if key == "criteria":
        return _NO_JUDGE
    kind = KINDS[OWN_EXPECTATIONS[key]]
    nothing = EvalContext(
        library=Library([]), has_php=True, read_json=_no_file, schemas=SchemaAnalyses()
    )
    return kind.needs({"kind": kind.name}, nothing)  # a bare check refers to nothing


def _no_file(name: str) -> Any:
    raise LookupError(name)


#: The kind of what the graders of the runner read from a row.
RUNNER = "runner"


def own_predictions(
    row: Row, plan: Plan | None, graded: frozenset[str]
) -> list[tuple[str, str, Prediction]]:
    """Return what is graded in a row beside the checks of its rubric, with the predictions.

    Each is a key of the row and a kind: what the graders of the runner read (`graded`), whatever
    the rubric does, and, without a rubric (`plan` is None), the row's own expectations. The runner
    is named for an expectation that only its graders can read.
    """
    own: Mapping[str, str] = {} if plan else OWN_EXPECTATIONS
    predicted = []
    for key in (*own, *sorted(graded - own.keys())):
        if row.get(key) is None:
            continue
        kind, outlook = own.get(key, RUNNER), own_outlook(key, row, is_graded=key not in own)
        if key in graded and _is_left_to_runner(outlook, row):
            kind, outlook = RUNNER, RUNS
        predicted.append((key, kind, outlook))
    return predicted


def _is_left_to_runner(outlook: Prediction, row: Row) -> bool:
    """Whether only the graders of the runner can use what a row expects."""
    if outlook is ANY_TEXT:  # the format says nothing, and the runner reads what is beside it
        return any(value is not None for key, value in row["expected"].items() if key != "format")
    return outlook.state in (State.UNAVAILABLE, State.SKIP)


def own_outlook(key: str, row: Row, *, is_graded: bool = False) -> Prediction:
    """Return the prediction for an expectation of a row; with `is_graded`, the runner reads it."""
    if is_empty(key, row[key]):
        return Prediction(State.VACUOUS, f"the row's `{key}` is empty", key)
    if is_graded:
        return RUNS
    if key == "expected" and row[key].get("format") is None and row[key].get("reference"):
        return _NO_JUDGE_OF_REFERENCE
    return next(outlooks_of((own_needs(key),), row))


# Matches a visible character: neither a space of any width nor an invisible character. The pattern
# means the same in Python and in ECMA-262, which disagree on `\s`.
VISIBLE = (
    "[^\\u0000-\\u0020\\u007f-\\u00a0\\u00ad\\u1680\\u180e\\u2000-\\u200f\\u2028-\\u202f"
    "\\u205f-\\u206f\\u3000\\ufeff]"
)
#: Accepts values of any type that are not empty or blank.
FILLED: dict[str, Any] = {
    "minItems": 1,
    "items": {"pattern": VISIBLE},
    "minProperties": 1,
    "pattern": VISIBLE,
}

_FORMAT = "expected.format"


def rows_with_all(plan: Plan) -> dict[str, Any] | bool:
    """Return a schema of rows on which every check of a rubric that can run does.

    It may reject such a row but never accepts another.
    """
    needs = _needs_of_running(plan)
    # Every output is text: a check of that alone cannot fail, and needs another check beside it.
    is_enough = any(_FORMAT not in each.fields for each in needs)
    required = {(field, True) for each in needs for field in each.fields}
    required |= {(field, False) for each in needs for field in each.present}
    return all_of(
        _must_have(field, FILLED if filled else {}, may_be_text=is_enough or field != _FORMAT)
        for field, filled in sorted(required)
    )


def all_of(schemas: Iterable[dict[str, Any]]) -> dict[str, Any] | bool:
    """Return a schema of what all the schemas accept, or True if there are none."""
    parts = list(schemas)
    return {"allOf": parts} if parts else True


def needed_keys(plan: Plan) -> list[str]:
    """Return the keys that a row needs so that every check of a rubric that can run does."""
    needs = _needs_of_running(plan)
    return sorted({field for each in needs for field in (*each.fields, *each.present)})


def _needs_of_running(plan: Plan) -> list[Needs]:
    needs = (group.needs for group in plan.steps.groups)
    return [each for each in needs if each.never_runs is None]


def _must_have(field: str, value: dict[str, Any], *, may_be_text: bool) -> dict[str, Any]:
    schema: dict[str, Any] = {**value, "not": {"enum": [None] if may_be_text else [None, "text"]}}
    *parents, last = field.split(".")
    schema = {"required": [last], "properties": {last: schema}}
    for name in reversed(parents):  # a list on the path is rejected here and checked exactly
        parent = {"type": "object", **schema}
        schema = {"required": [name], "properties": {name: parent}}
    return schema
