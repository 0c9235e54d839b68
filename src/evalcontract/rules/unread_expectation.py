"""
A row sets an expectation that no check of its rubric looks at.

Why: The author believes that it is graded. A wrong answer passes as well as a right one.

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
#: Expectations that some check has to read, where a row has a rubric, and what reads them.
_READERS = {
    "expected_facts": "a `fact_match` check without `facts` of its own",
    "expected_tools": "a `tool_usage` check without `expected_tools` of its own",
    "expected.format": "a `format` check without a `format` of its own",
    "must_not_contain": "nothing in a rubric: its values go into a `must_not_contain` check",
}


def _silent(plan: Plan | None, bundle: str | None) -> dict[str, Any] | bool:
    del bundle
    if plan is None or not plan.is_complete:
        return True
    return all_of(_without(field) for field in _READERS if field not in plan.reads)


def _without(field: str) -> dict[str, Any]:
    name, _, inner = field.partition(".")
    refused: dict[str, Any] | bool = {"properties": {inner: False}} if inner else False
    return {"properties": {name: refused}}


@row_rule(CODE, silent=_silent)
def RULE(subject: RowSubject) -> Iterator[Problem]:
    plan = subject.plan
    if plan is None or not plan.is_complete:
        return
    for field, reader in _READERS.items():
        if field_of(subject.row, field) is not None and field not in plan.reads:
            yield Problem(
                CODE,
                f"no check of {plan.artifact.name} reads `{field}`",
                (*subject.path, *field.split(".")),
                f"it is read by {reader}",
                on_key=True,
            )
