"""A bundle with thousands of keys: what a row costs does not grow with them, nor with the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from evalcontract.model.nearest import edit_distance
from evalcontract.structure import keys, spelling
from evalcontract.structure.check import Structure
from evalcontract.structure.schemas import definition

if TYPE_CHECKING:
    import pytest

ROW = definition("row", of="dataset")
LARGE: dict[str, Any] = {"properties": {f"field_{n}_text": {"type": "string"} for n in range(2000)}}


def test_rows_alike_are_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0

    def counting(left: str, right: str, limit: int) -> int:
        nonlocal compared
        compared += 1
        return edit_distance(left, right, limit)

    spelling._meant.cache_clear()  # noqa: SLF001 - what other tests have asked is known already
    monkeypatch.setattr(spelling, "edit_distance", counting)
    structure = Structure("dataset", ROW, LARGE)
    for index in range(20):
        row = {"id": f"r{index}", "input": "a", "criteria": "c", "feild_7_text": 1, "mine": 2}
        (found,) = structure.check(row)
        assert found.help == "did you mean `field_7_text`?"
    assert compared < 20_000


def test_rows_without_a_key_of_their_own_are_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(*args: Any) -> Any:
        raise AssertionError(args)

    monkeypatch.setattr(keys, "_homes", nobody)
    monkeypatch.setattr(keys, "meant_key", nobody)
    row = {"id": "r", "input": "a", "criteria": "c", "field_7_text": 5}
    (found,) = Structure("dataset", ROW, LARGE).check(row)
    assert found.code == "dataset/wrong-type"


def distance(left: str, right: str) -> int:
    """Count the edits as `edit_distance` does, with no bound."""
    return edit_distance(left, right, len(left) + len(right))


WORDS = st.text(alphabet="abc_", max_size=9)


@given(WORDS, WORDS)
def test_a_bound_on_the_edits_changes_no_distance(left: str, right: str) -> None:
    for limit in (0, 1, 2):
        assert edit_distance(left, right, limit) == min(distance(left, right), limit + 1)


@given(WORDS, st.integers(0, 8), st.sampled_from("abc_"), st.sampled_from("rdis"))
def test_one_edit_is_seen(word: str, at: int, letter: str, edit: str) -> None:
    at = min(at, len(word))
    edited = {
        "r": word[:at] + letter + word[at + 1 :],
        "d": word[:at] + word[at + 1 :],
        "i": word[:at] + letter + word[at:],
        "s": word[:at] + word[at : at + 2][::-1] + word[at + 2 :],
    }[edit]
    assert edit_distance(word, edited, 1) <= 1
