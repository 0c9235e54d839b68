"""
A judge was validated on fewer than 60 outputs, or fewer than 20 that people passed or failed.

Why: With 10 out of 10 right, the true rate may still be 0.72. The message gives the range of the
true rates (95 % Wilson score interval). Without a confusion matrix, each class is assumed to be
half of the sample.

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

from evalcontract.rules._judge import agreement_of, disagreements, rate_of
from evalcontract.statistics.rates import RATES, wilson_interval

if TYPE_CHECKING:
    from evalcontract.statistics.rates import Agreement
from evalcontract.rules._rule import Code, Context, Problem, Problems, Severity, Subject, rule

CODE = Code("judge/small-sample", strict=Severity.WARNING, page=__doc__)

_ENOUGH, _ENOUGH_OF_A_CLASS = 60, 20
_CLASSES = {"tpr": "passed", "tnr": "failed"}


@rule(CODE)
def RULE(subject: Subject, context: Context) -> Problems:
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
    outputs = "output was" if total == 1 else "outputs were"
    few = f"only {total} {outputs} compared" if total < _ENOUGH else f"only {', '.join(small)}"
    ranges = [text for rate in RATES if (text := _range(validation, counted, total, rate))]
    key = "sample_size" if total < _ENOUGH and "sample_size" in validation else "confusion_matrix"
    yield Problem(
        CODE,
        f"{few}: {', '.join(ranges)}" if ranges else few,
        ("validation", key),
        f"compare at least {_ENOUGH} outputs, at least {_ENOUGH_OF_A_CLASS} that people passed "
        f"and {_ENOUGH_OF_A_CLASS} that they failed; 50 of each is better",
        on_key=key == "confusion_matrix",
    )


def _range(
    validation: dict[str, Any], counted: Agreement | None, total: int, rate: str
) -> str | None:
    """Describe the confidence interval of a rate; None if the rate is unknown."""
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
