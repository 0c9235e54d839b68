"""
A judge's template never shows the output.

Why: The judge grades what it does not see; its verdict is the same for good and for bad work. A
section `{{#output}}` only asks whether there is one, and a comment is not in the prompt.

Bad:
    id: accuracy
    version: "1.0.0"
    template: "Is this the right answer to the task? {{ input }}"

Good:
    id: accuracy
    version: "1.0.0"
    template: "Is this the right answer to the task {{ input }}? {{ output }}"
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Problem
from evalcontract.model.reference import Kind
from evalcontract.rules._rule import Context, Subject, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

CODE = Code("judge/output-unused", page=__doc__)
_ADVICE = "write `{{ output }}` where it belongs"


@rule(CODE, Kind.JUDGE)
def RULE(subject: Subject, context: Context) -> Iterator[Problem]:
    from evalcontract.analysis.template import scan  # slow to import

    template = subject.value.get("template")
    # Where a faulty tag may have meant the output, that fault is the mistake.
    if template is not None and not scan(template).may_show("output"):
        message = "the template never shows the output that it is to judge"
        yield Problem(CODE, message, ("template",), _ADVICE, on_key=True)
