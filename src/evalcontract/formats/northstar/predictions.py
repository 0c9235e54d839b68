"""What will become of each grader and judge of NorthStar on a sound case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._format import GraderPrediction
from evalcontract.formats.northstar.case import (
    LIMITS,
    asks_of_retrieval,
    has_answer,
    has_tool_output,
    phrases,
    trace_of,
)
from evalcontract.formats.northstar.lax import truth

if TYPE_CHECKING:
    from collections.abc import Iterator

_NOTHING: dict[str, Any] = {}
_PLAIN, _JUDGE, _TRACE = "deterministic", "judge", "trace"
# The graders of tool calls, with the field that each reads.
_CALLS = {
    "max_tool_calls": "max_tool_calls",
    "required_tools": "required_tools",
    "forbidden_tools": "forbidden_tools",
    "tool_arguments_match": "tool_arguments",
    "tool_sequence": "tool_sequence",
}
_TEXTS = {
    "contains": "contains",
    "not_contains": "not_contains",
    "ground_truth_match": "ground_truth",
}
_LIMITS = {"latency_under": "max_latency_ms", "cost_under": "max_cost_usd"}
_OF_ANY_TRACE = (
    "bad_tool_failure_recovery",
    "stale_context_usage",
    "failure_origin",
    "HallucinatedToolResultJudge",
    "the other judge of traces",
)


def predictions(row: dict[str, Any]) -> Iterator[GraderPrediction]:
    """Yield what will become of each: the graders of the default plan first."""
    expected = row.get("expected") or _NOTHING
    for name, field in _CALLS.items():
        yield _of_calls(name, field, expected)
    for name, field in _TEXTS.items():
        yield _of_texts(name, field, expected, row)
    yield _of_reference(expected)
    for name, field in _LIMITS.items():
        yield _of_limit(name, field, expected, row)
    yield _of_rubric(expected)
    yield _of_faithfulness(expected, row)
    yield from _of_trace(expected.get("trace") or _NOTHING, row)


def _absent(name: str, kind: str, field: str) -> GraderPrediction:
    return GraderPrediction(name, kind, "skip", f"there is no `{field}`", field)


def _of_calls(name: str, key: str, expected: dict[str, Any]) -> GraderPrediction:
    field = f"expected.{key}"
    if expected.get(key) is None:
        return _absent(name, _PLAIN, field)
    if expected[key] == [] and key == "tool_sequence":
        return GraderPrediction(name, _PLAIN, "run", "it is empty: no tool may be called", field)
    if expected[key] == []:
        return GraderPrediction(
            name, _PLAIN, "vacuous", "it is empty, and graded all the same", field
        )
    return GraderPrediction(name, _PLAIN, "run", None, field)


def _of_texts(
    name: str, key: str, expected: dict[str, Any], row: dict[str, Any]
) -> GraderPrediction:
    field = f"expected.{key}"
    if expected.get(key) is None:
        return _absent(name, _PLAIN, field)
    if not has_answer(row["messages"]):
        return GraderPrediction(name, _PLAIN, "fail", "no assistant message has a text", "messages")
    texts = phrases(expected[key])
    if key == "not_contains" and "" in texts:
        return GraderPrediction(name, _PLAIN, "fail", "every text holds an empty one", field)
    if not texts or (key != "not_contains" and not any(texts)):
        return GraderPrediction(
            name, _PLAIN, "vacuous", "it is empty, and graded all the same", field
        )
    return GraderPrediction(name, _PLAIN, "run", None, field)


def _of_reference(expected: dict[str, Any]) -> GraderPrediction:
    name, key = "tool_output_referenced", "require_tool_output_reference"
    field = f"expected.{key}"
    if expected.get(key) is None:
        return _absent(name, _PLAIN, field)
    if not truth(expected[key]):
        return GraderPrediction(name, _PLAIN, "skip", "it is false", field)
    return GraderPrediction(name, _PLAIN, "run", None, field)


def _of_limit(
    name: str, key: str, expected: dict[str, Any], row: dict[str, Any]
) -> GraderPrediction:
    if expected.get(key) is None:
        return _absent(name, _PLAIN, f"expected.{key}")
    metric = f"metrics.{LIMITS[key]}"
    if (row.get("metrics") or _NOTHING).get(LIMITS[key]) is None:
        reason = f"there is no `{metric}`; a limit without its metric fails"
        return GraderPrediction(name, _PLAIN, "fail", reason, metric)
    return GraderPrediction(name, _PLAIN, "run", None, f"expected.{key}")


def _of_rubric(expected: dict[str, Any]) -> GraderPrediction:
    name = "RubricJudge"
    key = next((each for each in ("rubric", "goal") if expected.get(each) is not None), None)
    if key is None:
        reason = "there is neither `goal` nor `rubric`, unless it is made with a rubric of its own"
        return GraderPrediction(name, _JUDGE, "skip", reason, "expected.rubric")
    reason = "unless it is made with a rubric of its own, which counts for more"
    return GraderPrediction(name, _JUDGE, "run", reason, f"expected.{key}")


def _of_faithfulness(expected: dict[str, Any], row: dict[str, Any]) -> GraderPrediction:
    name = "FaithfulnessJudge"
    if phrases(expected.get("context")):
        return GraderPrediction(name, _JUDGE, "run", None, "expected.context")
    if has_tool_output(row["messages"]):
        return GraderPrediction(name, _JUDGE, "run", "it reads what tools gave", "messages")
    reason = "there is neither `context` nor anything that a tool gave; `goal` alone does not do"
    return GraderPrediction(name, _JUDGE, "skip", reason, "expected.context")


def _of_trace(asked: dict[str, Any], row: dict[str, Any]) -> Iterator[GraderPrediction]:
    names = (
        "unnecessary_tool_loop",
        "invalid_state_transition",
        "retrieval_precision_recall",
        "step_cost_attribution",
    )
    if trace_of(row) is None:
        reason = "there is no trace that it could use"
        for name in (*names, *_OF_ANY_TRACE):
            yield GraderPrediction(name, _TRACE, "skip", reason, "trace")
        return
    reason = "unless the trace has fewer than two events of tools"
    yield GraderPrediction(
        names[0], _TRACE, "run", reason, "expected.trace.max_repeated_tool_calls"
    )
    field = "expected.trace.allowed_state_transitions"
    if asked.get("allowed_state_transitions") is None:
        yield _absent(names[1], _TRACE, field)
    else:
        reason = "unless the trace has fewer than two states"
        yield GraderPrediction(names[1], _TRACE, "run", reason, field)
    yield _of_retrieval(names[2], asked)
    field = "expected.trace.max_step_cost_usd"
    if asked.get("max_step_cost_usd") is None:
        yield GraderPrediction(names[3], _TRACE, "vacuous", "without a limit it passes", field)
    else:
        yield GraderPrediction(
            names[3], _TRACE, "run", "unless no step of the trace has a cost", field
        )
    for name in _OF_ANY_TRACE:
        yield GraderPrediction(name, _TRACE, "run", None, "trace")


def _of_retrieval(name: str, asked: dict[str, Any]) -> GraderPrediction:
    has_ids, has_least = asks_of_retrieval(asked)
    if not has_ids:
        return _absent(name, _TRACE, "expected.trace.relevant_retrieval_ids")
    if not has_least:
        reason = "there is neither a least precision nor a least recall"
        return GraderPrediction(
            name, _TRACE, "skip", reason, "expected.trace.min_retrieval_precision"
        )
    return GraderPrediction(name, _TRACE, "run", None, "expected.trace.relevant_retrieval_ids")
