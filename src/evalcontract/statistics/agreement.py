"""Agreement on levels, of several people, and of scores: weighted kappa, alpha, and AUC."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from math import fsum
from typing import Literal

#: How far two values are from each other: not the same, by their ranks, or by their difference.
Metric = Literal["nominal", "ordinal", "interval"]


def weighted_kappa(
    left: Sequence[float], right: Sequence[float], *, power: Literal[1, 2]
) -> float | None:
    """Return the weighted kappa of two raters, at most 1: 1 - D_o / D_e.

    Values are the ranks of levels. Two of them disagree by their distance (`power` 1, linear), or
    by its square (2, quadratic); D_o is the mean over the pairs, D_e that over all pairs of a left
    and a right value, as by chance. J. Cohen, "Weighted kappa: nominal scale agreement with
    provision for scaled disagreement or partial credit", Psychological Bulletin 70 (1968), 213-220.
    None without pairs, or if both raters gave one and the same value throughout.
    """
    if not left:
        return None
    pairs = zip(left, right, strict=True)
    observed = fsum(abs(one - other) ** power for one, other in pairs) / len(left)
    ones, others = Counter(left), Counter(right)
    expected = fsum(
        abs(one - other) ** power * times * often
        for one, times in ones.items()
        for other, often in others.items()
    )
    return 1 - observed * len(left) ** 2 / expected if expected else None


def krippendorff_alpha(units: Iterable[Sequence[float]], metric: Metric) -> float | None:
    """Return Krippendorff's alpha, at most 1: 1 - D_o / D_e; 0 is agreement by chance.

    A unit has the values that people gave to one output, in any order; fewer than two say nothing.
    D_o is the mean distance of two values of a unit, D_e that of any two. K. Krippendorff, "Content
    Analysis", 4th edition (2019), chapter 12, with its distances for `nominal`, `ordinal` and
    `interval` data. None if no unit has two values, or all values are the same.
    """
    shared = [unit for unit in units if len(unit) > 1]
    counts = Counter(value for unit in shared for value in unit)
    if len(counts) < 2:  # noqa: PLR2004 - what does not vary cannot be agreed on
        return None
    spread = _SPREADS[metric](counts)
    total = counts.total()
    observed = fsum(spread(Counter(unit)) / (len(unit) - 1) for unit in shared)
    return 1 - observed * (total - 1) / spread(counts)


# Returns the sum of the distances of all pairs of some values, both orders of each counted; it is
# made for the values of all units.
_Spread = Callable[[Mapping[float, int]], float]


def _nominal(_: Mapping[float, int]) -> _Spread:
    def spread(counts: Mapping[float, int]) -> float:
        return sum(counts.values()) ** 2 - sum(count * count for count in counts.values())

    return spread


def _of_squares(position: Callable[[float], float]) -> _Spread:
    """Return the sum of (a - b)² over all pairs: 2 n Σ (a - mean)²."""

    def spread(counts: Mapping[float, int]) -> float:
        number = sum(counts.values())
        mean = fsum(position(value) * count for value, count in counts.items()) / number
        return 2 * number * fsum((position(v) - mean) ** 2 * c for v, c in counts.items())

    return spread


def _ordinal(counts: Mapping[float, int]) -> _Spread:
    # The distance of two ranks counts the values between them, and half of those on either side:
    # it is that of the middles of both among all values.
    positions: dict[float, float] = {}
    before = 0
    for value in sorted(counts):
        positions[value] = before + counts[value] / 2
        before += counts[value]
    return _of_squares(positions.__getitem__)


_SPREADS: Mapping[Metric, Callable[[Mapping[float, int]], _Spread]] = {
    "nominal": _nominal,
    "ordinal": _ordinal,
    "interval": lambda _: _of_squares(float),
}


def area_under_roc(pairs: Iterable[tuple[bool, float]]) -> float | None:
    """Return the area under the ROC curve, from 0 to 1; 0.5 is by chance.

    A pair is whether people passed an output, and the judge's score. It is how often the score of
    an output that people passed is higher than that of one that they failed, ties counted by half.
    J. A. Hanley and B. J. McNeil, "The meaning and use of the area under a receiver operating
    characteristic (ROC) curve", Radiology 143 (1982), 29-36. None if people passed or failed all.
    """
    ordered = sorted(pairs, key=lambda pair: pair[1])
    good = sum(human for human, _ in ordered)
    bad = len(ordered) - good
    if not good or not bad:
        return None
    below, doubled = 0, 0
    for _, group in groupby(ordered, key=lambda pair: pair[1]):
        humans = [human for human, _ in group]
        failed = len(humans) - sum(humans)
        doubled += sum(humans) * (2 * below + failed)
        below += failed
    return doubled / (2 * good * bad)
