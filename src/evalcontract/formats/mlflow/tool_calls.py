"""The tool calls that a record expects, as rows of evalcontract have them."""

from __future__ import annotations

from typing import Any

from evalcontract.formats._findings import is_list_of


def expected_tools(calls: Any) -> list[Any] | None:
    """Return expected calls as tools: names, or calls with arguments; None if a row has no such.

    A key that is null is absent, as it is for MLflow: a table has it wherever another call has it.
    """
    if not calls or not is_list_of(calls, dict):
        return None
    given = [{key: part for key, part in call.items() if part is not None} for call in calls]
    if not all(map(_is_call, given)):
        return None
    return [call["name"] if len(call) == 1 else call for call in given]


def expected_calls(tools: Any) -> list[Any] | None:
    """Return tools as expected calls; None if there are none."""
    if not isinstance(tools, list) or not tools:
        return None
    return [{"name": tool} if isinstance(tool, str) else tool for tool in tools]


def _is_call(call: dict[str, Any]) -> bool:
    name = call.get("name")
    is_named = call.keys() <= {"name", "arguments"} and isinstance(name, str) and name.strip()
    return bool(is_named) and isinstance(call.get("arguments", {}), dict)
