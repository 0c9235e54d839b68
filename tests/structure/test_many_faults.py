"""A value with thousands of faults: the first are described, and the rest is not passed over."""

from __future__ import annotations

from collections import Counter

import pytest

from evalcontract.structure.validator import structure_of


@pytest.mark.parametrize("faults", [1_000, 1_001, 50_000])
def test_many_faults_in_one_value(faults: int) -> None:
    problems = structure_of("rubric").check(
        {
            "id": "a",
            "version": "1.0.0",
            "checks": [{"kind": "must_contain_any", "values": [1] * faults}],
            "scoring": {"combine": "all_pass"},
        }
    )
    codes = Counter(problem.code for problem in problems)
    assert codes["rubric/wrong-type"] == 1_000
    assert codes["source/limit-exceeded"] == (faults > 1_000)
