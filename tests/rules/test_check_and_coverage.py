"""`check` and `coverage` agree on rows of which nothing is graded."""

from __future__ import annotations

import json
import tempfile
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from doors import Input, Options, check_workspaces, coverage
from examples import examples
from hypothesis import example, given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from evalcontract import Diagnostic
    from evalcontract.checks.coverage import RowCoverage

Row = dict[str, Any]

CHECKS: list[Any] = [
    {"kind": "must_contain_any"},
    {"kind": "must_not_contain"},
    {"kind": "must_not_contain", "values": ["stupid"]},
    {"kind": "regex", "pattern": "[0-9]*"},
    {"kind": "regex", "pattern": "("},
    {"kind": "json_schema", "schema": {}},
    {"kind": "json_schema", "schema": {"type": "objekt"}},
    {"kind": "json_schema", "schema_ref": "nowhere.json"},
    {"kind": "markdown_structure", "min_headings": 0},
    {"kind": "markdown_structure", "max_heading_level": 6},
    {"kind": "tool_usage"},
    {"kind": "tool_usage", "match": "exact"},
    {"kind": "tool_usage", "expected_tools": []},
    {"kind": "format"},
    {"kind": "format", "format": "text"},
    {"kind": "fact_match"},
    {"kind": "fact_match", "facts": []},
    {"kind": "fact_match", "facts": [" "]},
    {"kind": "fact_match", "min_recall": 0},
    {"kind": "llm_judge", "judge_prompt_ref": "judge/critical@1.0.0"},
    {"kind": "llm_judge", "judge_prompt_ref": "judge/contextual@1.0.0"},
    {"kind": "llm_judge", "judge_prompt_ref": "judge/blank@1.0.0"},
    {"kind": "llm_judge", "judge_prompt_ref": "judge/nobody@1.0.0"},
    {"kind": "llm_judge", "judge_prompt_ref": "judge/critical@1.0.0", "threshold": 0},
    {"kind": "composite", "rubric_ref": "rubric/inner@1.0.0"},
    {"kind": "composite", "rubric_ref": "rubric/inner@1.0.0", "threshold": 0},
    {"kind": "composite", "rubric_ref": "rubric/nobody@1.0.0"},
    {"kind": "nothing"},
    7,
]
JUDGES = {
    "critical": "{{ output }} {{ criteria }}",
    "contextual": "{{ output }} {{ context }} {{ expected.answer }}",
    "blank": 5,
}
BUNDLE = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {"tour": {"type": "string"}},
}
TEXTS = st.lists(st.sampled_from(["left", " ", "a b"]), max_size=2)
ROW: st.SearchStrategy[Row] = st.fixed_dictionaries(
    {"id": st.just("a"), "input": st.just("b")},
    optional={
        "rubric_ref": st.sampled_from(["rubric/own@1.0.0", "rubric/inner@1.0.0", "rubric/none@1"]),
        "bundle": st.sampled_from(["tours", "undeclared"]),
        "tour": st.just("dutch"),
        "criteria": st.sampled_from(["Names Paris", "", " "]),
        "expected": st.sampled_from([{}, {"format": "text"}, {"format": "json"}, {"answer": " "}]),
        "expected_facts": TEXTS,
        "expected_tools": TEXTS,
        "must_contain_any": TEXTS,
        "must_not_contain": TEXTS,
        "context": st.sampled_from(["Ghent", "", " ", [], None]),
        "tags": TEXTS,
    },
)
ROOT = st.fixed_dictionaries(
    {},
    optional={
        "bundle": st.sampled_from(["tours", "undeclared"]),
        "rubric_ref": st.just("rubric/own@1.0.0"),
        "expected_facts": st.just(["left"]),
    },
)
RUBRIC = st.lists(st.sampled_from(CHECKS), max_size=3)
GRADED = st.lists(st.sampled_from(["criteria", "context", "tags"]), max_size=2, unique=True)
BARE = {"id": "a", "input": "b"}
OWN = {**BARE, "rubric_ref": "rubric/own@1.0.0"}
REFERENCES = ("rubric_ref", "judge_prompt_ref")
UNGRADED = {"dataset/nothing-to-grade", "dataset/nothing-runs"}


@pytest.mark.slow
@examples(300)
@given(row=ROW, root=ROOT, own=RUBRIC, inner=RUBRIC, graded=GRADED)
@example(row={**BARE, "bundle": "tours"}, root={}, own=[], inner=[], graded=[])
@example(row=BARE, root={"bundle": "tours"}, own=[], inner=[], graded=[])
@example(row={**OWN, "context": " "}, root={}, own=CHECKS[20:21], inner=[], graded=[])
@example(row={**BARE, "tags": []}, root={}, own=[], inner=[], graded=["tags"])
@example(row=OWN, root={}, own=CHECKS[24:25], inner=CHECKS[:1], graded=[])
@example(row=OWN, root={}, own=CHECKS[8:9], inner=[], graded=[])
@example(row=OWN, root={}, own=CHECKS[9:10], inner=[], graded=[])
@example(row=OWN, root={}, own=CHECKS[12:13], inner=[], graded=[])
@example(row=OWN, root={}, own=CHECKS[14:15], inner=[], graded=[])
@example(row=OWN, root={}, own=CHECKS[17:18], inner=[], graded=[])
def test_a_row_of_which_nothing_runs_has_a_finding(
    row: Row, root: Row, own: list[Any], inner: list[Any], graded: list[str]
) -> None:
    """The finding is on the row, at the root, or on what the row reaches."""
    diagnostics, covered = outcome(row, root, own, inner, graded)
    on_row = {diagnostic.code for diagnostic in diagnostics if diagnostic.row_index == 0}
    if not covered.runs:
        assert any(diagnostic.is_error for diagnostic in diagnostics), covered
    if on_row & UNGRADED:
        assert not covered.runs, on_row


def outcome(
    row: Row, root: Row, own: list[Any], inner: list[Any], graded: list[str]
) -> tuple[tuple[Diagnostic, ...], RowCoverage]:
    """Return the findings of `check --strict` and the coverage of a row."""
    files: dict[str, Any] = {
        "data.json": {**root, "questions": [row]},
        "bundles/tours.schema.json": BUNDLE,
        **{f"judges/{name}.json": artifact(name, template=JUDGES[name]) for name in JUDGES},
    }
    scoring = {"combine": "all_pass"}
    for name, checks in {"own": own, "inner": inner}.items():
        files[f"rubrics/{name}.json"] = artifact(name, checks=checks, scoring=scoring)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, value in files.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(json.dumps(value), encoding="utf-8")
        text = f"row_keys_graded = {json.dumps(graded)}\n"
        (folder / "evalcontract.toml").write_text(text, encoding="utf-8")
        options = Options(root=folder, strict=True, today=date(2026, 6, 1))
        diagnostics = check_workspaces(folder, options).diagnostics
        report = coverage([Input(folder / "data.json")], options, all_rows=True)
    ((covered, _),) = report.files[0].rows
    names = reached(row, own, inner)
    of_row = [
        diagnostic
        for diagnostic in diagnostics
        if diagnostic.row_index == 0 or reaches(diagnostic, names)
    ]
    return tuple(of_row), covered


def artifact(name: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "version": "1.0.0", **more}


def reached(row: Row, own: list[Any], inner: list[Any]) -> set[str]:
    """Return the names of the files that a row reaches, without their folders."""
    rubrics = {"own": own, "inner": inner}
    names: set[str] = set()
    waiting = [row.get("rubric_ref")]
    while waiting:
        name = str(waiting.pop()).partition("/")[2].partition("@")[0]
        if name and name not in names:
            names.add(name)
            checks = [check for check in rubrics.get(name, ()) if isinstance(check, dict)]
            waiting += [check.get(key) for check in checks for key in REFERENCES]
    return names


def reaches(diagnostic: Diagnostic, names: set[str]) -> bool:
    """Whether a finding is at the root of the dataset, or on a file that the row reaches."""
    stem = Path(diagnostic.place.file).stem
    is_of_judge = diagnostic.code == "judge/unvalidated"
    return stem == "data" or (stem in names and not is_of_judge)
