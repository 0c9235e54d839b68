"""`tool_usage`: reads the row's `expected_tools` unless it has its own."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from evalcontract.checks._kind import Check, CheckKind, EvalContext, Needs, State, never_runs
from evalcontract.checks._texts import quoted_list
from evalcontract.checks.outcome import PASSED, ToolCall, error, failed, unavailable
from evalcontract.model.values import listed
from evalcontract.structure.defaults import with_defaults

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evalcontract.checks._calls import Call
    from evalcontract.checks.outcome import Executor, Output, Verdict

_OWN = ("forbidden_tools", "max_calls")
# So many verdicts are kept for a check, each on at most so many names.
_MAX_KNOWN, _MAX_NAMES = 1 << 10, 50


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
    from evalcontract.checks._calls import (  # not needed for coverage
        calls_of,
        expectations_of,
        fault_of,
    )

    filled = with_defaults(check)
    own = filled.get("expected_tools")

    def judge(expected: Iterable[Any] | None, recorded: Sequence[ToolCall]) -> Verdict:
        wanted = None if expected is None else expectations_of(expected)
        if (unread := fault_of(recorded, wanted or ())) is not None:
            return unavailable(unread)
        calls = calls_of(recorded, wanted or ())
        fault = _limit_fault(filled, calls)
        if fault is None and wanted is not None:
            fault = _fault_of(wanted, calls, filled["match"], filled["order"])
        return PASSED if fault is None else failed(fault)

    @lru_cache(maxsize=_MAX_KNOWN)  # many rows expect the same tools and call the same
    def judge_names(expected: tuple[str, ...], called: tuple[str, ...]) -> Verdict:
        return judge(expected, [*map(ToolCall, called)])

    def execute(row: Mapping[str, Any], output: Output) -> Verdict:
        recorded = output.tool_calls
        if recorded is None:
            return unavailable("no tool calls of the output were recorded")
        expected = row.get("expected_tools") if own is None else own
        if expected and {item.__class__ for item in expected} == {str}:
            called = tuple([call.name for call in recorded])
            if len(expected) + len(called) <= _MAX_NAMES and all(called):
                return judge_names(tuple(expected), called)
        try:
            return judge(expected, recorded)
        except RecursionError:
            return error("the arguments of a tool call are nested too deeply")

    return execute


def _limit_fault(check: Check, calls: list[Call]) -> str | None:
    """Return why the calls break a limit that does not depend on what is expected, or None."""
    names = dict.fromkeys(call.name for call in calls)
    forbidden = [name for name in check.get("forbidden_tools", ()) if name in names]
    if forbidden:
        return f"it called {quoted_list(forbidden)}, which it must not"
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
        return f"it also called {quoted_list(others)}"
    if order == "sequence" and (late := first_out_of_order(expected, calls)) is not None:
        return f"it did not call {late} in the order expected"
    return None


def _named(expected: list[Call]) -> str:
    return listed(list(dict.fromkeys(map(str, expected))))


KIND = CheckKind("tool_usage", _reads, _needs, prepare=_prepare)
