"""
The numbers of a judge's validation contradict one another.

Why: `tpr` is tp / (tp + fn), `tnr` is tn / (tn + fp), `sample_size` the sum of the four counts,
and an interval holds its rate. Where they disagree one was mistyped or belongs to another run,
and none can be trusted. Rates may be rounded to the digits that are written.

Bad:
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    validation:
      tpr: 0.98
      tnr: 0.87
      validated_at: 2026-05-08
      sample_size: 120
      confusion_matrix: {tp: 55, fn: 5, tn: 52, fp: 8}

Good:
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    validation:
      tpr: 0.92
      tnr: 0.87
      validated_at: 2026-05-08
      sample_size: 120
      confusion_matrix: {tp: 55, fn: 5, tn: 52, fp: 8}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Problem
from evalcontract.model.reference import Kind
from evalcontract.rules._rule import Context, Subject, rule
from evalcontract.rules._validation import RATES, disagreements, rounding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.path import Path

CODE = Code("judge/validation-disagrees", page=__doc__)

_RECORD: Path = ("validation", "confidence_intervals")


@rule(CODE, Kind.JUDGE)
def RULE(subject: Subject, context: Context) -> Iterator[Problem]:
    validation = subject.value.get("validation", {})
    found = list(disagreements(subject))
    if len(found) > 1:  # one wrong count contradicts several numbers
        message = "; ".join(told for _, told in found)
        path: Path = ("validation", "confusion_matrix")
        yield Problem(CODE, message, path, "correct the count that is wrong", on_key=True)
    elif found:
        path, message = found[0]
        yield Problem(CODE, message, path, "correct it, or the counts in `confusion_matrix`")
    doubtful = {path[-1] for path, _ in found}
    for rate in RATES:
        interval = validation.get("confidence_intervals", {}).get(rate)
        if interval:
            given = None if rate in doubtful else validation.get(rate)
            yield from _interval(subject, rate, interval, given)


def _interval(
    subject: Subject, rate: str, interval: dict[str, Any], given: float | None
) -> Iterator[Problem]:
    lower, upper = interval["lower"], interval["upper"]
    path = (*_RECORD, rate)
    if lower > upper:
        message = f"the interval of {rate} ends at {upper}, below its beginning {lower}"
        advice = f"write `lower: {upper}` and `upper: {lower}`"
        yield Problem(CODE, message, (*path, "lower"), advice)
    elif given is not None:
        slack = rounding(subject, ("validation", rate), given)
        below = given < lower - slack - rounding(subject, (*path, "lower"), lower)
        above = given > upper + slack + rounding(subject, (*path, "upper"), upper)
        if below or above:
            message = f"{rate} is {given}, and its interval goes from {lower} to {upper}"
            advice = "an interval holds the rate that it belongs to"
            yield Problem(CODE, message, (*path, "lower" if below else "upper"), advice)
