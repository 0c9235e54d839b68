r"""
The pattern of a `regex` check matches no text at all.

Why: `$` is the end of the text and `^` its start, so that nothing can follow the one or precede the
other. The check fails for every output, or with `negate` passes for every output. A literal dollar
sign is `\$`.

Bad:
    id: priced
    version: "1.0.0"
    checks:
      - {id: price, kind: regex, pattern: 'costs $30'}
    scoring: {combine: all_pass}

Good:
    id: priced
    version: "1.0.0"
    checks:
      - {id: price, kind: regex, pattern: 'costs \$30'}
    scoring: {combine: all_pass}
"""

from __future__ import annotations

from evalcontract.rules._rule import Code, Context, Path, Problem, Problems, Subject, rule
from evalcontract.rules._schemas import unproved

CODE = Code("rubric/unmatchable-regex", page=__doc__)


@rule(CODE)
def RULE(subject: Subject, context: Context) -> Problems:
    left: list[Path] = []
    for path, check in subject.checks:
        if check["kind"] != "regex":
            continue
        from evalcontract.analysis.ambiguity import BudgetSpentError  # slow to import
        from evalcontract.analysis.dialects import misreadings

        pattern, flags = check["pattern"], check.get("flags", ())
        try:
            is_nothing = context.patterns.matches_nothing(pattern, flags)
        except BudgetSpentError:
            left.append((*path, "pattern"))
            continue
        # A misread pattern is reported as `rubric/misread-regex`: that is the cause.
        if is_nothing and not any(misreadings(pattern, flags)):
            outcome = "always" if check.get("negate", False) else "never"
            message = f"the pattern matches no text, so the check {outcome} passes"
            advice = (
                r"write a literal `$` or `^` as `\$` or `\^`; with `flags: [m]` they match at "
                "every line"
            )
            yield Problem(CODE, message, (*path, "pattern"), advice)
    yield from unproved(left, "no text")
