"""
A `fact_match` check has an empty list of facts.

Why: No fact can be found or missing, so there is no share to compare with `min_recall`. Only
without the list the row's own `expected_facts` are used.

Bad:
    id: facts
    version: "1.0.0"
    checks:
      - {id: deadline, kind: fact_match, facts: [], min_recall: 0.8}
    scoring: {combine: all_pass}

Good:
    id: facts
    version: "1.0.0"
    checks:
      - {id: deadline, kind: fact_match, min_recall: 0.8}
    scoring: {combine: all_pass}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Problem
from evalcontract.model.reference import Kind
from evalcontract.rules._rule import Context, Subject, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

CODE = Code("rubric/no-facts", page=__doc__)


@rule(CODE, Kind.RUBRIC)
def RULE(subject: Subject, context: Context) -> Iterator[Problem]:
    for path, check in subject.checks:
        if check.get("facts") == []:
            yield Problem(
                CODE,
                "there are no facts to look for",
                (*path, "facts"),
                "list them, or remove `facts` to use the row's `expected_facts`",
                on_key=True,
            )
