"""
A tag in a judge's template is not one that can be filled in.

Why: Mustache says nothing of a misspelled variable: it becomes nothing, and the judge grades an
empty space. Partials, other delimiters, filters, and sections that do not close are no better.

Bad:
    id: accuracy
    version: "1.0.0"
    template: |
      Question: {{ question }}
      Answer: {{ output }}
      Is the answer right? PASS or FAIL.

Good:
    id: accuracy
    version: "1.0.0"
    template: |
      Question: {{ input }}
      Answer: {{ output }}
      Is the answer right? PASS or FAIL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.analysis.template import scan
from evalcontract.model.diagnostic import Problem
from evalcontract.model.reference import Kind
from evalcontract.rules._rule import Context, Subject, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

CODE = "judge/template-tag"


@rule(CODE, Kind.JUDGE, page=__doc__)
def RULE(subject: Subject, context: Context) -> Iterator[Problem]:
    for fault in scan(subject.value.get("template", "")).faults:
        if not fault.is_json:
            yield Problem(CODE, fault.message, ("template",), fault.help, within=fault.tag.within)
