"""What the graders of NorthStar see of a sound case."""

from __future__ import annotations

from typing import Any

from evalcontract.formats.northstar.pydantic_coercion import truth

#: The fields that hold a list of texts, or of calls.
LISTS = (
    "required_tools",
    "forbidden_tools",
    "tool_sequence",
    "tool_arguments",
    "contains",
    "not_contains",
    "context",
)
#: The fields that are held against the final answer.
TEXT_GRADERS = ("contains", "not_contains", "ground_truth")
#: Each limit with the metric that it is held against.
LIMITS = {"max_latency_ms": "latency_ms", "max_cost_usd": "cost_usd"}
_REFERENCE = "require_tool_output_reference"
# What the graders of the default plan read; a truth that is false asks for nothing.
_EVALUATED = frozenset(
    {
        *LISTS[:-1],
        *("ground_truth", "max_tool_calls", "max_latency_ms", "max_cost_usd"),
    }
)


def is_evaluated(expected: dict[str, Any]) -> bool:
    """Whether any grader of the default plan reads something here."""
    for key, value in expected.items():
        if value is not None and (key in _EVALUATED or (key == _REFERENCE and truth(value))):
            return True
    return False


def phrases(value: Any) -> list[str]:
    """Return the texts of a field that holds a list of them, or one alone, or null."""
    if value is None:
        return []
    return [value] if isinstance(value, str) else value


def has_answer(messages: list[dict[str, Any]]) -> bool:
    """Whether the assistant says anything."""
    return any(each.get("role") == "assistant" and each.get("content") for each in messages)


def has_tool_output(messages: list[dict[str, Any]]) -> bool:
    """Whether a tool gives anything."""
    return any(each.get("role") == "tool" and each.get("content") for each in messages)


def trace_of(row: dict[str, Any]) -> dict[str, Any] | None:
    """Return the trace that NorthStar uses: of the case, or of its input; None where none is."""
    trace = row.get("trace")
    given = row.get("input")
    if trace is None and isinstance(given, dict):
        trace = given.get("trace")
    if not isinstance(trace, dict):
        return None
    if trace.get("run_id") is not None:
        return trace
    runs = trace.get("runs")
    first = runs[0] if isinstance(runs, list) and runs else None
    is_run = isinstance(first, dict) and first.get("id") is not None
    return trace if is_run else None


def asks_of_retrieval(asked: dict[str, Any]) -> tuple[bool, bool]:
    """Return whether relevant documents are named, and whether a least share of them is asked."""
    least = ("min_retrieval_precision", "min_retrieval_recall")
    has_least = any(asked.get(each) is not None for each in least)
    return asked.get("relevant_retrieval_ids") is not None, has_least
