"""`tool_usage`: reads the row's `expected_tools` where it names none of its own."""

from __future__ import annotations

from evalcontract.checks._kind import Check, CheckKind, Needs, State, Surroundings, barred

_OWN = ("forbidden_tools", "max_calls")


def _reads(check: Check, around: Surroundings) -> frozenset[str]:
    del around
    return frozenset() if "expected_tools" in check else frozenset({"expected_tools"})


def _needs(check: Check, around: Surroundings) -> Needs:
    del around
    asks = any(check.get(key) not in (None, []) for key in _OWN)
    if asks or check.get("match") == "exact":
        # An exact match of no tools asks that none is called; it needs the list all the same.
        return Needs() if asks or "expected_tools" in check else Needs(("expected_tools",))
    if "expected_tools" not in check:
        return Needs(("expected_tools",))
    if not check["expected_tools"]:
        return barred(State.VACUOUS, "its `expected_tools` are empty")
    return Needs()


KIND = CheckKind("tool_usage", _reads, _needs)
