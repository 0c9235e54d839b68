"""`regex`: vacuous if its pattern matches every text."""

from __future__ import annotations

from evalcontract.checks._kind import (
    Check,
    CheckKind,
    EvalContext,
    Needs,
    State,
    never_runs,
    reads_nothing,
)


def _needs(check: Check, context: EvalContext) -> Needs:
    del context
    from evalcontract.analysis.pattern import Uncompilable, compile_pattern  # slow to import
    from evalcontract.analysis.regex_totality import matches_everything

    pattern, flags = check["pattern"], check.get("flags", [])
    if isinstance(compile_pattern(pattern, flags), Uncompilable):
        return never_runs(State.UNAVAILABLE, "its pattern does not compile")
    if matches_everything(pattern, flags, full=check.get("match") == "full"):
        outcome = "fails" if check.get("negate") else "passes"
        return never_runs(State.VACUOUS, f"`{pattern}` matches every text, so it always {outcome}")
    return Needs()


KIND = CheckKind("regex", reads_nothing, _needs)
