"""Keys of authors' own are told apart at once; only those like known ones are tested."""

from __future__ import annotations

from typing import Any

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.datasets.gates import PLACES, ExtraKeys
from evalcontract.datasets.plans import row_schema
from evalcontract.structure.keys.mismatches import KeyMismatches, misplaced_words
from evalcontract.structure.keys.names import ALIASES, CONTINUOUS_ALIASES

ROW = row_schema()
BUNDLE: dict[str, Any] = {
    "required": ["documents"],
    "properties": {"documents": {}, "topK": {}, "page_index": {}, "retrieval_strategy": {}},
}
WITH_BUNDLE, WITHOUT = KeyMismatches(ROW, BUNDLE), KeyMismatches(ROW)
KNOWN = {name: sorted(ROW["$defs"][name]["properties"]) for name in PLACES}
KNOWN["row"] = sorted({*KNOWN["row"], *BUNDLE["properties"]})
WORDS = sorted({*ALIASES, *CONTINUOUS_ALIASES, *misplaced_words(), "check_regex", "facts", "modes"})


@st.composite
def keys(draw: st.DrawFn) -> str:
    """Known names and names of others, some with a few edits, another case, or a value."""
    key = draw(st.sampled_from([*KNOWN["row"], *KNOWN["expected"], *WORDS, "column", "batch_1"]))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(key)))
        edit = draw(st.sampled_from(["add", "drop", "swap", "change"]))
        char = draw(st.sampled_from("aesz_1é"))
        if edit == "swap":
            key = key[:at] + key[at + 1 : at + 2] + key[at : at + 1] + key[at + 2 :]
        else:
            rest = key[at:] if edit == "add" else key[at + 1 :]
            key = f"{key[:at]}{'' if edit == 'drop' else char}{rest}"
    shape = draw(st.sampled_from(["{}", "{}", "{}s", "my_{}", "{}:x", "{} 1"]))
    styles = (key, key, key.upper(), key.title())
    return shape.format(draw(st.sampled_from(styles)))


VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [None, 1, "x", "any", [], ["x"], [{}], {}, {"id": 1}, True]
)


@pytest.mark.costly
@examples(2000)
@given(
    st.data(),
    st.sampled_from(sorted(PLACES)),
    keys(),
    VALUES,
    st.sampled_from([WITH_BUNDLE, WITHOUT]),
)
def test_a_custom_key_is_reported_in_no_mapping(
    data: st.DataObject, place: str, key: str, value: Any, mismatches: KeyMismatches
) -> None:
    path = PLACES[place]
    if not mismatches.is_custom(key, path):
        return
    known = data.draw(st.sets(st.sampled_from(KNOWN[place])))
    mapping: Any = {**dict.fromkeys(known, data.draw(VALUES)), key: value}
    for step in reversed(path):
        mapping = {step: mapping}
    found = [(each.path, each.key) for each in mismatches.of(mapping)]
    assert (path, key) not in found


@every_case("place", sorted(PLACES))
def test_no_mapping_is_tested_for_custom_keys(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every row brings another, so that each test of a mapping costs more than its row."""
    tested: list[Any] = []
    of = KeyMismatches.of

    def counted(self: KeyMismatches, value: Any) -> Any:
        tested.append(value)
        return of(self, value)

    monkeypatch.setattr(KeyMismatches, "of", counted)

    def row(**extra: Any) -> dict[str, Any]:
        return {"id": "a", "input": "b", **({place: extra} if PLACES[place] else extra)}

    own = ExtraKeys(ROW, None)
    names = [f"column_{number}" for number in range(300)]
    names += [f"{first}_{last}" for first in ("lamp", "owner", "größe") for last in "abcdefg"]
    assert own.accept_all([row(**{name: number}) for number, name in enumerate(names)])
    assert tested == []
    assert not own.accept_all([row(fromat=1, expected_fact=[]), row()])
    assert tested, "a key that is like a known one is tested"


@every_case("key", ["contxt", "expected_fact", "facts", "context:x", "question", "check_regex"])
def test_a_key_like_a_known_one_is_not_custom(key: str) -> None:
    assert not WITHOUT.is_custom(key)
    assert WITHOUT.is_custom(f"{key}_of_the_batch".replace(":", "_"))
