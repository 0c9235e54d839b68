"""`regex`: vacuous if its pattern matches every text."""

from __future__ import annotations

from evalcontract.checks._kind import Check, CheckKind, EvalContext, Needs, Row, State, never_runs
from evalcontract.checks._texts import quoted
from evalcontract.checks.outcome import (
    PASSED,
    Executor,
    Verdict,
    always,
    error,
    failed,
    of_text,
    unavailable,
)
from evalcontract.structure.schemas import with_defaults

_UNCOMPILABLE = "its pattern does not compile"


def _needs(check: Check, context: EvalContext) -> Needs:
    from evalcontract.analysis.pattern import (
        matches_everything,
        why_uncompilable,  # slow to import
    )

    pattern, flags = check["pattern"], check.get("flags", [])
    if why_uncompilable(pattern, flags):
        return never_runs(State.UNAVAILABLE, _UNCOMPILABLE)
    if matches_everything(pattern, flags, full=check.get("match") == "full"):
        outcome = "fails" if check.get("negate") else "passes"
        return never_runs(State.VACUOUS, f"`{pattern}` matches every text, so it always {outcome}")
    return Needs()


def _prepare(check: Check, context: EvalContext) -> Executor:
    from evalcontract.analysis.pattern import Uncompilable, compile_pattern  # slow to import
    from evalcontract.checks._time_limit import SECONDS, GivenUpError, Searches
    from evalcontract.structure.authored import NoChildError, OutOfTimeError

    searches = context.searches or Searches()
    filled = with_defaults(check)
    pattern = compile_pattern(filled["pattern"], filled["flags"])
    if isinstance(pattern, Uncompilable):
        return always(unavailable(_UNCOMPILABLE))
    name, full, negate = quoted(pattern.pattern), filled["match"] == "full", filled["negate"]
    matches = searches.matcher(pattern, full=full)
    place = "the whole output" if full else "anywhere"
    fault = failed(f"{name} matches" if negate else f"{name} does not match {place}")

    def judge(row: Row, text: str) -> Verdict:
        try:
            does_match = matches(text)
        except OutOfTimeError:
            return error(f"{name} takes longer than {SECONDS:g} seconds on this output")
        except GivenUpError as failure:
            return error(f"{name} is not searched for any more: {failure}")
        except (NoChildError, MemoryError, RecursionError) as failure:
            return error(f"{name} cannot be searched for: {str(failure) or 'no memory'}")
        return fault if does_match is negate else PASSED

    return of_text(judge)


KIND = CheckKind("regex", needs=_needs, prepare=_prepare)
