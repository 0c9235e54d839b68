r"""
A pattern of a `regex` check, or in the schema of a `json_schema` check, can take exponential
time.

Why: If a repeated part can match the same text in two ways, each repetition doubles the number of
ways, and Python's `re` tries them all before it gives up. One unlucky output hangs the whole run
(catastrophic backtracking). Only certain cases are reported: the text in the message triggers it.

Bad:
    id: tagged
    version: "1.0.0"
    checks:
      - {id: only_tags, kind: regex, pattern: '^(\w+,?)+$'}
    scoring: {combine: all_pass}

Good:
    id: tagged
    version: "1.0.0"
    checks:
      - {id: only_tags, kind: regex, pattern: '^\w+(,\w+)*,?$'}
    scoring: {combine: all_pass}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Problem
from evalcontract.model.reference import Kind
from evalcontract.rules._rule import Context, Subject, rule
from evalcontract.rules._schemas import schema_problem, schemas_of, slow_patterns

if TYPE_CHECKING:
    from collections.abc import Iterator

CODE = Code("rubric/slow-regex", page=__doc__)

_BACKTRACKS = "the pattern backtracks exponentially"
_ADVICE = "make the pattern unambiguous: `a+` for `(a+)+`, `a(,a)*` for `(a,?)+`"


@rule(CODE, Kind.RUBRIC)
def RULE(subject: Subject, context: Context) -> Iterator[Problem]:
    for path, check in subject.checks:
        if check["kind"] != "regex":
            continue
        from evalcontract.analysis.regex_ambiguity import find_attack  # slow to import

        full = check.get("match") == "full"
        attack = find_attack(check["pattern"], check.get("flags", ()), full=full)
        if attack is None:
            continue
        message = f"{_BACKTRACKS}: on {attack.told()} it does not finish in practice"
        yield Problem(CODE, message, (*path, "pattern"), _ADVICE)
    for path, schema in schemas_of(subject, context):
        for inner, attack, on_key in slow_patterns(schema):
            message = f"{_BACKTRACKS} on {attack.told()}"
            yield schema_problem(CODE, path, message, inner, _ADVICE, on_key=on_key)
