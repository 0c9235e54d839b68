"""
A judge's validation has only one of `tpr` and `tnr`.

Why: A judge that passes everything has a `tpr` of 1, one that fails everything a `tnr` of 1. Only
both together are informative.

Bad:
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    validation: {tpr: 0.95, validated_at: 2026-05-08, sample_size: 200}

Good:
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    validation: {tpr: 0.95, tnr: 0.9, validated_at: 2026-05-08, sample_size: 200}
"""

from evalcontract.rules._judge import Validation, validation_rule
from evalcontract.rules._rule import Code, Context, Problems
from evalcontract.statistics.rates import RATES

_MEANINGS = {
    "tpr": "of the outputs that people passed, the fraction that the judge passed",
    "tnr": "of the outputs that people failed, the fraction that the judge failed",
}


@validation_rule(Code("judge/one-sided-validation", page=__doc__))
def RULE(validation: Validation, context: Context) -> Problems:
    given = [rate for rate in RATES if rate in validation.values]
    if len(given) == 1 and "confusion_matrix" not in validation.values:
        missing = next(rate for rate in RATES if rate != given[0])
        if validation.lacks(missing):
            message = f"`{given[0]}` alone is not enough: add `{missing}`"
            advice = f"add `{missing}`: {_MEANINGS[missing]}"
            yield validation.problem(message, (given[0],), advice, on_key=True)
