"""`tool_usage`: reads the row's `expected_tools` where it names none of its own."""

from __future__ import annotations

from evalcontract.checks._kind import Check, CheckKind, EvalContext, Needs, State, never_runs

_OWN = ("forbidden_tools", "max_calls")


def _reads(check: Check, around: EvalContext) -> frozenset[str]:
    del around
    return frozenset() if "expected_tools" in check else frozenset({"expected_tools"})


def _needs(check: Check, around: EvalContext) -> Needs:
    del around
    asks = any(check.get(key) not in (None, []) for key in _OWN)
    exact = check.get("match") == "exact"
    if asks:
        return Needs()
    if "expected_tools" not in check:
        # An exact match of no tools asks that none is called: the list may be empty then.
        return Needs(present=("expected_tools",)) if exact else Needs(("expected_tools",))
    if not check["expected_tools"] and not exact:
        return never_runs(State.VACUOUS, "its `expected_tools` are empty")
    return Needs()


KIND = CheckKind("tool_usage", _reads, _needs)
