"""`regex`: says nothing where its pattern matches every text."""

from __future__ import annotations

from evalcontract.checks._kind import (
    Check,
    CheckKind,
    Needs,
    State,
    Surroundings,
    barred,
    reads_nothing,
)


def _needs(check: Check, around: Surroundings) -> Needs:
    del around
    from evalcontract.analysis.pattern import Uncompilable, compile_pattern  # slow to import
    from evalcontract.analysis.regex_totality import matches_everything

    pattern, flags = check["pattern"], check.get("flags", [])
    if isinstance(compile_pattern(pattern, flags), Uncompilable):
        return barred(State.UNAVAILABLE, "its pattern does not compile")
    if matches_everything(pattern, flags, full=check.get("match") == "full"):
        what = "fails" if check.get("negate") else "passes"
        return barred(State.VACUOUS, f"`{pattern}` matches every text, so it {what} always")
    return Needs()


KIND = CheckKind("regex", reads_nothing, _needs)
