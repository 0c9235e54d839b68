"""
A judge was validated with a different model than the one it runs on.

Why: A judge with another model is another judge. The agreement of one with people says little
about the other.

Bad:
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    model: {provider: acme, name: acme-small-2026-05}
    validation:
      tpr: 0.95
      tnr: 0.9
      validated_at: 2026-05-08
      sample_size: 200
      model: {provider: acme, name: acme-large-2026-03}

Good:
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    model: {provider: acme, name: acme-large-2026-03}
    validation:
      tpr: 0.95
      tnr: 0.9
      validated_at: 2026-05-08
      sample_size: 200
      model: {provider: acme, name: acme-large-2026-03}
"""

from evalcontract.rules._judge import Validation, validation_rule
from evalcontract.rules._rule import Code, Context, Problems


@validation_rule(Code("judge/validated-other-model", page=__doc__))
def RULE(validation: Validation, context: Context) -> Problems:
    model, validated = validation.judge.value.get("model"), validation.values.get("model")
    if not model or not validated or validation.is_of_other_version:
        return
    # The providers are compared only if both are given.
    for key in ("name", "provider"):
        if validated.get(key, model.get(key)) != model.get(key, validated.get(key)):
            what = "" if key == "name" else " provider"
            message = f"validated on{what} `{validated[key]}`, but runs on `{model[key]}`"
            advice = "validate the judge on the model it runs on"
            yield validation.problem(message, ("model", key), advice)
            return
