"""Kinds of checks that only another runner knows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from doors import command_line

from evalcontract import ContractViolation, RubricLoader

if TYPE_CHECKING:
    from pathlib import Path

RUBRIC = """\
id: exact
version: "1.0.0"
checks:
  - {id: same, kind: target_match, source: expected.reference}
  - {id: polite, kind: must_not_contain, values: [stupid]}
scoring: {combine: all_pass}
"""
ROWS = "questions:\n  - {id: a, input: b, rubric_ref: rubric/exact@1.0.0}\n"
NO_EXECUTOR, UNKNOWN = ("rubric/no-executor", "warning"), "rubric/unknown-value"


def findings(
    folder: Path, capsys: pytest.CaptureFixture[str], configuration: str, *more: str
) -> list[tuple[str, str]]:
    """Return the codes and severities of the findings in a rubric with such a check."""
    (folder / "rubrics").mkdir(exist_ok=True)
    (folder / "rubrics" / "exact.yaml").write_text(RUBRIC)
    (folder / "rows.yaml").write_text(ROWS)
    (folder / "evalcontract.toml").write_text(configuration)
    command_line("check", folder, "--output-format", "json", *more)
    report = json.loads(capsys.readouterr().out)
    return [
        (each["code"], each["severity"])
        for each in report["findings"]
        if each["code"].startswith("rubric/")
    ]


def test_a_declared_kind_is_a_warning_in_both_modes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    declared = 'declared_kinds = ["target_match"]\n'
    assert findings(tmp_path, capsys, declared) == [NO_EXECUTOR]
    assert findings(tmp_path, capsys, declared, "--strict") == [NO_EXECUTOR]


@pytest.mark.parametrize("configuration", ["", 'declared_kinds = ["target_matches"]\n'])
def test_any_other_is_an_unknown_value(
    configuration: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert findings(tmp_path, capsys, configuration) == [(UNKNOWN, "warning")]
    assert findings(tmp_path, capsys, configuration, "--strict") == [(UNKNOWN, "error")]


def test_its_checks_are_unavailable(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    findings(tmp_path, capsys, 'declared_kinds = ["target_match"]\n')
    command_line("coverage", tmp_path / "rows.yaml", "--output-format", "json")
    assert '"unavailable": 1' in capsys.readouterr().out


@pytest.mark.parametrize("value", ['"target_match"', "[7]", '["../a"]', '["Target"]'])
def test_a_malformed_setting_is_refused(
    value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "evalcontract.toml").write_text(f"declared_kinds = {value}\n")
    (tmp_path / "rows.yaml").write_text(ROWS)
    assert command_line("check", tmp_path) == 2
    assert "evalcontract.toml:1: `declared_kinds` must be a list" in capsys.readouterr().err


def test_the_other_checks_are_graded_and_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    findings(tmp_path, capsys, 'declared_kinds = ["target_match"]\n')
    (tmp_path / "outputs.jsonl").write_text('{"id": "a", "output": "b"}\n')
    grade = ["grade", str(tmp_path / "rows.yaml"), "--outputs", str(tmp_path / "outputs.jsonl")]
    assert command_line(*grade, "--output-format", "jsonl") == 0
    lines = map(json.loads, capsys.readouterr().out.splitlines())
    (row,) = (line for line in lines if "id" in line)
    told = [(check["id"], check["outcome"], check.get("reason")) for check in row["checks"]]
    assert told == [
        ("same", "unavailable", "there is no executor for the kind `target_match`"),
        ("polite", "passed", None),
    ]
    assert (row["outcome"], row["bounds"]) == ("undecided", [0, 1])
    same, polite = RubricLoader(tmp_path, strict=False).load("exact").checks
    assert (same.kind, same.parameters) == ("target_match", {"source": "expected.reference"})
    assert polite.kind == "must_not_contain"


def test_an_undeclared_kind_is_no_part_of_a_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    findings(tmp_path, capsys, "")
    (tmp_path / "outputs.jsonl").write_text('{"id": "a", "output": "b"}\n')
    command_line("grade", tmp_path / "rows.yaml", "--outputs", tmp_path / "outputs.jsonl")
    assert "rubric/exact@1.0.0 is not valid" in capsys.readouterr().out
    command_line("coverage", tmp_path / "rows.yaml")
    assert "polite: unavailable: rubric/exact@1.0.0 is malformed" in capsys.readouterr().out
    with pytest.raises(ContractViolation):
        RubricLoader(tmp_path, strict=False).load("exact").checks  # noqa: B018
