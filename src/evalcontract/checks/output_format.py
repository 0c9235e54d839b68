"""`format`: reads the row's `expected.format` unless it has its own `format`."""

from __future__ import annotations

from evalcontract.checks._kind import (
    Check,
    CheckKind,
    EvalContext,
    Needs,
    Row,
    State,
    field_of,
    never_runs,
)
from evalcontract.checks._texts import NotJsonError, json_of, quoted_list
from evalcontract.checks.outcome import PASSED, Executor, Verdict, failed, of_text

_OWN = ("max_chars", "required_keys")


def _reads(check: Check, context: EvalContext) -> frozenset[str]:
    return frozenset() if "format" in check else frozenset({"expected.format"})


def _needs(check: Check, context: EvalContext) -> Needs:
    if any(check.get(key) not in (None, []) for key in _OWN):
        return Needs()
    if "format" not in check:
        return Needs(("expected.format",))
    if check["format"] == "text":
        return never_runs(State.VACUOUS, "every output is text, and it requires nothing else")
    return Needs()


def _prepare(check: Check, context: EvalContext) -> Executor:
    most, required = check.get("max_chars"), check.get("required_keys", [])

    def judge(row: Row, text: str) -> Verdict:
        if most is not None and len(text) > most:
            return failed(f"it has {len(text):,} characters, and at most {most:,} are allowed")
        name = check.get("format") or field_of(row, "expected.format")
        if name != "json" and (name == "text" or not required):
            return PASSED
        try:
            value = json_of(text)
        except NotJsonError as raised:
            return raised.verdict
        if required and not isinstance(value, dict):
            return failed("it is no JSON object, so it has no keys")
        missing = [key for key in required if key not in value]
        return failed(f"it has no key {quoted_list(missing)}") if missing else PASSED

    return of_text(judge)


KIND = CheckKind("format", _reads, _needs, prepare=_prepare)
