"""
The numbers of a judge's validation contradict each other.

Why: `tpr` is tp / (tp + fn), `tnr` is tn / (tn + fp), `sample_size` is the sum of the four counts,
and a confidence interval contains its rate. If they disagree, one was mistyped or belongs to
another run, and none can be trusted. Rates may be rounded to the written digits.

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

from typing import Any

from evalcontract.rules._judge import disagreements, rounding
from evalcontract.rules._rule import Code, Context, Path, Problem, Problems, Subject, rule
from evalcontract.statistics.rates import RATES

CODE = Code("judge/validation-disagrees", page=__doc__)

_INTERVALS: Path = ("validation", "confidence_intervals")


@rule(CODE)
def RULE(subject: Subject, context: Context) -> Problems:
    validation = subject.value.get("validation", {})
    contradictions = list(disagreements(subject))
    if len(contradictions) > 1:  # one wrong count contradicts several numbers
        message = "; ".join(text for _, text in contradictions)
        path: Path = ("validation", "confusion_matrix")
        yield Problem(CODE, message, path, "correct the wrong count", on_key=True)
    elif contradictions:
        path, message = contradictions[0]
        yield Problem(CODE, message, path, "correct it, or the counts in `confusion_matrix`")
    doubtful = {path[-1] for path, _ in contradictions}
    for rate in RATES:
        interval = validation.get("confidence_intervals", {}).get(rate)
        if interval:
            given = None if rate in doubtful else validation.get(rate)
            yield from _interval(subject, rate, interval, given)


def _interval(
    subject: Subject, rate: str, interval: dict[str, Any], given: float | None
) -> Problems:
    lower, upper = interval["lower"], interval["upper"]
    path = (*_INTERVALS, rate)
    if lower > upper:
        message = (
            f"the interval of {rate} has its lower bound {lower} above its upper bound {upper}"
        )
        advice = f"write `lower: {upper}` and `upper: {lower}`"
        yield Problem(CODE, message, (*path, "lower"), advice)
    elif given is not None:
        slack = rounding(subject, ("validation", rate), given)
        below = given < lower - slack - rounding(subject, (*path, "lower"), lower)
        above = given > upper + slack + rounding(subject, (*path, "upper"), upper)
        if below or above:
            message = f"{rate} is {given}, outside of its interval, {lower} to {upper}"
            advice = "a confidence interval contains its rate"
            yield Problem(CODE, message, (*path, "lower" if below else "upper"), advice)
