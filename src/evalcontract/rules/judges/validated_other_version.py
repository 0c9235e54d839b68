"""
A judge's validation belongs to another version of the judge.

Why: The version that was compared with people is not the one that runs. A changed template or
scale makes another judge, with a different agreement.

Bad:
    id: accuracy
    version: "1.1.0"
    template: "Is it right? {{ output }}"
    validation:
      {tpr: 0.95, tnr: 0.9, validated_at: 2026-05-08, sample_size: 200, judge_version: "1.0.0"}

Good:
    id: accuracy
    version: "1.1.0"
    template: "Is it right? {{ output }}"
    validation:
      {tpr: 0.95, tnr: 0.9, validated_at: 2026-05-08, sample_size: 200, judge_version: "1.1.0"}
"""

from __future__ import annotations

from evalcontract.rules._judge import is_of_other_version
from evalcontract.rules._rule import Code, Context, Problem, Problems, Subject, rule

CODE = Code("judge/validated-other-version", page=__doc__)


@rule(CODE)
def RULE(subject: Subject, context: Context) -> Problems:
    if is_of_other_version(subject):
        validated = subject.value["validation"]["judge_version"]
        message = f"version {validated} was validated, but this is {subject.artifact.version}"
        advice = "validate this version; the recorded numbers do not apply to it"
        yield Problem(CODE, message, ("validation", "judge_version"), advice)
