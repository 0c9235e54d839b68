"""
JSON in a judge's template begins with two braces, so that Mustache takes it for a tag.

Why: It vanishes from the prompt without a word. Doubled braces are how Python's `str.format`
writes one; Mustache wants one brace, and where two meet something between them.

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

from typing import TYPE_CHECKING

from evalcontract.model.code import Code
from evalcontract.model.reference import Kind
from evalcontract.rules._rule import Context, Subject, rule
from evalcontract.rules._template import problems_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Problem

CODE = Code("judge/template-json", page=__doc__)


@rule(CODE, Kind.JUDGE)
def RULE(subject: Subject, context: Context) -> Iterator[Problem]:
    from evalcontract.analysis.template import scan  # slow to import

    faults = scan(subject.value.get("template", "")).faults
    yield from problems_of(CODE, [fault for fault in faults if fault.is_json])
