"""Predict which graders and judges of NorthStar will run on a case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._predictions import predictions, read_field
from evalcontract.formats.northstar.case import has_answer, has_tool_output, phrases, trace_of
from evalcontract.formats.northstar.pydantic_coercion import to_bool
from evalcontract.formats.northstar.trace import Trace, read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from evalcontract.formats._format import GraderPrediction
    from evalcontract.formats._predictions import Fact

# Calls of tools, or states, that a grader compares with each other.
_FEWEST = 2


def _trace(case: dict[str, Any]) -> Trace | None:
    payload = trace_of(case)
    return read(payload) if payload is not None else None


def _of_trace(is_true: Callable[[Trace], bool]) -> Fact:
    """Return a fact about the trace of a case, which has one that NorthStar reads."""

    def fact(case: dict[str, Any], _: str) -> bool:
        trace = _trace(case)
        return trace is not None and is_true(trace)

    return fact


#: The facts that the verdicts of `northstar.graders.json` refer to.
FACTS: Mapping[str, Fact] = {
    "empty_list": lambda case, key: read_field(case, key) == [],
    "no_calls": lambda case, key: read_field(case, key) == [],
    "no_answer": lambda case, _: not has_answer(case["messages"]),
    "no_texts": lambda case, key: not phrases(read_field(case, key)),
    "holds_empty": lambda case, key: "" in phrases(read_field(case, key)),
    "blank": lambda case, key: not any(phrases(read_field(case, key))),
    "false": lambda case, key: not to_bool(read_field(case, key)),
    "context": lambda case, _: bool(phrases(read_field(case, "expected.context"))),
    "tool_output": lambda case, _: has_tool_output(case["messages"]),
    "no_trace": lambda case, _: trace_of(case) is None,
    "broken_trace": lambda case, _: _trace(case) is None,
    "few_calls": _of_trace(lambda trace: trace.tool_calls < _FEWEST),
    "few_states": _of_trace(lambda trace: trace.states < _FEWEST),
    "no_documents": _of_trace(lambda trace: not trace.has_documents),
    "no_costs": _of_trace(lambda trace: not trace.has_costs),
    "no_failed_tool": _of_trace(lambda trace: not trace.has_failed_tool),
    "no_context": _of_trace(lambda trace: not trace.has_context),
    "no_failure": _of_trace(lambda trace: not trace.has_failure),
}


def graders(case: dict[str, Any], variant: str | None) -> Iterator[GraderPrediction]:
    """Yield the prediction for each grader on a valid case."""
    return predictions("northstar", case, variant, FACTS)
