"""Samples: how many rows a difference needs, chances to pass, and the spread between rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, comb, fsum, sqrt
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


def pass_at_k(n: int, passed: int, k: int) -> float:
    """Return the chance that at least one of k samples passes, of n of which some passed.

    1 - C(n - c, k) / C(n, k), without bias for k from 1 to n. M. Chen et al., "Evaluating large
    language models trained on code", arXiv:2107.03374 (2021), section 2.1.
    """
    return 1 - comb(n - passed, k) / comb(n, k)


def pass_all_k(n: int, passed: int, k: int) -> float:
    """Return the chance that all of k samples pass (pass^k), of n of which some passed.

    C(c, k) / C(n, k), without bias for k from 1 to n. S. Yao et al., "tau-bench: a benchmark for
    tool-agent-user interaction in real-world domains", arXiv:2406.12045 (2024), section 3.
    """
    return comb(passed, k) / comb(n, k)


class SampledRow(NamedTuple):
    """The scores of the samples of a row: how many, their sum, and the sum of their squares."""

    n: int
    total: float
    squares: float

    @classmethod
    def of(cls, scores: Sequence[float]) -> SampledRow:
        """Return some scores, in numbers."""
        return cls(len(scores), fsum(scores), fsum(score * score for score in scores))

    @property
    def mean(self) -> float:
        """The mean of the scores."""
        return self.total / self.n

    @property
    def variance(self) -> float | None:
        """The variance of the scores of this row; None for one sample."""
        spread = max(0.0, self.squares - self.total**2 / self.n)
        return spread / (self.n - 1) if self.n > 1 else None


class SampledVariance(NamedTuple):
    """The variance of scores within rows, and that of the true means of rows, between them."""

    within: float | None
    between: float | None


def sampled_variance(counts: Mapping[SampledRow, int]) -> SampledVariance:
    """Return what of the variance of scores is within rows, and between them.

    `counts` says how many rows have the same samples.

    Of the variance of the means of rows, the part is taken away that comes from few samples: the
    mean over rows of their variance by their number of samples. E. Miller, arXiv:2411.00640 (2024),
    sections 3 and 5 (the law of total variance). `within` is None if no row has two samples,
    `between` if there are fewer than two rows, or a row has one sample.
    """
    many = [(row, count) for row, count in counts.items() if row.n > 1]
    n, sampled = sum(counts.values()), sum(count for _, count in many)
    within = None
    if many:
        within = fsum((row.variance or 0.0) * count for row, count in many) / sampled
    if n < 2 or sampled < n:  # noqa: PLR2004 - one row has no spread
        return SampledVariance(within, None)
    mean = fsum(row.mean * count for row, count in counts.items()) / n
    spread = fsum(count * (row.mean - mean) ** 2 for row, count in counts.items()) / (n - 1)
    noise = fsum((row.variance or 0.0) / row.n * count for row, count in many) / n
    return SampledVariance(within, max(0.0, spread - noise))
