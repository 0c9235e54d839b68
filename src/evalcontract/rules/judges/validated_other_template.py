r"""
A judge was validated with another template: `template_sha256` does not match.

Why: Changing one word of the instruction makes another judge. The digest is of the parsed text of
the template, in UTF-8: block scalars without indentation, lines ended by `\n`, with a final newline
only if the YAML style keeps it (`|` does, `|-` does not).

Bad:
    id: accuracy
    version: "1.0.0"
    template: "Is every word of it right? {{ output }}"
    validation:
      tpr: 0.95
      tnr: 0.9
      validated_at: 2026-05-08
      sample_size: 200
      template_sha256: 371f18b8fd7fef1233bd5a60cc44bd294fa8e8ff39bd846707d14b4190a689e6

Good:
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    validation:
      tpr: 0.95
      tnr: 0.9
      validated_at: 2026-05-08
      sample_size: 200
      template_sha256: 371f18b8fd7fef1233bd5a60cc44bd294fa8e8ff39bd846707d14b4190a689e6
"""

from evalcontract.rules._judge import Validation, template_digest, validation_rule
from evalcontract.rules._rule import Code, Context, Problems


@validation_rule(Code("judge/validated-other-template", page=__doc__))
def RULE(validation: Validation, context: Context) -> Problems:
    written = validation.values.get("template_sha256")
    template = validation.judge.value.get("template")
    if written is None or template is None or validation.is_of_other_version:
        return
    digest = template_digest(template)
    if digest != written:
        message = "the template has changed since the validation: its digest differs"
        advice = f"validate again, and record `template_sha256: {digest}`"
        yield validation.problem(message, ("template_sha256",), advice)
