r"""
The pattern of a `regex` check compiles, and means something else than its author meant.

Why: In double quotes YAML and JSON turn `\b` into a backspace. Slashes around a pattern, as
PHP and JavaScript write them, are characters to Python, and `[:alpha:]` is a few letters. Such a
check fails every output, or with `negate` passes every one.

Bad:
    id: dated
    version: "1.0.0"
    checks:
      - {id: has_days, kind: regex, pattern: "\b30 days\b"}
      - {id: is_yes, kind: regex, pattern: /^yes/i}
    scoring: {combine: all_pass}

Good:
    id: dated
    version: "1.0.0"
    checks:
      - {id: has_days, kind: regex, pattern: '\b30 days\b'}
      - {id: is_yes, kind: regex, pattern: ^yes, flags: [i]}
    scoring: {combine: all_pass}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Problem
from evalcontract.model.reference import Kind
from evalcontract.rules._rule import Context, Subject, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

CODE = Code("rubric/misread-regex", guess=True, page=__doc__)


@rule(CODE, Kind.RUBRIC)
def RULE(subject: Subject, context: Context) -> Iterator[Problem]:
    for path, check in subject.checks:
        if check["kind"] == "regex":
            from evalcontract.analysis.regex_dialects import misreadings  # slow to import

            for found in misreadings(check["pattern"], check.get("flags", ())):
                yield Problem(CODE, found.message, (*path, "pattern"), found.help)
