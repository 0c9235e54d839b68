"""Each effort tries more than the one before it, and the last one tries everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from examples import a_few, examples, mostly_costly, some, tries
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

MANY = range(600)


@pytest.fixture
def _own_profile() -> Iterator[None]:
    """Go back to the profile that these tests were started with."""
    before = settings.get_current_profile_name()
    yield
    settings.load_profile(before)


@pytest.mark.usefixtures("_own_profile")
@pytest.mark.parametrize(
    ("profile", "tried", "cases", "of_a_table"),
    [("brief", 10, 10, 5), ("quick", 24, 24, 600), ("thorough", 600, 600, 600)],
)
def test_how_often_something_is_tried(
    profile: str, tried: int, cases: int, of_a_table: int
) -> None:
    settings.load_profile(profile)
    assert (tries(600), examples(600).max_examples) == (tried, tried)
    assert len(some(MANY)) == cases
    assert cases <= len(some(MANY, times=4)) <= min(5 * cases, 600)
    assert len(a_few(MANY)) == of_a_table


@pytest.mark.usefixtures("_own_profile")
def test_a_few_of_pairs_take_turns() -> None:
    settings.load_profile("brief")
    pairs = a_few([(name, mode) for name in range(26) for mode in ("soft", "strict")])
    assert {mode for _, mode in pairs} == {"soft", "strict"}
    assert a_few("abc") == ["a", "b", "c"]


def test_of_a_mostly_costly_table_a_few_are_cheap() -> None:
    cases = mostly_costly([*"abcdefghij", ("k", "l")], 3)
    assert [each.values for each in cases] == [*((name,) for name in "abcdefghij"), ("k", "l")]
    assert [each.values[0] for each in cases if not each.marks] == ["a", "d", "g", "j"]
    assert {mark.name for each in cases for mark in each.marks} == {"costly"}
    assert not any(each.marks for each in mostly_costly("ab"))
