"""The way along one path finds what the scanner of the whole line finds."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcontract.source.document import place_in
from evalcontract.source.fault import Fault
from evalcontract.source.json_scanner import scan
from evalcontract.source.json_way import scan_along

if TYPE_CHECKING:
    from evalcontract.model.path import Path

KEYS = st.sampled_from(["a", "b", "ab", "é", '"', "\\", ""])
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)
STEPS = st.lists(KEYS | st.integers(0, 3), max_size=4).map(tuple)
LAYOUTS = st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", " :  "), (",\r", "\r:")])


def paths(value: Any) -> list[Path]:
    """List the paths to all parts of a value."""
    found: list[Path] = [()]
    if isinstance(value, dict):
        found += [(key, *rest) for key, inner in value.items() for rest in paths(inner)]
    if isinstance(value, list):
        found += [(at, *rest) for at, inner in enumerate(value) for rest in paths(inner)]
    return found


@given(VALUES, LAYOUTS, STEPS)
def test_the_same_place_as_by_the_whole_line(
    value: Any, layout: tuple[str, str], more: Path
) -> None:
    text = " " + json.dumps(value, separators=layout, ensure_ascii=False) + " "
    whole = scan(text, is_line=True)
    for path in paths(value):
        for each, on_key in product((path, path + more), (False, True)):
            expected = place_in(whole, each, "rows.jsonl", [text], on_key=on_key)
            found = place_in(scan_along(text, each), each, "rows.jsonl", [text], on_key=on_key)
            assert found == expected, each


@pytest.mark.parametrize("text", ['{"a": ', '{"a" 1}', '{"b": 1', "", "[1", '{"a": tru}'])
def test_a_line_that_is_no_json_is_a_fault(text: str) -> None:
    with pytest.raises(Fault):
        scan_along(text, ("a",))
