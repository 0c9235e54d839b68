"""
A judge's validation has a date that does not exist.

Why: Its age cannot be computed, so the validation would never become stale.

Bad:
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    validation: {tpr: 0.95, tnr: 0.9, validated_at: 2026-04-31, sample_size: 200}

Good:
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    validation: {tpr: 0.95, tnr: 0.9, validated_at: 2026-04-30, sample_size: 200}
"""

from evalcontract.rules._judge import Validation, validation_rule
from evalcontract.rules._rule import Code, Context, Problems


@validation_rule(Code("judge/impossible-date", page=__doc__))
def RULE(validation: Validation, context: Context) -> Problems:
    if "validated_at" in validation.values and validation.day is None:
        message = f"`{validation.values['validated_at']}` is not a calendar date"
        advice = "correct the date; the format is YYYY-MM-DD"
        yield validation.problem(message, ("validated_at",), advice)
