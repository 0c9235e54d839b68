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

from evalcontract.rules._judge import Validation, validation_rule
from evalcontract.rules._rule import Code, Context, Problems, Severity
from evalcontract.statistics.rates import RATES, wilson_interval

_ENOUGH, _ENOUGH_OF_A_CLASS = 60, 20
_CLASSES = {"tpr": "passed", "tnr": "failed"}


@validation_rule(Code("judge/small-sample", strict=Severity.WARNING, page=__doc__))
def RULE(validation: Validation, context: Context) -> Problems:
    counted = validation.agreement
    total = counted.total if counted else validation.values.get("sample_size")
    if total is None or any(validation.disagreements()):
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
    ranges = [text for rate in RATES if (text := _range(validation, total, rate))]
    is_small = total < _ENOUGH and "sample_size" in validation.values
    yield validation.problem(
        f"{few}: {', '.join(ranges)}" if ranges else few,
        ("sample_size" if is_small else "confusion_matrix",),
        f"compare at least {_ENOUGH} outputs, at least {_ENOUGH_OF_A_CLASS} that people passed "
        f"and {_ENOUGH_OF_A_CLASS} that they failed; 50 of each is better",
        on_key=not is_small,
    )


def _range(validation: Validation, total: int, rate: str) -> str | None:
    """Describe the confidence interval of a rate; None if the rate is unknown."""
    measured = validation.rate(rate)
    if measured is None:
        return None
    if validation.agreement:
        lower, upper = wilson_interval(*validation.agreement.of(rate))
    else:
        size = max(1, round(total / 2))
        lower, upper = wilson_interval(measured * size, size)
    return f"the true {rate} may be from {lower:.2f} to {upper:.2f}"
