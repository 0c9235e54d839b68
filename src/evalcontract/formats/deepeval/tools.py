"""The calls of tools that a golden expects, as rows of evalcontract have them."""

from __future__ import annotations

from typing import Any


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
