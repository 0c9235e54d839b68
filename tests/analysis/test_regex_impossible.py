"""Patterns whose anchors keep them from matching, and patterns that come close."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.analysis.pattern import FLAGS, matches_nothing

NOTHING = [
    ("costs $30", ""),
    ("costs $30", "m"),
    ("a^", ""),
    (r"a\Zb", "m"),
    ("x+^a", ""),
    ("$.", ""),
    (r"$\s*b", ""),
    (r"(a)^\1", ""),
    ("(?:a|b$)c^", ""),
    ("(?>a)^", ""),
    ("((((((((a{12}){12}){12}){12}){12}){12}){12}){12})$b", ""),
]

SOMETHING = [
    ("a$\n", ""),
    ("^a$", ""),
    ("(^|a)b", ""),
    ("a|b^", ""),
    ("$^", ""),
    ("(a$)+", ""),
    ("(a$\n?)+", "m"),
    ("x*^a", ""),
    ("(?:$|x)b", ""),
    ("$.", "s"),
    (r"a$\sb", "m"),
    (r"a\n^b", "m"),
    (r"\$30", ""),
    ("[$]30", ""),
    ("a{0}^", ""),
    ("(?!)", ""),
    ("(", ""),
]


@every_case(("pattern", "flags"), NOTHING)
def test_it_matches_nothing(pattern: str, flags: str) -> None:
    assert matches_nothing(pattern, flags)


@every_case(("pattern", "flags"), SOMETHING)
def test_it_may_match(pattern: str, flags: str) -> None:
    assert not matches_nothing(pattern, flags)


PARTS = st.sampled_from(
    ["a", ".", r"\n", "[^a]", r"\s", "^", "$", r"\b", "(?=a)", "(?<=a)", "(?!a)", r"\A", r"\Z"]
)
PATTERNS = st.recursive(
    PARTS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{0,2}?"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
        inner.map(lambda part: f"({part})\\b"),
    ),
    max_leaves=6,
)


@given(
    PATTERNS,
    st.sets(st.sampled_from(sorted(FLAGS))),
    st.text(alphabet="ab \n", max_size=6),
)
def test_what_matches_nothing_matches_no_text(pattern: str, flags: set[str], text: str) -> None:
    combined = sum(int(FLAGS[flag]) for flag in flags)
    if re.search(pattern, text, combined):
        assert not matches_nothing(pattern, flags)
