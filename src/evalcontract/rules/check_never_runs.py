"""
A check of the row's rubric needs a key that the row has not, so it can never run.

Why: A check that is skipped is left out of the score. The row looks graded, and is not. A judge
whose template shows `{{ expected.facts }}` of a row that has `expected.fact` grades by an empty
space; a section, `{{#expected.facts}}…{{/expected.facts}}`, says that a row may be without.

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
from evalcontract.rules._row_rule import RowSubject, row_rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from evalcontract.checks.plan import Plan

CODE = Code("dataset/check-never-runs", page=__doc__)


def _silent(plan: Plan | None, bundle: str | None) -> dict[str, Any] | bool:
    del bundle
    return plan is None or rows_with_all(plan)


@row_rule(CODE, silent=_silent)
def RULE(subject: RowSubject) -> Iterator[Problem]:
    if subject.plan is None or subject.runs_nothing:
        return
    wanting: dict[str, list[str]] = {}
    for step in subject.plan.steps:
        outlook = step.outlook(subject.row)
        if outlook.state is State.SKIP and outlook.field is not None:
            wanting.setdefault(outlook.field, []).append(f"`{step.name}`")
    for field, names in wanting.items():
        checks = f"the check {names[0]}" if len(names) == 1 else f"the checks {listed(names)}"
        message = f"{checks} of {subject.plan.artifact.name} cannot run: the row has no `{field}`"
        advice = _like(subject.row, field) or (
            f"add `{field}`, or refer to a rubric that does without"
        )
        yield Problem(CODE, message, (*subject.path, "rubric_ref"), advice)


def _like(row: Mapping[str, Any], field: str) -> str | None:
    """Tell of a name beside the one that is missing and like it."""
    above, _, name = field.rpartition(".")
    beside = field_of(row, above) if above else None
    if not isinstance(beside, dict):
        return None
    near = nearest(name, [key for key in beside if isinstance(key, str)])
    return near and f"the row has `{above}.{near}`: write one name in both places"
