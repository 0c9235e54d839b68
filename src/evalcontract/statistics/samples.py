"""Several samples of the same rows: chances to pass, and how much of a spread is between rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb, fsum
from typing import NamedTuple


def pass_at_k(n: int, passed: int, k: int) -> float:
    """Return the chance that at least one of k samples passes, of n of which some passed.

    1 - C(n - c, k) / C(n, k), without bias for k from 1 to n. M. Chen et al., "Evaluating large
    language models trained on code", arXiv:2107.03374 (2021), section 2.1.
    """
    return 1 - comb(n - passed, k) / comb(n, k)


def pass_all_k(n: int, passed: int, k: int) -> float:
    """Return the chance that all of k samples pass (pass^k), of n of which some passed.

    C(c, k) / C(n, k), without bias for k from 1 to n. S. Yao et al., "tau-bench: a benchmark for
    tool-agent-user interaction in real-world domains", arXiv:2406.12045 (2024), section 3.
    """
    return comb(passed, k) / comb(n, k)


class SampledRow(NamedTuple):
    """The scores of the samples of a row: how many, their sum, and the sum of their squares."""

    n: int
    total: float
    squares: float

    @classmethod
    def of(cls, scores: Sequence[float]) -> SampledRow:
        """Return some scores, in numbers."""
        return cls(len(scores), fsum(scores), fsum(score * score for score in scores))

    @property
    def mean(self) -> float:
        """The mean of the scores."""
        return self.total / self.n

    @property
    def variance(self) -> float | None:
        """The variance of the scores of this row; None for one sample."""
        spread = max(0.0, self.squares - self.total**2 / self.n)
        return spread / (self.n - 1) if self.n > 1 else None


class SampledVariance(NamedTuple):
    """The variance of scores within rows, and that of the true means of rows, between them."""

    within: float | None
    between: float | None


def sampled_variance(counts: Mapping[SampledRow, int]) -> SampledVariance:
    """Return what of the variance of scores is within rows, and between them.

    `counts` says how many rows have the same samples.

    Of the variance of the means of rows, the part is taken away that comes from few samples: the
    mean over rows of their variance by their number of samples. E. Miller, arXiv:2411.00640 (2024),
    sections 3 and 5 (the law of total variance). `within` is None if no row has two samples,
    `between` if there are fewer than two rows, or a row has one sample.
    """
    many = [(row, count) for row, count in counts.items() if row.n > 1]
    n, sampled = sum(counts.values()), sum(count for _, count in many)
    within = None
    if many:
        within = fsum((row.variance or 0.0) * count for row, count in many) / sampled
    if n < 2 or sampled < n:  # noqa: PLR2004 - one row has no spread
        return SampledVariance(within, None)
    mean = fsum(row.mean * count for row, count in counts.items()) / n
    spread = fsum(count * (row.mean - mean) ** 2 for row, count in counts.items()) / (n - 1)
    noise = fsum((row.variance or 0.0) / row.n * count for row, count in many) / n
    return SampledVariance(within, max(0.0, spread - noise))
