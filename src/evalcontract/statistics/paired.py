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
#: In a comparison of many checks, so many pairs are drawn in all; then the same holds.
MOST_DRAWS = 6_000_000
# Drawing one sample takes as long as drawing some more pairs of it.
_OF_SAMPLE = 5


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


class Draws:
    """The pairs that may still be drawn for the intervals of one comparison."""

    def __init__(self, left: int = MOST_DRAWS) -> None:
        self._left = left

    def take(self, pairs: int) -> bool:
        """Whether samples of so many pairs may be drawn; they then count."""
        wanted = RESAMPLES * (pairs + _OF_SAMPLE)
        is_left = pairs <= MOST_DRAWN and wanted <= self._left
        self._left -= wanted if is_left else 0
        return is_left


def paired_difference(
    before: Sequence[float], after: Sequence[float], draws: Draws | None = None
) -> PairedDifference:
    """Return the mean difference of paired scores with its 95 % interval.

    Both have at least one score and the same length. Pairs are drawn with replacement 2,000 times,
    and the interval is from the 2.5 % to the 97.5 % point of the mean differences (the percentile
    bootstrap; B. Efron, Annals of Statistics 7 (1979), 1-26). For more than 1,000 pairs it is the
    mean ± 1.96 standard errors, and so it is if no more may be drawn (`draws`). The same scores
    always give the same result.
    """
    differences = [new - old for old, new in zip(before, after, strict=True)]
    draws = draws or Draws()
    is_drawn = draws.take(len(differences))
    interval = _interval(differences, is_drawn=is_drawn) if len(differences) > 1 else None
    return PairedDifference(len(differences), fmean(before), fmean(after), interval)


def _interval(differences: list[float], *, is_drawn: bool) -> Interval:
    many = len(differences)
    if not is_drawn:
        mean = fsum(differences) / many
        spread = Z95 * sqrt(variance(differences) / many)
        return Interval(mean - spread, mean + spread)
    from random import Random  # slow to import

    random = Random(SEED)  # noqa: S311 - statistics, which must be repeatable
    return percentile_interval(
        [fmean(random.choices(differences, k=many)) for _ in range(RESAMPLES)]
    )
