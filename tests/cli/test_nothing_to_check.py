"""A folder with nothing to check: a wrong path by default, and fine where that is asked for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import yaml
from doors import ROOT, command_line

if TYPE_CHECKING:
    from pathlib import Path


FAULTY = "questions: [{id: a, input: b, criteria: c, expecteed_facts: []}]\n"


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with nothing in it the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("empty")
def test_it_ends_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line("check") == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.endswith(". contains no dataset, rubric, judge or target\n")


@pytest.mark.parametrize("cache", ["--cache", "--no-cache"])
def test_it_is_allowed(cache: str, empty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each time, and until there is something."""
    for _ in range(2):
        assert command_line("check", "--allow-empty", cache) == 0
        printed = capsys.readouterr()
        assert printed.out == "nothing to check: no findings\n"
        assert printed.err == "note: . contains no dataset, rubric, judge or target\n"
        assert command_line("check", cache) == 2
        capsys.readouterr()
    (empty / "a.yaml").write_text(FAULTY)
    assert command_line("check", "--allow-empty", "--strict", cache) == 1
    assert capsys.readouterr().err == ""


def test_files_that_are_skipped_are_told(empty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (empty / "notes.json").write_text("{}")
    assert command_line("check", "--allow-empty") == 0
    assert capsys.readouterr().out.startswith("skipped 1 data file")


@pytest.mark.usefixtures("empty")
def test_json_has_no_findings(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line("check", "--allow-empty", "--output-format", "json") == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["summary"]["files"], report["findings"]) == ({}, [])


@pytest.mark.usefixtures("empty")
def test_a_folder_that_is_not_there_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line("check", "--allow-empty", "nowhere") == 2
    assert "there is no folder `nowhere`" in capsys.readouterr().err


def test_the_hook_allows_it() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (entry,) = [hook["entry"] for hook in hooks if hook["id"] == "evalcontract-check"]
    assert "--allow-empty" in entry.split()
