"""Differences of what was measured twice on the same rows: intervals, and tests of several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum, inf, sqrt
from typing import NamedTuple

from evalcontract.statistics.estimates import (
    FEWEST,
    ClusterSum,
    Estimate,
    interval_of_mean,
    t_tail,
)
from evalcontract.statistics.rates import Z95, Interval

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
