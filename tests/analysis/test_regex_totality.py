"""Patterns that match every text, and patterns that come close."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.analysis.pattern import FLAGS
from evalcontract.analysis.regex_totality import matches_everything

#: Pattern, flags, and whether it is to match the whole text.
EVERYTHING = [
    ("", "", False),
    ("a*", "", False),
    (".*", "", False),
    ("^", "", False),
    ("$", "", False),
    ("a|", "", False),
    ("a|b*", "", False),
    ("x{0}", "", False),
    ("(?:a?){3}", "", False),
    ("^.*$", "m", False),
    ("^.*?$", "ms", True),
    ("^.*$", "s", False),
    (r"\A.*\Z", "s", True),
    (r"^[\s\S]*$", "", True),
    ("(?=.*)", "", False),
    (".*", "s", True),
    ("(?s:.*)", "", True),
    (r"(.|\n)*", "", True),
    (r"(?:[^\n]|\n)*", "", True),
    (r"[\d\D]*", "", True),
    (r"[\W\w]*?", "i", True),
    ("  # nothing", "x", False),
    ("(?:.*)*", "s", True),
    ("(foo)?(?:bar)*", "", False),
]

NOT_EVERYTHING = [
    ("^$", "", False),
    ("^.*$", "", False),  # what is one line
    (".*", "", True),  # the same
    (".+", "s", False),  # what is not empty
    (".", "", False),
    (r"\b", "", False),
    (r"\S", "", False),
    ("(?!x)", "", False),
    ("a*$b", "", False),
    (".*foo.*", "s", False),
    ("[^a]*", "", True),
    ("(?!)", "", False),
    (r"^\d*$", "m", False),
    (r"(a*)\1b", "", False),
    ("(?>a*)a", "", False),
    ("(?>.*).", "s", True),
    ("(?:)++x", "", False),
    ("(", "", False),
]


@every_case(("pattern", "flags", "full"), EVERYTHING)
def test_it_matches_everything(pattern: str, flags: str, full: bool) -> None:  # noqa: FBT001
    assert matches_everything(pattern, flags, full=full)


@every_case(("pattern", "flags", "full"), NOT_EVERYTHING)
def test_it_does_not(pattern: str, flags: str, full: bool) -> None:  # noqa: FBT001
    assert not matches_everything(pattern, flags, full=full)


PARTS = st.sampled_from(
    ["a", ".", r"\n", "[^a]", r"[\s\S]", "^", "$", r"\b", "(?=a)", "(?!a)", "", r"\A", r"\Z", r"\w"]
)
PATTERNS = st.recursive(
    PARTS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.tuples(inner, st.sampled_from(["*", "*?", "+", "?", "{0,2}", "{2}", "*+"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
        inner.map(lambda part: f"(?>{part})"),
        inner.map(lambda part: f"(?={part})"),
    ),
    max_leaves=6,
)
TEXTS = st.text(alphabet="ab \n\r\x85", max_size=8)
FLAG_SETS = st.sets(st.sampled_from("ims")).map(lambda flags: "".join(sorted(flags)))


@given(PATTERNS, FLAG_SETS, st.booleans(), st.lists(TEXTS, min_size=1, max_size=12))
def test_what_is_proven_is_true(
    pattern: str,
    flags: str,
    full: bool,  # noqa: FBT001
    texts: list[str],
) -> None:
    if matches_everything(pattern, flags, full=full):
        how = re.compile(pattern, sum(FLAGS[flag] for flag in flags))
        for text in ("", "\n", "a\nb", "\n\n", *texts):
            assert (how.fullmatch if full else how.search)(text) is not None, text
