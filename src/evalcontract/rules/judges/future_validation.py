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

from evalcontract.rules._judge import Validation, validation_rule
from evalcontract.rules._rule import Code, Context, Problems


@validation_rule(Code("judge/future-validation", page=__doc__))
def RULE(validation: Validation, context: Context) -> Problems:
    # Tomorrow is allowed: it may already be today in another time zone.
    if validation.day is not None and (validation.day - context.today).days > 1:
        message = f"validated on {validation.day}, which is in the future"
        advice = f"write the date of the validation, such as {context.today}"
        yield validation.problem(message, ("validated_at",), advice)
