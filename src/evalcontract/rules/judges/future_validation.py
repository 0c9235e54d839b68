"""
A judge's validation is dated in the future.

Why: The date is a typing error, and the judge would never become stale.

Bad:
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    validation: {tpr: 0.95, tnr: 0.9, validated_at: 2999-01-31, sample_size: 200}

Good:
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    validation: {tpr: 0.95, tnr: 0.9, validated_at: 2026-05-08, sample_size: 200}
"""

from __future__ import annotations

from evalcontract.rules._judge import validated_on
from evalcontract.rules._rule import Code, Context, Problem, Problems, Subject, rule

CODE = Code("judge/future-validation", page=__doc__)


@rule(CODE)
def RULE(subject: Subject, context: Context) -> Problems:
    day = validated_on(subject.value)
    # Tomorrow is allowed: it may already be today in another time zone.
    if day is not None and (day - context.today).days > 1:
        message = f"validated on {day}, which is in the future"
        path = ("validation", "validated_at")
        advice = f"write the date of the validation, such as {context.today}"
        yield Problem(CODE, message, path, advice)
