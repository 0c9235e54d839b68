"""The search for many texts in another one finds what trying each of them does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tables import every_case
from work import calls_of

from evalcontract.analysis.texts import Substrings

LETTERS = st.text(alphabet="ab", max_size=40)


@given(parts=st.lists(LETTERS, max_size=60), text=st.text(alphabet="ab", max_size=120))
def test_the_first_of_the_texts_is_found(parts: list[str], text: str) -> None:
    search = Substrings(parts)
    assert search.first_in(text) == next((part for part in parts if part in text), None)
    even = next((part for part in parts if part in text and len(part) % 2 == 0), None)
    assert search.first_in(text, lambda part: len(part) % 2 == 0) == even


@every_case("length", [1, 15, 16, 17, 23, 24, 63, 64, 65, 1023, 1024, 1025, 5000])
def test_texts_of_any_length(length: int) -> None:
    wanted = "x" * (length - 1) + "y"
    search = Substrings([*(f"other {n}" for n in range(40)), wanted])
    assert search.first_in(f"before {wanted} after") == wanted
    assert search.first_in(f"before {wanted[:-1]} after") is None


def test_the_work_grows_with_the_text_and_not_with_the_texts() -> None:
    def work(count: int) -> int:
        search = Substrings(f"forbidden words number {n}" for n in range(count))
        search.first_in("x")
        return calls_of(search.first_in, "the expected words number 7, and others" * 10)

    assert work(4000) == work(40)
