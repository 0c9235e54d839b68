"""Generate a rubric from the expectations of a case; cases with similar ones share it."""

from __future__ import annotations

from typing import Any, NamedTuple

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
        values = expected["not_contains"]
        checks.append({"id": "not_contains", "kind": "must_not_contain", "values": values})
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
    if expected.get("tool_sequence"):
        return _of_sequence(expected, row)
    tools = [*expected.get("required_tools", ()), *expected.get("tool_arguments", ())]
    names = [tool["name"] if isinstance(tool, dict) else tool for tool in tools]
    if not tools or len(set(names)) < len(names):  # a duplicate would require two calls
        return [_tool_check(key, expected[key]) for key in _TOOLS if key in expected]
    row["expected_tools"] = tools
    checks = [{"id": "tools", "kind": "tool_usage", **_limits(expected)}]
    if "tool_sequence" in expected:
        checks.append(_tool_check("tool_sequence", expected["tool_sequence"]))
    return checks


def _of_sequence(expected: dict[str, Any], row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the checks of an exact sequence, which stands in the row; it implies its tools."""
    sequence = row["expected_tools"] = expected["tool_sequence"]
    check = _tool_check("tool_sequence", sequence)
    del check[_TOOLS["tool_sequence"]]
    checks = [{**check, **_limits(expected)}]
    if not set(expected.get("required_tools", ())) <= set(sequence):
        checks.append(_tool_check("required_tools", expected["required_tools"]))
    if "tool_arguments" in expected:
        checks.append(_tool_check("tool_arguments", expected["tool_arguments"]))
    return checks


def _limits(expected: dict[str, Any]) -> dict[str, Any]:
    return {_TOOLS[key]: expected[key] for key in _LIMITS if key in expected}


def _tool_check(key: str, value: Any) -> dict[str, Any]:
    exact = {"match": "exact", "order": "sequence"} if key == "tool_sequence" else {}
    return {"id": key, "kind": "tool_usage", _TOOLS[key]: value, **exact}
