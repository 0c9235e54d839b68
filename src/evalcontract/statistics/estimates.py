"""Means, rates and differences of samples: errors, 95 % intervals, tests, rows that they need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import ceil, comb, exp, fsum, inf, isinf, lgamma, log, log1p, sqrt
from typing import NamedTuple

from evalcontract.statistics.rates import LEVEL, Z95, Interval, wilson_interval

#: Fewer numbers, or fewer clusters, are too few for an interval of their mean.
FEWEST, FEWEST_CLUSTERS = 5, 10
#: The methods of intervals.
WILSON, T = "wilson", "t"
# From so many degrees of freedom on, Student's t is the normal distribution to six digits.
_NORMAL_FROM = 2_000_000
_TINY, _CLOSE = 1e-300, 1e-15


class Estimate(NamedTuple):
    """The mean of `n` numbers, or a rate of `n` verdicts: what it says of those not seen.

    `stderr` and `interval` are None where the sample is too small to say. `clusters` is the number
    of clusters that were drawn, None if each number was drawn for itself.
    """

    value: float
    n: int
    stderr: float | None
    interval: Interval | None
    method: str
    clusters: int | None = None


class ClusterSum(NamedTuple):
    """How many numbers a cluster has, and their sum."""

    n: int
    total: float


def mean_estimate(
    counts: Mapping[float, int], clusters: Iterable[ClusterSum] | None = None
) -> Estimate:
    """Return the mean of numbers from 0 to 1; `counts` says how often each of them occurs.

    There is at least one. If all are 0 or 1, the mean is a rate: see `rate_estimate`. Else the
    interval is the mean ± t standard errors, with n - 1 degrees of freedom (Student, "The probable
    error of a mean", Biometrika 6 (1908), 1-25), cut to 0 to 1; of clusters, see `clustered_error`.
    Fewer than five numbers, or ten clusters, are too few. If all are the same, see `of_equal`.
    """
    n = sum(counts.values())
    if all(value in (0, 1) for value in counts):
        return rate_estimate(counts.get(1, 0), n, clusters)
    mean = fsum(value * count for value, count in counts.items()) / n
    squares = fsum(count * (value - mean) ** 2 for value, count in counts.items())
    return interval_of_mean(mean, n, squares, clusters, ends=Interval(0, 1))


def rate_estimate(
    right: int, of_all: int, clusters: Iterable[ClusterSum] | None = None
) -> Estimate:
    """Return the rate `right` / `of_all`, of at least one verdict, with Wilson's interval.

    The standard error is √(p(1-p) / (n-1)), None for a rate of 0 or 1: there it says nothing. Of
    clusters, the interval is that of as many verdicts as are worth the same: n p(1-p)/(n-1) by the
    squared standard error of `clustered_error`, but at most n, by (z/t)² with the t of so many
    clusters less 1. E. L. Korn and B. I. Graubard, "Confidence intervals for proportions with small
    expected number of positive counts estimated from survey data", Survey Methodology 24 (1998),
    193-201, with Wilson's interval, as N. Dean and M. Pagano advise, "Evaluating confidence
    interval methods for binomial proportions in clustered surveys", Journal of Survey Statistics
    and Methodology 3 (2015), 484-503. Without any spread, each cluster counts as one verdict.
    """
    rate = right / of_all
    spread = rate * (1 - rate)
    if clusters is None:
        error = sqrt(spread / (of_all - 1)) if spread else None
        return Estimate(rate, of_all, error, wilson_interval(right, of_all), WILSON)
    sums = [*clusters]
    many = len(sums)
    if many < FEWEST_CLUSTERS:
        return Estimate(rate, of_all, None, None, WILSON, many)
    error = clustered_error(rate, sums)
    estimate = Estimate(rate, of_all, error, None, WILSON, many)
    worth = effective_size(estimate)
    return estimate._replace(interval=wilson_interval(rate * worth, worth))


def effective_size(of: Estimate) -> float:
    """Return how many verdicts, each drawn for itself, tell as much of a rate; see `rate_estimate`.

    Of clusters, there are at least two.
    """
    rate, n, error, _, _, clusters = of
    if clusters is None:
        return n
    if error is None:
        return clusters
    worth = min(n, rate * (1 - rate) * n / (n - 1) / error**2)
    return worth * (Z95 / t_quantile(clusters - 1)) ** 2


def interval_of_mean(
    mean: float,
    n: int,
    squares: float,
    clusters: Iterable[ClusterSum] | None,
    *,
    ends: Interval,
) -> Estimate:
    """Return the estimate of a mean by t; `squares` is the sum of squared deviations.

    `ends` are the lowest and the highest number that there may be.
    """
    if clusters is None:
        many, counted = n, None
        error = sqrt(squares / (n - 1) / n) if n > 1 and squares > _CLOSE * n else None
    else:
        sums = [*clusters]
        many = counted = len(sums)
        error = clustered_error(mean, sums)
    if many < (FEWEST if clusters is None else FEWEST_CLUSTERS):
        return Estimate(mean, n, error, None, T, counted)
    if error is None:
        return Estimate(mean, n, None, of_equal(mean, many, ends), T, counted)
    spread = t_quantile(many - 1) * error
    interval = Interval(max(ends.lower, mean - spread), min(ends.upper, mean + spread))
    return Estimate(mean, n, error, interval, T, counted)


def clustered_error(mean: float, clusters: Iterable[ClusterSum]) -> float | None:
    """Return the standard error of a mean of numbers that were drawn in clusters.

    √(G/(G-1) Σ (S - n·mean)²) / Σ n over the G clusters, each of n numbers with the sum S: what is
    the same in a cluster is seen once. E. Miller, "Adding error bars to evals: a statistical
    approach to language model evaluations", arXiv:2411.00640 (2024), section 2.2, with the usual
    correction G/(G-1) for few clusters. None for fewer than two, or if there is no spread.
    """
    sums = [*clusters]
    if len(sums) < 2:  # noqa: PLR2004 - one cluster has no spread
        return None
    squares = fsum((each.total - each.n * mean) ** 2 for each in sums)
    number = sum(each.n for each in sums)
    if squares <= _CLOSE * number:
        return None
    return sqrt(squares * len(sums) / (len(sums) - 1)) / number


def of_equal(value: float, n: int, ends: Interval) -> Interval:
    """Return the interval of the mean of numbers that are all the same, as far as was seen.

    At most a share u of all numbers is another one, u being the end of Wilson's interval of 0 of n,
    and these may be as low or as high as numbers can be. So no interval has a width of zero.
    """
    share = wilson_interval(0, n).upper
    return Interval(value - share * (value - ends.lower), value + share * (ends.upper - value))


@lru_cache(maxsize=1 << 10)
def t_quantile(freedom: float, level: float = LEVEL) -> float:
    """Return the t that a share `level` of Student's distribution is within, from -t to t.

    `freedom` are its degrees of freedom, more than 0. Found by bisection of `t_tail`.
    """
    low, high = 0.0, 2.0
    while t_tail(high, freedom) > 1 - level:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if t_tail(middle, freedom) > 1 - level else (low, middle)
    return (low + high) / 2


def t_tail(t: float, freedom: float) -> float:
    """Return the share of Student's distribution beyond ±t: the p-value of a two-sided test.

    The regularised incomplete beta function I_x(v/2, 1/2) at x = v/(v + t²): M. Abramowitz and
    I. A. Stegun, Handbook of Mathematical Functions (1964), 26.7.1 and 26.5.8.
    """
    if isinf(t):
        return 0.0
    if freedom >= _NORMAL_FROM:
        from statistics import NormalDist  # rarely needed

        return 2 * NormalDist().cdf(-abs(t))
    return _incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5)


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """Return I_x(a, b), by its continued fraction on the side where that converges fast."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(x, a, b) / a
    return 1 - front * _beta_fraction(1 - x, b, a) / b


def _beta_fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction 26.5.8, by the method of W. J. Lentz (1976)."""
    c, d = 1.0, 1 / _nonzero(1 - (a + b) * x / (a + 1))
    product = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            c, d = _nonzero(1 + term / c), 1 / _nonzero(1 + term * d)
            product *= c * d
        if abs(c * d - 1) < _CLOSE:
            break
    return product


def _nonzero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


#: The method of the interval of a difference of rates.
BONETT_PRICE = "bonett-price"
_ENDS = Interval(-1, 1)
# Of more rows that turned, the normal distribution says the same, and the exact test takes long.
_MOST_EXACT = 10_000


class PairedDifference(NamedTuple):
    """The means of two scores of the same rows, and what their difference says of other rows.

    `difference` is that of the second and the first.
    """

    before: float
    after: float
    difference: Estimate

    @property
    def pairs(self) -> int:
        """The number of rows."""
        return self.difference.n

    @property
    def mean(self) -> float:
        """The mean difference, from -1 to 1 for scores from 0 to 1."""
        return self.difference.value

    @property
    def p_value(self) -> float | None:
        """The p-value of the paired t test; None where there is no spread, or too few rows.

        Of clusters, it has as many degrees of freedom as clusters less 1.
        """
        value, _, error, interval, _, clusters = self.difference
        if error is None or interval is None:
            return None
        return t_tail(value / error, (clusters or self.pairs) - 1)


def paired_difference(
    counts: Mapping[tuple[float, float], int], clusters: Iterable[ClusterSum] | None = None
) -> PairedDifference:
    """Return the mean difference of paired scores from 0 to 1, with its 95 % interval.

    `counts` says how often each pair occurs; there is at least one. `clusters` has the sums of the
    differences. Pairing takes out what is hard or easy of a row: E. Miller, arXiv:2411.00640
    (2024), section 4.2. The interval is that of `interval_of_mean`. If all scores are 0 or 1, and
    rows have no clusters, it is that of `rates_difference`. Fewer than five rows are too few.
    """
    n = sum(counts.values())
    before, after = (
        fsum(pair[at] * count for pair, count in counts.items()) / n for at in range(2)
    )
    mean = after - before
    squares = fsum(count * (new - old - mean) ** 2 for (old, new), count in counts.items())
    found = interval_of_mean(mean, n, squares, clusters, ends=_ENDS)
    if clusters is None and n >= FEWEST and all(each in (0, 1) for pair in counts for each in pair):
        interval = rates_difference(counts.get((0, 1), 0), counts.get((1, 0), 0), n)
        found = found._replace(interval=interval, method=BONETT_PRICE)
    return PairedDifference(before, after, found)


def rates_difference(better: int, worse: int, pairs: int) -> Interval:
    """Return the 95 % interval of the difference of two rates of the same rows.

    `better` rows passed only the second time, `worse` only the first. The adjusted Wald interval:
    one row is added to either, and d ± z √((p + q - (p - q)²) / (n + 2)). D. G. Bonett and R. M.
    Price, "Adjusted Wald confidence interval for a difference of binomial proportions based on
    paired data", Journal of Educational and Behavioral Statistics 37 (2012), 479-488.
    """
    n = pairs + 2
    p, q = (better + 1) / n, (worse + 1) / n
    spread = Z95 * sqrt((p + q - (p - q) ** 2) / n)
    return Interval(max(-1.0, p - q - spread), min(1.0, p - q + spread))


def mcnemar_exact(better: int, worse: int) -> float:
    """Return the p-value of as many rows that turned to either side, if either was as likely.

    The two-sided exact test of Q. McNemar, "Note on the sampling error of the difference between
    correlated proportions or percentages", Psychometrika 12 (1947), 153-157: twice the chance of
    at most the smaller number among all that turned, at most 1.
    """
    turned, fewer = better + worse, min(better, worse)
    if turned > _MOST_EXACT:
        return t_tail(max(0, abs(better - worse) - 1) / sqrt(turned), inf)
    chances = term = 1  # of 2 to the power of `turned`
    for k in range(fewer):
        term = term * (turned - k) // (k + 1)
        chances += term
    return min(1.0, 2 * chances / (1 << turned))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for the number of tests, in their order.

    The k-th smallest of m is multiplied by m - k + 1, and none is less than a smaller one. S. Holm,
    "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6
    (1979), 65-70.
    """
    corrected, largest = [0.0] * len(p_values), 0.0
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, at in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[at]))
        corrected[at] = largest
    return corrected


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
