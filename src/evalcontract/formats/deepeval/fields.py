"""The keys of goldens of DeepEval and what they mean in evalcontract, tools and calls included."""

from __future__ import annotations

from typing import Any

from evalcontract.formats._fields import Field

_NO_KEY = "rows of evalcontract have no key for it"
_NO_PLACE = "goldens have no place for it"
_RUBRIC = "metrics are chosen when the evaluation runs, not in its dataset"

FIELDS = (
    Field("name", "id", "the first golden of that name"),
    Field("input", "input", "of goldens with an `input`"),
    Field("scenario", "input", "of goldens with a `scenario`"),
    Field("expected_output", "expected.reference", "of goldens with an `input`"),
    Field("expected_outcome", "criteria", "of goldens with a `scenario`"),
    Field("expectations.must", "criteria", "several are a list with a `- ` before each"),
    Field("context", "context", "a list of texts"),
    Field("retrieval_context", "retrieved_documents", "a text is a `content`, its source an `id`"),
    Field("actual_output", "recorded_output", "of goldens with an `input`"),
    Field("expected_tools", "expected_tools", "`input_parameters` are `arguments`"),
    Field("turns", "messages", "of goldens with a `scenario`; roles and texts"),
    Field("additional_metadata", "metadata"),
    Field("expectations", None, "only `must` has a counterpart"),
    Field("tools_called", None, "recorded calls stand in outputs or in `messages`"),
    Field("comments", None, _NO_KEY),
    Field("source_file", None, _NO_KEY),
    Field("custom_column_key_values", None, _NO_KEY),
    Field("token_cost", None, _NO_KEY),
    Field("input_token_count", None, _NO_KEY),
    Field("output_token_count", None, _NO_KEY),
    Field("persona", None, _NO_KEY),
    Field("user_description", None, _NO_KEY),
    Field("*", None, "DeepEval does not read it, and rows have no key for it"),
    Field(None, "rubric_ref", _RUBRIC),
    Field(None, "expected", _NO_PLACE),
    Field(None, "expected_facts", "`expectations.must` are judged, and facts are looked up"),
    Field(None, "must_contain_any", _NO_PLACE),
    Field(None, "must_not_contain", "`expectations.must_not` are judged, not looked up"),
    Field(None, "messages", "only goldens with a `scenario` have turns"),
    Field(None, "*", _NO_PLACE),
)


def tools_of(calls: Any) -> list[Any] | None:
    """Return expected calls, as they are read, as tools; None if a row has no such."""
    if not isinstance(calls, list) or not calls:
        return None
    tools = [_tool(call) for call in calls]
    return None if any(tool is None for tool in tools) else tools


def calls_of(tools: Any) -> list[Any] | None:
    """Return tools as expected calls; None if there are none."""
    if not isinstance(tools, list) or not tools:
        return None
    return [
        {"name": tool}
        if isinstance(tool, str)
        else {"name": tool["name"], "input_parameters": tool.get("arguments", {})}
        for tool in tools
    ]


def _tool(call: Any) -> Any:
    """Return a call as a tool; None if it says more than a name and arguments."""
    if not isinstance(call, dict):
        return None
    name = call.get("name")
    if not isinstance(name, str) or not name or not call.keys() <= {"name", "input_parameters"}:
        return None
    if "input_parameters" not in call:
        return name
    return {"name": name, "arguments": call["input_parameters"]}
