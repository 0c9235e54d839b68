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

from evalcontract.plugin import Code, Problem, row_rule

if TYPE_CHECKING:
    from collections.abc import Iterator


CODE = Code("one/shouting", page=__doc__)


def silent(group: Any) -> dict[str, Any]:
    """Return the schema under which the rule has nothing to say."""
    del group
    return {"properties": {"input": {"not": {"pattern": "!!!"}}}}


def check(subject: Any) -> Iterator[Problem]:
    """Look at the question."""
    if "!!!" in subject.row["input"]:
        yield Problem(CODE, "this row shouts", (*subject.path, "input"))


RULE = row_rule(CODE, silent=silent)(check)
