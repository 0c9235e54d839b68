"""`must_not_contain`: reads the row's `must_not_contain` unless it has its own `values`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.checks._kind import CheckKind, needs_unless, reads_unless
from evalcontract.checks._texts import quoted, searched_form, texts_of
from evalcontract.checks.outcome import PASSED, failed, of_text
from evalcontract.structure.defaults import with_defaults

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.checks._kind import Check, EvalContext
    from evalcontract.checks.outcome import Executor, Verdict


def _prepare(check: Check, context: EvalContext) -> Executor:
    del context
    filled = with_defaults(check)
    texts = texts_of(filled, "must_not_contain")
    form = searched_form(case_sensitive=filled["case_sensitive"])

    def judge(row: Mapping[str, Any], text: str) -> Verdict:
        searched = form(text)
        for value in texts(row):
            if value.normal in searched:
                return failed(f"it contains {quoted(value.written)}")
        return PASSED

    return of_text(judge)


KIND = CheckKind(
    "must_not_contain",
    reads_unless("values", "must_not_contain"),
    needs_unless("values", "must_not_contain"),
    prepare=_prepare,
)
