"""
An expectation of the row is empty, so what compares with it always passes, or compares nothing.

Why: Every output meets an empty expectation. The row adds a pass to the score whatever the model
says. `expected: {format: text}` asks for nothing either: it may stand beside other expectations,
and is reported where it is the only one.

Bad:
    questions:
      - {id: capital, input: What is the capital of France?, expected_facts: []}

Good:
    questions:
      - {id: capital, input: What is the capital of France?, expected_facts: [Paris]}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.checks import State
from evalcontract.checks._kind import field_of, is_empty
from evalcontract.checks.plan import OWN_EXPECTATIONS, own_outlooks
from evalcontract.checks.row_needs import FILLED, rows_with_all
from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Problem
from evalcontract.rules._row_rule import RowSubject, row_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.checks.plan import Plan

CODE = Code("dataset/check-always-passes", page=__doc__)


def _silent(plan: Plan | None, bundle: str | None) -> dict[str, Any] | bool:
    if plan is not None:
        return rows_with_all(plan)
    filled: dict[str, Any] = {"properties": dict.fromkeys(OWN_EXPECTATIONS, FILLED)}
    if bundle is not None:
        return filled
    some: dict[str, dict[str, Any]] = {each: {"required": [each]} for each in OWN_EXPECTATIONS}
    some["expected"]["properties"] = {"expected": {"not": {"const": {"format": "text"}}}}
    return {**filled, "anyOf": list(some.values())}


@row_rule(CODE, silent=_silent)
def RULE(subject: RowSubject) -> Iterator[Problem]:
    if subject.plan is None:
        outlooks = list(own_outlooks(subject.row).values())
    else:
        outlooks = [step.outlook(subject.row) for step in subject.plan.steps]
    blamed = [each.field for each in outlooks if each.state is State.VACUOUS and each.field]
    for field in dict.fromkeys(blamed):
        path = (*subject.path, *field.split("."))
        value = field_of(subject.row, field)
        if is_empty(field, value):
            if value:
                continue  # it holds blanks, and each is told
            message = f"`{field}` is empty, so nothing is compared with it"
            yield Problem(CODE, message, path, "fill it in, or remove it")
        elif not any(each.runs for each in outlooks) and _is_all(subject):
            message = "every output is text, and nothing else in this row is graded"
            yield Problem(CODE, message, path, "say what else is expected of the answer")


def _is_all(subject: RowSubject) -> bool:
    """Whether it is known that nothing else grades the row, and not said by another rule."""
    if subject.plan is None:
        return subject.bundle is None
    return subject.plan.is_complete and not subject.runs_nothing
