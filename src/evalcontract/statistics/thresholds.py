"""Every threshold that a judge with a numeric score can have, and the best of them."""

from __future__ import annotations

from itertools import groupby
from math import isnan
from typing import TYPE_CHECKING, NamedTuple

from evalcontract.statistics.agreement import Agreement

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Threshold(NamedTuple):
    """The lowest score that passes, and the agreement with people that it gives."""

    score: float
    agreement: Agreement


def sweep(pairs: Iterable[tuple[bool, float]]) -> list[Threshold]:
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
    thresholds: list[Threshold] = []
    for score, group in groupby(ordered, key=lambda pair: pair[1]):
        thresholds.append(Threshold(score, Agreement(tp, fn, tn, fp)))
        for human, _ in group:
            if human:
                tp, fn = tp - 1, fn + 1
            else:
                fp, tn = fp - 1, tn + 1
    return thresholds


def best(thresholds: Sequence[Threshold]) -> Threshold | None:
    """Return the threshold with the highest Youden's J, and so the highest balanced accuracy.

    Of equally good ones, it is the one whose TPR and TNR are nearest to each other, and of those
    the highest, which lets least bad work through. None if a class is empty, or there is none.
    """
    known = [each for each in thresholds if each.agreement.youden is not None]
    return max(known, key=_merit, default=None)


def _merit(threshold: Threshold) -> tuple[float, float, float]:
    agreement = threshold.agreement
    tpr, tnr = agreement.rate("tpr") or 0.0, agreement.rate("tnr") or 0.0
    # Rounded, so that the order of floating-point operations does not decide.
    return round(tpr + tnr, 12), -round(abs(tpr - tnr), 12), threshold.score
