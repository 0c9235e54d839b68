"""What is said below the tables of `grade`: what did not run, and what asking judges took."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.checks.outcome import NO_MODEL, Outcome
from evalcontract.model.code import where_to_read
from evalcontract.model.values import escape_controls
from evalcontract.report.frame import wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.grading.summary import Summary
    from evalcontract.judging.asking import Usage

# So many causes are shown.
_SHOWN = 5
_VERBS = {
    Outcome.PASSED: "passed without all verdicts",
    Outcome.FAILED: "failed without all verdicts",
    Outcome.ERROR: "ended in an error",
    Outcome.UNAVAILABLE: "did not run",
    Outcome.UNDECIDED: "came to no verdict",
}
_COULD_NOT = "could not be graded"
_NO_MODEL = (
    "judges: no model is configured: set EVALCONTRACT_BASE_URL or EVALCONTRACT_API_KEY; see "
)


def write_unmeasured(summary: Summary, width: int) -> Iterator[str]:
    """Yield what `unmeasured_lines` do, wrapped to `width` cells, and an empty line if any."""
    lines = [*unmeasured_lines(summary)]
    for line in lines:
        yield from wrapped(escape_controls(line), 0, width)
    if lines:
        yield "\n"


def unmeasured_lines(summary: Summary) -> Iterator[str]:
    """Yield a sentence for each cause of checks and rows without a verdict, the frequent first."""
    causes = [*summary.unmeasured.items()]
    for cause, number in causes[:_SHOWN]:
        what = "row" if cause.kind is None else f"{cause.kind} check"
        of = _many(summary.counted(cause.kind), what)
        verb = _COULD_NOT if cause.kind is None else _VERBS[cause.outcome]
        yield f"{number:,} of {of} {verb}: {cause.reason}"
    if len(causes) > _SHOWN:
        yield f"… and {_many(len(causes) - _SHOWN, 'other cause')}: the results have all"


def write_usage(usage: Usage | None, summary: Summary, width: int) -> Iterator[str]:
    """Yield a sentence on what was asked, and one for each remark.

    `usage` is None without an endpoint: that is said if it made a check unavailable.
    """
    if usage is None:
        if _lacks_model(summary):
            yield from wrapped(_NO_MODEL + where_to_read("judges#ask-a-model"), 0, width)
        return
    yield from write_asked(usage, width)


def write_asked(usage: Usage, width: int) -> Iterator[str]:
    """Yield a sentence on what was asked, if anything was, and one for each remark."""
    if not usage.is_empty:
        yield from wrapped(f"judges: {_sentence(usage)}", 0, width)
    for remark in usage.remarks:
        yield from wrapped(escape_controls(f"note: {remark}"), 0, width)


def usage_fields(usage: Usage) -> dict[str, Any]:
    """Return the JSON of what was asked."""
    fields = {
        "calls": usage.calls,
        "cached": usage.cached,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "unmetered": usage.unmetered,
    }
    return fields if usage.cost is None else {**fields, "cost": round(usage.cost, 9)}


def _sentence(usage: Usage) -> str:
    parts = [_many(usage.calls, "call"), f"{usage.cached:,} from the cache"]
    parts.append(_many(usage.input_tokens + usage.output_tokens, "token"))
    if usage.unmetered:
        parts.append(f"and those of {_many(usage.unmetered, 'call')} that are not known")
    if usage.cost is not None:
        parts.append(f"cost {usage.cost:.4f}")
    return ", ".join(parts)


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _lacks_model(summary: Summary) -> bool:
    return any(cause.reason == NO_MODEL.reason for cause in summary.unmeasured)
