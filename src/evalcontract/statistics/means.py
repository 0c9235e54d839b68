"""The weighted mean, for weights of any size."""

from __future__ import annotations

from math import fsum
from operator import mul
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


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
