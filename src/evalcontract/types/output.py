"""Types of `output.schema.json`, written by `make typed`."""

from typing import Any, NotRequired, TypedDict


class ToolCallCustom(TypedDict):
    """The name and the text of a call of a custom tool, as chat completions have them.

    The text is its argument `input`.
    """

    name: str
    input: NotRequired[dict[str, Any] | str | None]


class ToolCallFunction(TypedDict):
    """The name and the arguments, as chat completions have them, or the name alone, as Inspect
    has it.
    """

    name: str
    arguments: NotRequired[dict[str, Any] | str | None]


class ToolCall(TypedDict):
    """A call of a tool, in the shape in which the tools of OpenAI, Anthropic, LangChain,
    MLflow, DeepEval or Inspect record it.

    Its arguments stand under one key.
    """

    name: NotRequired[str]
    arguments: NotRequired[dict[str, Any] | str | None]
    input: NotRequired[dict[str, Any] | str | None]
    args: NotRequired[dict[str, Any] | str | None]
    inputs: NotRequired[dict[str, Any] | str | None]
    input_parameters: NotRequired[dict[str, Any] | str | None]
    inputParameters: NotRequired[dict[str, Any] | str | None]
    partial_json: NotRequired[dict[str, Any] | str | None]
    id: NotRequired[Any]
    type: NotRequired[Any]
    function: NotRequired[ToolCallFunction | str]
    custom: NotRequired[ToolCallCustom]
    attributes: NotRequired[dict[str, Any]]


class RecordedOutput(TypedDict):
    """What a model answered to one row of a dataset: one line of the outputs that `evalcontract
    grade` reads.
    """

    id: str | int
    output: NotRequired[str | None]
    tool_calls: NotRequired[list[ToolCall] | None]
    context: NotRequired[Any]
    metadata: NotRequired[dict[str, Any]]
