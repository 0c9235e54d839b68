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

from typing import Any

from evalcontract.rules._judge import Validation, validation_rule
from evalcontract.rules._rule import Code, Context, Problems
from evalcontract.statistics.rates import RATES


@validation_rule(Code("judge/validation-disagrees", page=__doc__))
def RULE(validation: Validation, context: Context) -> Problems:
    contradictions = dict(validation.disagreements())
    if len(contradictions) > 1:  # one wrong count contradicts several numbers
        message, advice = "; ".join(contradictions.values()), "correct the wrong count"
        yield validation.problem(message, ("confusion_matrix",), advice, on_key=True)
    elif contradictions:
        ((key, message),) = contradictions.items()
        advice = "correct it, or the counts in `confusion_matrix`"
        yield validation.problem(message, (key,), advice)
    for rate in RATES:
        interval = validation.values.get("confidence_intervals", {}).get(rate)
        if interval:
            given = None if rate in contradictions else validation.values.get(rate)
            yield from _interval(validation, rate, interval, given=given)


def _interval(
    validation: Validation, rate: str, interval: dict[str, Any], given: float | None
) -> Problems:
    lower, upper = interval["lower"], interval["upper"]
    at_lower, at_upper = (("confidence_intervals", rate, end) for end in ("lower", "upper"))
    if lower > upper:
        message = (
            f"the interval of {rate} has its lower bound {lower} above its upper bound {upper}"
        )
        advice = f"write `lower: {upper}` and `upper: {lower}`"
        yield validation.problem(message, at_lower, advice)
    elif given is not None:
        slack = validation.rounding((rate,), given)
        below = given < lower - slack - validation.rounding(at_lower, lower)
        above = given > upper + slack + validation.rounding(at_upper, upper)
        if below or above:
            message = f"{rate} is {given}, outside of its interval, {lower} to {upper}"
            advice = "a confidence interval contains its rate"
            yield validation.problem(message, at_lower if below else at_upper, advice)
