"""Both lossy ways are exact together: what one loses, the result keeps aside."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcontract.formats._stash import Exchange, is_row, joined, kept_aside, restored, split
from evalcontract.model.same import same

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.floats(-1, 1) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("ab", max_size=1), inner),
    max_leaves=4,
)
KEYS = st.sampled_from(["a", "b", "c", "id", "metadata"])
ASIDE = st.dictionaries(st.sampled_from(["evalcontract", "odd", "x"]), VALUES, max_size=2)
ROWS = st.dictionaries(KEYS, VALUES).flatmap(
    lambda row: st.one_of(
        st.just(row),
        st.builds(lambda metadata: {**row, "metadata": metadata}, st.dictionaries(KEYS, VALUES)),
    )
)


def _theirs(row: dict[str, Any], index: int) -> dict[str, Any]:
    return {"a": row.get("b"), "c": str(row.get("id")), "n": index}


def _ours(row: dict[str, Any], index: int) -> dict[str, Any]:
    return {"b": row.get("a"), "id": str(row.get("c")), "m": index}


ODD = Exchange("odd", _theirs, _ours)


@given(ROWS, st.integers(0, 3))
def test_their_rows_come_back(row: dict[str, Any], index: int) -> None:
    ours = ODD.to_ours(row, index)
    assert same(ODD.to_theirs(ours, index), row)


@given(ROWS.filter(is_row), st.integers(0, 3))
def test_our_rows_come_back(row: dict[str, Any], index: int) -> None:
    theirs = ODD.to_theirs(row, index)
    assert same(ODD.to_ours(theirs, index), row)


@given(ROWS, ROWS)
def test_what_is_kept_aside_restores(one: dict[str, Any], two: dict[str, Any]) -> None:
    assert same(restored(two, kept_aside(one, two)), one)


def test_equal_rows_keep_nothing_aside() -> None:
    assert kept_aside({"a": [1]}, {"a": [1]}) == {}
    assert kept_aside({"a": 1}, {"a": True}) == {"a": 1}


@given(ROWS, st.dictionaries(st.sampled_from("abc"), VALUES, min_size=1))
def test_a_row_is_split_as_it_was_joined(row: dict[str, Any], aside: dict[str, Any]) -> None:
    whole = joined(row, "unused", aside)
    assert same(split(whole, "unused")[0], row)
    assert row is whole or "unused" in whole["metadata"]


def test_what_was_written_by_hand_changes_nothing() -> None:
    row = {"id": "a", "metadata": {"odd": "a text"}}
    assert split(row, "odd") == (row, None)


@pytest.mark.parametrize("kept", [{"bundle": None}, {"id": 7}, {"tags": "x", "id": "a"}])
def test_what_is_of_somebody_else_makes_no_row(kept: dict[str, Any]) -> None:
    theirs = {"a": 1, "c": "x", "n": 0, "metadata": {"evalcontract": kept, "z": 1}}
    ours = ODD.to_ours(theirs, 0)
    assert is_row(ours)
    assert ours["id"] == "x"
    assert ODD.to_theirs(ours, 0) == theirs
