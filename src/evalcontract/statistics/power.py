"""How many rows a difference needs to be found, and which difference so many rows find."""

from __future__ import annotations

from math import ceil, sqrt
from typing import NamedTuple

from evalcontract.statistics.estimates import t_quantile

#: How often a true difference is to be found, and how often one that is not there may be.
POWER, SIGNIFICANCE = 0.8, 0.05
# More than this many rows cannot be had, and as a float would lose digits.
_MOST = 10**12
# So many degrees of freedom are those of the normal distribution.
_NORMAL = _MOST


class DifferenceVariance(NamedTuple):
    """The variance of the difference of two runs on a row: of its true value, and of one sample.

    `within` is the sum of the variances of a sample of either run; None if it is not known apart.
    """

    between: float
    within: float | None

    def of(self, samples: int) -> float:
        """Return the variance of the difference of means of so many samples."""
        return self.between + (self.within or 0.0) / samples


def rows_needed(
    variance: float, detect: float, power: float = POWER, significance: float = SIGNIFICANCE
) -> int | None:
    """Return how many rows a mean difference needs, to be found with a power of `power`.

    The fewest whose `detectable` difference is so small; at least two, None if it is more than can
    be had. Found from (z + w)² variance / detect², the same with points of the normal distribution,
    which is formula 9 of E. Miller, arXiv:2411.00640 (2024), section 5.
    """
    both = _points(_NORMAL, power, significance)
    needed = both * both * variance / (detect * detect)
    if needed > _MOST:
        return None
    rows = max(2, ceil(needed))
    while detectable(variance, rows, power, significance) > detect:
        rows += 1
    return rows


def detectable(
    variance: float, rows: int, power: float = POWER, significance: float = SIGNIFICANCE
) -> float:
    """Return the smallest mean difference that so many rows find, at least two.

    (t + u) √(variance / n), t and u being the points of Student's distribution with n - 1 degrees
    of freedom: two-sided of the significance, one-sided of the power.
    """
    return _points(rows - 1, power, significance) * sqrt(variance / rows)


def _points(freedom: int, power: float, significance: float) -> float:
    """Return the sum of the points of Student's distribution of both errors."""
    one_sided = t_quantile(freedom, abs(2 * power - 1))
    return t_quantile(freedom, 1 - significance) + (one_sided if power > 1 / 2 else -one_sided)
