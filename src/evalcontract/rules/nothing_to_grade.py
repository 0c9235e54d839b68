"""
A row has neither a rubric nor an expectation, so it cannot be graded.

Why: The model call is paid for, and its answer is compared with nothing.

Bad:
    questions:
      - {id: capital, input: What is the capital of France?}

Good:
    questions:
      - {id: capital, input: What is the capital of France?, criteria: Names Paris}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.checks.plan import OWN_EXPECTATIONS, own_outlooks
from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Problem
from evalcontract.rules._row_rule import RowSubject, row_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.checks.plan import Plan

CODE = Code("dataset/nothing-to-grade", page=__doc__)


def _silent(plan: Plan | None, bundle: str | None) -> dict[str, Any] | bool:
    if plan is not None or bundle is not None:
        return True
    return {"anyOf": [{"required": [key]} for key in OWN_EXPECTATIONS]}


@row_rule(CODE, silent=_silent)
def RULE(subject: RowSubject) -> Iterator[Problem]:
    if subject.is_told_above:
        return
    # A row with a bundle may be graded by the bundle's keys.
    if subject.plan is None and subject.bundle is None and not own_outlooks(subject.row):
        yield Problem(
            CODE,
            "nothing in this row can be graded",
            subject.path,
            "add `rubric_ref`, `criteria` or an expectation",
        )
