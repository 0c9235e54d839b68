"""What a rubric forbids of what a row expects: the gate refuses all of it, whatever the letters."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from doors import Kind
from examples import examples
from hypothesis import example, given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.analysis.texts import folded
from evalcontract.checks import EvalContext
from evalcontract.checks.conflicts import OWN_CONFLICTS, Conflicts, conflicts_of
from evalcontract.checks.plan import Plan, plan_of
from evalcontract.library.library import Library, read_artifact
from evalcontract.rules._rule import RowGroup
from evalcontract.rules.rows import row_contradiction
from evalcontract.rules.rows.row_contradiction import RULE
from evalcontract.source import Document, read_stream
from evalcontract.structure.authored import SchemaAnalyses
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
    plan = plan_in([{"kind": "fact_match"}, banning], "all_pass")
    row = {"expected_facts": facts}
    has_conflict = list(plan.conflicts.of(row)) != []
    is_silent = keeps_silent(row, RowGroup(plan))
    assert not (is_silent and has_conflict)
    if all(map(str.isascii, facts)):
        assert is_silent is not has_conflict


@examples(300)
@given(
    st.lists(LETTERS, min_size=1, max_size=3),
    st.lists(LETTERS, max_size=3),
    st.lists(LETTERS, max_size=3),
)
@example(["e\u0301"], ["caf\u00e9"], [])
@example(["a\nb"], ["a", "b"], [])
def test_exactly_the_texts_that_a_row_forbids_itself_are_suspected(
    words: list[str], facts: list[str], alternatives: list[str]
) -> None:
    row = {"must_not_contain": words, "expected_facts": facts, "must_contain_any": alternatives}
    assert RULE.suspects is not None
    has_conflict = list(OWN_CONFLICTS.of(row)) != []
    assert RULE.suspects(row, RowGroup()) is has_conflict


def test_the_texts_of_a_row_without_conflict_are_folded_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []

    def counted(text: str) -> str:
        read.append(text)
        return folded(text)

    monkeypatch.setattr(row_contradiction, "folded", counted)
    row = {"must_not_contain": ["nie", "Gebühr"], "expected_facts": ["Größe", "日本語", "three"]}
    assert keeps_silent(row, RowGroup())
    assert read == ["Größe\n日本語\nthree", "nie", "Gebühr"]


def keeps_silent(row: dict[str, Any], group: RowGroup) -> bool:
    """Whether the rule on contradictions is not asked about a row."""
    assert RULE.silent is not None
    assert RULE.suspects is not None
    schema = native_for({"$schema": SCHEMA, "allOf": [RULE.silent(group)]})
    return schema.is_valid(row) and not RULE.suspects(row, group)


@every_case(
    ("words", "fact", "is_silent"),
    [
        (["refund"], "the café", True),
        (["refund"], "le Refund à", False),
        (["strasse"], "die Straße", False),
        (["слово"], "это СЛОВО", False),
        (["слово"], "nothing", True),
        ([f"word{number}" for number in range(5000)], "words", True),
        ([f"word{number}" for number in range(5000)], "a WORD77", False),
    ],
    ids=lambda value: len(value) if isinstance(value, list) else value,
)
def test_only_facts_with_a_banned_word_are_looked_at(
    words: list[str],
    fact: str,
    *,
    is_silent: bool,
) -> None:
    banning = {"kind": "must_not_contain", "values": words}
    group = RowGroup(plan_in([{"kind": "fact_match"}, banning], "all_pass"))
    assert keeps_silent({"expected_facts": [fact]}, group) is is_silent


@pytest.mark.parametrize("combine", [None, "any_pass", "max"])
def test_nothing_is_certain_of_alternatives(combine: str | None) -> None:
    checks = [{"kind": "tool_usage", "forbidden_tools": ["a"]}]
    row = {"expected_tools": ["a"]}
    assert list(conflicts_in(checks, combine).of(row)) == []
    assert len(list(conflicts_in(checks, "min").of(row))) == 1


def conflicts_in(checks: list[Any], combine: str | None) -> Conflicts:
    """Return the limits of a rubric with these checks."""
    return plan_in(checks, combine).conflicts


def plan_in(checks: list[Any], combine: str | None) -> Plan:
    """Return the plan of a rubric with these checks."""
    value = {"id": "a", "version": "1.0.0", "checks": checks, "scoring": {"combine": combine}}
    document = read_stream(io.BytesIO(json.dumps(value).encode()), "rubrics/a.json")
    assert isinstance(document, Document)
    context = EvalContext(Library([]), has_php=True, read_json=json.loads, schemas=SchemaAnalyses())
    return plan_of(read_artifact(Kind.RUBRIC, document), context)


READS_BOTH = ({"kind": "must_contain_any"}, {"kind": "must_not_contain"}, {"kind": "fact_match"})


@examples(300)
@given(
    st.lists(LETTERS, max_size=2),
    st.lists(LETTERS, max_size=2),
    st.lists(LETTERS, max_size=2),
    st.lists(LETTERS, max_size=2),
    st.booleans(),
)
@example(["full refund"], ["a refund"], [], [], False)
@example([], ["refund a"], [], ["REFUND"], False)
def test_rows_that_forbid_what_they_expect_are_looked_at(
    some: list[str],
    forbidden: list[str],
    facts: list[str],
    banned: list[str],
    sensitive: bool,  # noqa: FBT001
) -> None:
    banning = [{"kind": "must_not_contain", "values": banned, "case_sensitive": sensitive}]
    row = {"must_contain_any": some, "must_not_contain": forbidden, "expected_facts": facts}
    row = {key: texts for key, texts in row.items() if texts}
    plan = plan_in([*READS_BOTH, *banning[: len(banned)]], "all_pass")
    for group in (RowGroup(plan), RowGroup()):
        made = group.plan.conflicts if group.plan else OWN_CONFLICTS
        assert not (keeps_silent(row, group) and list(made.of(row)))


@every_case(
    ("row", "paths"),
    [
        ({"must_contain_any": ["a refund"], "must_not_contain": ["A REF"]}, ["must_contain_any"]),
        ({"must_contain_any": ["Stra\u00dfe"], "must_not_contain": ["STRASSE"]},
         ["must_contain_any"]),
        ({"must_contain_any": ["Caf\u00e9"], "must_not_contain": ["cafe\u0301"]},
         ["must_contain_any"]),
        ({"must_contain_any": ["Caf\u00e9"], "must_not_contain": ["CAFE"]}, []),
        ({"must_contain_any": ["a refund", "b"], "must_not_contain": ["refund"]}, []),
        ({"must_contain_any": ["a refund", "b"], "must_not_contain": ["b", "fund"]},
         ["must_contain_any"]),
        ({"must_contain_any": [], "must_not_contain": ["b"]}, []),
        ({"must_contain_any": ["a b"], "must_not_contain": [" "]}, []),
        ({"must_contain_any": ["a"], "must_not_contain": ["a b"]}, []),
        ({"expected_facts": ["b", "the A"], "must_not_contain": ["a"]}, ["expected_facts.1"]),
        ({"expected_facts": ["the a"], "must_not_contain": ["the a"]}, ["expected_facts.0"]),
        ({"expected_tools": ["a"], "must_not_contain": ["a"]}, []),
    ],
    ids=json.dumps,
)  # fmt: skip
def test_a_row_against_itself(row: dict[str, Any], paths: list[str]) -> None:
    """A rubric whose checks read all of the row's lists finds what the row alone does."""
    for made in (OWN_CONFLICTS, conflicts_of(placed(*READS_BOTH))):
        conflicts = list(made.of(row))
        assert [".".join(map(str, each.path)) for each in conflicts] == paths
        assert all(each.is_own and each.other[0] == "must_not_contain" for each in conflicts)


@every_case(
    ("checks", "count"),
    [
        (READS_BOTH, 1),
        (READS_BOTH[:2], 1),
        (READS_BOTH[:1], 0),
        (READS_BOTH[1:], 0),
        (({"kind": "must_contain_any", "values": ["b"]}, READS_BOTH[1]), 0),
        ((READS_BOTH[0], {"kind": "must_not_contain", "values": ["REFUND"]}), 1),
        ((READS_BOTH[0], {"kind": "must_not_contain", "values": ["c"]}), 0),
        ((READS_BOTH[0], {"kind": "must_not_contain", "case_sensitive": True}), 0),
    ],
    ids=json.dumps,
)
def test_only_lists_that_are_read_conflict(checks: Any, count: int) -> None:
    row = {"must_contain_any": ["a refund"], "must_not_contain": ["refund"]}
    assert len(list(conflicts_of(placed(*checks)).of(row))) == count


TOOLS, FACTS, FORMAT = {"kind": "tool_usage"}, {"kind": "fact_match"}, {"kind": "format"}
SHORT = {"kind": "format", "format": "text", "max_chars": 9}


@every_case(
    ("checks", "row", "told"),
    [
        (
            (TOOLS, {"kind": "tool_usage", "forbidden_tools": ["b", "c"]}),
            {"expected_tools": ["a", "b"]},
            ("expected_tools.1", "checks.1.forbidden_tools.0", ["this cannot be met: ", "`b`"]),
        ),
        (
            (
                {"kind": "tool_usage", "match": "any"},
                {"kind": "tool_usage", "match": "any", "forbidden_tools": ["c", "b"]},
            ),
            {"expected_tools": ["a", "b"]},
            ("expected_tools.1", "checks.1.forbidden_tools.1", ["`b` can never match"]),
        ),
        (
            (TOOLS, {"kind": "tool_usage", "max_calls": 5}, {"kind": "tool_usage", "max_calls": 1}),
            {"expected_tools": ["a", "b"]},
            ("expected_tools", "checks.2.max_calls", ["takes 2 calls", "allows 1"]),
        ),
        (
            (FACTS, {"kind": "must_not_contain", "values": ["x", "Hot"]}),
            {"expected_facts": ["cold", "hot", "hot too"]},
            (
                "expected_facts.1",
                "checks.1.values.1",
                ["this cannot be met: ", "`hot`", "the rubric"],
            ),
        ),
        (
            ({**FACTS, "min_recall": 0.5}, {"kind": "must_not_contain", "values": ["hot"]}),
            {"expected_facts": ["hot"]},
            ("expected_facts.0", "checks.1.values.0", ["it can never match: ", "`hot`"]),
        ),
        (
            (FACTS, {"kind": "format", "format": "text", "max_chars": 4}, SHORT),
            {"expected_facts": ["four", "  f  iv"]},
            None,
        ),
        (
            (FACTS, SHORT, {"kind": "format", "format": "text", "max_chars": 4}),
            {"expected_facts": ["four", "fives"]},
            ("expected_facts.1", "checks.2.max_chars", ["this cannot be met: ", "4 characters"]),
        ),
        (
            (FORMAT, {"kind": "markdown_structure", "min_headings": 1}),
            {"expected": {"format": "json"}},
            ("expected.format", "checks.1.min_headings", ["JSON has no headings"]),
        ),
        (
            (FORMAT, {"kind": "markdown_structure", "min_headings": 1}),
            {"expected": {"format": "text"}},
            None,
        ),
        ((TOOLS, {"kind": "tool_usage", "max_calls": 2}), {"expected_tools": ["a", "b"]}, None),
        ((), {"expected_facts": ["a"], "must_not_contain": ["a"]}, None),
    ],
)
def test_what_is_told_of_a_conflict(
    checks: Any, row: dict[str, Any], told: tuple[str, str, list[str]] | None
) -> None:
    conflicts = [*conflicts_of(placed(*checks)).of(row)]
    if told is None:
        assert conflicts == []
        return
    (conflict,) = conflicts
    path, other, facts = told
    assert ".".join(map(str, conflict.path)) == path
    assert ".".join(map(str, conflict.other)) == other
    assert not conflict.is_own
    assert conflict.advice
    assert [fact for fact in facts if fact not in conflict.message] == []


def test_a_text_forbidden_by_the_rubric_is_told_as_such() -> None:
    checks = (READS_BOTH[0], {"kind": "must_not_contain", "values": ["refund"]})
    row = {"must_contain_any": ["a Refund", "refunds"]}
    (conflict,) = conflicts_of(placed(*checks)).of(row)
    assert (conflict.other, conflict.is_own) == (("checks", 1, "values", 0), False)
    assert "`refund`, which the rubric forbids" in conflict.message
    (own,) = OWN_CONFLICTS.of({**row, "must_not_contain": ["REFUND"]})
    assert (own.other, own.is_own) == (("must_not_contain", 0), True)
    assert "`refund`, which `must_not_contain` forbids" in own.message
