"""Agreement on levels, of several people, and of scores: known answers, and those of packages."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from real_packages import ask_peer
from tables import every_case

from evalcontract.statistics.rates import Agreement, cohens_kappa
from evalcontract.statistics.scores import area_under_roc, krippendorff_alpha, weighted_kappa

if TYPE_CHECKING:
    from collections.abc import Callable

SCRIPT = Path(__file__).with_name("agreement_real.py")
#: The example of Krippendorff's "Computing Krippendorff's Alpha-Reliability" (2011), of 4 people.
PEOPLE: list[list[float]] = [
    [1, 1, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [5, 5, 5], [1, 1], [3],
]  # fmt: skip


@every_case(
    ("left", "right", "linear", "quadratic"),
    [
        ([0, 1, 2], [0, 1, 2], 1, 1),
        ([0, 2], [2, 0], -1, -1),
        ([0, 1, 2, 2], [0, 2, 1, 2], 3 / 7, 0.6363636364),
        ([0, 0, 1, 1], [0, 1, 0, 1], 0, 0),
        ([0, 1.5, 2], [0, 1, 2], 0.8235294118, 0.9411764706),
        ([], [], None, None),
        ([1], [1], None, None),
        ([1], [2], 0, 0),
        ([1, 1], [1, 1], None, None),
        ([1, 1], [1, 2], 0, 0),
    ],
)
def test_weighted_kappa(
    left: list[float], right: list[float], linear: float | None, quadratic: float | None
) -> None:
    found = weighted_kappa(left, right, power=1), weighted_kappa(left, right, power=2)
    assert found == pytest.approx((linear, quadratic), abs=1e-9)


@every_case(
    ("units", "nominal", "ordinal", "interval"),
    [
        (PEOPLE, 0.7434210526, 0.8153875038, 0.8491071429),
        ([[1, 1], [2, 2]], 1, 1, 1),
        ([[1, 2], [2, 1]], -0.5, -0.5, -0.5),
        ([[1, 2, 3], [1, 2, 3]], -0.25, -0.25, -0.25),
        ([], None, None, None),
        ([[1]], None, None, None),
        ([[1], [2], [3]], None, None, None),
        ([[1, 1], [1, 1, 1]], None, None, None),
        ([[1, 2]], 0, 0, 0),
        ([[1, 1], [2]], None, None, None),
    ],
)
def test_krippendorffs_alpha(
    units: list[list[float]], nominal: float | None, ordinal: float | None, interval: float | None
) -> None:
    found = [
        krippendorff_alpha(units, "nominal"),
        krippendorff_alpha(units, "ordinal"),
        krippendorff_alpha(units, "interval"),
    ]
    assert found == pytest.approx([nominal, ordinal, interval], abs=1e-9)


@every_case(
    ("pairs", "area"),
    [
        ([(True, 1), (False, 0)], 1),
        ([(True, 0), (False, 1)], 0),
        ([(True, 1), (False, 1)], 0.5),
        ([(True, 3), (True, 1), (False, 2), (False, 1)], 0.625),
        ([(True, 1), (True, 2)], None),
        ([(False, 1)], None),
        ([], None),
    ],
)
def test_the_area_under_the_curve(pairs: list[tuple[bool, float]], area: float | None) -> None:
    assert area_under_roc(pairs) == area


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=50))
def test_of_two_levels_weights_make_no_difference(pairs: list[tuple[bool, bool]]) -> None:
    """Kappa of pass and fail is Cohen's, with any weights."""
    left, right = [float(one) for one, _ in pairs], [float(other) for _, other in pairs]
    kappa = cohens_kappa(Agreement.of_pairs(pairs))
    assert weighted_kappa(left, right, power=1) == pytest.approx(kappa, abs=1e-12)
    assert weighted_kappa(left, right, power=2) == pytest.approx(kappa, abs=1e-12)


def _ranks(chance: Random, *, size: int | None = None) -> list[float]:
    return [chance.randint(0, 4) for _ in range(size or chance.randint(5, 80))]


def _two(chance: Random) -> list[Any]:
    left = _ranks(chance)
    right = [one if chance.random() < 0.6 else chance.randint(0, 4) for one in left]
    return [left, right, chance.choice((1, 2))]


def _units(chance: Random) -> list[Any]:
    number = chance.randint(3, 40)
    units = [_ranks(chance, size=chance.randint(1, 5)) for _ in range(number)]
    units = [[unit[0]] * len(unit) if chance.random() < 0.7 else unit for unit in units]
    return [[[0, 1], *units], chance.choice(("nominal", "ordinal", "interval"))]


def _scored(chance: Random) -> list[Any]:
    humans = [True, False, *(chance.random() < 0.6 for _ in range(chance.randint(3, 80)))]
    return [humans, [chance.randint(0, 5) + 2 * human for human in humans]]


@pytest.mark.slow
@every_case(
    ("what", "case", "ours"),
    [
        ("kappa", _two, lambda left, right, power: weighted_kappa(left, right, power=power)),
        ("alpha", _units, krippendorff_alpha),
        ("auc", _scored, lambda humans, scores: area_under_roc(zip(humans, scores, strict=True))),
    ],
)
def test_packages_compute_the_same(
    what: str, case: Callable[[Random], list[Any]], ours: Callable[..., Any]
) -> None:
    chance = Random(29)  # noqa: S311 - the same cases every time
    cases = [case(chance) for _ in range(60)]
    for given_, theirs in zip(cases, ask_peer("statistics", SCRIPT, what, cases), strict=True):
        assert ours(*given_) == pytest.approx(theirs, rel=1e-9, abs=1e-12), given_
