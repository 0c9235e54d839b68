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

from __future__ import annotations

from evalcontract.rules._judge import score_type
from evalcontract.rules._rule import Code, Context, Problem, Problems, Subject, rule

CODE = Code("judge/validated-without-cutoff", page=__doc__)


@rule(CODE)
def RULE(subject: Subject, context: Context) -> Problems:
    validation = subject.value.get("validation", {})
    key = next((key for key in ("tpr", "tnr", "confusion_matrix") if key in validation), None)
    kind = score_type(subject)
    written = subject.artifact.document.value
    there = "pass_threshold" in written or ("pass_threshold",) in subject.misspelled
    if key and kind in ("continuous", "levels") and not there:
        grade = "a level" if kind == "levels" else "a number"
        message = f"`{key}` counts passes, but the judge gives {grade} without a pass threshold"
        advice = "add `pass_threshold`: the lowest grade that counted as a pass in the validation"
        yield Problem(CODE, message, ("validation", key), advice, on_key=True)
