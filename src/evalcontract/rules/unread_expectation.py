"""
A row has an expectation that no check of its rubric reads.

Why: The author believes that it is graded, but wrong and right answers pass alike.

Bad:
    # file: data.yaml
    questions:
      - id: order
        input: Where is my order?
        expected_tools: [order_lookup]
        rubric_ref: rubric/tone@1.0.0
    # file: rubrics/tone.yaml
    id: tone
    version: "1.0.0"
    checks:
      - {id: no_insults, kind: must_not_contain, values: [stupid]}
    scoring: {combine: all_pass}

Good:
    # file: data.yaml
    questions:
      - id: order
        input: Where is my order?
        expected_tools: [order_lookup]
        rubric_ref: rubric/tone@1.0.0
    # file: rubrics/tone.yaml
    id: tone
    version: "1.0.0"
    checks:
      - {id: no_insults, kind: must_not_contain, values: [stupid]}
      - {id: tools, kind: tool_usage}
    scoring: {combine: all_pass}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.checks._kind import field_of
from evalcontract.checks.row_needs import all_of
from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Problem
from evalcontract.rules._row_rule import RowSubject, row_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.checks.plan import Plan

CODE = Code("dataset/unread-expectation", page=__doc__)
#: Expectations of a row that a check of its rubric should read, and what to do if none does.
_ADVICE = {
    "expected_facts": "it is read by a `fact_match` check without its own `facts`",
    "expected_tools": "it is read by a `tool_usage` check without its own `expected_tools`",
    "expected.format": "it is read by a `format` check without its own `format`",
    "must_not_contain": "no rubric reads it: move its values into a `must_not_contain` check",
}


def _silent(plan: Plan | None, bundle: str | None) -> dict[str, Any] | bool:
    del bundle
    if plan is None or not plan.is_complete:
        return True
    return all_of(_without(field) for field in _ADVICE if field not in plan.reads)


def _without(field: str) -> dict[str, Any]:
    name, _, inner = field.partition(".")
    refused: dict[str, Any] | bool = {"properties": {inner: False}} if inner else False
    return {"properties": {name: refused}}


@row_rule(CODE, silent=_silent)
def RULE(subject: RowSubject) -> Iterator[Problem]:
    plan = subject.plan
    if plan is None or not plan.is_complete:
        return
    for field, advice in _ADVICE.items():
        if field_of(subject.row, field) is not None and field not in plan.reads:
            yield Problem(
                CODE,
                f"no check of {plan.artifact.name} reads `{field}`",
                (*subject.path, *field.split(".")),
                advice,
                on_key=True,
            )
