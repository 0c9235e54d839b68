"""How many rows a difference needs: what is degenerate, and how often it is then found."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.statistics.estimates import (
    DifferenceVariance,
    detectable,
    paired_difference,
    rows_needed,
)


@every_case(
    ("variance", "detect", "power", "rows"),
    [
        # (1.96 + 0.8416)² is 7.849, and t adds a row or two.
        (1, 0.1, 0.8, 787),
        (1, 0.5, 0.8, 34),
        (0.25, 0.05, 0.9, 1053),
        (0, 0.1, 0.8, 2),
        (1e-9, 1, 0.8, 2),
        (1, 1e-9, 0.8, None),
    ],
)
def test_rows_needed(variance: float, detect: float, power: float, rows: int | None) -> None:
    assert rows_needed(variance, detect, power) == rows


@given(st.floats(1e-4, 1), st.floats(0.01, 0.5), st.sampled_from((0.3, 0.5, 0.8, 0.95)))
def test_so_many_rows_find_the_difference_and_fewer_do_not(
    variance: float, detect: float, power: float
) -> None:
    rows = rows_needed(variance, detect, power)
    assert rows is not None
    assert detectable(variance, rows, power) <= detect * (1 + 1e-9)
    if rows > 2:
        assert detectable(variance, rows - 1, power) >= detect * (1 - 1e-9)


def test_samples_make_only_the_variance_within_rows_small() -> None:
    variance = DifferenceVariance(between=0.02, within=0.3)
    assert variance.of(1) == pytest.approx(0.32)
    assert variance.of(10) == pytest.approx(0.05)
    assert DifferenceVariance(0.02, None).of(3) == 0.02


@pytest.mark.thorough
@pytest.mark.parametrize("power", [0.6, 0.8, 0.95])
def test_the_difference_is_found_as_often_as_asked(power: float) -> None:
    """Scores are uniform, and the second ones higher by 0.05 on average."""
    rows = rows_needed(0.1 / 12, 0.05, power)
    assert rows is not None
    chance, times, found = Random(3), 4000, 0  # noqa: S311 - the same every time
    for _ in range(times):
        pairs = Counter((0.3, 0.35 + (0.1**0.5) * (chance.random() - 0.5)) for _ in range(rows))
        p_value = paired_difference(pairs).p_value
        found += p_value is not None and p_value < 0.05
    assert found / times == pytest.approx(power, abs=0.03)
