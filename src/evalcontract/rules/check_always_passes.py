"""
An expectation of the row is empty, so what compares with it always passes, or compares nothing.

Why: Every output meets an empty expectation. The row adds a pass to the score whatever the model
says.

Bad:
    questions:
      - {id: capital, input: What is the capital of France?, expected_facts: []}

Good:
    questions:
      - {id: capital, input: What is the capital of France?, expected_facts: [Paris]}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.checks import State
from evalcontract.checks.plan import own_outlooks
from evalcontract.model.diagnostic import Problem
from evalcontract.rules._row_rule import RowSubject, row_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

CODE = "dataset/check-always-passes"


@row_rule(CODE, page=__doc__)
def RULE(subject: RowSubject) -> Iterator[Problem]:
    if subject.plan is None:
        outlooks = list(own_outlooks(subject.row).values())
    else:
        outlooks = [step.outlook(subject.row) for step in subject.plan.steps]
    empty = [each.field for each in outlooks if each.state is State.VACUOUS and each.field]
    for field in dict.fromkeys(empty):
        path = (*subject.path, *field.split("."))
        message = f"`{field}` is empty, so nothing is compared with it"
        yield Problem(CODE, message, path, "fill it in, or remove it")
