"""The one table of modes: what each code weighs in soft and in strict mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.diagnostic import Severity

if TYPE_CHECKING:
    from evalcontract.policy.policy import Weight

_NOTE, _WARNING, _ERROR = Severity.NOTE, Severity.WARNING, Severity.ERROR

_FAULTS_OF_STRUCTURE = (
    "conflicting-key",
    "empty-value",
    "invalid-value",
    "malformed-value",
    "missing-key",
    "out-of-range",
    "repeated-item",
    "too-few-items",
    "unknown-key",
    "unknown-value",
    "wrong-type",
)

TABLE: dict[str, Weight] = {
    # Nothing can be said of what cannot be read.
    "source/binary": (_ERROR, _ERROR),
    "source/duplicate-key": (_ERROR, _ERROR),
    "source/empty": (_ERROR, _ERROR),
    "source/encoding": (_ERROR, _ERROR),
    "source/limit-exceeded": (_ERROR, _ERROR),
    "source/multiple-documents": (_ERROR, _ERROR),
    "source/syntax": (_ERROR, _ERROR),
    "source/unreadable": (_ERROR, _ERROR),
    "source/unsupported": (_ERROR, _ERROR),
    "dataset/no-questions": (_ERROR, _ERROR),
    **{
        f"{kind}/{fault}": (_WARNING, _ERROR)
        for kind in ("dataset", "rubric", "judge")
        for fault in _FAULTS_OF_STRUCTURE
    },
    # A target decides the mode of others: where it is wrong, no mode can be trusted.
    **{f"target/{fault}": (_ERROR, _ERROR) for fault in _FAULTS_OF_STRUCTURE},
    "target/missing-dataset": (_ERROR, _ERROR),
    "dataset/near-miss-key": (_WARNING, _ERROR),
    "rubric/near-miss-key": (_WARNING, _ERROR),
    "judge/near-miss-key": (_WARNING, _ERROR),
    "dataset/duplicate-id": (_WARNING, _ERROR),
    "dataset/no-rows": (_WARNING, _ERROR),
    "dataset/unknown-bundle": (_WARNING, _WARNING),
    "bundle/invalid-schema": (_WARNING, _ERROR),
    "reference/dangling": (_WARNING, _ERROR),
    "reference/unpinned": (_WARNING, _ERROR),
    "rubric/cycle": (_WARNING, _ERROR),
    "rubric/nested-composite": (_WARNING, _ERROR),
    "rubric/duplicate-version": (_WARNING, _ERROR),
    "judge/duplicate-version": (_WARNING, _ERROR),
    "rubric/file-name": (_WARNING, _WARNING),
    "judge/file-name": (_WARNING, _WARNING),
    "rubric/unnamed-check": (_NOTE, _WARNING),
    "rubric/duplicate-check-id": (_WARNING, _ERROR),
    "rubric/invalid-regex": (_WARNING, _ERROR),
    "rubric/invalid-json-schema": (_WARNING, _ERROR),
    "rubric/unknown-weight": (_WARNING, _ERROR),
    "rubric/threshold-unused": (_WARNING, _WARNING),
    "judge/stale-validation": (_WARNING, _ERROR),
    "judge/future-validation": (_WARNING, _ERROR),
    "judge/unvalidated": (_NOTE, _WARNING),
    "judge/impossible-date": (_WARNING, _ERROR),
    "internal/rule-crashed": (_ERROR, _ERROR),
}

#: What a code weighs that is in no table: one of somebody else's rule.
DEFAULT: Weight = (_WARNING, _ERROR)
