"""
By its own validation, a judge is no better than chance.

Why: A coin toss reaches `tpr` + `tnr` = 1. At 1 or below, the verdicts carry no information, and
no pass rate can be estimated from them.

Bad:
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    validation: {tpr: 0.7, tnr: 0.25, validated_at: 2026-05-08, sample_size: 200}

Good:
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    validation: {tpr: 0.95, tnr: 0.9, validated_at: 2026-05-08, sample_size: 200}
"""

from evalcontract.rules._judge import Validation, validation_rule
from evalcontract.rules._rule import Code, Context, Problems


@validation_rule(Code("judge/no-better-than-chance", page=__doc__))
def RULE(validation: Validation, context: Context) -> Problems:
    tpr, tnr = validation.rate("tpr"), validation.rate("tnr")
    if tpr is None or tnr is None or tpr + tnr > 1 or any(validation.disagreements()):
        return
    message = f"no better than chance: tpr {tpr:.4g} and tnr {tnr:.4g} add up to {tpr + tnr:.4g}"
    advice = "fix the template and validate again; check that PASS was counted as positive"
    yield validation.problem(message, (str(validation.measure),), advice, on_key=True)
