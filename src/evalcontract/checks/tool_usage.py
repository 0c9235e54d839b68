"""`tool_usage`: reads the row's `expected_tools` unless it has its own."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from evalcontract.checks._kind import Check, CheckKind, EvalContext, Needs, State, never_runs
from evalcontract.checks._texts import quoted
from evalcontract.checks.outcome import PASSED, error, failed, unavailable
from evalcontract.model.listing import listed
from evalcontract.structure.defaults import with_defaults

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.checks._calls import Call
    from evalcontract.checks.outcome import Executor, Output, Verdict

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


def _prepare(check: Check, context: EvalContext) -> Executor:
    del context
    from evalcontract.checks._calls import calls_of, expectations_of  # not needed for coverage

    filled = with_defaults(check)
    own = expectations_of(filled["expected_tools"]) if "expected_tools" in filled else None

    def execute(row: Mapping[str, Any], output: Output) -> Verdict:
        if output.tool_calls is None:
            return unavailable("no tool calls of the output were recorded")
        try:
            expected = own
            if own is None and row.get("expected_tools") is not None:
                expected = expectations_of(row["expected_tools"])
            calls = calls_of(output.tool_calls)
            fault = _limit_fault(filled, calls)
            if fault is None and expected is not None:
                fault = _fault_of(expected, calls, filled["match"], filled["order"])
        except RecursionError:
            return error("the arguments of a tool call are nested too deeply")
        return PASSED if fault is None else failed(fault)

    return execute


def _limit_fault(check: Check, calls: list[Call]) -> str | None:
    """Return why the calls break a limit that does not depend on what is expected, or None."""
    names = dict.fromkeys(call.name for call in calls)
    forbidden = [name for name in check.get("forbidden_tools", ()) if name in names]
    if forbidden:
        return f"it called {listed(map(quoted, forbidden))}, which it must not"
    most = check.get("max_calls")
    if most is not None and len(calls) > most:
        return f"it made {len(calls):,} calls, and at most {most:,} are allowed"
    return None


def _fault_of(expected: list[Call], calls: list[Call], match: str, order: str) -> str | None:
    """Return why the calls are not those expected, or None."""
    from evalcontract.checks._calls import first_out_of_order, unmatched

    missing = unmatched(expected, calls)
    if match == "any":
        if expected and len(missing) == len(expected):
            return f"it called none of {_named(expected)}"
        return None
    if missing:
        return f"it did not call {_named(missing)}"
    if match == "exact" and len(calls) > len(expected):
        surplus = Counter(call.name for call in calls)
        surplus.subtract(call.name for call in expected)
        others = [name for name, count in surplus.items() if count > 0]
        return f"it also called {listed(map(quoted, others))}"
    if order == "sequence" and (late := first_out_of_order(expected, calls)) is not None:
        return f"it did not call {late} in the order expected"
    return None


def _named(expected: list[Call]) -> str:
    return listed(list(dict.fromkeys(map(str, expected))))


KIND = CheckKind("tool_usage", _reads, _needs, prepare=_prepare)
