"""
A row shouts.

Why: Nobody likes it.

Bad:
    questions:
      - {id: a, input: Why!!!, criteria: c}

Good:
    questions:
      - {id: a, input: Why?, criteria: c}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem
from evalcontract.rules._row_rule import row_rule

if TYPE_CHECKING:
    from collections.abc import Iterator


def silent(plan: Any, has_bundle: Any) -> dict[str, Any]:
    """Return the schema under which the rule has nothing to say."""
    del plan, has_bundle
    return {"properties": {"input": {"not": {"pattern": "!!!"}}}}


def check(subject: Any) -> Iterator[Problem]:
    """Look at the question."""
    if "!!!" in subject.row["input"]:
        yield Problem("dataset/shouting", "this row shouts", (*subject.path, "input"))


_make: Any = row_rule  # an older version takes no schema, and the benchmark sees that
RULE = _make("dataset/shouting", page=__doc__, silent=silent)(check)
