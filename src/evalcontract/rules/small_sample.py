"""
A judge was validated on few outputs: fewer than 60, or fewer than 20 that people passed or failed.

Why: Of ten right out of ten, the true rate may still be 0.72. The message says how far the true
rates may lie from the measured ones (95 %, Wilson's interval); without a confusion matrix each
class is taken for half of the sample.

Bad:
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    validation: {tpr: 0.9, tnr: 0.9, validated_at: 2026-05-08, sample_size: 20}

Good:
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    validation: {tpr: 0.9, tnr: 0.9, validated_at: 2026-05-08, sample_size: 200}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Problem, Severity
from evalcontract.model.reference import Kind
from evalcontract.rules._rule import Context, Subject, rule
from evalcontract.rules._validation import (
    RATES,
    Agreement,
    agreement_of,
    disagreements,
    rate_of,
    wilson_interval,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

CODE = Code("judge/small-sample", strict=Severity.WARNING, page=__doc__)

_ENOUGH, _ENOUGH_OF_A_CLASS = 60, 20
_CLASSES = {"tpr": "passed", "tnr": "failed"}


@rule(CODE, Kind.JUDGE)
def RULE(subject: Subject, context: Context) -> Iterator[Problem]:
    validation = subject.value.get("validation", {})
    counted = agreement_of(validation)
    total = counted.total if counted else validation.get("sample_size")
    if total is None or any(disagreements(subject)):
        return
    small = [
        f"{size} that people {_CLASSES[rate]}"
        for rate in RATES
        if counted and (size := counted.of(rate)[1]) < _ENOUGH_OF_A_CLASS
    ]
    if total >= _ENOUGH and not small:
        return
    few = f"only {total} outputs were compared" if total < _ENOUGH else f"only {', '.join(small)}"
    doubt = [told for rate in RATES if (told := _doubt(validation, counted, total, rate))]
    key = "sample_size" if total < _ENOUGH and "sample_size" in validation else "confusion_matrix"
    yield Problem(
        CODE,
        f"{few}: {', '.join(doubt)}" if doubt else few,
        ("validation", key),
        f"compare {_ENOUGH} or more, {_ENOUGH_OF_A_CLASS} or more that people passed, and that "
        "they failed; 50 of each is better",
        on_key=key == "confusion_matrix",
    )


def _doubt(
    validation: dict[str, Any], counted: Agreement | None, total: int, rate: str
) -> str | None:
    """Say how far a rate may be off; None where it is not known."""
    measured = rate_of(validation, rate)
    if measured is None:
        return None
    if counted:
        right, size = counted.of(rate)
        lower, upper = wilson_interval(right, size)
    else:
        size = max(1, round(total / 2))
        lower, upper = wilson_interval(measured * size, size)
    return f"the true {rate} may be from {lower:.2f} to {upper:.2f}"
