"""Types of `dataset.schema.json`, written by `make typed`."""

from typing import Any, Literal, NotRequired, TypedDict


class Expected(TypedDict):
    """What the output should be like.

    Only `format` has a fixed meaning; add any further keys that your judges or bundles read.
    """

    format: NotRequired[Literal["json", "text"]]
    reference: NotRequired[str]


class ToolExpectation(TypedDict):
    """A tool that should be called: its name alone, or an object with the name and the
    arguments that the call should carry.
    """

    name: str
    arguments: NotRequired[dict[str, Any]]


class Row(TypedDict):
    """One question, what is expected of the answer, and the rubric that grades it.

    Further keys are allowed; a key that looks like a misspelled one is reported.
    """

    id: str
    input: str
    criteria: NotRequired[str]
    expected: NotRequired[Expected]
    expected_facts: NotRequired[list[str]]
    expected_tools: NotRequired[list[str | ToolExpectation]]
    rubric_ref: NotRequired[str]
    bundle: NotRequired[str]
    must_contain_any: NotRequired[list[str]]
    must_not_contain: NotRequired[list[str]]
    tags: NotRequired[list[str]]
    context: NotRequired[Any]
    metadata: NotRequired[dict[str, Any]]


_DatasetKeys = TypedDict("_DatasetKeys", {"$schema": NotRequired[str]})


class Dataset(_DatasetKeys):
    """A list of questions to put to a system, with what is expected of each answer.

    Further keys are allowed, so that a domain can add its own.
    """

    id: NotRequired[str]
    version: NotRequired[str]
    label: NotRequired[str]
    description: NotRequired[str]
    bundle: NotRequired[str]
    questions: list[Row]
    metadata: NotRequired[dict[str, Any]]
