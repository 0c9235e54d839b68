"""What a case expects as a rubric of ours, which cases that expect the same sort of thing share."""

from __future__ import annotations

from typing import Any, NamedTuple

from evalcontract.source.shipped import table

#: Checks of phrases, of the ground truth, and of both.
PHRASES, TRUTH, BOTH = "contains", "ground_truth", "contains_and_ground_truth"
#: The judge, as rubrics refer to it.
REFERENCE = "judge/northstar_rubric@1.0.0"
# Marks a rubric that is made of cases, and can be made again: its name need not be kept.
_MADE = {"made_from": "northstar"}


class Graded(NamedTuple):
    """What grades a row: a rubric without id and version, and the keys of the row that it reads."""

    rubric: dict[str, Any] | None
    row: dict[str, Any]


def graded(expected: dict[str, Any]) -> Graded:
    """Return what asks for expectations in their normal form.

    Phrases and tools stand in the row, where they can: so rows share a rubric whatever each of
    them expects.
    """
    row: dict[str, Any] = {}
    checks = _of_facts(expected, row) or _of_phrases(expected)
    if "not_contains" in expected:
        values = expected["not_contains"]
        checks.append({"id": "not_contains", "kind": "must_not_contain", "values": values})
    checks += _of_tools(expected, row)
    if "goal" in expected or "rubric" in expected:
        checks.append({"id": "judged", "kind": "llm_judge", "judge_prompt_ref": REFERENCE})
    if not checks:
        return Graded(None, row)
    rubric = {"checks": checks, "scoring": {"combine": "all_pass"}, "metadata": dict(_MADE)}
    return Graded(rubric, row)


def judge() -> dict[str, Any]:
    """Return the judge that stands for RubricJudge: it grades by the goal or rubric of a row."""
    return table("formats/northstar.judge")


def judges_of(rubric: dict[str, Any] | None) -> tuple[dict[str, Any], ...]:
    """Return the judges of ours that a rubric refers to."""
    checks = rubric["checks"] if rubric else ()
    return (judge(),) if any(each.get("judge_prompt_ref") == REFERENCE for each in checks) else ()


def _of_facts(expected: dict[str, Any], row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the check of the phrases as facts of the row; none where two are one fact."""
    phrases, truth = expected.get("contains", []), expected.get("ground_truth")
    facts = phrases if truth is None or truth in phrases else [*phrases, truth]
    if not facts or len({" ".join(each.lower().split()) for each in facts}) < len(facts):
        return []
    row["expected_facts"] = facts
    if truth is not None and truth in phrases:
        row["expected"] = {"ground_truth": truth}
    name = PHRASES if facts is phrases else BOTH if phrases else TRUTH
    return [{"id": name, "kind": "fact_match"}]


def _of_phrases(expected: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a check for each phrase that an answer must hold."""
    phrases, truth = expected.get("contains", []), expected.get("ground_truth")
    names = [f"contains_{number}" for number in range(1, len(phrases) + 1)]
    if truth in phrases:
        names[phrases.index(truth)] = BOTH
    elif truth is not None:
        phrases, names = [*phrases, truth], [*names, TRUTH]
    return [
        {"id": name, "kind": "must_contain_any", "values": [phrase]}
        for name, phrase in zip(names, phrases, strict=True)
    ]


def _of_tools(expected: dict[str, Any], row: dict[str, Any]) -> list[dict[str, Any]]:
    tools = [*expected.get("required_tools", ()), *expected.get("tool_arguments", ())]
    names = [each["name"] if isinstance(each, dict) else each for each in tools]
    if not tools or len(set(names)) < len(names):  # twice would be two calls
        return [_tool_check(key, expected[key]) for key in _TOOLS if key in expected]
    row["expected_tools"] = tools
    own = {_TOOLS[key]: expected[key] for key in _LIMITS if key in expected}
    checks = [{"id": "tools", "kind": "tool_usage", **own}]
    if "tool_sequence" in expected:
        checks.append(_tool_check("tool_sequence", expected["tool_sequence"]))
    return checks


def _tool_check(key: str, value: Any) -> dict[str, Any]:
    exact = {"match": "exact", "order": "sequence"} if key == "tool_sequence" else {}
    return {"id": key, "kind": "tool_usage", _TOOLS[key]: value, **exact}


_TOOLS = {
    "required_tools": "expected_tools",
    "forbidden_tools": "forbidden_tools",
    "tool_sequence": "expected_tools",
    "tool_arguments": "expected_tools",
    "max_tool_calls": "max_calls",
}
# What a check of the tools of a row may say besides.
_LIMITS = ("forbidden_tools", "max_tool_calls")
