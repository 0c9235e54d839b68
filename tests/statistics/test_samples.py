"""Several samples of a row: chances against counting all draws, variances against simulation."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from tables import every_case

from evalcontract.statistics.estimates import (
    SampledRow,
    pass_all_k,
    pass_at_k,
    sampled_variance,
)


@pytest.mark.parametrize("n", [1, 2, 5, 7])
def test_chances_are_those_of_all_draws(n: int) -> None:
    for passed in range(n + 1):
        samples = [at < passed for at in range(n)]
        for k in range(1, n + 1):
            drawn = [*combinations(samples, k)]
            at_least_one = sum(map(any, drawn)) / len(drawn)
            every = sum(map(all, drawn)) / len(drawn)
            assert pass_at_k(n, passed, k) == pytest.approx(at_least_one)
            assert pass_all_k(n, passed, k) == pytest.approx(every)


def of_scores(*rows: list[float]) -> Counter[SampledRow]:
    return Counter(SampledRow(len(row), sum(row), sum(x * x for x in row)) for row in rows)


@every_case(
    ("rows", "within", "between"),
    [
        ([], None, None),
        ([[0.5]], None, None),
        ([[0.5], [0.7]], None, None),
        ([[0, 1]], 0.5, None),
        ([[0, 1], [0.5]], 0.5, None),
        ([[0.5, 0.5], [0.7, 0.7]], 0, 0.02),
        # All of the spread of the means comes from few samples.
        ([[0, 1], [0, 1], [1, 0]], 0.5, 0),
        ([[0, 0, 1], [1, 1, 1]], 1 / 6, 2 / 9 - 1 / 18),
    ],
)
def test_variances(rows: list[list[float]], within: float | None, between: float | None) -> None:
    found = sampled_variance(of_scores(*rows))
    assert found.within == (None if within is None else pytest.approx(within, abs=1e-12))
    assert found.between == (None if between is None else pytest.approx(between, abs=1e-12))


@pytest.mark.thorough
def test_variances_are_those_that_scores_are_drawn_with() -> None:
    chance = Random(11)  # noqa: S311 - the same every time
    rows = []
    for _ in range(20_000):
        level = chance.gauss(0.5, 0.1)
        rows.append([chance.gauss(level, 0.2) for _ in range(chance.choice((2, 3, 5)))])
    found = sampled_variance(of_scores(*rows))
    assert found.within == pytest.approx(0.04, rel=0.03)
    assert found.between == pytest.approx(0.01, rel=0.07)
