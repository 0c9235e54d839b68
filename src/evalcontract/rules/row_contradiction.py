"""
A row expects what its rubric forbids.

Why: One of the two fails whatever the model says, and it looks like the model's fault.
What is told is certain: a tool that is forbidden, more tools than calls are allowed, a fact with a
banned word in it or longer than the output may be, JSON where headings are asked for.

Bad:
    # file: data.yaml
    questions:
      - id: order
        input: Where is my order?
        expected_tools: [order_lookup, delete_order]
        rubric_ref: rubric/tools@1.0.0
    # file: rubrics/tools.yaml
    id: tools
    version: "1.0.0"
    checks:
      - {id: calls, kind: tool_usage, forbidden_tools: [delete_order]}
    scoring: {combine: all_pass}

Good:
    # file: data.yaml
    questions:
      - id: order
        input: Where is my order?
        expected_tools: [order_lookup]
        rubric_ref: rubric/tools@1.0.0
    # file: rubrics/tools.yaml
    id: tools
    version: "1.0.0"
    checks:
      - {id: calls, kind: tool_usage, forbidden_tools: [delete_order]}
    scoring: {combine: all_pass}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.diagnostic import Problem, Related
from evalcontract.rules._row_rule import RowSubject, row_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

CODE = "dataset/contradiction"


@row_rule(CODE, page=__doc__)
def RULE(subject: RowSubject) -> Iterator[Problem]:
    plan = subject.plan
    if plan is None:
        return
    for found in plan.conflicts.of(subject.row):
        related = (Related("the rubric says so here", found.other, plan.artifact.file),)
        path = (*subject.path, *found.path)
        yield Problem(CODE, found.message, path, found.advice, related=related)
