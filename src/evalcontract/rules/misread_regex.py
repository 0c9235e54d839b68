r"""
The pattern of a `regex` check compiles but does not mean what its author intended.

Why: In double quotes, YAML and JSON turn `\b` into a backspace. Slashes around a pattern, as in
PHP and JavaScript, are literal characters in Python, and `[:alpha:]` is a set of a few letters.
Such a check fails for every output, or with `negate` passes for every output.

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

            for misreading in misreadings(check["pattern"], check.get("flags", ())):
                yield Problem(CODE, misreading.message, (*path, "pattern"), misreading.help)
