"""Rank correlation of two lists of scores, with ties."""

from __future__ import annotations

from itertools import groupby
from math import isnan, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


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
    done = 0
    for _, group in groupby(order, key=values.__getitem__):
        tied = [*group]
        for index in tied:
            ranks[index] = done + (len(tied) + 1) / 2
        done += len(tied)
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
