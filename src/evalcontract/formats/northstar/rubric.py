"""The checks of a rubric of ours as a case says what they ask for."""

from __future__ import annotations

from typing import Any, NamedTuple

from evalcontract.formats._conversion import Loss
from evalcontract.formats.northstar.normalization import EXPECTED, normal
from evalcontract.formats.northstar.pydantic_coercion import RefusedError
from evalcontract.formats.northstar.rubric_synthesis import BOTH, PHRASES, REFERENCE, TRUTH

# With these every check has to pass, as every grader of NorthStar has to.
_ALL = ("all_pass", "min")
# What a row without a rubric asks for.
_OF_ROW = ("expected_facts", "must_not_contain", "expected_tools")
# Keys of a check that only say what it is.
_SAID = frozenset({"id", "kind", "label", "description", "metadata"})


class Carried(NamedTuple):
    """What the checks of a rubric ask for as a case says it, and what it cannot say.

    `said` are the keys of the row whose values are among what is asked for.
    """

    expected: dict[str, Any]
    losses: list[Loss]
    said: set[str]


def from_rubric(rubric: dict[str, Any] | None, row: dict[str, Any]) -> Carried:
    """Say the checks of a rubric, or without one the row's own expectations, as a case does."""
    carried = Carried({}, [], set())
    if rubric is None:
        carried.said.update(key for key in _OF_ROW if row.get(key))
        _facts(row.get("expected_facts"), carried)
        _extend(carried, "not_contains", row.get("must_not_contain", ()))
        _tools(row.get("expected_tools", ()), carried)
        return carried
    checks = _mappings(rubric.get("checks"))
    scoring = rubric.get("scoring")
    combine = scoring.get("combine") if isinstance(scoring, dict) else None
    if combine not in _ALL and len(checks) > 1:
        reason = f"NorthStar asks for every grader to pass, and this rubric for `{combine}`"
        carried.losses.append(Loss(("rubric_ref",), reason, is_kept=True))
        return carried
    for check in checks:
        if not _is_said(check, row, carried):
            name = check.get("id") or check.get("kind")
            reason = f"NorthStar has no grader for the check `{name}`"
            carried.losses.append(Loss(("rubric_ref",), reason, is_kept=True))
    return carried


def _is_said(check: dict[str, Any], row: dict[str, Any], carried: Carried) -> bool:
    """Say a check as a case does, if it can; the rubric may be one that has faults."""
    said = Carried(dict(carried.expected), [], set())
    try:
        if not _KINDS.get(check.get("kind", ""), _unknown)(check, row, said):
            return False
        if any(normal(said.expected, EXPECTED).get(key) is None for key in said.expected):
            return False  # a blank text, or a value of another type
    except (AttributeError, KeyError, TypeError, RefusedError):
        return False
    carried.expected.update(said.expected)
    carried.said.update(said.said)
    return True


def _mappings(value: Any) -> list[dict[str, Any]]:
    parts = value if isinstance(value, list) else ()
    return [each for each in parts if isinstance(each, dict)]


def _extend(carried: Carried, key: str, values: Any) -> None:
    if values:
        carried.expected[key] = [*carried.expected.get(key, ()), *values]


def _facts(facts: Any, carried: Carried) -> None:
    _extend(carried, "contains", facts)


def _unknown(check: dict[str, Any], row: dict[str, Any], carried: Carried) -> bool:
    del check, row, carried
    return False


def _must_contain_any(check: dict[str, Any], row: dict[str, Any], carried: Carried) -> bool:
    del row
    if check.get("case_sensitive") or len(check["values"]) > 1:
        return False
    is_truth = "ground_truth" not in carried.expected and check.get("id")
    if is_truth in (TRUTH, BOTH):
        carried.expected["ground_truth"] = check["values"][0]
    if is_truth != TRUTH:
        _extend(carried, "contains", check["values"])
    return True


def _must_not_contain(check: dict[str, Any], row: dict[str, Any], carried: Carried) -> bool:
    del row
    if check.get("case_sensitive"):
        return False
    _extend(carried, "not_contains", check["values"])
    return True


def _fact_match(check: dict[str, Any], row: dict[str, Any], carried: Carried) -> bool:
    if "judge_prompt_ref" in check or check.get("min_recall", 1) < 1:
        return False
    if "facts" in check:
        _facts(check["facts"], carried)
        return True
    facts = row.get("expected_facts") or []
    carried.said.add("expected_facts")
    truth = row.get("expected", {}).get("ground_truth")
    if check.get("id") in (TRUTH, BOTH) and facts:
        carried.expected["ground_truth"] = facts[-1]
        facts = facts[:-1]
    elif check.get("id") == PHRASES and truth in facts:
        carried.expected["ground_truth"] = truth
    _facts(facts, carried)
    return True


def _tool_usage(check: dict[str, Any], row: dict[str, Any], carried: Carried) -> bool:
    match, order = check.get("match", "all"), check.get("order", "any")
    tools = check.get("expected_tools", row.get("expected_tools"))
    if "expected_tools" not in check:
        carried.said.add("expected_tools")
    _extend(carried, "forbidden_tools", check.get("forbidden_tools", ()))
    if "max_calls" in check:
        most = carried.expected.get("max_tool_calls", check["max_calls"])
        carried.expected["max_tool_calls"] = min(most, check["max_calls"])
    if tools is None or (not tools and match != "exact"):
        return True
    if (match, order) == ("all", "any"):
        _tools(tools, carried)
        return True
    is_named = all(isinstance(each, str) for each in tools)
    if (match, order) == ("exact", "sequence") and is_named:
        known = carried.expected.setdefault("tool_sequence", [*tools])
        return bool(known == tools)
    return False


def _tools(tools: Any, carried: Carried) -> None:
    for each in tools:
        if isinstance(each, dict) and "arguments" in each:
            _extend(carried, "tool_arguments", [each])
        else:
            _extend(carried, "required_tools", [each["name"] if isinstance(each, dict) else each])


def _llm_judge(check: dict[str, Any], row: dict[str, Any], carried: Carried) -> bool:
    del row, carried
    return check.get("judge_prompt_ref") == REFERENCE and not check.keys() - {
        *_SAID,
        "judge_prompt_ref",
    }


_KINDS = {
    "must_contain_any": _must_contain_any,
    "must_not_contain": _must_not_contain,
    "fact_match": _fact_match,
    "tool_usage": _tool_usage,
    "llm_judge": _llm_judge,
}
