"""The graders of NorthStar's default plan, written from what they were seen to do.

Each says of a case, and of the messages of a run, whether it passes; None if it is skipped.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Run(NamedTuple):
    """The last answer of a run, and its calls of tools, each with its name and arguments."""

    answer: str | None
    calls: list[tuple[str, Any]]


def run_of(messages: list[dict[str, Any]]) -> Run:
    """Return what the graders read of messages."""
    said = [each for each in messages if each["role"] == "assistant"]
    answers = [each["content"] for each in said if each.get("content")]
    functions = [call["function"] for each in said for call in each.get("tool_calls", ())]
    calls = [(each["name"], json.loads(each["arguments"])) for each in functions]
    return Run(answers[-1] if answers else None, calls)


def verdicts(case: dict[str, Any], messages: list[dict[str, Any]]) -> dict[str, bool]:
    """Return whether each grader passes that is not skipped, by the name of what it reads."""
    run, expected = run_of(messages), case.get("expected", {})
    return {
        key: grade(expected[key], run, case.get("metrics", {}))
        for key, grade in GRADERS.items()
        if expected.get(key) is not None and not (key == REFERENCE and expected[key] is False)
    }


def _texts(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else value


def _names(run: Run) -> list[str]:
    return [name for name, _ in run.calls]


def _has_arguments(calls: Any, run: Run, _: Any) -> bool:
    return all(
        any(name == call["name"] and _within(call["arguments"], given) for name, given in run.calls)
        for call in calls
    )


def _within(wanted: dict[str, Any], given: Any) -> bool:
    """Whether a mapping has all that is wanted, in the mappings below it too."""
    return isinstance(given, dict) and all(
        key in given
        and (_within(part, given[key]) if isinstance(part, dict) else given[key] == part)
        for key, part in wanted.items()
    )


def _holds(text: str, run: Run) -> bool:
    return run.answer is not None and text.lower() in run.answer.lower()


def _has_truth(truth: str, run: Run, _: Any) -> bool:
    spaced = " ".join((run.answer or "").lower().split())
    return run.answer is not None and " ".join(truth.lower().split()) in spaced


REFERENCE = "require_tool_output_reference"
GRADERS: dict[str, Callable[[Any, Run, Any], bool]] = {
    "max_tool_calls": lambda most, run, _: len(run.calls) <= int(most),
    "required_tools": lambda tools, run, _: {*_texts(tools)} <= {*_names(run)},
    "forbidden_tools": lambda tools, run, _: {*_texts(tools)}.isdisjoint(_names(run)),
    "tool_arguments": _has_arguments,
    "tool_sequence": lambda tools, run, _: _texts(tools) == _names(run),
    "contains": lambda texts, run, _: (
        run.answer is not None and all(_holds(text, run) for text in _texts(texts))
    ),
    "not_contains": lambda texts, run, _: (
        run.answer is not None and not any(_holds(text, run) for text in _texts(texts))
    ),
    "ground_truth": _has_truth,
    # How an answer refers to what tools gave is not modelled: no run here has outputs of tools.
    REFERENCE: lambda _, __, ___: False,
    "max_latency_ms": lambda most, _, metrics: metrics.get("latency_ms", most + 1) <= most,
    "max_cost_usd": lambda most, _, metrics: metrics.get("cost_usd", most + 1) <= most,
}
