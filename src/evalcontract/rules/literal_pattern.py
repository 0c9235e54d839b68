r"""
A text that a check searches for looks like a regular expression or a template.

Why: `must_contain_any` and `must_not_contain` compare texts as they are. No ordinary output
contains `\d+ days` or `{{ name }}`, so the one fails and the other passes for every output.

Bad:
    id: dated
    version: "1.0.0"
    checks:
      - {id: has_days, kind: must_contain_any, values: ['\d+ days']}
    scoring: {combine: all_pass}

Good:
    id: dated
    version: "1.0.0"
    checks:
      - {id: has_days, kind: regex, pattern: '\d+ days'}
    scoring: {combine: all_pass}
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Problem, Severity
from evalcontract.model.reference import Kind
from evalcontract.rules._rule import Context, Subject, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

CODE = Code("rubric/literal-pattern", soft=Severity.NOTE, guess=True, page=__doc__)

# A class such as `\d` that no letter follows, as in a namespace or a path; `.*` between words or at
# the start, but not `db.*`; inline flags; both anchors.
_REGEX = re.compile(
    r"\\[dDwWsSb](?![A-Za-z\\/.])|(?:^|(?<=[\w ]))\.[*+]\??(?=\w)|(?<= )\.[*+]\??(?= )"
    r"|\(\?[aimsux]+\)|\(\?:|^\^.+\$$",
    re.DOTALL,
)
_TAG = re.compile(r"\{\{\s*[\w.]+\s*\}\}")
#: The variables of a template. Another name in `must_not_contain` keeps out unfilled templates.
_VARIABLE = re.compile(r"\{\{\s*(?:input|output|expected|context|criteria)(?:\.\w+)*\s*\}\}")


@rule(CODE, Kind.RUBRIC)
def RULE(subject: Subject, context: Context) -> Iterator[Problem]:
    for path, check in subject.checks:
        if check["kind"] not in ("must_contain_any", "must_not_contain"):
            continue
        tag = _TAG if check["kind"] == "must_contain_any" else _VARIABLE
        for index, value in enumerate(check.get("values", ())):
            if tag.search(value):
                message = f"`{value}` looks like a template, but is compared as it is"
                advice = "write the text itself, or use an `llm_judge` check"
            elif _REGEX.search(value):
                message = f"`{value}` looks like a regular expression, but is compared as it is"
                negate = ", `negate: true`" if check["kind"] == "must_not_contain" else ""
                advice = f"use a check with `kind: regex`{negate}"
            else:
                continue
            yield Problem(CODE, message, (*path, "values", index), advice)
