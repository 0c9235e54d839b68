"""
A judge that gives grades has a `tpr` or `tnr` but no `pass_threshold`.

Why: The rates count the outputs that the judge passed. Without a threshold it is unknown which
grades pass, so the rates can be neither reproduced nor used.

Bad:
    id: depth
    version: "1.0.0"
    template: "How deep is this, from 1 to 5? {{ output }}"
    score_type: continuous
    min_score: 1
    max_score: 5
    validation: {tpr: 0.95, tnr: 0.9, validated_at: 2026-05-08, sample_size: 200}

Good:
    id: depth
    version: "1.0.0"
    template: "How deep is this, from 1 to 5? {{ output }}"
    score_type: continuous
    min_score: 1
    max_score: 5
    pass_threshold: 4
    validation: {tpr: 0.95, tnr: 0.9, validated_at: 2026-05-08, sample_size: 200}
"""

from evalcontract.rules._judge import Validation, score_type, validation_rule
from evalcontract.rules._rule import Code, Context, Problems


@validation_rule(Code("judge/validated-without-cutoff", page=__doc__))
def RULE(validation: Validation, context: Context) -> Problems:
    measure, judge = validation.measure, validation.judge
    kind = score_type(judge)
    if measure and kind in ("continuous", "levels") and judge.lacks("pass_threshold"):
        grade = "a level" if kind == "levels" else "a number"
        message = f"`{measure}` counts passes, but the judge gives {grade} without a pass threshold"
        advice = "add `pass_threshold`: the lowest grade that counted as a pass in the validation"
        yield validation.problem(message, (measure,), advice, on_key=True)
