"""Types of `output.schema.json`, written by `make typed`."""

from typing import Any, NotRequired, TypedDict


class ToolCallFunction(TypedDict):
    """The name and the arguments, as chat completions have them."""

    name: str
    arguments: NotRequired[Any]


class ToolCall(TypedDict):
    """A call of a tool: its name and arguments, or both under `function`, as chat completions
    have them.
    """

    name: NotRequired[str]
    arguments: NotRequired[Any]
    id: NotRequired[Any]
    type: NotRequired[Any]
    function: NotRequired[ToolCallFunction]


class RecordedOutput(TypedDict):
    """What a model answered to one row of a dataset: one line of the outputs that `evalcontract
    grade` reads.
    """

    id: str
    output: NotRequired[str | None]
    tool_calls: NotRequired[list[ToolCall] | None]
    context: NotRequired[Any]
    metadata: NotRequired[dict[str, Any]]
