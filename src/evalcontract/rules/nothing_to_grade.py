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

from evalcontract.checks.plan import OWN_EXPECTATIONS
from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Problem
from evalcontract.rules._row_rule import RowSubject, row_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.rules._row_rule import RowGroup


CODE = Code("dataset/nothing-to-grade", page=__doc__)


def _silent(group: RowGroup) -> dict[str, Any] | bool:
    if group.plan is not None:
        return True
    own = [{"required": [key]} for key in OWN_EXPECTATIONS]
    not_null = {"not": {"type": "null"}}
    others = sorted(group.graded - OWN_EXPECTATIONS.keys())
    return {
        "anyOf": [
            *own,
            *({"required": [key], "properties": {key: not_null}} for key in others),
        ]
    }


@row_rule(CODE, silent=_silent)
def RULE(subject: RowSubject) -> Iterator[Problem]:
    if subject.is_told_above or subject.plan is not None:
        return
    if not subject.outlooks:
        yield Problem(
            CODE,
            "nothing in this row can be graded",
            subject.path,
            "add `rubric_ref`, `criteria` or an expectation",
        )
