"""What will become of each grader of NorthStar: the corners that were measured."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from northstar_cases import cases
from tables import every_case

from evalcontract.formats.northstar import NORTHSTAR

SAID = [{"role": "assistant", "content": "Sunny."}]
TRACE = {"run_id": "r"}

STATES: list[tuple[dict[str, Any], str, str, str | None]] = [
    ({}, "contains", "skip", "expected.contains"),
    ({"expected": {"contains": ["a"]}}, "contains", "run", "expected.contains"),
    ({"expected": {"contains": []}}, "contains", "vacuous", "expected.contains"),
    ({"expected": {"contains": [""]}}, "contains", "vacuous", "expected.contains"),
    ({"expected": {"ground_truth": ""}}, "ground_truth_match", "vacuous", "expected.ground_truth"),
    ({"expected": {"not_contains": ["", "a"]}}, "not_contains", "fail", "expected.not_contains"),
    ({"expected": {"not_contains": "a"}, "messages": []}, "not_contains", "fail", "messages"),
    ({"expected": {"required_tools": []}}, "required_tools", "vacuous", "expected.required_tools"),
    ({"expected": {"tool_sequence": []}}, "tool_sequence", "run", "expected.tool_sequence"),
    ({"expected": {"tool_arguments": None}}, "tool_arguments_match", "skip", None),
    ({"expected": {"max_tool_calls": 0}}, "max_tool_calls", "run", "expected.max_tool_calls"),
    (
        {"expected": {"require_tool_output_reference": "off"}},
        "tool_output_referenced",
        "skip",
        None,
    ),
    ({"expected": {"require_tool_output_reference": 1}}, "tool_output_referenced", "run", None),
    ({"expected": {"max_latency_ms": 1}}, "latency_under", "fail", "metrics.latency_ms"),
    ({"expected": {"max_cost_usd": 1}, "metrics": {"cost_usd": 2}}, "cost_under", "run", None),
    ({"expected": {"ground_truth": "a"}}, "RubricJudge", "skip", "expected.rubric"),
    ({"expected": {"goal": "a"}}, "RubricJudge", "run", "expected.goal"),
    ({"expected": {"goal": "a", "rubric": "b"}}, "RubricJudge", "run", "expected.rubric"),
    ({"expected": {"goal": "a"}}, "FaithfulnessJudge", "skip", "expected.context"),
    ({"expected": {"context": "a"}}, "FaithfulnessJudge", "run", "expected.context"),
    ({"messages": [{"role": "tool", "content": "22"}]}, "FaithfulnessJudge", "run", "messages"),
    ({}, "unnecessary_tool_loop", "skip", "trace"),
    ({"trace": TRACE}, "unnecessary_tool_loop", "run", None),
    ({"input": {"trace": TRACE}}, "unnecessary_tool_loop", "run", None),
    ({"trace": {}}, "failure_origin", "skip", "trace"),
    ({"trace": TRACE}, "failure_origin", "run", "trace"),
    ({"trace": TRACE}, "invalid_state_transition", "skip", None),
    ({"trace": TRACE}, "step_cost_attribution", "vacuous", "expected.trace.max_step_cost_usd"),
    ({"trace": TRACE}, "retrieval_precision_recall", "skip", None),
]


@every_case(("case", "name", "state", "field"), STATES)
def test_a_grader(case: dict[str, Any], name: str, state: str, field: str | None) -> None:
    row = {"id": "a", "messages": SAID, **case}
    (found,) = (each for each in NORTHSTAR.predict(row, None) if each.name == name)
    assert found.state == state
    assert field is None or found.field == field
    assert found.state == "run" or found.reason


@pytest.mark.parametrize(
    ("asked", "state"),
    [
        ({"relevant_retrieval_ids": ["a"], "min_retrieval_recall": 0}, "run"),
        ({"relevant_retrieval_ids": ["a"]}, "skip"),
        ({"min_retrieval_precision": 1}, "skip"),
    ],
)
def test_retrieval_needs_both(asked: dict[str, Any], state: str) -> None:
    row = {"id": "a", "messages": SAID, "trace": TRACE, "expected": {"trace": asked}}
    found = {each.name: each.state for each in NORTHSTAR.predict(row, None)}
    assert found["retrieval_precision_recall"] == state


@given(cases)
def test_every_grader_is_told_once(row: dict[str, Any]) -> None:
    found = list(NORTHSTAR.predict(row, None))
    names = [each.name for each in found]
    assert len(names) == len(set(names)) == 22
    assert {each.state for each in found} <= {"run", "skip", "fail", "vacuous"}
