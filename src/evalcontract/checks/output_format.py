"""`format`: reads the row's `expected.format` where it says none itself."""

from __future__ import annotations

from evalcontract.checks._kind import Check, CheckKind, EvalContext, Needs, State, never_runs

_OWN = ("max_chars", "required_keys")


def _reads(check: Check, around: EvalContext) -> frozenset[str]:
    del around
    return frozenset() if "format" in check else frozenset({"expected.format"})


def _needs(check: Check, around: EvalContext) -> Needs:
    del around
    if any(check.get(key) not in (None, []) for key in _OWN):
        return Needs()
    if "format" not in check:
        return Needs(("expected.format",))
    if check["format"] == "text":
        return never_runs(State.VACUOUS, "every output is text, and it asks for nothing else")
    return Needs()


KIND = CheckKind("format", _reads, _needs)
