"""`format`: reads the row's `expected.format` unless it has its own `format`."""

from __future__ import annotations

from evalcontract.checks._kind import Check, CheckKind, EvalContext, Needs, State, never_runs

_OWN = ("max_chars", "required_keys")


def _reads(check: Check, context: EvalContext) -> frozenset[str]:
    del context
    return frozenset() if "format" in check else frozenset({"expected.format"})


def _needs(check: Check, context: EvalContext) -> Needs:
    del context
    if any(check.get(key) not in (None, []) for key in _OWN):
        return Needs()
    if "format" not in check:
        return Needs(("expected.format",))
    if check["format"] == "text":
        return never_runs(State.VACUOUS, "every output is text, and it requires nothing else")
    return Needs()


KIND = CheckKind("format", _reads, _needs)
