"""The arithmetic of a judge's validation: counts, rates and confidence intervals."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.path import Path
    from evalcontract.rules._rule import Subject

RATES = ("tpr", "tnr")
#: The keys that say how well a judge agrees with people.
MEASURES = (*RATES, "confusion_matrix")
_Z95 = 1.959963984540054  # the 97.5 % point of the standard normal distribution
_CEILING = 10**12  # larger counts are treated as this one, to avoid float overflow
_SLACK = 1e-9  # tolerance for floating-point error


class Agreement(NamedTuple):
    """A confusion matrix. Positive means PASS."""

    tp: int
    fn: int
    tn: int
    fp: int

    @property
    def total(self) -> int:
        """The number of outputs compared."""
        return self.tp + self.fn + self.tn + self.fp

    def of(self, rate: str) -> tuple[int, int]:
        """Return the counts behind a rate: how many the judge got right, and the total."""
        if rate == "tpr":
            return self.tp, self.tp + self.fn
        return self.tn, self.tn + self.fp


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


def wilson_interval(right: float, of_all: int) -> tuple[float, float]:
    """Return the lower and upper bound, 0..1, of the 95 % confidence interval of a rate.

    The rate is `right` / `of_all`; `of_all` is at least 1, `right` need not be whole. The score
    interval of E. B. Wilson, "Probable inference, the law of succession, and statistical
    inference", Journal of the American Statistical Association 22 (1927), 209-212:
    (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n) with p = right/of_all, n = of_all.
    """
    n = min(of_all, _CEILING)
    p = right / of_all
    z2 = _Z95 * _Z95
    middle = p + z2 / (2 * n)
    spread = _Z95 * sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    whole = 1 + z2 / n
    return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)
