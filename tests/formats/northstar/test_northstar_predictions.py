"""What will become of each grader of NorthStar: the corners that were measured."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from northstar_cases import cases
from northstar_traces import TRACE, traced
from tables import every_case

from evalcontract.formats.northstar import Northstar

SAID = [{"role": "assistant", "content": "Sunny."}]

CALL = {"type": "tool_arguments", "span_id": "7d3f0000-0000-4000-8000-000000000003"}
FAILED = {"status": "error"}
COST = {"attributes": {"cost_usd": 0.1}}
STATES_OF_RUN = [{"type": "custom", "attributes": {"state": name}} for name in ("a", "b")]
ALLOWED: dict[str, Any] = {"expected": {"trace": {"allowed_state_transitions": []}}}
FOUND = [{"type": "tool_result", "content": {"documents": [{"id": "a"}]}}]

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
    ({"expected": {"ground_truth": "a"}}, "rubric_judge", "skip", "expected.rubric"),
    ({"expected": {"goal": "a"}}, "rubric_judge", "run", "expected.goal"),
    ({"expected": {"goal": "a", "rubric": "b"}}, "rubric_judge", "run", "expected.rubric"),
    ({"expected": {"goal": "a"}}, "faithfulness_judge", "skip", "expected.context"),
    ({"expected": {"context": "a"}}, "faithfulness_judge", "run", "expected.context"),
    ({"messages": [{"role": "tool", "content": "22"}]}, "faithfulness_judge", "run", "messages"),
    ({}, "unnecessary_tool_loop", "skip", "trace"),
    ({"trace": TRACE}, "unnecessary_tool_loop", "skip", "trace"),
    ({"trace": traced([], [CALL])}, "unnecessary_tool_loop", "skip", "trace"),
    ({"trace": traced([], [CALL, CALL])}, "unnecessary_tool_loop", "run", None),
    ({"input": {"trace": traced([], [CALL, CALL])}}, "unnecessary_tool_loop", "run", None),
    ({"trace": {}}, "failure_origin", "skip", "trace"),
    ({"trace": TRACE}, "failure_origin", "skip", "trace"),
    ({"trace": traced([FAILED], [])}, "failure_origin", "fail", "trace"),
    ({"trace": traced([], [], error={"type": "x"})}, "failure_origin", "fail", "trace"),
    ({"trace": TRACE}, "bad_tool_failure_recovery", "skip", "trace"),
    ({"trace": traced([FAILED], [])}, "bad_tool_failure_recovery", "run", "trace"),
    ({"trace": TRACE}, "stale_context_usage", "skip", "trace"),
    ({"trace": traced([], [{"type": "reasoning"}])}, "stale_context_usage", "run", "trace"),
    ({"trace": TRACE}, "invalid_state_transition", "skip", None),
    ({"trace": traced([], STATES_OF_RUN), **ALLOWED}, "invalid_state_transition", "run", None),
    ({"trace": traced([], STATES_OF_RUN[:1]), **ALLOWED}, "invalid_state_transition", "skip", None),
    ({"trace": TRACE}, "step_cost_attribution", "skip", "trace"),
    ({"trace": traced([COST], [])}, "step_cost_attribution", "vacuous", None),
    ({"trace": TRACE}, "retrieval_precision_recall", "skip", None),
    ({"trace": {"run_id": "r"}}, "planning_action_mismatch_judge", "fail", "trace"),
    ({"trace": TRACE}, "planning_action_mismatch_judge", "run", None),
]


@every_case(("case", "name", "state", "field"), STATES)
def test_a_grader(case: dict[str, Any], name: str, state: str, field: str | None) -> None:
    row = {"id": "a", "messages": SAID, **case}
    (found,) = (each for each in Northstar().predict(row) if each.name == name)
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
    row = {"id": "a", "messages": SAID, "trace": traced([], FOUND), "expected": {"trace": asked}}
    found = {each.name: each.state for each in Northstar().predict(row)}
    assert found["retrieval_precision_recall"] == state


@given(cases)
def test_every_grader_is_told_once(row: dict[str, Any]) -> None:
    found = list(Northstar().predict(row))
    names = [each.name for each in found]
    assert len(names) == len(set(names)) == 25
    assert {each.state for each in found} <= {"run", "skip", "fail", "vacuous"}
