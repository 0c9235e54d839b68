"""Scores: weighted means, correlations of ranks, thresholds, and how far several people agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from math import fsum, isnan, sqrt
from operator import mul
from typing import Literal, NamedTuple

from evalcontract.statistics.rates import Agreement


def weighted_mean(values: Sequence[float], weights: Sequence[float]) -> float | None:
    """Return the mean of values by their weights; None if all weights are 0.

    Weights are at least 0. They are divided by the largest first, so that no sum is too large for
    a float, and that a small weight beside none counts.
    """
    largest = max(weights)
    if not largest:
        return None
    shares = [weight / largest for weight in weights]
    return fsum(map(mul, values, shares)) / fsum(shares)


def spearman(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Return Spearman's rho, from -1 to 1; tied scores share the mean of their ranks.

    It is Pearson's correlation of the ranks. C. Spearman, "The proof and measurement of association
    between two things", American Journal of Psychology 15 (1904), 72-101. None for fewer than two
    pairs, if all scores of a list are the same, or if one is NaN.
    """
    if not _comparable(left, right):
        return None
    return _pearson(_ranks(left), _ranks(right))


def kendall_tau_b(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Return Kendall's tau-b, from -1 to 1, which corrects for ties.

    (C - D) / √((n0 - n1)(n0 - n2)): C and D are the concordant and the discordant pairs, n0 all
    pairs, n1 and n2 those tied in either list. M. G. Kendall, "The treatment of ties in ranking
    problems", Biometrika 33 (1945), 239-251; counted in n log n steps as W. R. Knight does,
    Journal of the American Statistical Association 61 (1966), 436-439. None as for `spearman`.
    """
    if not _comparable(left, right):
        return None
    pairs = sorted(zip(left, right, strict=True))
    n0 = len(pairs) * (len(pairs) - 1) // 2
    n1 = _tied(left for left, _ in pairs)
    n2 = _tied(sorted(right))
    both = _tied(pairs)
    if n0 in (n1, n2):
        return None
    discordant, _ = _swaps([right for _, right in pairs])
    return (n0 - n1 - n2 + both - 2 * discordant) / sqrt((n0 - n1) * (n0 - n2))


def _comparable(left: Sequence[float], right: Sequence[float]) -> bool:
    return len(left) > 1 and not any(map(isnan, [*left, *right]))


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    position = 0
    for _, group in groupby(order, key=values.__getitem__):
        tied = [*group]
        for index in tied:
            ranks[index] = position + (len(tied) + 1) / 2
        position += len(tied)
    return ranks


def _pearson(left: list[float], right: list[float]) -> float | None:
    mean_left, mean_right = sum(left) / len(left), sum(right) / len(right)
    products = squares_left = squares_right = 0.0
    for one, other in zip(left, right, strict=True):
        products += (one - mean_left) * (other - mean_right)
        squares_left += (one - mean_left) ** 2
        squares_right += (other - mean_right) ** 2
    if not squares_left or not squares_right:
        return None
    return max(-1.0, min(1.0, products / sqrt(squares_left * squares_right)))


def _tied(ordered: Iterable[object]) -> int:
    """Return the number of pairs of equal values in an ordered list."""
    sizes = (sum(1 for _ in group) for _, group in groupby(ordered))
    return sum(size * (size - 1) // 2 for size in sizes)


def _swaps(values: list[float]) -> tuple[int, list[float]]:
    """Return the number of pairs in the wrong order, and the values sorted: a merge sort."""
    if len(values) < 2:  # noqa: PLR2004 - one value has no order
        return 0, values
    half = len(values) // 2
    (before, left), (after, right) = _swaps(values[:half]), _swaps(values[half:])
    swaps, merged, at = before + after, [], 0
    for value in left:
        while at < len(right) and right[at] < value:
            merged.append(right[at])
            at += 1
        swaps += at
        merged.append(value)
    return swaps, merged + right[at:]


class ChosenThreshold(NamedTuple):
    """The lowest score that passes, and the agreement with people that it gives."""

    score: float
    agreement: Agreement


def sweep(pairs: Iterable[tuple[bool, float]]) -> list[ChosenThreshold]:
    """Return the thresholds that differ in what passes, from the lowest to the highest.

    A pair is whether people passed an output, and the judge's score. The thresholds are the scores
    that occur: any other passes the same outputs as the next higher one of them, or none at all.

    Raises:
        ValueError: a score is NaN.

    """
    ordered = sorted(pairs, key=lambda pair: pair[1])
    if any(isnan(score) for _, score in ordered):
        raise ValueError("a score is NaN")
    good = sum(human for human, _ in ordered)
    tp, fn, tn, fp = good, 0, 0, len(ordered) - good
    thresholds: list[ChosenThreshold] = []
    for score, group in groupby(ordered, key=lambda pair: pair[1]):
        thresholds.append(ChosenThreshold(score, Agreement(tp, fn, tn, fp)))
        for human, _ in group:
            if human:
                tp, fn = tp - 1, fn + 1
            else:
                fp, tn = fp - 1, tn + 1
    return thresholds


def best(thresholds: Sequence[ChosenThreshold]) -> ChosenThreshold | None:
    """Return the threshold with the highest Youden's J, and so the highest balanced accuracy.

    Of equally good ones, it is the one whose TPR and TNR are nearest to each other, and of those
    the highest, which lets least bad work through. None if a class is empty, or there is none.
    """
    known = [each for each in thresholds if each.agreement.youden is not None]
    return max(known, key=_merit, default=None)


def _merit(threshold: ChosenThreshold) -> tuple[float, float, float]:
    agreement = threshold.agreement
    tpr, tnr = agreement.rate("tpr") or 0.0, agreement.rate("tnr") or 0.0
    # Rounded, so that the order of floating-point operations does not decide.
    return round(tpr + tnr, 12), -round(abs(tpr - tnr), 12), threshold.score


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
