"""The facts of a valid case that decide which graders and judges of NorthStar will run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.formats._predictions import read_field
from evalcontract.formats.northstar.case import has_answer, has_tool_output, phrases, trace_of
from evalcontract.formats.northstar.pydantic_coercion import truth

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.formats._predictions import Fact

#: The facts that the verdicts of `northstar.graders.json` refer to.
FACTS: Mapping[str, Fact] = {
    "empty_list": lambda case, key: read_field(case, key) == [],
    "no_calls": lambda case, key: read_field(case, key) == [],
    "no_answer": lambda case, _: not has_answer(case["messages"]),
    "no_texts": lambda case, key: not phrases(read_field(case, key)),
    "holds_empty": lambda case, key: "" in phrases(read_field(case, key)),
    "blank": lambda case, key: not any(phrases(read_field(case, key))),
    "false": lambda case, key: not truth(read_field(case, key)),
    "context": lambda case, _: bool(phrases(read_field(case, "expected.context"))),
    "tool_output": lambda case, _: has_tool_output(case["messages"]),
    "no_trace": lambda case, _: trace_of(case) is None,
}
