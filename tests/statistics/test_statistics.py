"""Known answers of the statistics: published ones, and those of SciPy, scikit-learn, statsmodels.

SciPy 1.17, scikit-learn 1.9 and statsmodels 0.15 computed the numbers that are given to ten digits.
"""

from __future__ import annotations

from itertools import combinations
from math import inf, nan
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.statistics import rates as intervals
from evalcontract.statistics.rates import (
    Agreement,
    CorrectedRate,
    Interval,
    MeasuredRate,
    bootstrap_interval,
    cohens_kappa,
    corrected,
    corrected_interval,
    corrected_rate,
    wilson_interval,
)
from evalcontract.statistics.scores import best, kendall_tau_b, spearman, sweep

if TYPE_CHECKING:
    from collections.abc import Sequence

# Counts


@every_case(
    ("pairs", "counts", "tpr", "tnr"),
    [
        ([(True, True), (True, False), (False, False), (False, True)], (1, 1, 1, 1), 0.5, 0.5),
        ([(True, True)] * 3 + [(True, False)], (3, 1, 0, 0), 0.75, None),
        ([(False, True)], (0, 0, 0, 1), None, 0.0),
        ([], (0, 0, 0, 0), None, None),
    ],
)
def test_counts(
    pairs: list[tuple[bool, bool]],
    counts: tuple[int, int, int, int],
    tpr: float | None,
    tnr: float | None,
) -> None:
    agreement = Agreement.of_pairs(pairs)
    assert agreement == counts
    assert (agreement.rate("tpr"), agreement.rate("tnr")) == (tpr, tnr)
    assert agreement.youden == (None if tpr is None or tnr is None else tpr + tnr - 1)


@every_case(
    ("counts", "kappa"),
    [
        ((92, 8, 88, 12), 0.8),
        ((20, 5, 15, 10), 0.4),
        ((1, 9, 9, 1), 0.0),
        ((45, 15, 15, 25), 0.1304347826),
        ((0, 5, 5, 0), 0.0),
        ((0, 5, 0, 5), -1.0),
        ((5, 0, 5, 0), 1.0),
    ],
)
def test_kappa(counts: tuple[int, int, int, int], kappa: float) -> None:
    assert cohens_kappa(Agreement(*counts)) == pytest.approx(kappa, abs=1e-9)


@every_case("counts", [(0, 0, 0, 0), (7, 0, 0, 0), (0, 0, 7, 0)])
def test_kappa_of_one_verdict_is_undefined(counts: tuple[int, int, int, int]) -> None:
    assert cohens_kappa(Agreement(*counts)) is None


# Intervals


@every_case(
    ("n", "lower", "upper"),
    [
        (10, 0.596, 0.982),
        (20, 0.699, 0.972),
        (30, 0.744, 0.965),
        (50, 0.786, 0.957),
        (100, 0.826, 0.945),
        (200, 0.851, 0.934),
    ],
)
def test_wilson_interval_of_nine_tenths(n: int, lower: float, upper: float) -> None:
    assert wilson_interval(0.9 * n, n) == pytest.approx((lower, upper), abs=5e-4)


@every_case(
    ("right", "n", "lower", "upper"),
    [
        (92, 100, 0.850018923, 0.9589065385),
        (88, 100, 0.8018790057, 0.9300059356),
        (18, 20, 0.6989663548, 0.9721335188),
        (0, 7, 0.0, 0.3543304351),
        (7, 7, 0.6456695649, 1.0),
        (1, 3, 0.0614919447, 0.7923403992),
    ],
)
def test_wilson_interval(right: int, n: int, lower: float, upper: float) -> None:
    assert wilson_interval(right, n) == pytest.approx((lower, upper), abs=1e-9)


@given(st.integers(1, 10**30), st.floats(0, 1))
def test_wilson_interval_holds_its_rate(n: int, share: float) -> None:
    right = min(n, int(n * share))
    lower, upper = wilson_interval(right, n)
    assert 0 <= lower <= upper <= 1
    assert lower - 1e-9 <= right / n <= upper + 1e-9


@pytest.mark.slow
def test_bootstrap_is_the_same_every_time() -> None:
    agreement = Agreement(92, 8, 88, 12)
    first = bootstrap_interval(agreement, cohens_kappa)
    assert first == bootstrap_interval(agreement, cohens_kappa)
    assert first != bootstrap_interval(agreement, cohens_kappa, seed=7)


def _right(drawn: Agreement) -> float:
    return (drawn.tp + drawn.tn) / drawn.total


@pytest.mark.slow
@every_case(
    "counts", [(40, 10, 20, 30), (97, 1, 1, 1), (9_990, 0, 9, 1), (0, 50, 50, 0), (5, 5, 0, 90)]
)
def test_bootstrap_of_many_outputs_is_that_of_single_ones(
    counts: tuple[int, int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The numbers of a sample are drawn from the same distribution, of any size."""
    few = Agreement(*counts)
    single = bootstrap_interval(few, _right)
    monkeypatch.setattr(intervals, "_MOST_SINGLE", 0)
    for most in (10, 1000):
        monkeypatch.setattr(intervals, "_MOST_COUNTED", most)
        numbers = bootstrap_interval(few, _right)
        assert numbers == pytest.approx(single, abs=0.02)


@pytest.mark.slow
def test_bootstrap_of_a_rate_is_near_the_interval_of_wilson() -> None:
    agreement = Agreement(450, 50, 400, 100)
    interval = bootstrap_interval(agreement, lambda drawn: drawn.rate("tpr"))
    assert interval == pytest.approx(wilson_interval(450, 500), abs=0.005)


@every_case("counts", [(0, 0, 0, 0), (9, 0, 0, 0)])
def test_bootstrap_of_what_is_undefined(counts: tuple[int, int, int, int]) -> None:
    assert bootstrap_interval(Agreement(*counts), cohens_kappa) is None


def test_width() -> None:
    assert Interval(0.25, 0.75).width == 0.5


# The corrected pass rate


@every_case(
    ("observed", "tpr", "tnr", "rate"),
    [
        (0.80, 0.92, 0.88, 0.85),
        (0.8, 0.55, 0.5, 6.0),
        (0.5, 1, 1, 0.5),
        (0.05, 0.9, 0.9, -0.0625),
        (0.8, 0.5, 0.5, None),
        (0.8, 0.2, 0.3, None),
    ],
)
def test_corrected_rate(observed: float, tpr: float, tnr: float, rate: float | None) -> None:
    found = corrected_rate(observed, tpr, tnr)
    assert found is None if rate is None else found == pytest.approx(rate)


@every_case(
    ("labels", "lower", "upper"),
    [(20, 0.739, 1.08), (50, 0.769, 0.973), (100, 0.783, 0.934)],
)
def test_corrected_interval(labels: int, lower: float, upper: float) -> None:
    found = corrected_interval(
        MeasuredRate(0.8, 500), MeasuredRate(0.92, labels), MeasuredRate(0.88, labels)
    )
    assert found == pytest.approx((lower, upper), abs=5e-3 if upper > 1 else 5e-4)


@pytest.mark.slow
@every_case(
    ("labels", "lower", "upper"), [(50, 0.780, 0.945), (100, 0.798, 0.916)]
)  # as judgy 0.1.0, which draws from the labels alone
def test_corrected_rate_by_bootstrap(labels: int, lower: float, upper: float) -> None:
    tp, tn = round(0.92 * labels), round(0.88 * labels)
    agreement = Agreement(tp, labels - tp, tn, labels - tn)

    def figure(drawn: Agreement) -> float | None:
        tpr, tnr = drawn.rate("tpr"), drawn.rate("tnr")
        return None if tpr is None or tnr is None else corrected_rate(0.8, tpr, tnr)

    assert bootstrap_interval(agreement, figure) == pytest.approx((lower, upper), abs=0.01)


def test_corrected_of_counts_is_clipped_only_to_show() -> None:
    found = corrected(MeasuredRate(0.99, 500), Agreement(18, 2, 18, 2))
    assert found is not None
    assert found.rate == pytest.approx(1.1125)
    assert found.interval.upper > 1
    assert found.clipped.rate == found.clipped.interval.upper == 1
    assert found.clipped.interval.lower == found.interval.lower
    assert CorrectedRate(-0.1, Interval(-0.3, 0.1)).clipped == (0, (0, 0.1))


@every_case("counts", [(0, 0, 9, 1), (9, 1, 0, 0), (5, 5, 5, 5), (1, 9, 1, 9), (0, 0, 0, 0)])
def test_corrected_without_meaning(counts: tuple[int, int, int, int]) -> None:
    assert corrected(MeasuredRate(0.8, 500), Agreement(*counts)) is None


# Ranks


@every_case(
    ("left", "right", "rho", "tau"),
    [
        ([1, 2, 3, 4, 5], [5, 6, 7, 8, 7], 0.8207826817, 0.7378647874),
        ([1, 1, 2, 2, 3], [1, 2, 2, 3, 3], 0.8055555556, 0.75),
        ([0.1, 0.4, 0.4, 0.9, 0.3, 0.7], [0, 0, 1, 1, 0, 1], 0.7921180344, 0.7126966451),
        ([1, 2, 3, 4], [4, 3, 2, 1], -1, -1),
        (
            [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5],
            [2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4],
            0.1384567651,
            0.1475729575,
        ),
        ([1, 2, inf], [1, 2, 3], 1, 1),
    ],
)
def test_rank_correlation(
    left: Sequence[float], right: Sequence[float], rho: float, tau: float
) -> None:
    assert spearman(left, right) == pytest.approx(rho, abs=1e-9)
    assert kendall_tau_b(left, right) == pytest.approx(tau, abs=1e-9)
    assert spearman(right, left) == pytest.approx(rho, abs=1e-9)
    assert kendall_tau_b(right, left) == pytest.approx(tau, abs=1e-9)


@every_case(
    ("left", "right"),
    [([], []), ([1], [2]), ([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [5, 5, 5]), ([1, nan], [1, 2])],
)
def test_rank_correlation_of_nothing(left: Sequence[float], right: Sequence[float]) -> None:
    assert spearman(left, right) is None
    assert kendall_tau_b(left, right) is None


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=30))
def test_tau_counts_pairs(pairs: list[tuple[int, int]]) -> None:
    """The fast count gives what comparing every pair with every other does."""
    signs = [((a > c) - (a < c), (b > d) - (b < d)) for (a, b), (c, d) in combinations(pairs, 2)]
    total = sum(one * other for one, other in signs)
    left, right = sum(one != 0 for one, _ in signs), sum(other != 0 for _, other in signs)
    found = kendall_tau_b(*zip(*pairs, strict=True))
    expected = total / (left * right) ** 0.5 if left and right else None
    assert found == (None if expected is None else pytest.approx(expected))


# Thresholds

SCORES = [(False, 1.0), (False, 2.0), (True, 2.0), (False, 3.0), (True, 4.0), (True, 5.0)]


def test_sweep_counts_every_threshold() -> None:
    assert [(each.score, *each.agreement) for each in sweep(SCORES)] == [
        (1.0, 3, 0, 0, 3),
        (2.0, 3, 0, 1, 2),
        (3.0, 2, 1, 2, 1),
        (4.0, 2, 1, 3, 0),
        (5.0, 1, 2, 3, 0),
    ]


@every_case(
    ("pairs", "score"),
    [
        (SCORES, 4.0),
        ([(False, 0.1), (True, 0.9)], 0.9),
        # J is 0.5 at each of 2 (TPR 1, TNR 0.5) and 4 (TPR 0.5, TNR 1): the higher one.
        ([(False, 1.0), (True, 2.0), (False, 3.0), (True, 4.0)], 4.0),
        # J is 0 at both: of 1 (TPR 1, TNR 0) and 2 (0.5 and 0.5), the rates of 2 are nearer.
        ([(True, 1.0), (False, 1.0), (True, 2.0), (False, 2.0)], 2.0),
        ([(True, 1.0), (True, 2.0)], None),
        ([(False, 1.0)], None),
        ([], None),
    ],
)
def test_best_threshold(pairs: list[tuple[bool, float]], score: float | None) -> None:
    found = best(sweep(pairs))
    assert (found and found.score) == score


def test_a_score_that_is_no_number() -> None:
    with pytest.raises(ValueError, match="NaN"):
        sweep([(True, nan)])


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9)), max_size=30))
def test_sweep_agrees_with_counting(pairs: list[tuple[bool, int]]) -> None:
    for score, agreement in sweep(pairs):
        assert agreement == Agreement.of_pairs((human, each >= score) for human, each in pairs)
