"""What is said below the tables of `grade`: errors of checks, and what asking judges took."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from evalcontract.checks.outcome import Outcome
from evalcontract.model.listing import NAME_LENGTH, clipped
from evalcontract.model.page import guide_url
from evalcontract.report.frame import escape_controls
from evalcontract.report.table import wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.judging.usage import Usage
    from evalcontract.scoring.results import RowResult
    from evalcontract.scoring.summary import Summary

#: The kinds of checks that may ask a judge.
_KINDS = ("llm_judge", "fact_match")
# Answers of models differ, so that there may be as many reasons as rows.
_MAX_REASONS = 1000
_OTHERS = "other reasons"
_SHOWN = 5
_MAX_REASON = 300
_NO_MODEL = (
    "judges: no model is configured: set EVALCONTRACT_BASE_URL or EVALCONTRACT_API_KEY; "
    f"see {guide_url('judges#ask-a-model')}"
)


class Errors:
    """Why checks ended in an error; each reason is said once, with how often it was given."""

    def __init__(self) -> None:
        self._reasons: Counter[str] = Counter()

    def add(self, row: RowResult) -> None:
        """Count the errors of the checks of a row."""
        for check in row.checks:
            if not check.checks and check.outcome is not Outcome.ERROR:
                continue
            for name, leaf in check.leaves():
                if leaf.outcome is not Outcome.ERROR:
                    continue
                text = f"{clipped(name, NAME_LENGTH)}: {clipped(leaf.reason or '-', _MAX_REASON)}"
                self._count(text, 1)

    def merge(self, other: Errors) -> None:
        """Count what others have counted."""
        for text, times in other._reasons.items():
            self._count(text, times)

    def _count(self, text: str, times: int) -> None:
        known = text in self._reasons or len(self._reasons) < _MAX_REASONS
        self._reasons[text if known else _OTHERS] += times

    def write(self, width: int) -> Iterator[str]:
        """Yield the reasons that were given most often."""
        if not self._reasons:
            return
        yield "errors of checks:\n"
        for reason, count in self._reasons.most_common(_SHOWN):
            times = f" ({count:,} times)" if count > 1 else ""
            yield from wrapped(escape_controls(reason + times), 2, width)
        if len(self._reasons) > _SHOWN:
            hidden = _many(len(self._reasons) - _SHOWN, "other reason")
            yield f"  … and {hidden}: the results have all\n"
        yield "\n"


def write_usage(usage: Usage | None, summary: Summary, width: int) -> Iterator[str]:
    """Yield a sentence on what was asked, and one for each remark.

    `usage` is None without an endpoint: that is said if it made a check unavailable.
    """
    if usage is None:
        if _lacks_judges(summary):
            yield from wrapped(_NO_MODEL, 0, width)
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


def _lacks_judges(summary: Summary) -> bool:
    return any(
        kind in _KINDS and tally.outcomes[Outcome.UNAVAILABLE]
        for kind, tally in summary.checks.values()
    )
