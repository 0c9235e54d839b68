"""Means and rates with their intervals: what is degenerate, and how often intervals are right."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.statistics.estimates import (
    FEWEST,
    FEWEST_CLUSTERS,
    WILSON,
    ClusterSum,
    Estimate,
    T,
    mean_estimate,
    rate_estimate,
    t_quantile,
)
from evalcontract.statistics.rates import wilson_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@every_case(
    ("values", "method", "stderr", "interval"),
    [
        # Those that are 0 or 1 are verdicts.
        ([1.0], WILSON, None, (0.2065, 1)),
        ([0.0] * 3, WILSON, None, (0, 0.5615)),
        ([0.0, 1.0], WILSON, 0.5, (0.0945, 0.9055)),
        # Fewer than five numbers are too few.
        ([0.5], T, None, None),
        ([0.5, 0.7], T, 0.1, None),
        ([0.5, 0.6, 0.7, 0.8], T, 0.0645, None),
        # The same numbers have no spread, but others are possible: 0 of 5 is at most 0.4345.
        ([0.5] * 5, T, None, (0.2828, 0.7172)),
        ([0.5] * 100_000, T, None, (0.49998, 0.50002)),
        # An interval ends where scores do.
        ([0.1, 1.0, 1.0, 1.0, 1.0], T, 0.18, (0.3202, 1)),
        ([0.2, 0.4, 0.4, 0.6, 0.9], T, 0.1183, (0.1715, 0.8285)),
    ],
)
def test_means(
    values: list[float],
    method: str,
    stderr: float | None,
    interval: tuple[float, float] | None,
) -> None:
    found = mean_estimate(Counter(values))
    assert (found.n, found.method, found.clusters) == (len(values), method, None)
    assert found.value == pytest.approx(sum(values) / len(values))
    assert found.stderr == (None if stderr is None else pytest.approx(stderr, abs=5e-5))
    assert found.interval == (None if interval is None else pytest.approx(interval, abs=5e-5))


def of_clusters(clusters: Sequence[Sequence[float]]) -> Estimate:
    sums = [ClusterSum(len(each), sum(each)) for each in clusters]
    return mean_estimate(Counter(value for each in clusters for value in each), sums)


@every_case(
    ("clusters", "stderr", "interval"),
    [
        # Few clusters are too few, however many rows they have.
        ([[1.0] * 50] * 9, None, None),
        ([[0.3] * 50, [0.4] * 50], 0.05, None),
        # Without any spread, a cluster says as much as one verdict or score.
        ([[1.0] * 50] * 10, None, tuple(wilson_interval(10, 10))),
        ([[0.5] * 50] * 10, None, (0.3612, 0.6388)),
        # What is the same in a cluster is seen once.
        ([[0.4, 0.4]] * 10 + [[0.6, 0.6]] * 10, 0.0229, (0.452, 0.548)),
        ([[0.4]] * 10 + [[0.6]] * 10, 0.0229, (0.452, 0.548)),
    ],
)
def test_means_of_clusters(
    clusters: list[list[float]], stderr: float | None, interval: tuple[float, float] | None
) -> None:
    found = of_clusters(clusters)
    assert found.clusters == len(clusters)
    assert found.stderr == (None if stderr is None else pytest.approx(stderr, abs=5e-5))
    assert found.interval == (None if interval is None else pytest.approx(interval, abs=5e-5))


@given(st.lists(st.sampled_from((0.0, 0.25, 0.5, 1.0)), min_size=FEWEST, max_size=40))
def test_an_interval_has_a_width_and_holds_the_mean(values: list[float]) -> None:
    """Also that of rows that all came to the same."""
    for found in (mean_estimate(Counter(values)), of_clusters([[value] for value in values])):
        if len(values) < FEWEST_CLUSTERS and found.clusters:
            assert found.interval is None
            continue
        assert found.interval is not None
        assert 0 <= found.interval.lower <= found.value + 1e-9
        assert found.value - 1e-9 <= found.interval.upper <= 1
        assert found.interval.width > 0


def test_clusters_of_one_row_are_rows() -> None:
    values = [0.1, 0.2, 0.2, 0.5, 0.7, 0.9, 0.9, 0.3, 0.4, 0.6]
    alone, clustered = mean_estimate(Counter(values)), of_clusters([[each] for each in values])
    assert alone.interval is not None
    assert clustered.interval == pytest.approx(alone.interval)
    assert clustered.stderr == pytest.approx(alone.stderr)


def test_the_normal_distribution_is_the_limit() -> None:
    assert t_quantile(1e9) == pytest.approx(1.959963985)


# How often an interval holds the truth


def _of_rate(p: float, n: int, chance: Random) -> Estimate:
    return rate_estimate(sum(chance.random() < p for _ in range(n)), n)


def _of_scores(draw: Callable[[Random], float], n: int, chance: Random) -> Estimate:
    return mean_estimate(Counter(draw(chance) for _ in range(n)))


def _of_clusters(
    p: float, sizes: tuple[int, ...], n: int, chance: Random, *, are_verdicts: bool
) -> Estimate:
    clusters = []
    for _ in range(n):
        share = chance.betavariate(2 * p, 2 * (1 - p))  # an intracluster correlation of 1/3
        size = chance.choice(sizes)
        clusters.append(
            [
                float(chance.random() < share) if are_verdicts else (share + chance.random()) / 2
                for _ in range(size)
            ]
        )
    return of_clusters(clusters)


def _share(times: int) -> Callable[[Random], float]:
    return lambda chance: sum(chance.random() < 0.7 for _ in range(times)) / times


COVERED: list[tuple[float, Callable[[Random], Estimate]]] = [
    *((p, lambda chance, p=p: _of_rate(p, 100, chance)) for p in (0.3, 0.5, 0.8)),
    *((0.5, lambda chance, n=n: _of_scores(Random.random, n, chance)) for n in (12, 30, 200)),
    *((0.7, lambda chance, n=n: _of_scores(_share(3), n, chance)) for n in (12, 30)),
    (0.8, lambda chance: _of_scores(lambda one: one.betavariate(8, 2), 30, chance)),
    (0.6, lambda chance: _of_clusters(0.6, (5,), 40, chance, are_verdicts=True)),
    (0.7, lambda chance: _of_clusters(0.7, (1, 2, 4), 40, chance, are_verdicts=True)),
    (0.55, lambda chance: _of_clusters(0.6, (1, 2, 4), 40, chance, are_verdicts=False)),
]


@pytest.mark.thorough
@pytest.mark.parametrize("at", range(len(COVERED)))
def test_intervals_hold_the_truth_as_often_as_they_say(at: int) -> None:
    truth, draw = COVERED[at]
    chance, times = Random(2024), 4000  # noqa: S311 - the same every time
    held = 0
    for _ in range(times):
        interval = draw(chance).interval
        assert interval is not None
        held += interval.lower <= truth <= interval.upper
    assert 0.93 <= held / times <= 0.97
