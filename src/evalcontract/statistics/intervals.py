"""95 % confidence intervals: Wilson's for a rate, and the percentile bootstrap for any figure."""

from __future__ import annotations

from math import ceil, floor, sqrt
from typing import TYPE_CHECKING, NamedTuple

from evalcontract.statistics.agreement import Agreement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: The 97.5 % point of the standard normal distribution, and the level that it stands for.
Z95 = 1.959963984540054
LEVEL = 0.95
_CEILING = 10**12  # larger counts are treated as this one, to avoid float overflow

#: How often a sample is drawn, and the most outputs that are drawn for one interval.
RESAMPLES, _FEWEST, _MOST_DRAWS = 2000, 200, 2_000_000
SEED = 20250101


class Interval(NamedTuple):
    """A confidence interval of 95 %: its ends."""

    lower: float
    upper: float

    @property
    def width(self) -> float:
        """The distance of the ends."""
        return self.upper - self.lower


def wilson_interval(right: float, of_all: int) -> Interval:
    """Return the 95 % confidence interval of a rate; both ends are from 0 to 1.

    The rate is `right` / `of_all`; `of_all` is at least 1, `right` need not be whole. The score
    interval of E. B. Wilson, "Probable inference, the law of succession, and statistical
    inference", Journal of the American Statistical Association 22 (1927), 209-212:
    (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n) with p = right/of_all, n = of_all.
    """
    n = min(of_all, _CEILING)
    p = right / of_all
    z2 = Z95 * Z95
    middle = p + z2 / (2 * n)
    spread = Z95 * sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    whole = 1 + z2 / n
    return Interval(max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole))


def bootstrap_interval(
    agreement: Agreement, figure: Callable[[Agreement], float | None], *, seed: int = SEED
) -> Interval | None:
    """Return the 95 % percentile bootstrap interval of a figure of a confusion matrix.

    Samples of the same size are drawn with replacement from the outputs compared, 2,000 of them
    (fewer, but at least 200, for more than 1,000 outputs); the ends are the 2.5 % and the 97.5 %
    point of the figure, interpolated between neighbours. B. Efron, "Bootstrap methods: another look
    at the jackknife", Annals of Statistics 7 (1979), 1-26. Samples for which the figure is None are
    left out; the result is None if that is all of them. A seed always gives the same result.
    """
    from random import Random  # slow to import

    if not agreement.total:
        return None
    random = Random(seed)  # noqa: S311 - statistics, which must be repeatable
    draws = min(RESAMPLES, max(_FEWEST, _MOST_DRAWS // agreement.total))
    figures: list[float] = []
    for _ in range(draws):
        drawn = random.choices(range(4), agreement, k=agreement.total)
        value = figure(Agreement(*(drawn.count(cell) for cell in range(4))))
        if value is not None:
            figures.append(value)
    return percentile_interval(figures) if figures else None


def percentile_interval(figures: Sequence[float]) -> Interval:
    """Return the interval from the 2.5 % to the 97.5 % point of at least one figure."""
    ordered, tail = sorted(figures), (1 - LEVEL) / 2
    return Interval(_point(ordered, tail), _point(ordered, 1 - tail))


def _point(ordered: list[float], share: float) -> float:
    """Return a quantile, interpolated linearly (Hyndman and Fan's definition 7)."""
    at = share * (len(ordered) - 1)
    below, above = ordered[floor(at)], ordered[ceil(at)]
    return below + (above - below) * (at - floor(at))
