"""`tool_usage`: reads the row's `expected_tools` unless it has its own."""

from __future__ import annotations

from evalcontract.checks._kind import Check, CheckKind, EvalContext, Needs, State, never_runs

_OWN = ("forbidden_tools", "max_calls")


def _reads(check: Check, context: EvalContext) -> frozenset[str]:
    del context
    return frozenset() if "expected_tools" in check else frozenset({"expected_tools"})


def _needs(check: Check, context: EvalContext) -> Needs:
    del context
    exact = check.get("match") == "exact"
    if any(check.get(key) not in (None, []) for key in _OWN):
        return Needs()
    if "expected_tools" not in check:
        # With an exact match, an empty list requires that no tool is called.
        return Needs(present=("expected_tools",)) if exact else Needs(("expected_tools",))
    if not check["expected_tools"] and not exact:
        return never_runs(State.VACUOUS, "its `expected_tools` is empty")
    return Needs()


KIND = CheckKind("tool_usage", _reads, _needs)
