"""Generate a rubric from the expectations of a case; cases with similar ones share it."""

from __future__ import annotations

from typing import Any

from evalcontract.model.startup import NamedTuple

#: Ids of checks of phrases, of the ground truth, and of both.
PHRASES, TRUTH, BOTH = "contains", "ground_truth", "contains_and_ground_truth"
# Marks a generated rubric, whose name need not be preserved.
_MADE = {"made_from": "northstar"}
_TOOLS = {
    "required_tools": "expected_tools",
    "forbidden_tools": "forbidden_tools",
    "tool_sequence": "expected_tools",
    "tool_arguments": "expected_tools",
    "max_tool_calls": "max_calls",
}
# What a check of the row's tools may limit.
_LIMITS = ("forbidden_tools", "max_tool_calls")


class GradedRow(NamedTuple):
    """A row, or the part of it that its rubric reads; and the rubric, without id and version."""

    row: dict[str, Any]
    rubric: dict[str, Any] | None


def graded(expected: dict[str, Any]) -> GradedRow:
    """Return what grades a row by expectations in their normal form.

    Phrases and tools go into the row if possible, so that rows with different ones share a rubric.
    """
    row: dict[str, Any] = {}
    checks = _of_facts(expected, row) or _of_phrases(expected)
    if "not_contains" in expected:
        row["must_not_contain"] = expected["not_contains"]
        checks.append({"id": "not_contains", "kind": "must_not_contain"})
    checks += _of_tools(expected, row)
    if not checks:
        return GradedRow(row, None)
    rubric = {"checks": checks, "scoring": {"combine": "all_pass"}, "metadata": dict(_MADE)}
    return GradedRow(row, rubric)


def _of_facts(expected: dict[str, Any], row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a check of the phrases as facts of the row; none if two of them are one fact."""
    phrases, truth = expected.get("contains", []), expected.get("ground_truth")
    facts = phrases if truth is None or truth in phrases else [*phrases, truth]
    if not facts or len({" ".join(fact.lower().split()) for fact in facts}) < len(facts):
        return []
    row["expected_facts"] = facts
    id_ = PHRASES if facts is phrases else BOTH if phrases else TRUTH
    return [{"id": id_, "kind": "fact_match"}]


def _of_phrases(expected: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a check for each phrase that an answer must contain."""
    phrases, truth = expected.get("contains", []), expected.get("ground_truth")
    ids = [f"contains_{number}" for number in range(1, len(phrases) + 1)]
    if truth in phrases:
        ids[phrases.index(truth)] = BOTH
    elif truth is not None:
        phrases, ids = [*phrases, truth], [*ids, TRUTH]
    return [
        {"id": id_, "kind": "must_contain_any", "values": [phrase]}
        for id_, phrase in zip(ids, phrases, strict=True)
    ]


def _of_tools(expected: dict[str, Any], row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the checks of the tools, which stand in the row: one list for all that is asked."""
    if expected.get("tool_sequence"):
        return _of_sequence(expected, row)
    calls = expected.get("tool_arguments", [])
    tools = _with_arguments(expected.get("required_tools", []), calls)
    if not tools:
        checks = [_tool_check(key, expected[key]) for key in _TOOLS if key in expected]
        return [each for check in checks for each in _apart(check)]
    row["expected_tools"] = tools
    checks = [{"id": "tools", "kind": "tool_usage", **_limits(expected)}]
    if "tool_sequence" in expected:
        checks.append(_tool_check("tool_sequence", expected["tool_sequence"]))
    return checks


def _of_sequence(expected: dict[str, Any], row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the checks of an exact sequence, which implies its tools."""
    sequence, calls = expected["tool_sequence"], expected.get("tool_arguments", [])
    is_once = all(sequence.count(call["name"]) == 1 for call in calls)
    tools = _with_arguments(sequence, calls) if is_once else []
    row["expected_tools"] = tools or sequence
    check = _tool_check("tool_sequence", sequence)
    del check[_TOOLS["tool_sequence"]]
    checks = [{**check, **_limits(expected)}]
    if not set(expected.get("required_tools", ())) <= set(sequence):
        checks.append(_tool_check("required_tools", expected["required_tools"]))
    if calls and not tools:
        checks += _apart(_tool_check("tool_arguments", calls))
    return checks


def _with_arguments(names: list[str], calls: list[dict[str, Any]]) -> list[Any]:
    """Return tools by their names, those with arguments in place of the name alone.

    There are none if a tool has arguments twice: one call may do for both, but not in one list.
    """
    by_name = {call["name"]: call for call in calls}
    if len(by_name) < len(calls):
        return []
    others = [call for call in calls if call["name"] not in names]
    return [*(by_name.get(name, name) for name in names), *others]


def _apart(check: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a check of each call with arguments, so that one call may do for several."""
    tools = check.get("expected_tools", ())
    if check["id"] != "tool_arguments" or len(tools) <= 1:
        return [check]
    return [
        {**check, "id": f"{check['id']}_{number}", "expected_tools": [tool]}
        for number, tool in enumerate(tools, 1)
    ]


def _limits(expected: dict[str, Any]) -> dict[str, Any]:
    return {_TOOLS[key]: expected[key] for key in _LIMITS if key in expected}


def _tool_check(key: str, value: Any) -> dict[str, Any]:
    exact = {"match": "exact", "order": "sequence"} if key == "tool_sequence" else {}
    return {"id": key, "kind": "tool_usage", _TOOLS[key]: value, **exact}
