"""What is searched quickly gives what the documented comparison gives."""

from __future__ import annotations

from check_cases import around, graded
from hypothesis import example, given
from hypothesis import strategies as st

from evalcontract.analysis.texts import folded
from evalcontract.checks._texts import facts_to_find, not_stated
from evalcontract.checks.outcome import Outcome, Output, OutputTexts, ToolCall

SPACES = st.sampled_from([" ", "  ", "\n", "\t", "\r\n", "\x0b", "\x1c", "\x85", "\u00a0"])
WORDS = st.sampled_from(["a", "b", "ab", "A", "É", "é", "ß", "ss", "İ"])
TEXTS = st.lists(st.one_of(WORDS, WORDS, SPACES), max_size=9).map("".join)


def collapsed(text: str) -> str:
    return " ".join(folded(text).split())


@given(st.lists(TEXTS, max_size=7), TEXTS)
@example(["a b"], "a\nb")
@example(["a b"], "aa  bb")
@example([" "], "")
@example(["a b", "b b", "a a", "b a", "ab a", "a b b"], "a\nb\nb")
@example(["a b a b a b a b a b"], " ".join("ababababab").replace("b a", "b\na"))
@example(["É a"], "é\u2003a")
@example(["É a", "a b"], "é ab")
@example(["b a", "a b"], "a\t\r\v\nb\x1ca")
def test_facts_are_compared_with_white_space_collapsed(facts: list[str], text: str) -> None:
    expected = [fact for fact in facts if collapsed(fact) not in collapsed(text)]
    spaced = OutputTexts([text]).spaced
    assert not_stated(facts_to_find(facts), folded(text), spaced) == expected


NAMES = st.lists(st.sampled_from("abc"), max_size=4)


@given(NAMES, NAMES, st.sampled_from(["any", "all", "exact"]))
def test_names_of_tools_are_compared_as_calls_are(
    expected: list[str], called: list[str], match: str
) -> None:
    """A call that is expected as a mapping is compared each time; a verdict on names is kept."""
    made = Output(None, tuple(map(ToolCall, called)))
    verdicts = [
        graded({"kind": "tool_usage", "match": match}, {"expected_tools": tools}, made, around())
        for tools in (expected, expected, [{"name": name} for name in expected])
    ]
    assert verdicts[0] == verdicts[1] == verdicts[2]
    assert verdicts[0].outcome in (Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED)
