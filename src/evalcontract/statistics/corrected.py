"""The pass rate behind the one that an imperfect judge observes."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

from evalcontract.statistics.intervals import Z95, Interval

if TYPE_CHECKING:
    from evalcontract.statistics.agreement import Agreement


class Corrected(NamedTuple):
    """A corrected pass rate with its interval, as computed: they may lie outside of 0 to 1."""

    rate: float
    interval: Interval

    @property
    def clipped(self) -> Corrected:
        """The same within 0 to 1, where a rate has to be."""
        return Corrected(_clip(self.rate), Interval(*map(_clip, self.interval)))


class Measured(NamedTuple):
    """A rate that was measured on `n` outputs."""

    rate: float
    n: float


def corrected_rate(observed: float, tpr: float, tnr: float) -> float | None:
    """Return the true pass rate behind an observed one, not clipped to 0..1.

    (observed + TNR - 1) / (TPR + TNR - 1), by W. J. Rogan and B. Gladen, "Estimating prevalence
    from the results of a screening test", American Journal of Epidemiology 107 (1978), 71-76.
    None if TPR + TNR <= 1: such a judge is no better than chance, and nothing follows from it.
    """
    youden = tpr + tnr - 1
    return (observed + tnr - 1) / youden if youden > 0 else None


def corrected_interval(observed: Measured, tpr: Measured, tnr: Measured) -> Interval | None:
    """Return the 95 % interval of the corrected pass rate, not clipped to 0..1.

    It accounts for the sample of the observed rate and for both samples of labels. The form of
    Z. Lang and J. Reiczigel, "Confidence limits for prevalence of disease adjusted for estimated
    sensitivity and specificity", Preventive Veterinary Medicine 113 (2014), 13-22, as given for
    judges by C. Lee et al., arXiv:2511.21140. All three rates and sizes are adjusted first: z²/2
    passes and z²/2 fails are added to the observed sample, one right and one wrong verdict to
    each class. None if then TPR + TNR <= 1.
    """
    z2 = Z95 * Z95
    p, n = _with(observed, z2 / 2)
    (q1, m1), (q0, m0) = _with(tpr, 1), _with(tnr, 1)
    middle = corrected_rate(p, q1, q0)
    if middle is None:
        return None
    spread1, spread0 = q1 * (1 - q1) / m1, q0 * (1 - q0) / m0
    shift = 2 * z2 * (middle * spread1 - (1 - middle) * spread0)
    variance = p * (1 - p) / n + (1 - middle) ** 2 * spread0 + middle**2 * spread1
    margin = Z95 * sqrt(variance) / (q0 + q1 - 1)
    return Interval(middle + shift - margin, middle + shift + margin)


def _with(measured: Measured, added: float) -> Measured:
    """Return what a rate is with so many more outputs of either sort."""
    rate, n = measured
    return Measured((n * rate + added) / (n + 2 * added), n + 2 * added)


def corrected(observed: Measured, agreement: Agreement) -> Corrected | None:
    """Return the corrected pass rate by a judge with this agreement; None if it has no meaning.

    That is so if a class is empty, or if TPR + TNR <= 1.
    """
    (_, m1), (_, m0) = agreement.of("tpr"), agreement.of("tnr")
    tpr, tnr = agreement.rate("tpr"), agreement.rate("tnr")
    if tpr is None or tnr is None:
        return None
    rate = corrected_rate(observed.rate, tpr, tnr)
    interval = corrected_interval(observed, Measured(tpr, m1), Measured(tnr, m0))
    return None if rate is None or interval is None else Corrected(rate, interval)


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))
