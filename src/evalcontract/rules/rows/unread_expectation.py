"""
A row has an expectation that no check of its rubric reads.

Why: The author believes that it is graded, but wrong and right answers pass alike.

Bad:
    # file: data.yaml
    questions:
      - id: order
        input: Where is my order?
        expected_tools: [order_lookup]
        rubric_ref: rubric/tone@1.0.0
    # file: rubrics/tone.yaml
    id: tone
    version: "1.0.0"
    checks:
      - {id: no_insults, kind: must_not_contain, values: [stupid]}
    scoring: {combine: all_pass}

Good:
    # file: data.yaml
    questions:
      - id: order
        input: Where is my order?
        expected_tools: [order_lookup]
        rubric_ref: rubric/tone@1.0.0
    # file: rubrics/tone.yaml
    id: tone
    version: "1.0.0"
    checks:
      - {id: no_insults, kind: must_not_contain, values: [stupid]}
      - {id: tools, kind: tool_usage}
    scoring: {combine: all_pass}
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from evalcontract.checks.plan import Plan, StepGroup, all_of
from evalcontract.model.nearest import nearest
from evalcontract.model.startup import lazy_pattern
from evalcontract.rules._rule import Code, Problem, Problems, RowGroup, RowSubject, row_rule

#: Expectations of a row that its rubric should read, and what reads them.
_ADVICE = {
    "criteria": "it is read by a judge whose template shows `{{ criteria }}`",
    "expected_facts": "it is read by a `fact_match` check without its own `facts`",
    "expected_tools": "it is read by a `tool_usage` check without its own `expected_tools`",
    "must_contain_any": "it is read by a `must_contain_any` check without its own `values`",
    "must_not_contain": "it is read by a `must_not_contain` check without its own `values`",
}
#: A key that a tag of a template can name; a dot leads to what is inside.
_NAMEABLE = lazy_pattern(r"[^\s.{}]+")
_FORMAT = "it is read by a `format` check without its own `format`"


def _silent(group: RowGroup) -> dict[str, Any] | bool:
    plan = group.plan
    if plan is None or not plan.is_complete:
        return True
    unread: list[dict[str, Any]] = [
        {"properties": {key: False}} for key in _ADVICE if key not in plan.reads
    ]
    if "expected" not in plan.reads:
        known = dict.fromkeys(sorted(_keys_of_expected(plan.reads)), True)
        if "expected_facts" in plan.reads:
            known["reference"] = True  # it may be one of the facts, see `_suspects`
        expected = {"properties": known, "additionalProperties": {"type": "null"}}
        unread.append({"properties": {"expected": expected}})
    return all_of(unread)


def _suspects(row: dict[str, Any], group: RowGroup) -> bool:
    """Whether nothing reads the reference answer of a row, and it is not one of the facts."""
    plan, expected = group.plan, row.get("expected")
    if not expected or plan is None or not plan.is_complete or "expected" in plan.reads:
        return False
    if expected.get("reference") is None or "reference" in _keys_of_expected(plan.reads):
        return False
    return not _is_a_fact(row, plan)


@row_rule(Code("dataset/unread-expectation", page=__doc__), silent=_silent, suspects=_suspects)
def RULE(subject: RowSubject) -> Problems:
    plan = subject.plan
    if plan is None or not plan.is_complete:
        return
    for path, advice in _unread(subject.row, plan):
        field = ".".join(path)
        message = f"no check of {plan.artifact.name} reads `{field}`"
        yield Problem(RULE.code, message, (*subject.path, *path), advice, on_key=True)


def _unread(row: dict[str, Any], plan: Plan) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the path of each expectation that nothing reads, with advice."""
    for key, advice in _ADVICE.items():
        if row.get(key) is not None and key not in plan.reads:
            yield (key,), advice
    expected = row.get("expected")
    if "expected" in plan.reads or not isinstance(expected, dict):
        return
    read = _keys_of_expected(plan.reads)
    unread = [key for key, value in expected.items() if value is not None and key not in read]
    misnamed = _misnamed(expected, plan) if unread else ()
    for key in unread:
        if key not in misnamed and not (key == "reference" and _is_a_fact(row, plan)):
            yield ("expected", key), _FORMAT if key == "format" else _tag_for(key)


def _is_a_fact(row: dict[str, Any], plan: Plan) -> bool:
    facts = row.get("expected_facts") or ()
    return "expected_facts" in plan.reads and row["expected"]["reference"] in facts


def _tag_for(key: str) -> str:
    """Return which tag of a template shows a key of `expected`."""
    if _NAMEABLE.fullmatch(key):
        return f"it is read by a judge whose template shows `{{{{ expected.{key} }}}}`"
    return (
        "it is read by a judge whose template shows all of `{{ expected }}`; no tag can name this "
        "key alone, because of its dots or spaces"
    )


def _misnamed(expected: dict[str, Any], plan: Plan) -> set[str | None]:
    """Return the keys that resemble one that a check needs and the row lacks."""
    # They are reported with that check.
    names = _needed_below_expected(plan.steps.groups)
    lacking = tuple(name for name in names if expected.get(name) is None)
    return _nearest_of(lacking, tuple(expected))


@lru_cache(maxsize=64)  # rows mostly have the same keys
def _nearest_of(names: tuple[str, ...], keys: tuple[str, ...]) -> set[str | None]:
    return {nearest(name, keys) for name in names}


def _needed_below_expected(groups: tuple[StepGroup, ...]) -> list[str]:
    needs = [group.needs for group in groups]
    needed = {field for each in needs for field in (*each.fields, *each.present)}
    roots = {field.partition(".")[::2] for field in needed}
    return [name for root, name in roots if root == "expected" and name and "." not in name]


@lru_cache(maxsize=64)  # it is asked for each row
def _keys_of_expected(fields: frozenset[str]) -> set[str]:
    """Return the keys of `expected` among the fields that some check or template reads."""
    parts = (field.split(".") for field in fields)
    return {names[1] for names in parts if names[0] == "expected" and len(names) > 1}
