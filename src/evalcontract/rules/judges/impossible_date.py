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

from __future__ import annotations

from evalcontract.rules._judge import validated_on
from evalcontract.rules._rule import Code, Context, Problem, Problems, Subject, rule

CODE = Code("judge/impossible-date", page=__doc__)


@rule(CODE)
def RULE(subject: Subject, context: Context) -> Problems:
    text = subject.value.get("validation", {}).get("validated_at")
    if text is not None and validated_on(subject.value) is None:
        path = ("validation", "validated_at")
        advice = "correct the date; the format is YYYY-MM-DD"
        yield Problem(CODE, f"`{text}` is not a calendar date", path, advice)
