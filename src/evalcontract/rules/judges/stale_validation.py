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

from __future__ import annotations

from evalcontract.rules._judge import validated_on
from evalcontract.rules._rule import Code, Context, Problem, Problems, Subject, rule

CODE = Code("judge/stale-validation", page=__doc__)


@rule(CODE)
def RULE(subject: Subject, context: Context) -> Problems:
    day = validated_on(subject.value)
    if day is None:
        return
    if (context.today - day).days > context.max_age_days:
        origin = f" of {context.age_from}" if context.age_from else ""
        yield Problem(
            CODE,
            # Not the age: it would change what is printed from day to day.
            f"last validated on {day}; the limit{origin} is {context.max_age_days} days",
            ("validation", "validated_at"),
            "validate the judge again, and record the date",
        )
