"""Read the answer of a model that was asked for a verdict."""

from __future__ import annotations

from typing import Any, NamedTuple

from evalcontract.analysis.markdown import TooLongError, fences_of
from evalcontract.source.fault import ParseError
from evalcontract.source.json import load_json

#: A reason is cut to this number of characters, and an answer that cannot be read to fewer.
MAX_REASON = 2_000
_SHOWN = 200


class AnswerError(Exception):
    """An answer is no verdict; the message shows the beginning of the answer."""

    def __init__(self, problem: str, text: str) -> None:
        shown = shown_of(text)
        super().__init__(f"{problem}: {shown}" if shown else problem)


def shown_of(text: str) -> str:
    """Return the beginning of an answer, as much of it as is shown."""
    return text.strip()[:_SHOWN]


class Answer(NamedTuple):
    """A verdict, whatever JSON value it is, and the reason of the model if it gives one."""

    verdict: Any
    reason: str | None


def read_answer(text: str) -> Answer:
    """Return the answer in a text: a JSON object with the key `verdict`.

    The object is the whole text, or the last one in a fenced code block; other such objects must
    have the same verdict.

    Raises:
        AnswerError: there is no such object, or there are two with different verdicts.

    """
    if not text.strip():
        raise AnswerError("the answer is empty", "")
    found = [value for part in _parts(text) if "verdict" in (value := _object(part))]
    if not found:
        raise AnswerError("the answer is not JSON with a `verdict`", text)
    last = found[-1]
    if any(not _is_same(value["verdict"], last["verdict"]) for value in found):
        raise AnswerError("the answer has two different verdicts", text)
    reason = last.get("reason")
    return Answer(last["verdict"], reason[:MAX_REASON] if isinstance(reason, str) else None)


def _parts(text: str) -> list[str]:
    if "verdict" in _object(text):
        return [text]
    try:
        return [fence.code for fence in fences_of(text)]
    except TooLongError as error:
        raise AnswerError(f"the answer cannot be read: {error}", text) from None


def _object(text: str) -> dict[str, Any]:
    """Return the JSON object that a text is; an empty one if it is none.

    An object with two verdicts is none: its keys must be unique.
    """
    try:
        value = load_json(text.encode())
    except (ParseError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _is_same(first: Any, second: Any) -> bool:
    return type(first) is type(second) and bool(first == second)
