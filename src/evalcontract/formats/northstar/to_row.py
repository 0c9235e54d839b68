"""A case as a row of ours, and the rubric that grades it."""

from __future__ import annotations

from typing import Any, NamedTuple

from evalcontract.formats._conversion import OURS
from evalcontract.formats.northstar.asked import input_of
from evalcontract.formats.northstar.made_rubric import graded
from evalcontract.formats.northstar.normal import EXPECTED, METRICS, is_blank, normal
from evalcontract.formats.northstar.stash import THEIRS

#: What is expected of a trace, or of a run as a whole, by the same name in the bundle `agent`.
OF_RUN = ("require_tool_output_reference", "max_latency_ms", "max_cost_usd")
OF_TRACE = (
    "max_repeated_tool_calls",
    "allowed_state_transitions",
    "min_retrieval_precision",
    "min_retrieval_recall",
    "max_step_cost_usd",
)
#: What judges read, below the `expected` of a row.
OF_JUDGES = ("goal", "rubric", "ground_truth")
BUNDLE = "agent"


class Plain(NamedTuple):
    """A row of ours without any stash, and its rubric."""

    row: dict[str, Any]
    rubric: dict[str, Any] | None


def to_row(case: dict[str, Any], index: int) -> Plain:
    """Turn a case, in which everything is JSON, as far as a row has places for it."""
    expected = normal(case.get("expected", {}), EXPECTED)
    name = case["id"] if not is_blank(case["id"]) else f"row_{index + 1}"
    row: dict[str, Any] = {
        "id": name,
        "input": input_of(case.get("input"), case["messages"], name),
    }
    judged = expected.get("rubric", expected.get("goal"))
    if judged is not None:
        row["criteria"] = judged
        row["expected"] = {key: expected[key] for key in OF_JUDGES if key in expected}
    rubric, asked = graded(expected)
    row = {**row, **asked, **({"expected": row["expected"]} if "expected" in row else {})}
    if "context" in expected:
        row["context"] = expected["context"]
    row["bundle"] = BUNDLE
    row["messages"] = case["messages"]
    if isinstance(case.get("trace"), dict):
        row["trace"] = case["trace"]
    if "metrics" in case:
        row["metrics"] = normal(case["metrics"], METRICS)
    of_trace = expected.get("trace", {})
    if "relevant_retrieval_ids" in of_trace:
        row["expected_documents"] = [{"id": each} for each in of_trace["relevant_retrieval_ids"]]
    row |= {key: expected[key] for key in OF_RUN if key in expected}
    row |= {key: of_trace[key] for key in OF_TRACE if key in of_trace}
    kept = {k: v for k, v in case.get("metadata", {}).items() if k not in (THEIRS, OURS)}
    if kept:
        row["metadata"] = kept
    return Plain(row, rubric)
