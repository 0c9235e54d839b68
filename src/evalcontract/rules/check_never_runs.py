"""
A check of the row's rubric needs a key that the row does not have, so it never runs.

Why: A skipped check is left out of the score: the row looks graded but is not. If a judge's
template has `{{ expected.facts }}` and the row has `expected.fact`, the prompt gets an empty
string. A section, `{{#expected.facts}}…{{/expected.facts}}`, marks the key as optional.

Bad:
    # file: data.yaml
    questions:
      - {id: capital, input: What is the capital of France?, rubric_ref: rubric/facts@1.0.0}
    # file: rubrics/facts.yaml
    id: facts
    version: "1.0.0"
    checks:
      - {id: recall, kind: fact_match}
      - {id: no_insults, kind: must_not_contain, values: [stupid]}
    scoring: {combine: all_pass}

Good:
    # file: data.yaml
    questions:
      - id: capital
        input: What is the capital of France?
        rubric_ref: rubric/facts@1.0.0
        expected_facts: [Paris]
    # file: rubrics/facts.yaml
    id: facts
    version: "1.0.0"
    checks:
      - {id: recall, kind: fact_match}
      - {id: no_insults, kind: must_not_contain, values: [stupid]}
    scoring: {combine: all_pass}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.checks import State
from evalcontract.checks._kind import field_of
from evalcontract.checks.row_needs import rows_with_all
from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Problem
from evalcontract.model.listing import listed
from evalcontract.model.nearest import nearest
from evalcontract.rules._lacking import cause_in_template
from evalcontract.rules._row_rule import RowSubject, row_rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from evalcontract.checks.plan import Plan, Step

CODE = Code("dataset/check-never-runs", page=__doc__)


def _silent(plan: Plan | None, bundle: str | None) -> dict[str, Any] | bool:
    del bundle
    return plan is None or rows_with_all(plan)


@row_rule(CODE, silent=_silent)
def RULE(subject: RowSubject) -> Iterator[Problem]:
    if subject.plan is None or subject.runs_nothing:
        return
    skipped: dict[str, list[Step]] = {}  # by the key that the row lacks
    for step in subject.plan.steps:
        outlook = step.outlook(subject.row)
        if outlook.state is State.SKIP and outlook.field is not None:
            skipped.setdefault(outlook.field, []).append(step)
    for field, steps in skipped.items():
        names = [f"`{step.name}`" for step in steps]
        checks = f"check {names[0]}" if len(names) == 1 else f"checks {listed(names)}"
        message = f"{checks} of {subject.plan.artifact.name} cannot run: the row has no `{field}`"
        similar = _similar_key(subject.row, field)
        advice = (
            f"the row has `{similar}`: use the same name in both places"
            if similar
            else f"add `{field}`, or use a rubric that does not need it"
        )
        cause = cause_in_template(CODE, steps, field, similar)
        yield Problem(CODE, message, (*subject.path, "rubric_ref"), advice, cause=cause)


def _similar_key(row: Mapping[str, Any], field: str) -> str | None:
    """Return a similar sibling of the missing key, if there is one."""
    parent, _, name = field.rpartition(".")
    siblings = field_of(row, parent) if parent else None
    if not isinstance(siblings, dict):
        return None
    near = nearest(name, [key for key in siblings if isinstance(key, str)])
    return near and f"{parent}.{near}"
