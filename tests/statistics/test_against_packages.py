"""The statistics against SciPy and statsmodels, on random samples."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from real_packages import ask_peer
from tables import every_case

from evalcontract.statistics.estimates import (
    FEWEST_CLUSTERS,
    ClusterSum,
    holm,
    mcnemar_exact,
    mean_estimate,
    paired_difference,
    pass_at_k,
    rows_needed,
    t_quantile,
    t_tail,
)
from evalcontract.statistics.rates import wilson_interval

if TYPE_CHECKING:
    from collections.abc import Callable

SCRIPT = Path(__file__).with_name("statistics_real.py")


def _sample(chance: Random) -> list[list[float]]:
    return [[chance.random() for _ in range(chance.randint(5, 60))]]


def _clustered(chance: Random) -> list[Any]:
    names = [
        at for at in range(chance.randint(FEWEST_CLUSTERS, 30)) for _ in range(chance.randint(1, 6))
    ]
    levels = [chance.random() for _ in range(max(names) + 1)]
    return [[0.6 * levels[name] + 0.3 * chance.random() for name in names], names]


def _counted(chance: Random) -> list[int]:
    of_all = chance.choice((1, 7, 40, 3000))
    return [chance.randint(0, of_all), of_all]


def _t(chance: Random) -> list[float]:
    return [chance.choice((0.0, 0.3, 2.0, 9.0, 80.0)), chance.choice((1, 2, 7.5, 30, 4000, 3e6))]


def _freedom(chance: Random) -> list[float]:
    return [
        chance.choice((1, 2, 3.5, 9, 29, 400, 1e5, 3e6)),
        chance.choice((0.5, 0.8, 0.95, 0.999)),
    ]


def _mean(values: list[float]) -> list[float]:
    found = mean_estimate(Counter(values))
    assert found.interval is not None
    return [found.value, found.stderr or 0.0, *found.interval]


def _mean_of_clusters(values: list[float], names: list[int]) -> list[float]:
    sums = [[v for v, n in zip(values, names, strict=True) if n == name] for name in {*names}]
    found = mean_estimate(Counter(values), [ClusterSum(len(each), sum(each)) for each in sums])
    assert found.interval is not None
    return [found.value, found.stderr or 0.0, *found.interval]


def _pairs(chance: Random) -> list[list[float]]:
    before = [chance.random() for _ in range(chance.randint(5, 60))]
    return [before, [(each + chance.random()) / 2 for each in before]]


def _turned(chance: Random) -> list[int]:
    return [chance.choice((0, 1, 3, 12, 200, 2000)), chance.choice((0, 1, 5, 30, 190))]


def _p_values(chance: Random) -> list[float]:
    return [chance.choice((chance.random(), 0.04, 1e-6)) for _ in range(chance.randint(1, 9))]


def _paired(before: list[float], after: list[float]) -> list[float]:
    found = paired_difference(Counter(zip(before, after, strict=True)))
    assert found.difference.interval is not None
    return [found.mean, found.p_value or 0.0, *found.difference.interval]


def _holm(*p_values: float) -> list[float]:
    return holm(p_values)


def _drawn(chance: Random) -> list[int]:
    n = chance.randint(1, 40)
    return [n, chance.randint(0, n), chance.randint(1, n)]


@pytest.mark.slow
def test_rows_needed_are_those_of_the_paired_t_test() -> None:
    """The exact number is that of the noncentral distribution; ours is at most a row or two off."""
    cases = [
        [variance, detect, power]
        for variance in (0.05, 0.25)
        for detect in (0.03, 0.1, 0.3)
        for power in (0.6, 0.8, 0.95)
    ]
    for given, exact in zip(
        cases, ask_peer("statistics", SCRIPT, "rows_needed", cases), strict=True
    ):
        assert rows_needed(*given) == pytest.approx(exact, abs=2), given


@pytest.mark.slow
@every_case(
    ("what", "case", "ours"),
    [
        ("wilson", _counted, wilson_interval),
        ("mean", _sample, _mean),
        ("clustered", _clustered, _mean_of_clusters),
        ("t_quantile", _freedom, t_quantile),
        ("t_tail", _t, t_tail),
        ("paired", _pairs, _paired),
        ("mcnemar", _turned, mcnemar_exact),
        ("holm", _p_values, _holm),
        ("pass_at_k", _drawn, pass_at_k),
    ],
)
def test_what_packages_compute_is_what_we_compute(
    what: str, case: Callable[[Random], list[Any]], ours: Callable[..., Any]
) -> None:
    chance = Random(29)  # noqa: S311 - the same cases every time
    cases = [case(chance) for _ in range(40)]
    for given, theirs in zip(cases, ask_peer("statistics", SCRIPT, what, cases), strict=True):
        assert ours(*given) == pytest.approx(theirs, rel=1e-6, abs=1e-9), given
