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

from typing import TYPE_CHECKING, Any

from evalcontract.checks.row_needs import all_of
from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Problem, Related
from evalcontract.rules._row_rule import RowSubject, row_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.checks.conflicts import Conflicts
    from evalcontract.checks.plan import Plan

CODE = Code("dataset/contradiction", page=__doc__)


def _silent(plan: Plan | None, bundle: str | None) -> dict[str, Any] | bool:
    del bundle
    return plan is None or all_of(_refused(plan.conflicts))


@row_rule(CODE, silent=_silent)
def RULE(subject: RowSubject) -> Iterator[Problem]:
    plan = subject.plan
    if plan is None:
        return
    for found in plan.conflicts.of(subject.row):
        related = (Related("the rubric says so here", found.other, plan.artifact.file),)
        path = (*subject.path, *found.path)
        yield Problem(CODE, found.message, path, found.advice, related=related)


def _refused(conflicts: Conflicts) -> Iterator[dict[str, Any]]:
    """Yield schemas that refuse at least every row with a conflict."""
    if conflicts.tools:
        names = sorted(conflicts.tools)
        named = {"required": ["name"], "properties": {"name": {"enum": names}}}
        refused = {"anyOf": [{"enum": names}, {"type": "object", **named}]}
        yield {"properties": {"expected_tools": {"items": {"not": refused}}}}
    if conflicts.max_calls is not None:
        yield {"properties": {"expected_tools": {"maxItems": conflicts.max_calls[0]}}}
    if conflicts.banned:
        if sum(map(len, conflicts.banned)) > _LONGEST:
            yield {"properties": {"expected_facts": False}}
        else:
            pattern = "|".join(map(_in_any_case, sorted(conflicts.banned)))
            yield {"properties": {"expected_facts": {"items": {"not": {"pattern": pattern}}}}}
    if conflicts.max_chars is not None:
        limit = {"maxLength": conflicts.max_chars[0]}
        yield {"properties": {"expected_facts": {"items": limit}}}
    if conflicts.markdown is not None:
        no_json = {"properties": {"format": {"not": {"const": "json"}}}}
        yield {"properties": {"expected": no_json}}


# Of so many characters no pattern is made.
_LONGEST = 5000


def _in_any_case(word: str) -> str:
    """Return a pattern for a word, its ASCII letters in either case."""
    return "".join(
        f"[{each}{each.upper()}]"
        if "a" <= each <= "z"
        else f"\\{each}"
        if each in _SPECIAL
        else each
        for each in word
    )


_SPECIAL = frozenset(r"\^$.|?*+()[]{}/")
