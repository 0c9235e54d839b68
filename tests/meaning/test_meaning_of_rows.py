"""What rows mean is the same whether it is read row by row or shape by shape."""

from __future__ import annotations

import json
from hashlib import shake_256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcontract.meaning.rows import RowsMeaning
from evalcontract.meaning.view import ChangeClass, plain, reader_of
from evalcontract.model.reference import Kind
from evalcontract.source.encoding import canonical, canonical_bytes

TEXTS = st.text(st.characters(exclude_categories=()), max_size=4)
NUMBERS = st.sampled_from([0, 1, -1, 1.0, 0.5, 1e16, 1e-5, -0.0, 10**25, 10**4100])
VALUES = st.recursive(
    TEXTS | NUMBERS | st.none() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
KEYS = (
    *("id", "input", "criteria", "expected", "expected_facts", "expected_tools", "rubric_ref"),
    *("bundle", "must_contain_any", "tags", "metadata", "context", "own", "own_ref", 'a"b.c'),
)
REFERENCES = st.sampled_from(["rubric/a@1.0", "rubric/a@1.0.0", "rubric/a", "judge/b@1.0.0-rc.1"])
ROWS = st.dictionaries(
    st.sampled_from(KEYS), TEXTS | st.lists(TEXTS, max_size=3) | REFERENCES | VALUES, max_size=5
)


def as_written(value: Any) -> bytes:
    """Return canonical JSON as Python's `json` writes it."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


@given(row=ROWS)
def test_the_number_of_a_row_is_that_of_its_fields(row: dict[str, Any]) -> None:
    reader = reader_of(Kind.DATASET)
    item = reader.item({"id": "x", **row}, reader.item_schema("questions"), path=("questions",))
    values = {
        name: leaf.value for name, leaf in item.leaves.items() if leaf.rank > ChangeClass.WORDING
    }
    data = as_written([plain(row.get("id")), values])
    number = int.from_bytes(shake_256(data).digest(256), "big")
    assert RowsMeaning().plus([row]) == RowsMeaning(1, number)


@given(value=VALUES)
def test_canonical_json_is_that_of_json(value: Any) -> None:
    assert canonical_bytes(value) == as_written(value)
    assert canonical(value).encode("utf-8", "surrogatepass") == as_written(value)


def test_every_character_is_written_as_json_does() -> None:
    characters = [chr(code) for code in (*range(0x3000), *range(0xE000, 0xE010), 0xFFFF, 0x10FFFF)]
    assert canonical_bytes(characters, is_of_texts=True) == as_written(characters)
    for half in ("\ud800", "\udfff", "a\udc00"):
        assert canonical_bytes({half: [half]}) == as_written({half: [half]})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e16, 1e-7, 0.00001234, 5e-324])
def test_numbers_are_written_as_json_does(value: float) -> None:
    assert canonical_bytes([value, {"x": value}]) == as_written([value, {"x": value}])


def test_digests_of_rows_stay_what_they_are() -> None:
    """They are in manifests and results of earlier versions."""
    rows = [
        {"id": "a", "input": "When?", "expected_facts": ["x", "é"], "rubric_ref": "rubric/a@1.0"},
        {"id": "b", "input": "", "metadata": {"x": 1}, "own": {"y": [1.0, 0.5]}, "context": None},
        {"id": "c", "input": "?", "must_contain_any": ["z", "y"], "expected": {"format": "json"}},
        ["no row"],
    ]
    meaning = RowsMeaning().plus(rows, "ticket")
    assert meaning.digest({"id": "d", "label": "D"}) == (
        "8520883fd7dcb2d0e16286268466af4c5c5282e1846dabef03b7dd58d00899c2"
    )
