"""Patterns that match every text, and patterns that come close."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.analysis import pattern as compilation
from evalcontract.analysis.pattern import (
    FLAGS,
    compile_pattern,
    matches_everything,
    parsed_pattern,
    shortest_match,
    why_uncompilable,
)

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


@pytest.mark.costly
def test_a_pattern_is_compiled_once_for_all_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def parse(pattern: str, flags: Any) -> Any:
        parsed.append(pattern)
        return parsed_pattern(pattern, flags)

    monkeypatch.setattr(compilation, "parsed_pattern", parse)
    patterns = [f"(a|b{number})+" for number in range(3000)]
    for _ in range(2):
        for pattern in patterns:
            assert why_uncompilable(pattern) is None
            assert shortest_match(pattern) == 1
    assert parsed == patterns


@pytest.mark.slow
@every_case(
    "case",
    [
        ("a+", 1, None),
        ("(?=a)b{2,}|ccc", 2, None),
        ("(", None, "missing ), unterminated subpattern, at character 1"),
        ("(?<=a*)b", None, "look-behind requires fixed-width pattern"),
        ("(?a)(?u)", None, "ASCII and UNICODE flags are incompatible"),
        ("a" * 20_001, None, None),
        ("a" * 20_001 + "(", None, "missing ), unterminated subpattern, at character 20002"),
    ],
    ids=lambda case: case[0][:20],
)
def test_what_is_kept_of_a_pattern(case: tuple[str, int | None, str | None]) -> None:
    pattern, shortest, refusal = case
    assert shortest_match(pattern) == shortest
    why = why_uncompilable(pattern)
    assert (None if why is None else str(why)) == refusal
    compiled = compile_pattern(pattern)
    assert (why is None) is isinstance(compiled, re.Pattern)
    assert why in (None, compiled)


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
