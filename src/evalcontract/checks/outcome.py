"""What a check makes of one output: its outcome, its score, and the reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias

from evalcontract.checks._output_texts import OutputTexts


class Outcome(StrEnum):
    """The outcome of a check on an output.

    PASSED and FAILED: it ran, and has a score. SKIPPED: it has nothing to judge, because the row
    lacks a key or the output has no such part. UNAVAILABLE: it cannot run on this machine, in this
    workspace or with what was recorded. ERROR: it ran, and came to no verdict.
    """

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    UNAVAILABLE = "unavailable"
    ERROR = "error"

    __hash__ = str.__hash__  # that of enums is slower; results are counted by outcome


class Verdict(NamedTuple):
    """An outcome; `score` is from 0 to 1, and None unless the check passed or failed.

    `reason` says why it did not pass. `details` are for machines: JSON values by name.
    """

    outcome: Outcome
    score: float | None = None
    reason: str | None = None
    details: Mapping[str, Any] | None = None


class ToolCall(NamedTuple):
    """A call of a tool; `arguments` is a JSON value, also if they were recorded as its text."""

    name: str
    arguments: Any = None


class Output(NamedTuple):
    """What a model answered: its text and its calls of tools, in order.

    None is what was not recorded, which is not the same as an empty text or no calls. `context` is
    what the model was given besides the row, such as retrieved passages.
    """

    text: str | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
    context: Any = None


#: Judges one output of a row. It raises nothing because of what the row or the output contain.
Executor: TypeAlias = Callable[[Mapping[str, Any], Output], Verdict]

PASSED = Verdict(Outcome.PASSED, 1.0)


def failed(reason: str, score: float = 0.0, **details: Any) -> Verdict:
    """Return the verdict of a check that failed."""
    return Verdict(Outcome.FAILED, score, reason, details or None)


def skipped(reason: str) -> Verdict:
    """Return the verdict of a check that has nothing to judge."""
    return Verdict(Outcome.SKIPPED, None, reason)


def unavailable(reason: str) -> Verdict:
    """Return the verdict of a check that cannot run."""
    return Verdict(Outcome.UNAVAILABLE, None, reason)


#: The verdict of a check that judges the text if none was recorded.
NO_TEXT = unavailable("no text of the output was recorded")


def error(reason: str, **details: Any) -> Verdict:
    """Return the verdict of a check that came to no verdict."""
    return Verdict(Outcome.ERROR, None, reason, details or None)


def always(verdict: Verdict) -> Executor:
    """Return an executor that gives the same verdict on every output."""

    def execute(row: Mapping[str, Any], output: Output) -> Verdict:
        del row, output
        return verdict

    return execute


#: Judges the texts of some outputs, each of its row, in order; see `Executor`.
JudgeTexts: TypeAlias = Callable[[Sequence[Mapping[str, Any]], OutputTexts], list[Verdict]]


@dataclass(frozen=True, slots=True)
class OfTexts:
    """An executor that judges the texts of outputs; it is unavailable without one.

    `judge` takes several at a time, so that what they share is done once.
    """

    judge: JudgeTexts

    def __call__(self, row: Mapping[str, Any], output: Output) -> Verdict:
        """Judge an output."""
        if output.text is None:
            return NO_TEXT
        return self.judge((row,), OutputTexts((output.text,)))[0]


def of_text(judge: Callable[[Mapping[str, Any], str], Verdict]) -> OfTexts:
    """Return an executor that judges the text of an output; it is unavailable without one."""
    return OfTexts(lambda rows, texts: list(map(judge, rows, texts.written)))
