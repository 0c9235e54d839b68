"""The search for slow patterns: what it skips, what it repeats, and where it ends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from doors import Options, check_workspaces
from tables import every_case
from work import calls_of

from evalcontract.analysis import budget
from evalcontract.analysis.budget import Budget
from evalcontract.analysis.pattern_search import BudgetSpentError, PatternSearch
from evalcontract.analysis.regex_ambiguity import find_attack

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
