"""A judge's template shows a name below `expected` or `context`: rows without it are told."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from doors import Options, check_workspaces
from tables import every_case
from texts import facts

from evalcontract.checks._kind import field_of

if TYPE_CHECKING:
    from pathlib import Path

FACTS = "{{ expected.facts }}"
FACT = {"expected": {"fact": "Paris"}}

#: A template after `{{ output }}`, what a row holds, and the name that it lacks.
LACKING: dict[str, tuple[str, dict[str, Any], str]] = {
    "another name": (FACTS, FACT, "expected.facts"),
    "raw": ("{{{ expected.facts }}}", FACT, "expected.facts"),
    "null": (FACTS, {"expected": {"facts": None}}, "expected.facts"),
    "deeper": ("{{ expected.a.b }}", {"expected": {"a": {"c": 1}}}, "expected.a.b"),
    "below a text": ("{{ expected.a.b }}", {"expected": {"a": "b"}}, "expected.a.b"),
    "below a list": ("{{ context.title }}", {"context": [{"title": "a"}]}, "context.title"),
    "below a context that is a text": ("{{ context.title }}", {"context": "a"}, "context.title"),
    "past the end of a list": ("{{ context.1 }}", {"context": ["a"]}, "context.1"),
    "one of two": (f"{FACTS}{{{{ expected.fact }}}}", FACT, "expected.facts"),
    "beside a section of another name": (
        f"{{{{#expected.note}}}}a{{{{/expected.note}}}}{FACTS}", FACT, "expected.facts",
    ),
    "nothing at all": (FACTS, {}, "expected"),
}  # fmt: skip

FINE: dict[str, tuple[str, dict[str, Any]]] = {
    "there": (FACTS, {"expected": {"facts": ["Paris"]}}),
    "there, and empty": (FACTS, {"expected": {"facts": ""}}),
    "zero": ("{{ expected.count }}", {"expected": {"count": 0}}),
    "deep": ("{{ expected.a.b.c }}", {"expected": {"a": {"b": {"c": False}}}}),
    "of a list": ("{{ context.0.title }}", {"context": [{"title": "a"}]}),
    "a section of it": ("{{#expected.facts}}{{ . }}{{/expected.facts}}", {"context": "a"}),
    "shown beside a section of it": (
        f"{{{{^expected.facts}}}}a{{{{/expected.facts}}}}{FACTS}",
        {"context": "a"},
    ),
    "inside of a section above": (
        f"{{{{#expected}}}}{FACTS}{{{{ expected.fact }}}}{{{{/expected}}}}", FACT,
    ),
    "inside of a section of another": (
        f"{{{{#context}}}}{FACTS}{{{{/context}}}} {{{{ expected.fact }}}}", FACT,
    ),
    "the whole": ("{{ expected }}", FACT),
    "a comment": ("{{! expected.facts }}", {"context": "a"}),
}  # fmt: skip


def found(folder: Path, template: str, row: dict[str, Any], check: dict[str, Any]) -> list[Any]:
    judge = {"id": "j", "version": "1.0.0", "template": f"{{{{ output }}}} {template}"}
    checks = [{"id": "c", **check}, {"id": "w", "kind": "must_not_contain", "values": ["no"]}]
    rubric = {"id": "r", "version": "1.0.0", "checks": checks, "scoring": {"combine": "all_pass"}}
    rows = [{"id": "a", "input": "b", "rubric_ref": "rubric/r@1.0.0", **row}]
    for name, value in {
        "judges/j.json": judge, "rubrics/r.json": rubric, "data.json": {"questions": rows},
    }.items():  # fmt: skip
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(value), encoding="utf-8")
    options = Options(root=folder, strict=True, today=date(2026, 6, 1))
    diagnostics = check_workspaces(folder, options).diagnostics
    return [each for each in diagnostics if each.code != "judge/unvalidated"]


ASKED = {"kind": "llm_judge", "judge_prompt_ref": "judge/j@1.0.0"}


@pytest.mark.costly
@every_case(("template", "row", "field"), LACKING.values(), ids=LACKING)
def test_lacking(template: str, row: dict[str, Any], field: str, tmp_path: Path) -> None:
    (problem,) = found(tmp_path, template, row, ASKED)
    assert problem.code == "dataset/check-never-runs"
    assert facts(problem.message)[-1] == field


@pytest.mark.costly
@every_case(("template", "row"), FINE.values(), ids=FINE)
def test_fine(template: str, row: dict[str, Any], tmp_path: Path) -> None:
    assert found(tmp_path, template, row, ASKED) == []


def test_the_name_beside_it_is_told(tmp_path: Path) -> None:
    (problem,) = found(tmp_path, FACTS, FACT, ASKED)
    assert facts(problem.help) == ["expected.fact"]


def test_another_name_is_unread_where_none_is_needed(tmp_path: Path) -> None:
    template = "{{#expected.facts}}{{ . }}{{/expected.facts}}"
    (problem,) = found(tmp_path, template, FACT, ASKED)
    assert problem.code == "dataset/unread-expectation"
    assert problem.path == ("questions", 0, "expected", "fact")


def test_a_fact_may_be_filled_in_by_the_check(tmp_path: Path) -> None:
    check = {"kind": "fact_match", "judge_prompt_ref": "judge/j@1.0.0", "facts": ["Paris"]}
    template = "{{ expected.fact }} {{ expected.format }}"
    assert found(tmp_path, template, {"expected": {"format": "text"}}, check) == []


def test_the_format_is_a_text(tmp_path: Path) -> None:
    row = {"expected": {"format": "text"}}
    assert found(tmp_path, "{{ expected.format }}", row, ASKED) == []
    told = found(tmp_path, "{{ expected.format.kind }}", row, ASKED)
    assert [each.code for each in told] == ["judge/template-tag"]


@every_case("field", ["a.\u00b2", "a." + "9" * 5000, "a.-1", "a.0.0", "a.", ".", ""])
def test_any_name_can_be_looked_up(field: str) -> None:
    assert field_of({"a": [1]}, field) is None
