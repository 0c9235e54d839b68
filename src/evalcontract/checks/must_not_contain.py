"""`must_not_contain`: reads the row's `must_not_contain` unless it has its own `values`."""

from __future__ import annotations

from collections.abc import Sequence

from evalcontract.checks._kind import Check, CheckKind, EvalContext, Row, needs_unless, reads_unless
from evalcontract.checks._texts import quoted, texts_of
from evalcontract.checks.outcome import PASSED, Executor, OfTexts, OutputTexts, Verdict, failed
from evalcontract.structure.schemas import with_defaults


def _prepare(check: Check, context: EvalContext) -> Executor:
    filled = with_defaults(check)
    unwanted_by = texts_of(filled, "must_not_contain")
    case_sensitive = filled["case_sensitive"]

    def judge(rows: Sequence[Row], texts: OutputTexts) -> list[Verdict]:
        verdicts = []
        searched = texts.searched(case_sensitive=case_sensitive)
        for row, text in zip(rows, searched, strict=True):
            for value in unwanted_by(row):
                if value.normal in text:
                    verdicts.append(failed(f"it contains {quoted(value.written)}"))
                    break
            else:
                verdicts.append(PASSED)
        return verdicts

    return OfTexts(judge)


KIND = CheckKind(
    "must_not_contain",
    reads_unless("values", "must_not_contain"),
    needs_unless("values", "must_not_contain"),
    prepare=_prepare,
)
