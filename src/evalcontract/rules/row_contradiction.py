"""
A row expects what its rubric forbids.

Why: One of the two fails whatever the model says, and it looks like the model's fault. Only certain
contradictions are reported: a forbidden tool, more tools than allowed calls, a fact that contains
a banned word or is longer than the output may be, JSON where headings are required.

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
    for conflict in plan.conflicts.of(subject.row):
        related = (Related("the rubric's requirement", conflict.other, plan.artifact.file),)
        path = (*subject.path, *conflict.path)
        yield Problem(CODE, conflict.message, path, conflict.advice, related=related)


def _refused(conflicts: Conflicts) -> Iterator[dict[str, Any]]:
    """Yield schemas that, together, reject at least every row with a conflict."""
    if conflicts.tools:
        names = sorted(conflicts.tools)
        named = {"required": ["name"], "properties": {"name": {"enum": names}}}
        refused = {"anyOf": [{"enum": names}, {"type": "object", **named}]}
        yield {"properties": {"expected_tools": {"items": {"not": refused}}}}
    if conflicts.max_calls is not None:
        yield {"properties": {"expected_tools": {"maxItems": conflicts.max_calls[0]}}}
    if conflicts.banned:
        if sum(map(len, conflicts.banned)) > _MAX_PATTERN_LENGTH:
            yield {"properties": {"expected_facts": False}}
        else:
            pattern = "|".join(map(_ignoring_case, sorted(conflicts.banned)))
            yield {"properties": {"expected_facts": {"items": {"not": {"pattern": pattern}}}}}
    if conflicts.max_chars is not None:
        limit = {"maxLength": conflicts.max_chars[0]}
        yield {"properties": {"expected_facts": {"items": limit}}}
    if conflicts.markdown is not None:
        no_json = {"properties": {"format": {"not": {"const": "json"}}}}
        yield {"properties": {"expected": no_json}}


# Words longer than this in total are not made into a pattern.
_MAX_PATTERN_LENGTH = 5000


def _ignoring_case(word: str) -> str:
    """Return a pattern that matches a word whatever the case of its ASCII letters."""
    return "".join(
        f"[{char}{char.upper()}]"
        if "a" <= char <= "z"
        else f"\\{char}"
        if char in _SPECIAL
        else char
        for char in word
    )


_SPECIAL = frozenset(r"\^$.|?*+()[]{}/")
