"""Read parts of a valid case as NorthStar's graders do."""

from __future__ import annotations

import json
from typing import Any

from evalcontract.formats.northstar.pydantic_coercion import to_bool

#: The fields that hold a list.
LISTS = (
    "required_tools",
    "forbidden_tools",
    "tool_sequence",
    "tool_arguments",
    "contains",
    "not_contains",
    "context",
)
#: The fields that are compared with the final answer.
TEXT_GRADERS = ("contains", "not_contains", "ground_truth")
#: Each limit, and the metric that it limits.
LIMITS = {"max_latency_ms": "latency_ms", "max_cost_usd": "cost_usd"}
_REFERENCE = "require_tool_output_reference"
# What the graders of the default plan read; they ignore a reference that is false.
_EVALUATED = frozenset({*LISTS, "ground_truth", "max_tool_calls", *LIMITS} - {"context"})

# What judges and the graders of traces read.
_JUDGED = ("goal", "rubric", "context", "trace")


def is_evaluated(expected: dict[str, Any]) -> bool:
    """Whether any grader of the default plan reads these expectations."""
    for key, value in expected.items():
        if value is not None and (key in _EVALUATED or (key == _REFERENCE and to_bool(value))):
            return True
    return False


def is_judged(row: dict[str, Any]) -> bool:
    """Whether a judge reads what a case expects, or a grader of traces its trace."""
    expected = row.get("expected") or {}
    return trace_of(row) is not None or any(expected.get(key) is not None for key in _JUDGED)


def is_blank(text: str) -> bool:
    """Whether a text is empty or white space."""
    return not text.strip()


def phrases(value: Any) -> list[str]:
    """Return the texts of a field that holds a list of texts, a single text, or null."""
    if value is None:
        return []
    return [value] if isinstance(value, str) else value


def has_answer(messages: list[dict[str, Any]]) -> bool:
    """Whether any assistant message has content."""
    return _has_content(messages, "assistant")


def has_tool_output(messages: list[dict[str, Any]]) -> bool:
    """Whether any tool message has content."""
    return _has_content(messages, "tool")


def _has_content(messages: list[dict[str, Any]], role: str) -> bool:
    return any(message.get("role") == role and message.get("content") for message in messages)


def trace_of(row: dict[str, Any]) -> dict[str, Any] | None:
    """Return the trace that NorthStar uses, of the case or of its input; None if there is none."""
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


def input_of(given: Any, messages: list[dict[str, Any]], name: str) -> str:
    """Return the text that evalcontract has as the input of a case with the `input` given.

    That is the `input` itself if it is a text, or the last text of a user. Otherwise it is the
    JSON of the input or of the messages, or the name of the case.
    """
    if isinstance(given, str) and not is_blank(given):
        return given
    for message in reversed(messages):
        text = _text_of(message.get("content")) if message.get("role") == "user" else ""
        if not is_blank(text):
            return text
    if given is not None and not isinstance(given, str):
        return json.dumps(given, ensure_ascii=False)
    return json.dumps(messages, ensure_ascii=False) if messages else name


def _text_of(content: Any) -> str:
    """Return the text of a message, which may be a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return "\n".join(text for text in texts if isinstance(text, str))
