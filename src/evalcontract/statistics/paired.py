"""Compare two runs over the same rows: the mean difference, with its confidence interval."""

from __future__ import annotations

from math import fsum, sqrt
from statistics import fmean, variance
from typing import TYPE_CHECKING, NamedTuple

from evalcontract.statistics.intervals import RESAMPLES, SEED, Z95, Interval, percentile_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Up to so many pairs, samples are drawn; beyond, the normal distribution is as good.
MOST_DRAWN = 1000


class PairedDifference(NamedTuple):
    """The mean of the second scores less that of the first, over so many pairs.

    `interval` is None for fewer than two pairs.
    """

    pairs: int
    before: float
    after: float
    interval: Interval | None

    @property
    def mean(self) -> float:
        """The mean difference, from -1 to 1 for scores from 0 to 1."""
        return self.after - self.before

    @property
    def is_clear(self) -> bool:
        """Whether the interval is on one side of 0."""
        return self.interval is not None and (self.interval.lower > 0 or self.interval.upper < 0)


def paired_difference(before: Sequence[float], after: Sequence[float]) -> PairedDifference:
    """Return the mean difference of paired scores with its 95 % interval.

    Both have at least one score and the same length. Pairs are drawn with replacement 2,000 times,
    and the interval is from the 2.5 % to the 97.5 % point of the mean differences (the percentile
    bootstrap; B. Efron, Annals of Statistics 7 (1979), 1-26). For more than 1,000 pairs it is the
    mean ± 1.96 standard errors. The same scores always give the same result.
    """
    differences = [new - old for old, new in zip(before, after, strict=True)]
    interval = _interval(differences) if len(differences) > 1 else None
    return PairedDifference(len(differences), fmean(before), fmean(after), interval)


def _interval(differences: list[float]) -> Interval:
    many = len(differences)
    if many > MOST_DRAWN:
        mean = fsum(differences) / many
        spread = Z95 * sqrt(variance(differences) / many)
        return Interval(mean - spread, mean + spread)
    from random import Random  # slow to import

    random = Random(SEED)  # noqa: S311 - statistics, which must be repeatable
    return percentile_interval(
        [fmean(random.choices(differences, k=many)) for _ in range(RESAMPLES)]
    )
