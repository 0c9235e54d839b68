"""What one mapping has and another cannot hold is kept aside, and restored."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.formats._residual import Form, Residual, ResidualPlace, applied, difference
from evalcontract.model.values import json_equal

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.floats(-1, 1) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("ab", max_size=1), inner),
    max_leaves=6,
)
ROWS = st.dictionaries(st.sampled_from(["a", "b", "c", "metadata"]), VALUES)
NESTED = st.sampled_from([{}, {"a": {}, "b": {"a": {}}}, {"metadata": {"a": {"b": {}}}}])
FORMS = [Form("set", "absent", has_paths=True), Form("row", "without"), Form(None, "_unset")]
PLACE = ResidualPlace("metadata", "odd", "_metadata")


@given(ROWS, ROWS, NESTED)
def test_a_difference_makes_one_of_the_other(
    one: dict[str, Any], two: dict[str, Any], nested: dict[str, Any]
) -> None:
    assert json_equal(applied(one, difference(one, two, nested), nested), two)


@every_case(
    ("have", "want", "nested", "expected"),
    [
        ({"a": [1]}, {"a": [1]}, {}, Residual({}, [])),
        ({"a": True}, {"a": 1}, {}, Residual({"a": 1}, [])),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}, {}, Residual({"a": {"b": 1}}, [])),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}, {"a": {}}, Residual({}, [["a", "c"]])),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, {"a": {}}, Residual({"a": {"c": 2}}, [])),
        ({"a": 1, "b": 2}, {"b": 3}, {}, Residual({"b": 3}, [["a"]])),
    ],
)
def test_what_differs(have: Any, want: Any, nested: Any, expected: Residual) -> None:
    assert difference(have, want, nested) == expected


@pytest.mark.parametrize("form", FORMS)
@given(one=ROWS, two=ROWS)
def test_a_form_is_read_as_it_was_written(
    form: Form, one: dict[str, Any], two: dict[str, Any]
) -> None:
    residual = difference(one, two)
    kept = form.written(residual)
    assert bool(kept) == bool(residual)
    assert json_equal(form.read(kept), residual)


@every_case(
    ("form", "kept"),
    [
        (FORMS[0], {"set": 5}),
        (FORMS[0], {"absent": "id"}),
        (FORMS[0], {"absent": ["id"]}),
        (FORMS[0], {"absent": [[]]}),
        (FORMS[1], {"row": []}),
        (FORMS[1], {"without": [5]}),
        (FORMS[2], {"_unset": {}}),
    ],
)
def test_what_somebody_else_wrote_is_no_residual(form: Form, kept: dict[str, Any]) -> None:
    assert form.read(kept) is None


@given(ROWS, st.dictionaries(st.sampled_from("abc"), VALUES, min_size=1))
def test_a_row_is_split_as_it_was_joined(row: dict[str, Any], kept: dict[str, Any]) -> None:
    whole = PLACE.joined(row, kept)
    assert json_equal(PLACE.split(whole), (row, kept))
    assert PLACE.joined(row, {}) is row


@pytest.mark.parametrize("metadata", ["a text", {"odd": "a text"}, {}, {"odd": {"theirs": 1}}])
def test_what_stood_there_comes_back(metadata: Any) -> None:
    whole = PLACE.joined({"metadata": metadata}, {"x": 1})
    assert PLACE.split(whole) == ({"metadata": metadata}, {"x": 1})


def test_what_somebody_else_wrote_is_left_where_it_is() -> None:
    for metadata in ({"odd": "a text"}, {"odd": {"theirs": 1}}, {"x": 1}, 5):
        row = {"id": "a", "metadata": metadata}
        assert PLACE.split(row, lambda kept: "theirs" not in kept) == (row, None)
