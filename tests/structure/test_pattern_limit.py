"""The patterns of schemas that authors write have limits, which all of a run share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from tables import every_case

from evalcontract.structure import authored, native
from evalcontract.structure.authored import NoChildError, OutOfTimeError, PatternMatcher
from evalcontract.structure.exact import AuthoredSchema, UndecidedError
from evalcontract.structure.gate import Gate, gate_schema
from evalcontract.structure.native import MAX_STEPS, PatternLimitError, steps_for
from evalcontract.structure.schemas import definition
from evalcontract.structure.validator import SchemaValidator

if TYPE_CHECKING:
    from collections.abc import Callable

ROW = definition("row", of="dataset")
#: Quadratic: at each place, it looks through the whole rest of the text.
SLOW = "(?=a*b)c"


class Counted:
    """A function that counts its calls."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.calls = 0
        self._function = function

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Count, and call it."""
        self.calls += 1
        return self._function(*arguments, **named)


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> Counted:
    """Count the searches in this process."""
    counted = Counted(native.matches)
    monkeypatch.setattr(authored, "matches", counted)
    return counted


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> Counted:
    """Count the searches in another process."""
    counted = Counted(authored.answer_of_child)
    monkeypatch.setattr(authored, "answer_of_child", counted)
    return counted


def spent(monkeypatch: pytest.MonkeyPatch) -> PatternMatcher:
    """Return a matcher whose time is over after one search."""
    for limit in ("MAX_SECONDS", "SECONDS_PER_TEXT", "SECONDS_PER_CHARACTER"):
        monkeypatch.setattr(authored, limit, 1e-12)
    matcher = PatternMatcher()
    matcher.matches(SLOW, "a")
    return matcher


@every_case(("length", "most"), [(10, MAX_STEPS), (20_000, 16_384), (1_000_000, 512)], ids=str)
def test_a_long_text_allows_few_steps(length: int, most: int) -> None:
    """No search takes more steps than half a second allows, whatever each of them scans."""
    assert steps_for("a" * length, authored.MAX_WORK) == most


@pytest.mark.slow
@every_case(
    ("pattern", "text"),
    [
        ("(?=a)b|z$", "a" * 50 + "z"),
        ("(?=a)b|z$", "a" * 50),
        (r"(a)\1z", "aba" * 9 + "aaz\ud800"),
    ],
    ids=str,
)
def test_what_needs_more_steps_is_searched_by_another_process(
    pattern: str, text: str, monkeypatch: pytest.MonkeyPatch, children: Counted
) -> None:
    monkeypatch.setattr(authored, "MAX_WORK", 20)
    before = children.calls
    assert PatternMatcher().matches(pattern, text) is bool(re.search(pattern, text))
    assert children.calls == before + 1


@every_case("failure", [OutOfTimeError(), NoChildError("there is none")], ids=repr)
def test_a_process_without_an_answer_decides_nothing(
    failure: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> None:
        raise failure

    monkeypatch.setattr(authored, "MAX_WORK", 20)
    monkeypatch.setattr(authored, "answer_of_child", fails)
    with pytest.raises(PatternLimitError):
        PatternMatcher().matches(SLOW, "a" * 200)


@pytest.mark.slow
def test_a_process_ends_with_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(authored, "MAX_WORK", 20)
    monkeypatch.setattr(authored, "MAX_SECONDS", 0.01)
    monkeypatch.setattr(authored, "SECONDS_PER_CHARACTER", 0)
    monkeypatch.setattr(authored, "_START_SECONDS", 0.3)
    with pytest.raises(PatternLimitError, match="too long"):
        PatternMatcher().matches(SLOW, "a" * 300_000)


def test_once_the_time_is_over_nothing_is_searched(
    monkeypatch: pytest.MonkeyPatch, searches: Counted
) -> None:
    matcher = spent(monkeypatch)
    before = searches.calls
    for other in (SLOW, "(?!x)y"):
        with pytest.raises(PatternLimitError, match="before"):
            matcher.matches(other, "another text")
    assert searches.calls == before
    assert matcher.matches("^an", "another text"), "linear patterns have no limit"


def test_a_slow_text_is_searched_once(monkeypatch: pytest.MonkeyPatch, searches: Counted) -> None:
    monkeypatch.setattr(authored, "_SLOW_SECONDS", 0)
    matcher = PatternMatcher()
    assert [matcher.matches("(?=a)a", "ba") for _ in range(3)] == [True] * 3
    assert searches.calls == 1


SCHEMAS = [
    {"properties": {"context": {"pattern": SLOW}}},
    {"properties": {"context": {"not": {"pattern": SLOW}}}},
    {"patternProperties": {SLOW: True}},
    {"patternProperties": {SLOW: True}, "unevaluatedProperties": True},
]


@every_case("bundle", SCHEMAS, ids=str)
def test_a_row_is_undecided_by_a_pattern_at_its_limit(
    bundle: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    search = spent(monkeypatch).matches
    row = {"id": "a", "input": "b", "criteria": "c", "context": "d"}
    gate = Gate(gate_schema(ROW, [], [bundle]), bundle, search)
    assert not gate.passes([row])
    (problem,) = SchemaValidator("dataset", ROW).with_bundle(bundle, search).check(row)
    assert problem.code == "dataset/undecided-value"


@every_case("schema", SCHEMAS, ids=str)
def test_a_check_is_undecided_by_a_pattern_at_its_limit(
    schema: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UndecidedError):
        AuthoredSchema(schema, spent(monkeypatch).matches).first_violation({"context": "d"})


@every_case("pattern", ["[*+^]", r"\++", "(?i)a", "(?<n>a)", r"a{2,3}?", r"[\\{*+^]|\(\?"], ids=str)
def test_patterns_that_look_like_it_do_not_backtrack(pattern: str) -> None:
    assert not native.may_backtrack(pattern)


@every_case("pattern", [SLOW, "(?!a)b", "(?<=a)b", r"(a)\1", "a++b", "(?>a)b"], ids=str)
def test_patterns_that_backtrack(pattern: str) -> None:
    assert native.may_backtrack(pattern)
