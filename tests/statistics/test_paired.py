"""Differences of the same rows: what is degenerate, and how often intervals are right."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.statistics.estimates import (
    BONETT_PRICE,
    ClusterSum,
    PairedDifference,
    T,
    holm,
    mcnemar_exact,
    paired_difference,
    rates_difference,
)


def of_pairs(*pairs: tuple[float, float]) -> PairedDifference:
    return paired_difference(Counter(pairs))


@every_case(
    ("pairs", "method", "stderr", "interval", "p_value"),
    [
        # Fewer than five rows are too few, and an interval of no width would be wrong.
        ([(0, 1)], T, None, None, None),
        ([(0, 0.5)] * 4, T, None, None, None),
        ([(1, 1)] * 3 + [(0, 1)], T, 0.25, None, None),
        # No row turned; one more row on either side is added.
        ([(1, 1)] * 5, BONETT_PRICE, None, (-0.396, 0.396), None),
        ([(0.5, 0.5)] * 5, T, None, (-0.4345, 0.4345), None),
        ([(0, 0.5)] * 5, T, None, (-0.1517, 0.7172), None),
        ([(0, 1)] * 4 + [(1, 1)], BONETT_PRICE, 0.2, (0.0318, 1), 0.0161),
        (
            [(0.1, 0.3), (0.2, 0.3), (0.5, 0.8), (0.4, 0.4), (0.9, 1)],
            T,
            0.051,
            (-0.0016, 0.2816),
            0.0516,
        ),
    ],
)
def test_differences(
    pairs: list[tuple[float, float]],
    method: str,
    stderr: float | None,
    interval: tuple[float, float] | None,
    p_value: float | None,
) -> None:
    found = of_pairs(*pairs)
    assert (found.pairs, found.difference.method) == (len(pairs), method)
    assert found.mean == pytest.approx(sum(new - old for old, new in pairs) / len(pairs))
    shown = found.difference
    assert shown.stderr == (None if stderr is None else pytest.approx(stderr, abs=5e-5))
    assert shown.interval == (None if interval is None else pytest.approx(interval, abs=5e-5))
    assert found.p_value == (None if p_value is None else pytest.approx(p_value, abs=5e-5))


def test_rows_of_a_cluster_that_turn_together_are_seen_once() -> None:
    pairs = Counter({(0.0, 1.0): 20, (1.0, 0.0): 10, (1.0, 1.0): 30})
    alone = paired_difference(pairs).difference
    sums = [ClusterSum(5, 5)] * 4 + [ClusterSum(5, -5)] * 2 + [ClusterSum(5, 0)] * 6
    clustered = paired_difference(pairs, sums).difference
    assert (clustered.value, clustered.method, clustered.clusters) == (alone.value, T, 12)
    assert clustered.interval is not None
    assert alone.interval is not None
    assert clustered.interval.width > 2 * alone.interval.width


@every_case(
    ("better", "worse", "p_value"),
    [(0, 0, 1), (1, 0, 1), (1, 1, 1), (5, 0, 0.0625), (1, 9, 0.021484375), (0, 20_000, 0)],
)
def test_mcnemar(better: int, worse: int, p_value: float) -> None:
    assert mcnemar_exact(better, worse) == mcnemar_exact(worse, better) == pytest.approx(p_value)


def test_mcnemar_of_many_rows_is_near_the_exact_one() -> None:
    better, turned = 5060, 10_001
    ways = accumulate(range(turned - better), lambda n, k: n * (turned - k) // (k + 1), initial=1)
    exact = 2 * sum(ways) / 2**turned
    assert mcnemar_exact(better, turned - better) == pytest.approx(exact, rel=0.001)


@every_case(
    ("p_values", "corrected"),
    [
        ([], []),
        ([0.04], [0.04]),
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ([0.5, 0.5], [1, 1]),
        ([0.02, 0.02, 0.02], [0.06, 0.06, 0.06]),
    ],
)
def test_holm(p_values: list[float], corrected: list[float]) -> None:
    assert holm(p_values) == pytest.approx(corrected)


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_keeps_the_order(p_values: list[float]) -> None:
    corrected = holm(p_values)
    for one, new in zip(p_values, corrected, strict=True):
        assert min(1.0, one) <= new <= 1
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    assert [corrected[at] for at in order] == sorted(corrected)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("n", "better", "worse"), [(30, 0.3, 0.1), (50, 0.2, 0.05), (50, 0.1, 0.1), (200, 0.1, 0.1)]
)
def test_the_interval_of_rates_holds_the_truth(n: int, better: float, worse: float) -> None:
    chance, times, held = Random(7), 4000, 0  # noqa: S311 - the same every time
    for _ in range(times):
        drawn = Counter(
            (0, 1) if at < better else (1, 0) if at < better + worse else (1, 1)
            for at in (chance.random() for _ in range(n))
        )
        lower, upper = rates_difference(drawn[0, 1], drawn[1, 0], n)
        held += lower <= better - worse <= upper
    assert 0.93 <= held / times <= 0.97


@pytest.mark.thorough
@pytest.mark.parametrize("n", [12, 30, 100])
def test_the_interval_of_scores_holds_the_truth(n: int) -> None:
    chance, times, held = Random(7), 4000, 0  # noqa: S311 - the same every time
    for _ in range(times):
        pairs = []
        for _ in range(n):
            old = chance.random()
            pairs.append((old, min(1.0, old / 2 + 0.5 * chance.random())))
        interval = of_pairs(*pairs).difference.interval
        assert interval is not None
        held += interval.lower <= 0 <= interval.upper
    assert 0.93 <= held / times <= 0.97
