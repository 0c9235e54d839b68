"""
JSON in a judge's template starts with two braces, so Mustache reads it as a tag.

Why: It silently disappears from the prompt. Doubled braces are the escape of Python's
`str.format`; in Mustache, write a single brace, and put a space between adjacent braces.

Bad:
    id: scored
    version: "1.0.0"
    template: |
      Is this right? {{ output }}
      Answer with {{"verdict": "PASS"}} or {{"verdict": "FAIL"}}.

Good:
    id: scored
    version: "1.0.0"
    template: |
      Is this right? {{ output }}
      Answer with {"verdict": "PASS"} or {"verdict": "FAIL"}.
"""

from __future__ import annotations

from evalcontract.rules._judge import problems_of
from evalcontract.rules._rule import Code, Context, Problems, Subject, rule

CODE = Code("judge/template-json", page=__doc__)


@rule(CODE)
def RULE(subject: Subject, context: Context) -> Problems:
    from evalcontract.analysis.template import scan  # slow to import

    faults = scan(subject.value.get("template", "")).faults
    yield from problems_of(CODE, [fault for fault in faults if fault.is_json])
