"""Expectations of a case that no run can meet together, or that say another thing than is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.formats.northstar.case import phrases
from evalcontract.formats.northstar.lax import whole

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOOLS = ("required_tools", "tool_sequence", "forbidden_tools")
#: The fields that take one text for a list of one.
WRAPPED = (*_TOOLS, "contains", "not_contains", "context")


class Contradiction(NamedTuple):
    """What is said, at the key of `expected` where it is said."""

    key: str
    message: str
    advice: str


def contradictions(expected: dict[str, Any]) -> Iterator[Contradiction]:
    """Yield those of sound expectations."""
    if expected.get("not_contains"):
        yield from _of_phrases(expected)
    if expected.get("forbidden_tools") or expected.get("max_tool_calls") is not None:
        yield from _of_tools(expected)


def looks_like_list(key: str, value: Any) -> bool:
    """Whether a text is taken for the one item of a list, and was meant as several."""
    if not isinstance(value, str):
        return False
    text = value.strip()
    return (text.startswith("[") and text.endswith("]")) or (key in _TOOLS and "," in text)


def _of_phrases(expected: dict[str, Any]) -> Iterator[Contradiction]:
    for key in ("contains", "ground_truth"):
        for wanted in phrases(expected.get(key)):
            for unwanted in phrases(expected["not_contains"]):
                if unwanted.strip() and unwanted.lower() in wanted.lower():
                    message = f"an answer with `{wanted}` of `{key}` holds `{unwanted}`: one fails"
                    yield Contradiction("not_contains", message, "remove one of the two")


def _of_tools(expected: dict[str, Any]) -> Iterator[Contradiction]:
    sequence = phrases(expected.get("tool_sequence"))
    calls = [each["name"] for each in expected.get("tool_arguments") or ()]
    wanted = dict.fromkeys((*phrases(expected.get("required_tools")), *sequence, *calls))
    forbidden = phrases(expected.get("forbidden_tools"))
    for name in wanted:
        if name in forbidden:
            message = f"the tool `{name}` is asked for as well, so one of the two fails"
            yield Contradiction("forbidden_tools", message, "remove it from one of them")
    most = expected.get("max_tool_calls")
    least = max(len(wanted), len(sequence))
    if most is not None and whole(most) < least:
        calls_are = "1 call is" if least == 1 else f"{least} calls are"
        message = f"{calls_are} asked for, and `max_tool_calls` is {whole(most)}: one of them fails"
        yield Contradiction("max_tool_calls", message, f"write {least}, or ask for fewer tools")
