"""
A judge's validation has no date.

Why: A model changes under its name, and so does what people ask. Without `validated_at` nobody can
tell whether the numbers still hold, and the limit on their age cannot be applied.

Bad:
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    validation: {tpr: 0.95, tnr: 0.9, sample_size: 200}

Good:
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    validation: {tpr: 0.95, tnr: 0.9, validated_at: 2026-05-08, sample_size: 200}
"""

from evalcontract.rules._judge import Validation, validation_rule
from evalcontract.rules._rule import Code, Context, Problems


@validation_rule(Code("judge/undated-validation", page=__doc__))
def RULE(validation: Validation, context: Context) -> Problems:
    # One without numbers is reported as `judge/unmeasured-validation`.
    if validation.measure and validation.lacks("validated_at"):
        advice = f"add `validated_at`, the date of the validation, such as {context.today}"
        yield validation.problem("the validation has no date", (), advice, on_key=True)
