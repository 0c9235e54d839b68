"""Keys of rows that the runner's own graders read: the settings, targets, coverage and loaders."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from doors import Input, Kind, Options, check_workspaces, command_line, coverage, validate
from tables import every_case
from writing import write

from evalcontract import DatasetLoader
from evalcontract.model.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract.checks.coverage import RowCoverage

RUBRIC = """\
id: polite
version: "1.0.0"
checks:
  - {id: no_insults, kind: must_not_contain, values: [stupid]}
scoring: {combine: all_pass}
"""
ROW = "{id: a, input: b, criteria: c, expected_tools: [d], rubric_ref: rubric/polite@1.0.0}"
TODAY = date(2026, 6, 1)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path, {"rubrics/polite.yaml": RUBRIC, "data.yaml": f"questions:\n  - {ROW}\n"})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def settings(*keys: str) -> str:
    return f"row_keys_graded = {json.dumps(keys)}\n"


def target(*keys: str, dataset: str = "data.yaml") -> str:
    return json.dumps({"dataset": dataset, "row_keys_graded": keys})


def unread(folder: Path) -> set[str]:
    """Return the keys that `check`, `validate-dataset` and the loader all report as unread."""
    options = Options(today=TODAY)
    path = folder / "data.yaml"
    reports = [
        keys(check_workspaces(folder, options).diagnostics),
        keys(validate(Kind.DATASET, [Input(path)], options).diagnostics),
        keys(DatasetLoader(on_day=TODAY).load(path).diagnostics),
    ]
    assert reports[0] == reports[1] == reports[2]
    return reports[0]


def keys(diagnostics: Any) -> set[str]:
    """Return the keys of `data.yaml` that are reported as unread."""
    return {
        str(diagnostic.path[-1])
        for diagnostic in diagnostics
        if diagnostic.code == "dataset/unread-expectation"
        and diagnostic.place.file.endswith("data.yaml")
    }


def covered(folder: Path) -> RowCoverage:
    """Return the coverage of the row, which the command and the loader agree on."""
    path = folder / "data.yaml"
    ((row, _),) = coverage([Input(path)], Options(), all_rows=True).files[0].rows
    assert DatasetLoader(on_day=TODAY).load(path).coverage == (row,)
    return row


BOTH = {"criteria", "expected_tools"}


@pytest.mark.slow
@every_case(
    ("files", "expected"),
    [
        ({}, BOTH),
        ({"evalcontract.toml": settings()}, BOTH),
        ({"evalcontract.toml": settings("criteria")}, {"expected_tools"}),
        ({"evalcontract.toml": settings("criteria", "expected_tools", "answer_key")}, set()),
        ({"targets/a.json": target("criteria")}, {"expected_tools"}),
        ({"targets/a.json": target("criteria", dataset="other.yaml")}, BOTH),
        ({"targets/a.json": target("criteria"), "targets/b.json": target()}, BOTH),
        (
            {"targets/a.json": target("criteria", "tags"), "targets/b.json": target("criteria")},
            {"expected_tools"},
        ),
        (
            {"targets/a.json": target("criteria"), "evalcontract.toml": settings("expected_tools")},
            set(),
        ),
        (
            {
                "targets/a.json": target("criteria"),
                "targets/b.json": target(),
                "evalcontract.toml": settings("expected_tools"),
            },
            {"criteria"},
        ),
        ({"targets/a.json": '{"dataset": "data.yaml", "row_keys_graded": "criteria"}'}, BOTH),
        ({"targets/a.json": '{"dataset": "data.yaml", "row_keys_graded": [7]}'}, BOTH),
    ],
    ids=lambda value: json.dumps(value) if isinstance(value, dict) else "",
)
def test_only_what_every_runner_grades_counts(
    files: dict[str, str], expected: set[str], tmp_path: Path
) -> None:
    base = {"rubrics/polite.yaml": RUBRIC, "data.yaml": f"questions:\n  - {ROW}\n"}
    write(tmp_path, {**base, "other.yaml": f"questions:\n  - {ROW}\n", **files})
    assert unread(tmp_path) == expected
    runner = {cell.check for cell in covered(tmp_path).cells if cell.kind == "runner"}
    assert runner == BOTH - expected


def test_coverage_counts_what_the_runner_grades(place: Path) -> None:
    """The checks of the rubric come first; an empty key is nothing to grade by."""
    write(place, {"evalcontract.toml": settings("criteria", "expected_tools", "answer_key")})
    write(place, {"data.yaml": f"questions:\n  - {ROW.replace('[d]', '[]')}\n"})
    cells = [(cell.check, cell.kind, str(cell.outlook.state)) for cell in covered(place).cells]
    assert cells == [
        ("no_insults", "must_not_contain", "run"),
        ("criteria", "runner", "run"),
        ("expected_tools", "runner", "vacuous"),
    ]


def test_a_row_that_only_the_runner_grades(place: Path) -> None:
    write(place, {"data.yaml": "questions:\n  - {id: a, input: b, answer_key: c}\n"})
    diagnostics = check_workspaces(place, Options(today=TODAY)).diagnostics
    assert [diagnostic.code for diagnostic in diagnostics] == ["dataset/nothing-to-grade"]
    write(place, {"evalcontract.toml": settings("answer_key")})
    assert check_workspaces(place, Options(today=TODAY)).diagnostics == []
    assert covered(place).runs


def test_targets_of_another_workspace(place: Path) -> None:
    """A dataset that a target elsewhere names, too, is run by both."""
    inner = place / "inner"
    write(inner, {"rubrics/polite.yaml": RUBRIC, "data.yaml": f"questions:\n  - {ROW}\n"})
    write(inner, {"targets/a.json": target("criteria", "expected_tools")})
    write(place, {"targets/b.json": target("criteria", dataset="inner/data.yaml")})
    (place / "data.yaml").unlink()
    diagnostics = check_workspaces(place, Options(today=TODAY)).diagnostics
    assert keys(diagnostics) == {"expected_tools"}


@every_case(
    ("value", "words"),
    [
        ('"criteria"', "must be a list of keys of rows"),
        ("[7]", "must be a list of keys of rows"),
        ('[""]', "must be a list of keys of rows"),
        ('["criterai"]', "did you mean `criteria`?"),
        ('["answer_key", "expected_fact"]', "did you mean `expected_facts`?"),
    ],
)
def test_settings_that_make_no_sense(value: str, words: str, tmp_path: Path) -> None:
    write(
        tmp_path, {"rubrics/polite.yaml": RUBRIC, "evalcontract.toml": f"row_keys_graded = {value}"}
    )
    with pytest.raises(
        ConfigurationError, match=r"^.*evalcontract\.toml:1: .*row_keys_graded"
    ) as raised:
        check_workspaces(tmp_path, Options(today=TODAY))
    assert words in str(raised.value)


def test_the_command_ends_with_2(place: Path) -> None:
    write(place, {"evalcontract.toml": settings("criterai")})
    assert command_line("check", place) == 2


@every_case(
    ("row", "found"),
    [
        ({"expected": {"format": "text", "reference": "Lima"}}, []),
        ({"expected": {"format": "text", "note": None}}, ["dataset/check-always-passes"]),
        ({"expected": {"format": "text"}}, ["dataset/check-always-passes"]),
        ({"expected": {"format": "text"}, "tags": ["a"]}, []),
        ({"expected": {"format": "text"}, "tags": []}, ["dataset/check-always-passes"] * 2),
        ({"expected_facts": ["Lima"], "tags": []}, []),
        ({"tags": ["a"]}, []),
    ],
    ids=json.dumps,
)
def test_a_row_without_a_rubric_is_graded_by_what_the_runner_reads(
    row: dict[str, Any], found: list[str], tmp_path: Path
) -> None:
    """What is beside the format of `expected` counts only for a runner that reads it."""
    line = json.dumps({"id": "a", "input": "b", "context": None, **row})
    write(tmp_path, {"evalcontract.toml": settings("expected", "tags"), "data.jsonl": line})
    report = validate(Kind.DATASET, [Input(tmp_path / "data.jsonl")], Options(today=TODAY))
    assert [diagnostic.code for diagnostic in report.diagnostics] == found
