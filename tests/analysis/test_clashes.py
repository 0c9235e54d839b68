"""Which text an output holds for certain when it holds another, by both checks' rules of case."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcontract.analysis.clashes import find_clashes
from evalcontract.analysis.clashing_texts import implies


@pytest.mark.parametrize(
    ("held", "held_sensitive", "part", "part_sensitive", "certain"),
    [
        ("full refund", False, "Refund", False, True),
        ("full refund", True, "Refund", False, True),
        ("full refund", True, "refund", True, True),
        ("full refund", True, "Refund", True, False),
        ("full refund", False, "refund", True, False),  # FULL REFUND has no `refund`
        ("24 hours", False, "24", True, True),  # digits have no case
        ("refund", False, "full refund", False, False),
    ],
)
def test_what_a_text_implies(
    held: str,
    held_sensitive: bool,  # noqa: FBT001
    part: str,
    part_sensitive: bool,  # noqa: FBT001
    certain: bool,  # noqa: FBT001
) -> None:
    found = implies(held, part, held_sensitive=held_sensitive, part_sensitive=part_sensitive)
    assert found == certain


LETTERS = st.text(alphabet="aA1", min_size=1, max_size=3)


def passes(check: dict[str, Any], output: str) -> bool:
    fold = str if check["case_sensitive"] else str.lower
    found = any(fold(value) in fold(output) for value in check["values"])
    wanted: bool = check["kind"] == "must_contain_any"
    return found == wanted


def checks(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    values = st.lists(LETTERS, min_size=1, max_size=3)
    parts = {"kind": st.just(kind), "values": values, "case_sensitive": st.booleans()}
    return st.fixed_dictionaries(parts)


OUTPUTS = ["".join(letters) for size in range(5) for letters in product("aA1", repeat=size)]


@given(checks("must_contain_any"), checks("must_not_contain"))
def test_no_output_passes_both(wanted: dict[str, Any], unwanted: dict[str, Any]) -> None:
    pair = [(("checks", 0), wanted), (("checks", 1), unwanted)]
    for clash in find_clashes(pair, "all_pass"):
        both = [each for each in OUTPUTS if passes(wanted, each) and passes(unwanted, each)]
        if "no output" in clash.message:
            assert both == []
        else:
            value = wanted["values"][clash.path[-1]]
            only = {**wanted, "values": [value]}
            assert [each for each in both if passes(only, each)] == []


@given(checks("must_contain_any"), checks("must_not_contain"))
def test_every_output_passes_one(wanted: dict[str, Any], unwanted: dict[str, Any]) -> None:
    pair = [(("checks", 0), wanted), (("checks", 1), unwanted)]
    for _ in find_clashes(pair, "any_pass"):
        assert all(passes(wanted, each) or passes(unwanted, each) for each in OUTPUTS)
