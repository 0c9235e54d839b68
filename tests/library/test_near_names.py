"""Names near a word are the same with an index as without, and cost far less among many."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from work import calls_of

from evalcontract.model.nearest import MAX_LENGTH, NearIndex, Suggestions, edit_distance, nearest

WORDS = st.text(alphabet="ab_", max_size=13)
WORD_LISTS = st.lists(WORDS, max_size=60)


def plain_distance(left: str, right: str) -> int:
    """Return the optimal string alignment distance by its definition, as a table."""
    rows = [list(range(len(right) + 1))]
    for i, a in enumerate(left, 1):
        rows.append([i])
        for j, b in enumerate(right, 1):
            best = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                best = min(best, rows[i - 2][j - 2] + 1)
            rows[i].append(best)
    return rows[-1][-1]


@given(WORDS, WORDS)
def test_a_limit_changes_no_distance(left: str, right: str) -> None:
    for limit in (0, 1, 2, 3):
        assert edit_distance(left, right, limit) == min(plain_distance(left, right), limit + 1)


@given(WORDS, st.integers(0, 13), st.sampled_from("ab_"), st.sampled_from("rdis"))
def test_one_edit_is_seen(word: str, at: int, letter: str, edit: str) -> None:
    at = min(at, len(word))
    edited = {
        "r": word[:at] + letter + word[at + 1 :],
        "d": word[:at] + word[at + 1 :],
        "i": word[:at] + letter + word[at:],
        "s": word[:at] + word[at : at + 2][::-1] + word[at + 2 :],
    }[edit]
    assert edit_distance(word, edited, 1) <= 1
    others = [f"{word}__{number}" for number in range(20)]
    assert word in NearIndex([*others, word]).near(edited, 1)


@given(WORD_LISTS, WORDS)
def test_an_index_finds_what_a_plain_search_finds(names: list[str], word: str) -> None:
    index = NearIndex(names)
    for limit in (0, 1, 2):
        near = [name for name in dict.fromkeys(names) if plain_distance(word, name) <= limit]
        assert index.near(word, limit) == near


@given(WORD_LISTS, WORDS)
def test_a_suggestion_is_the_nearest_name(names: list[str], word: str) -> None:
    assert Suggestions(names).nearest(word) == nearest(word, names)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("expected_property_number_{}", "expected_propetry_number_{}"),
        ("longer_name_{}", "longer_nmae_{}x"),
        ("{}_longer_name", "{}x_longer_nmae"),
        ("longer_{}_name", "longre_x{}_name"),
        ("longer_name_{}", "lnoger_nmae_{}yz"),
    ],
)
def test_many_names_that_begin_and_end_alike_cost_little(name: str, word: str) -> None:
    count = 3000
    suggestions = Suggestions(name.format(number) for number in range(count))
    words = [word.format(number) for number in range(0, count, 30)]
    suggestions.nearest("no such name")  # builds the index
    assert calls_of(lambda: [suggestions.nearest(word) for word in words]) < len(words) * count
    assert calls_of(lambda: [suggestions.nearest(word) for word in words]) < 10 * len(words)


def test_every_edit_among_many_names_is_seen() -> None:
    """Neither the beginning nor the end of a name leaves only a few."""
    letters = "abcdefghijkl"
    index = NearIndex(f"{first}_answer_{last}" for first in letters for last in letters)
    name = "c_answer_d"
    for at in range(1, len(name) - 2):
        before, after = name[:at], name[at:]
        edited = (
            before + after[1::-1] + after[2:],
            before + after[1:],
            f"{before}0{after}",
            f"{before}0{after[1:]}",
        )
        for word in edited:
            assert name in index.near(word, 1), word


def test_a_word_near_very_many_names_means_none_of_them() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = [f"{a}{b}{c}_the_rest" for a in letters for b in letters for c in letters]
    index = NearIndex(names)
    assert index.near("zz0_the_rest", 2) == []
    assert index.near(names[7], 2) == [names[7]]
    assert calls_of(index.near, "zz0_the_rest", 2) < len(names)


def test_a_very_long_word_is_near_only_to_itself() -> None:
    long = "a" * (MAX_LENGTH + 1)
    index = NearIndex([long])
    assert index.near(long, 2) == [long]
    assert index.near(long[1:] + "bc", 2) == []


def test_a_word_of_another_length_than_all_names_takes_no_search() -> None:
    index = NearIndex(f"name_{number}" for number in range(100, 200))
    index.near("name_", 2)  # learns the lengths
    for word in ("name_1000001", "name_", "", "name_1" * 4):
        assert calls_of(index.near, word, 2) < 5
        assert index.near(word, 2) == []
    for word in ("name_1", "name_123xy"):
        assert index.near(word, 2) != [], "two edits more or less"


@pytest.mark.slow
def test_very_many_words_among_very_many_names_have_a_limit_together() -> None:
    chosen = random.Random(1)  # noqa: S311 - the same words every time
    words = ["".join(chosen.choices("ab", k=20)) for _ in range(6000)]
    index = NearIndex(words[:3000])
    first, last = words[3000:3300], words[-300:]
    early = calls_of(lambda: [index.near(word, 2) for word in first])
    for word in words[3300:]:
        index.near(word, 2)
    assert calls_of(lambda: [index.near(f"{word}a", 2) for word in last]) < early / 10
    assert index.near(words[7], 2) == [words[7]], "an equal name is found"
