"""Predict which graders and judges of NorthStar will run on a case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._predictions import predictions, read_field
from evalcontract.formats.northstar.case import has_answer, has_tool_output, phrases, trace_of
from evalcontract.formats.northstar.pydantic_coercion import to_bool

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from evalcontract.formats._format import GraderPrediction
    from evalcontract.formats._predictions import Fact

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
}


def graders(case: dict[str, Any], variant: str | None) -> Iterator[GraderPrediction]:
    """Yield the prediction for each grader on a valid case."""
    return predictions("northstar", case, variant, FACTS)
