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

from evalcontract.rules._judge import Validation, validation_rule
from evalcontract.rules._rule import Code, Context, Problems


@validation_rule(Code("judge/validated-other-version", page=__doc__))
def RULE(validation: Validation, context: Context) -> Problems:
    if validation.is_of_other_version:
        validated, current = validation.values["judge_version"], validation.judge.artifact.version
        message = f"version {validated} was validated, but this is {current}"
        advice = "validate this version; the recorded numbers do not apply to it"
        yield validation.problem(message, ("judge_version",), advice)
