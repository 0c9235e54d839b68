"""
The pattern of a `regex` check does not compile.

Why: The check can never run. Patterns use the syntax of Python's `re`, which rejects some PCRE and
JavaScript syntax.

Bad:
    id: dated
    version: "1.0.0"
    checks:
      - {id: has_date, kind: regex, pattern: "([0-9]{4}"}
    scoring: {combine: all_pass}

Good:
    id: dated
    version: "1.0.0"
    checks:
      - {id: has_date, kind: regex, pattern: "([0-9]{4})"}
    scoring: {combine: all_pass}
"""

from __future__ import annotations

from evalcontract.rules._rule import Code, Context, Problem, Problems, Subject, rule

CODE = Code("rubric/invalid-regex", page=__doc__)


@rule(CODE)
def RULE(subject: Subject, context: Context) -> Problems:
    for path, check in subject.checks:
        if check["kind"] != "regex":
            continue
        from evalcontract.analysis.pattern import why_uncompilable  # slow to import

        refusal = why_uncompilable(check["pattern"], check.get("flags", ()))
        if refusal:
            from evalcontract.analysis.dialects import advice_on  # slow to import

            advice = advice_on(check["pattern"], refusal)
            message = f"the pattern does not compile: {refusal}"
            yield Problem(CODE, message, (*path, "pattern"), advice)
