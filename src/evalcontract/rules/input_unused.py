"""
A judge's template speaks of the question, and never shows it.

Why: Whether an answer fits a question cannot be told without the question. A judge that looks at
the output alone, at its tone say, has no need of it and is not reported; nor is one that shows
`context`, where the question may stand.

Bad:
    id: on_topic
    version: "1.0.0"
    template: |
      Does this reply answer the customer's question? PASS or FAIL.
      {{ output }}

Good:
    id: on_topic
    version: "1.0.0"
    template: |
      Does this reply answer the customer's question? PASS or FAIL.
      Question: {{ input }}
      Reply: {{ output }}
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Problem, Severity, Within
from evalcontract.model.reference import Kind
from evalcontract.rules._rule import Context, Subject, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

CODE = Code(
    "judge/input-unused", soft=Severity.NOTE, strict=Severity.NOTE, guess=True, page=__doc__
)

_SPOKEN_OF = re.compile(
    r"\b(?:the|this|their|his|her)\s+(?:(?:original|\w+['\u2019]s?)\s+)?"
    r"(?:question|query|request|prompt)\b",
    re.IGNORECASE,
)


@rule(CODE, Kind.JUDGE)
def RULE(subject: Subject, context: Context) -> Iterator[Problem]:
    from evalcontract.analysis.template import scan  # slow to import

    template = scan(subject.value.get("template", ""))
    spoken = _SPOKEN_OF.search(template.literal)
    if spoken and not (template.may_show("input") or template.may_show("context")):
        phrase = spoken[0]
        message = f"the template speaks of `{' '.join(phrase.split())}`, and never shows the input"
        advice = "write `{{ input }}` where it belongs"
        yield Problem(
            CODE, message, ("template",), advice, within=Within(phrase.splitlines()[0].rstrip())
        )
