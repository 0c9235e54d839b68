"""The search for slow patterns: what it skips, what it repeats, and where it ends."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from doors import Options, check_workspaces
from tables import every_case
from work import calls_of

from evalcontract.analysis import ambiguity as pattern_search
from evalcontract.analysis import program as budget
from evalcontract.analysis.ambiguity import BudgetSpentError, PatternSearch, find_attack
from evalcontract.analysis.pattern import matches_everything, matches_nothing
from evalcontract.analysis.program import Budget

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = (r"^order #\d+$", "a*a*b", "[a-z]{2,30}?x+", "(a|b)c", r"(?=a+)b", "(a)?", r"\(+a", "")
SLOW = ("(a+)+b", "(a|a)*b", r"(?P<x>ab|a)(\1)+c", "(?:a*)*?b", "(a{1,9}){2,}b")


@every_case("pattern", PLAIN, ids=str)
def test_patterns_without_a_repeated_group_take_no_steps(pattern: str) -> None:
    assert PatternSearch(Budget(0)).attack(pattern) is None
    assert find_attack(pattern, (), full=False) is None


@pytest.mark.slow
@every_case("pattern", SLOW, ids=str)
def test_the_others_are_searched(pattern: str) -> None:
    assert PatternSearch().attack(pattern) == find_attack(pattern, (), full=False)
    with pytest.raises(BudgetSpentError):
        PatternSearch(Budget(0)).attack(pattern)


def test_a_blank_before_a_quantifier() -> None:
    assert PatternSearch().attack("(a+) +b", ("x",)) is not None


def test_a_pattern_is_searched_once() -> None:
    search = PatternSearch(Budget(1))
    first = search.attack("(a+)+b")
    assert first is not None
    assert calls_of(search.attack, "(a+)+b") < 10
    with pytest.raises(BudgetSpentError):
        search.attack("(a+)+c")


def rubric(patterns: list[str]) -> dict[str, Any]:
    checks: list[dict[str, Any]] = [
        {"id": f"p{n}", "kind": "regex", "pattern": text} for n, text in enumerate(patterns)
    ]
    schema = {"type": "object", "properties": {text: {"pattern": text} for text in patterns}}
    checks.append({"id": "shape", "kind": "json_schema", "schema": schema})
    scoring = {"combine": "all_pass"}
    return {"id": "own", "version": "1.0.0", "checks": checks, "scoring": scoring}


def test_a_file_says_what_is_not_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One finding a file, at the first pattern; a slow pattern before it is reported as ever."""
    patterns = [f"^(a+)+{n}$" for n in range(10)]
    for folder, name, value in (
        ("rubrics", "own.json", rubric(patterns)),
        ("bundles", "x.schema.json", {"properties": {"k": {"pattern": "^(b+)+$"}}}),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(json.dumps(value), encoding="utf-8")
    monkeypatch.setattr(budget, "MAX_STEPS", 1)

    found = check_workspaces(tmp_path, Options(root=tmp_path)).diagnostics

    slow = [finding for finding in found if finding.code.endswith("/slow-regex")]
    left = [(finding.code, finding.path) for finding in slow if "not searched" in str(finding.help)]
    first, second = ("checks", 0, "pattern"), ("checks", 1, "pattern")
    assert left == [
        ("bundle/slow-regex", ("properties", "k", "pattern")),
        ("rubric/slow-regex", second),
    ]
    assert "18 patterns" in str([finding.help for finding in slow])
    in_schema = ("checks", 10, "schema", "properties", patterns[0], "pattern")
    assert {finding.path for finding in slow} - {path for _, path in left} == {first, in_schema}


#: Patterns that are read for a proof: an anchor in the middle, and what may match nothing.
PROVED = {"nothing": r"a$b", "everything": "a*", "neither": r"(?:a|b)*$c*"}


@every_case("pattern", PROVED.values(), ids=str)
def test_proofs_are_those_without_a_budget(pattern: str) -> None:
    search = PatternSearch()
    assert search.matches_nothing(pattern) is matches_nothing(pattern, ())
    for full in (True, False):
        assert search.matches_everything(pattern, full=full) is matches_everything(
            pattern, (), full=full
        )


def test_a_proof_is_made_once_and_within_the_budget() -> None:
    search = PatternSearch(proofs=Budget(1))
    assert search.matches_nothing("a$b")
    assert search.matches_nothing("a$b")
    for prove in (search.matches_nothing, partial(search.matches_everything, full=False)):
        with pytest.raises(BudgetSpentError):
            prove("(?:a$)*")
    assert not search.matches_nothing("abc"), "without anchors there is nothing to prove"
    assert not search.matches_everything("abc", full=True), "it needs three characters"


def test_patterns_beyond_the_budget_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pattern_search, "MAX_PROVED_CHARACTERS", 3)
    (tmp_path / "rubrics").mkdir()
    for name, patterns in {"a": ["a$b"], "b": ["c$d", "e$f"], "c": ["g*"]}.items():
        checks = rubric(patterns)["checks"][:-1]
        value = {**rubric(patterns), "id": name, "checks": checks}
        (tmp_path / "rubrics" / f"{name}.json").write_text(json.dumps(value))
    found = check_workspaces(tmp_path, Options(jobs=1)).diagnostics
    codes = ("rubric/unmatchable-regex", "rubric/vacuous-regex", "source/limit-exceeded")
    by_code = [(at.code, at.path[1:2]) for at in found if at.code in codes]
    assert by_code == [
        ("rubric/unmatchable-regex", (0,)),
        ("source/limit-exceeded", (0,)),
        ("source/limit-exceeded", (0,)),
    ]
