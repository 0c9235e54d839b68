"""What decides, of a sound case, what becomes of the graders and judges of NorthStar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.formats._predictions import value_at
from evalcontract.formats.northstar.case import has_answer, has_tool_output, phrases, trace_of
from evalcontract.formats.northstar.pydantic_coercion import truth

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.formats._predictions import Fact

#: What the verdicts of `northstar.graders.json` go by.
FACTS: Mapping[str, Fact] = {
    "empty_list": lambda case, key: value_at(case, key) == [],
    "no_calls": lambda case, key: value_at(case, key) == [],
    "no_answer": lambda case, _: not has_answer(case["messages"]),
    "no_texts": lambda case, key: not phrases(value_at(case, key)),
    "holds_empty": lambda case, key: "" in phrases(value_at(case, key)),
    "blank": lambda case, key: not any(phrases(value_at(case, key))),
    "false": lambda case, key: not truth(value_at(case, key)),
    "context": lambda case, _: bool(phrases(value_at(case, "expected.context"))),
    "tool_output": lambda case, _: has_tool_output(case["messages"]),
    "no_trace": lambda case, _: trace_of(case) is None,
}
