"""What a rubric forbids of what a row expects: the gate refuses all of it, whatever the letters."""

from __future__ import annotations

from typing import Any

import pytest
from examples import examples
from hypothesis import example, given
from hypothesis import strategies as st

from evalcontract.checks.conflicts import conflicts_of
from evalcontract.rules.row_contradiction import _refused
from evalcontract.structure.native import native_for

SCHEMA = "https://json-schema.org/draft/2020-12/schema"
LETTERS = st.text(alphabet="aAkK\u212aİi.-()[]{}^$|*+?\\\\/ #&~\n\u00e9", min_size=1, max_size=4)


def placed(*checks: dict[str, Any]) -> Any:
    return tuple((("checks", index), check) for index, check in enumerate(checks))


@examples(300)
@given(st.lists(LETTERS, min_size=1, max_size=3), st.lists(LETTERS, max_size=3), st.booleans())
@example(["a.b"], ["xa.By"], False)
def test_the_gate_refuses_every_banned_fact(
    words: list[str],
    facts: list[str],
    sensitive: bool,  # noqa: FBT001
) -> None:
    banning = {"kind": "must_not_contain", "values": words, "case_sensitive": sensitive}
    made = conflicts_of(placed({"kind": "fact_match"}, banning), "all_pass")
    row = {"expected_facts": facts}
    gate = native_for({"$schema": SCHEMA, "allOf": list(_refused(made)) or [True]})
    # It may refuse more; here it knows the same.
    assert gate.is_valid(row) is (list(made.of(row)) == [])


def test_very_many_banned_words_make_no_pattern() -> None:
    words = [f"word{number}" for number in range(5000)]
    banning = {"kind": "must_not_contain", "values": words}
    made = conflicts_of(placed({"kind": "fact_match"}, banning), "all_pass")
    assert list(_refused(made)) == [{"properties": {"expected_facts": False}}]


@pytest.mark.parametrize("combine", [None, "any_pass", "max"])
def test_nothing_is_certain_of_alternatives(combine: str | None) -> None:
    checks = placed({"kind": "tool_usage", "forbidden_tools": ["a"]})
    assert list(conflicts_of(checks, combine).of({"expected_tools": ["a"]})) == []
    assert len(list(conflicts_of(checks, "min").of({"expected_tools": ["a"]}))) == 1
