"""A run stops after a number of findings, says so, and fails."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from doors import Input, Kind, Options, command_line, validate

from evalcontract.datasets import row_check as dataset_check

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = "source/limit-exceeded"
GOOD = '{"id": "%d", "input": "a", "expected_facts": ["b"]}'


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[Any]]:
    """Return the exit code, and the findings in the order of the report."""
    capsys.readouterr()
    status = command_line(*arguments, "--output-format", "json")
    return status, json.loads(capsys.readouterr().out)["findings"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "datasets").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("line", ["{x", '{"input": "a", "expected_facts": ["b"]}', "1"])
def test_one_file(folder: Path, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.jsonl").write_text(f"{line}\n" * 30)
    for limit, listed in ((1, 1), (7, 7), (29, 29), (30, 30), (31, 30), (0, 30)):
        status, findings = report(capsys, "validate-dataset", "a.jsonl", f"--max-findings={limit}")
        codes = [finding["code"] for finding in findings]
        is_cut = 0 < limit < 30
        assert codes.count(LIMIT) == is_cut, limit
        assert len(codes) - is_cut == listed, limit
        assert (status == 1) is (is_cut or line == "{x")


def test_several_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(9):
        (folder / "datasets" / f"{number}.yaml").write_text("questions: [1, 2, 3]\n")
    _, findings = report(capsys, "check", "--no-cache", "--max-findings=7")
    assert [finding["code"] for finding in findings].count(LIMIT) == 1
    assert len(findings) == 8
    assert {finding["file"] for finding in findings} == {f"datasets/{n}.yaml" for n in range(3)}


def test_what_has_a_common_cause_is_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = '{"id": "%d", "input": "a%d", "rubric_ref": "rubric/none@1.0.0"}\n'
    (folder / "a.jsonl").write_text("".join(row % (number, number) for number in range(50)))
    status, findings = report(capsys, "validate-dataset", "a.jsonl", "--max-findings=3")
    assert [finding["code"] for finding in findings] == ["reference/dangling"]
    assert findings[0]["place_count"] == 50
    assert status == 0


def test_what_is_ignored_does_not_count(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "evalcontract.toml").write_text("[severity]\n'dataset/near-miss-key' = 'ignore'\n")
    rows = [
        f'{{"id": "{n}", "input": "a{n}", "expected_facts": ["b"], "tgas": []}}' for n in range(40)
    ]
    (folder / "datasets" / "a.jsonl").write_text("\n".join([*rows, "1"]))
    _, findings = report(capsys, "check", "--no-cache", "--max-findings=1")
    assert [finding["code"] for finding in findings] == ["dataset/wrong-type"]


@pytest.mark.slow
@pytest.mark.parametrize("limit", [1, 250, 1000])
def test_several_processes(folder: Path, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset_check, "MIN_PART_BYTES", 1000)
    lines = [(GOOD % number) if number % 3 else '{"id": 1}' for number in range(6000)]
    (folder / "a.jsonl").write_text("\n".join(lines))
    serial, parallel = (
        validate(Kind.DATASET, [Input(folder / "a.jsonl")], Options(jobs=jobs, max_findings=limit))
        for jobs in (1, 4)
    )
    assert serial.diagnostics == parallel.diagnostics
    assert len(serial.diagnostics) == limit + 1
