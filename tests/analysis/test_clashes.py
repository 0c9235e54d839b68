"""Which text an output holds for certain when it holds another, by both checks' rules of case."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case
from work import calls_of

from evalcontract.analysis.clashes import find_clashes, implies


@every_case(
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


@pytest.mark.costly
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


def all_pairs(wanted: list[Any], unwanted: list[Any]) -> set[tuple[int, int]]:
    """Return which check that asks and which one that forbids clash, each pair by itself."""
    return {
        (one, other)
        for one, asks in enumerate(wanted)
        for other, forbids in enumerate(unwanted)
        if any(
            implies(
                value,
                text,
                held_sensitive=asks["case_sensitive"],
                part_sensitive=forbids["case_sensitive"],
            )
            for value in asks["values"]
            for text in forbids["values"]
        )
    }


@given(
    st.lists(checks("must_contain_any"), max_size=4),
    st.lists(checks("must_not_contain"), max_size=4),
)
def test_the_index_finds_what_pairs_would(wanted: list[Any], unwanted: list[Any]) -> None:
    placed = [(("checks", n), each) for n, each in enumerate([*wanted, *unwanted])]
    found = {
        (clash.path[1], clash.other[1] - len(wanted))  # type: ignore[operator]
        for clash in find_clashes(placed, "all_pass")
    }
    assert found == all_pairs(wanted, unwanted)


@pytest.mark.costly
def test_checks_are_not_held_against_each_other_in_pairs() -> None:
    """The work grows with the checks, and not with their pairs."""

    def many(count: int) -> list[Any]:
        asked = [{"kind": "must_contain_any", "values": [f"a {n}"]} for n in range(count)]
        banned = [{"kind": "must_not_contain", "values": [f"b {n}"]} for n in range(count)]
        kinds = ("must_contain_any", "must_not_contain")
        both = [{"kind": kind, "values": ["the same" * 20]} for kind in kinds]
        return [(("checks", n), check) for n, check in enumerate([*asked, *banned, *both])]

    def clashes(of: list[Any], combine: str) -> list[Any]:
        return list(find_clashes(of, combine))

    few, more = many(200), many(800)
    assert len(clashes(more, "all_pass")) == 1
    assert clashes(more, "any_pass") != []
    for combine in ("all_pass", "any_pass"):
        assert calls_of(clashes, more, combine) < 6 * calls_of(clashes, few, combine)
