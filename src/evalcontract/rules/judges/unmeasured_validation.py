"""
A judge's validation has neither `tpr` and `tnr` nor the counts behind them.

Why: Accuracy and kappa depend on how many of the outputs were good: where nine of ten are, a judge
that passes everything is 90 % accurate. Only `tpr` and `tnr` together show what the judge lets
through and what it refuses.

Bad:
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    validation: {accuracy: 0.93, validated_at: 2026-05-08, sample_size: 200}

Good:
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    validation: {tpr: 0.95, tnr: 0.9, validated_at: 2026-05-08, sample_size: 200}
"""

from __future__ import annotations

from evalcontract.rules._judge import MEASURES, is_measured
from evalcontract.rules._rule import Code, Context, Problem, Problems, Subject, rule

CODE = Code("judge/unmeasured-validation", page=__doc__)


@rule(CODE)
def RULE(subject: Subject, context: Context) -> Problems:
    validation = subject.value.get("validation")
    if validation is None or is_measured(validation):
        return
    if any(("validation", key) in subject.misspelled for key in MEASURES):
        return
    fault = "has neither `tpr` nor `tnr`" if validation else "is empty"
    advice = "add `tpr` and `tnr`, or the counts behind them as `confusion_matrix`"
    yield Problem(CODE, f"the validation {fault}", ("validation",), advice, on_key=True)
