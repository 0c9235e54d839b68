"""`must_not_contain`: reads the row's `must_not_contain` unless it has its own `values`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.checks._kind import CheckKind, needs_unless, reads_unless
from evalcontract.checks._texts import normalized, quoted
from evalcontract.checks.outcome import PASSED, failed, of_text
from evalcontract.structure.defaults import with_defaults

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.checks._kind import Check, EvalContext
    from evalcontract.checks.outcome import Executor, Verdict


def _prepare(check: Check, context: EvalContext) -> Executor:
    del context
    filled = with_defaults(check)
    sensitive, own = filled["case_sensitive"], filled.get("values")
    prepared = None if own is None else [normalized(one, case_sensitive=sensitive) for one in own]

    def judge(row: Mapping[str, Any], text: str) -> Verdict:
        values = row["must_not_contain"] if own is None else own
        wanted = prepared or [normalized(one, case_sensitive=sensitive) for one in values]
        searched = normalized(text, case_sensitive=sensitive)
        for value, normal in zip(values, wanted, strict=True):
            if normal in searched:
                return failed(f"it contains {quoted(value)}")
        return PASSED

    return of_text(judge)


KIND = CheckKind(
    "must_not_contain",
    reads_unless("values", "must_not_contain"),
    needs_unless("values", "must_not_contain"),
    prepare=_prepare,
)
