"""`regex`: says nothing where its pattern matches every text."""

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


def _needs(check: Check, around: EvalContext) -> Needs:
    del around
    from evalcontract.analysis.pattern import Uncompilable, compile_pattern  # slow to import
    from evalcontract.analysis.regex_totality import matches_everything

    pattern, flags = check["pattern"], check.get("flags", [])
    if isinstance(compile_pattern(pattern, flags), Uncompilable):
        return never_runs(State.UNAVAILABLE, "its pattern does not compile")
    if matches_everything(pattern, flags, full=check.get("match") == "full"):
        what = "fails" if check.get("negate") else "passes"
        return never_runs(State.VACUOUS, f"`{pattern}` matches every text, so it {what} always")
    return Needs()


KIND = CheckKind("regex", reads_nothing, _needs)
