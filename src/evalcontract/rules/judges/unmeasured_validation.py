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

from evalcontract.rules._judge import Validation, validation_rule
from evalcontract.rules._rule import Code, Context, Problems


@validation_rule(Code("judge/unmeasured-validation", page=__doc__))
def RULE(validation: Validation, context: Context) -> Problems:
    if validation.lacks_measures:
        fault = "has neither `tpr` nor `tnr`" if validation.values else "is empty"
        advice = "add `tpr` and `tnr`, or the counts behind them as `confusion_matrix`"
        yield validation.problem(f"the validation {fault}", (), advice, on_key=True)
