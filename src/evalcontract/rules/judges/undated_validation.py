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

from __future__ import annotations

from evalcontract.rules._judge import is_measured
from evalcontract.rules._rule import Code, Context, Problem, Problems, Subject, rule

CODE = Code("judge/undated-validation", page=__doc__)


@rule(CODE)
def RULE(subject: Subject, context: Context) -> Problems:
    validation = subject.value.get("validation")
    if validation is None or not is_measured(validation) or "validated_at" in validation:
        return  # one without numbers is reported as `judge/unmeasured-validation`
    if ("validation", "validated_at") in subject.misspelled:
        return
    advice = f"add `validated_at`, the date of the validation, such as {context.today}"
    yield Problem(CODE, "the validation has no date", ("validation",), advice, on_key=True)
