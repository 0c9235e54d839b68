"""The numbers of a judge's validation, and whether they agree with one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.statistics.rates import RATES, Agreement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Path
    from evalcontract.rules._rule import Subject

#: The keys that say how well a judge agrees with people.
MEASURES = (*RATES, "confusion_matrix")
_SLACK = 1e-9  # tolerance for floating-point error


def agreement_of(validation: dict[str, Any]) -> Agreement | None:
    """Return the confusion matrix of a validation, or None."""
    counts = validation.get("confusion_matrix")
    return Agreement(*(counts[key] for key in ("tp", "fn", "tn", "fp"))) if counts else None


def is_measured(validation: dict[str, Any]) -> bool:
    """Whether a validation holds a rate, or the counts behind the rates."""
    return any(key in validation for key in MEASURES)


def rate_of(validation: dict[str, Any], rate: str) -> float | None:
    """Return a rate as given, or else computed from the counts."""
    if rate in validation:
        return float(validation[rate])
    counted = agreement_of(validation)
    right, of_all = counted.of(rate) if counted else (0, 0)
    return right / of_all if of_all else None


def rounding(subject: Subject, path: Path, value: float) -> float:
    """Return the possible rounding error of a number, from the digits it is written with.

    Half a unit of the last digit: 0.005 for `0.93`, 0.05 for `0.9`. Whole numbers are treated as
    having one decimal digit.
    """
    from decimal import Decimal, InvalidOperation  # slow to import

    try:
        exponent = Decimal(subject.artifact.document.raw(path) or repr(value)).as_tuple().exponent
    except InvalidOperation:
        exponent = Decimal(repr(value)).as_tuple().exponent
    digits = max(1, -exponent) if isinstance(exponent, int) else 1
    return float(0.5 * 10.0 ** -min(digits, 300)) + _SLACK


def disagreements(subject: Subject) -> Iterator[tuple[Path, str]]:
    """Yield the numbers that contradict the confusion matrix, each as a path and a message."""
    validation = subject.value.get("validation", {})
    counted = agreement_of(validation)
    if counted is None:
        return
    for rate, formula in (("tpr", "tp / (tp + fn)"), ("tnr", "tn / (tn + fp)")):
        if rate not in validation:
            continue
        right, of_all = counted.of(rate)
        path = ("validation", rate)
        given = validation[rate]
        if not of_all:
            yield path, f"{rate} is {given}, but the counts behind it are 0"
        elif abs(given - right / of_all) > rounding(subject, path, given):
            computed = f"{formula} is {right} / {of_all} = {right / of_all:.4g}"
            yield path, f"{rate} is {given}, but {computed}"
    size = validation.get("sample_size", counted.total)
    if size != counted.total:
        yield (
            ("validation", "sample_size"),
            f"sample_size is {size}, but the counts add up to {counted.total}",
        )
