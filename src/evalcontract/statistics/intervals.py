"""95 % confidence intervals: Wilson's for a rate, and the percentile bootstrap for any figure."""

from __future__ import annotations

from math import ceil, floor, log, log1p, sqrt
from typing import TYPE_CHECKING, NamedTuple

from evalcontract.statistics.agreement import Agreement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

#: The 97.5 % point of the standard normal distribution, and the level that it stands for.
Z95 = 1.959963984540054
LEVEL = 0.95
_CEILING = 10**12  # larger counts are treated as this one, to avoid float overflow

#: How often a sample is drawn, and the most outputs that are drawn for one interval.
RESAMPLES, _FEWEST, _MOST_DRAWS = 2000, 200, 2_000_000
SEED = 20250101
# Beyond so many outputs, their four numbers are drawn instead of each of them; a number that is
# larger than this on average is drawn from the normal distribution.
_MOST_SINGLE, _MOST_COUNTED = 10_000, 1000


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
    (fewer, but at least 200, for more than 1,000 outputs; of more than 10,000, the large cells of
    the matrix are drawn from the normal distribution); the ends are the 2.5 % and the 97.5 %
    point of the figure, interpolated between neighbours. B. Efron, "Bootstrap methods: another look
    at the jackknife", Annals of Statistics 7 (1979), 1-26. Samples for which the figure is None are
    left out; the result is None if that is all of them. A seed always gives the same result.
    """
    from random import Random  # slow to import

    if not agreement.total:
        return None
    random = Random(seed)  # noqa: S311 - statistics, which must be repeatable
    draw = _each if agreement.total <= _MOST_SINGLE else _numbers
    draws = min(RESAMPLES, max(_FEWEST, _MOST_DRAWS // agreement.total))
    figures: list[float] = []
    for _ in range(draws):
        value = figure(draw(agreement, random))
        if value is not None:
            figures.append(value)
    return percentile_interval(figures) if figures else None


def _each(agreement: Agreement, random: Random) -> Agreement:
    """Draw a sample output by output."""
    drawn = random.choices(range(4), agreement, k=agreement.total)
    return Agreement(*(drawn.count(cell) for cell in range(4)))


def _numbers(agreement: Agreement, random: Random) -> Agreement:
    """Draw the numbers of a sample: each is binomial, given those before it."""
    drawn: list[int] = []
    left, total = agreement.total, agreement.total
    for count in agreement:
        drawn.append(_binomial(left, count / total, random) if total else 0)
        left, total = left - drawn[-1], total - count
    return Agreement(*drawn)


def _binomial(trials: int, chance: float, random: Random) -> int:
    """Draw how many of some trials succeed."""
    if chance > 1 / 2:
        return trials - _binomial(trials, 1 - chance, random)
    mean = trials * chance
    if mean > _MOST_COUNTED:
        return min(trials, max(0, round(random.gauss(mean, sqrt(mean * (1 - chance))))))
    successes = at = 0
    while chance:
        # The number of trials up to the next success is geometric.
        at += floor(log(1 - random.random()) / log1p(-chance)) + 1
        if at > trials:
            break
        successes += 1
    return successes


def percentile_interval(figures: Sequence[float]) -> Interval:
    """Return the interval from the 2.5 % to the 97.5 % point of at least one figure."""
    ordered, tail = sorted(figures), (1 - LEVEL) / 2
    return Interval(_point(ordered, tail), _point(ordered, 1 - tail))


def _point(ordered: list[float], share: float) -> float:
    """Return a quantile, interpolated linearly (Hyndman and Fan's definition 7)."""
    at = share * (len(ordered) - 1)
    below, above = ordered[floor(at)], ordered[ceil(at)]
    return below + (above - below) * (at - floor(at))
