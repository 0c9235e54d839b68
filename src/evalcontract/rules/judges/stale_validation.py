"""
A judge's validation is older than the limit: 90 days, unless configured otherwise.

Why: Models behind an API change, and so do the inputs. Old agreement with people is no evidence of
agreement today.

Bad:
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    validation: {tpr: 0.95, tnr: 0.9, validated_at: 2020-01-31, sample_size: 200}

Good:
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    validation: {tpr: 0.95, tnr: 0.9, validated_at: 2026-05-08, sample_size: 200}
"""

from evalcontract.rules._judge import Validation, validation_rule
from evalcontract.rules._rule import Code, Context, Problems


@validation_rule(Code("judge/stale-validation", page=__doc__))
def RULE(validation: Validation, context: Context) -> Problems:
    if validation.day and (context.today - validation.day).days > context.max_age_days:
        origin = f" of {context.age_from}" if context.age_from else ""
        limit = f"the limit{origin} is {context.max_age_days} days"
        # Not the age: it would change what is printed from day to day.
        message = f"last validated on {validation.day}; {limit}"
        advice = "validate the judge again, and record the date"
        yield validation.problem(message, ("validated_at",), advice)
