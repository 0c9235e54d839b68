"""The one table of modes: what each code weighs in soft and in strict mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.diagnostic import Severity
from evalcontract.policy import dialects

if TYPE_CHECKING:
    from evalcontract.policy.weight import Weight

_NOTE, _WARNING, _ERROR = Severity.NOTE, Severity.WARNING, Severity.ERROR

# What can be wrong follows from the keywords of a kind's schema; a bundle may use every keyword.
_OF_TARGET = ("malformed-value", "missing-key", "out-of-range", "unknown-key", "wrong-type")
_OF_LIBRARY = (
    *_OF_TARGET,
    "conflicting-key",
    "empty-value",
    "near-miss-key",
    "repeated-item",
    "too-few-items",
    "unknown-value",
)
_FAULTS_OF_STRUCTURE = {
    "dataset": (*_OF_LIBRARY, "invalid-value"),
    "rubric": _OF_LIBRARY,
    "judge": _OF_LIBRARY,
}

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
    "dataset/wrong-kind": (_ERROR, _ERROR),
    "rubric/wrong-kind": (_ERROR, _ERROR),
    "judge/wrong-kind": (_ERROR, _ERROR),
    **{
        f"{kind}/{fault}": (_WARNING, _ERROR)
        for kind, faults in _FAULTS_OF_STRUCTURE.items()
        for fault in faults
    },
    **{f"{kind}/misplaced-key": (_WARNING, _ERROR) for kind in ("dataset", "rubric", "judge")},
    **{f"{kind}/foreign-key": (_WARNING, _ERROR) for kind in ("dataset", "rubric", "judge")},
    # A target decides the mode of others: where it is wrong, no mode can be trusted.
    **{f"target/{fault}": (_ERROR, _ERROR) for fault in _OF_TARGET},
    "target/missing-dataset": (_ERROR, _ERROR),
    "target/wrong-kind": (_ERROR, _ERROR),
    "dataset/duplicate-id": (_WARNING, _ERROR),
    "dataset/no-rows": (_WARNING, _ERROR),
    "dataset/check-never-runs": (_WARNING, _ERROR),
    "dataset/check-always-passes": (_WARNING, _ERROR),
    "dataset/nothing-runs": (_WARNING, _ERROR),
    "dataset/nothing-to-grade": (_WARNING, _ERROR),
    "dataset/unread-expectation": (_WARNING, _ERROR),
    "dataset/blank-value": (_WARNING, _ERROR),
    "dataset/repeated-value": (_WARNING, _WARNING),
    "dataset/bundle-not-applicable": (_WARNING, _ERROR),
    "dataset/contradiction": (_WARNING, _ERROR),
    "dataset/unknown-bundle": (_WARNING, _WARNING),
    "bundle/invalid-schema": (_WARNING, _ERROR),
    "bundle/near-miss-keyword": (_WARNING, _ERROR),
    "bundle/near-miss-required": (_WARNING, _ERROR),
    "bundle/outdated-keyword": (_WARNING, _ERROR),
    "bundle/slow-regex": (_WARNING, _ERROR),
    "bundle/unsatisfiable-schema": (_WARNING, _ERROR),
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
    "rubric/misread-regex": (_WARNING, _ERROR),
    "rubric/invalid-json-schema": (_WARNING, _ERROR),
    "rubric/unknown-weight": (_WARNING, _ERROR),
    "rubric/threshold-unused": (_WARNING, _WARNING),
    "rubric/zero-weights": (_WARNING, _ERROR),
    "rubric/missing-weight": (_WARNING, _WARNING),
    "rubric/weights-unused": (_WARNING, _WARNING),
    "rubric/threshold-always-reached": (_WARNING, _ERROR),
    "rubric/unreachable-threshold": (_WARNING, _ERROR),
    "rubric/contradiction": (_WARNING, _ERROR),
    "rubric/vacuous-regex": (_WARNING, _ERROR),
    "rubric/slow-regex": (_WARNING, _ERROR),
    "rubric/vacuous-schema": (_WARNING, _ERROR),
    "rubric/unsatisfiable-schema": (_WARNING, _ERROR),
    "rubric/near-miss-keyword": (_WARNING, _ERROR),
    "rubric/near-miss-required": (_WARNING, _ERROR),
    "rubric/outdated-keyword": (_WARNING, _ERROR),
    "rubric/no-facts": (_WARNING, _ERROR),
    "rubric/tied-jury": (_WARNING, _ERROR),
    "rubric/judge-not-applicable": (_WARNING, _WARNING),
    "rubric/same-check": (_WARNING, _ERROR),
    "rubric/repeated-value": (_WARNING, _WARNING),
    "rubric/repeated-judge": (_WARNING, _WARNING),
    "rubric/heading-marks": (_WARNING, _ERROR),
    "rubric/required-keys-unused": (_WARNING, _ERROR),
    "judge/stale-validation": (_WARNING, _ERROR),
    "judge/future-validation": (_WARNING, _ERROR),
    "judge/unvalidated": (_NOTE, _WARNING),
    "judge/impossible-date": (_WARNING, _ERROR),
    "judge/template-tag": (_WARNING, _ERROR),
    "judge/template-json": (_WARNING, _ERROR),
    "judge/output-unused": (_WARNING, _ERROR),
    "judge/input-unused": (_NOTE, _NOTE),
    "judge/level-values": (_WARNING, _ERROR),
    "judge/score-range": (_WARNING, _ERROR),
    "judge/scale-unused": (_WARNING, _WARNING),
    "judge/ineffective-threshold": (_WARNING, _ERROR),
    "judge/validation-disagrees": (_WARNING, _ERROR),
    "judge/one-sided-validation": (_WARNING, _ERROR),
    "judge/no-better-than-chance": (_WARNING, _ERROR),
    "judge/small-sample": (_WARNING, _WARNING),
    "judge/validated-other-version": (_WARNING, _ERROR),
    "judge/validated-other-template": (_WARNING, _ERROR),
    "judge/validated-other-model": (_WARNING, _ERROR),
    "judge/validated-without-cutoff": (_WARNING, _ERROR),
    "internal/rule-crashed": (_ERROR, _ERROR),
    **dialects.TABLE,
}

#: What a code weighs that is in no table: one of somebody else's rule.
DEFAULT: Weight = (_WARNING, _ERROR)
