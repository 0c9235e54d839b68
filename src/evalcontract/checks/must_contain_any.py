"""`must_contain_any`: reads the row's `must_contain_any` unless it has its own `values`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.checks._kind import CheckKind, needs_unless, reads_unless
from evalcontract.checks._texts import quoted, searched_form, texts_of
from evalcontract.checks.outcome import PASSED, failed, of_text
from evalcontract.model.listing import listed
from evalcontract.structure.defaults import with_defaults

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.checks._kind import Check, EvalContext
    from evalcontract.checks.outcome import Executor, Verdict


def _prepare(check: Check, context: EvalContext) -> Executor:
    del context
    filled = with_defaults(check)
    texts, form = texts_of(filled, "must_contain_any"), searched_form(case_sensitive=filled["case_sensitive"])

    def judge(row: Mapping[str, Any], text: str) -> Verdict:
        wanted, searched = texts(row), form(text)
        for value in wanted:
            if value.normal in searched:
                return PASSED
        return failed(f"it contains none of {listed([quoted(value.written) for value in wanted])}")

    return of_text(judge)


KIND = CheckKind(
    "must_contain_any",
    reads_unless("values", "must_contain_any"),
    needs_unless("values", "must_contain_any"),
    prepare=_prepare,
)
