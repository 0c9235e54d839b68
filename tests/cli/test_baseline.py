"""Baselines: known findings are counted, new ones alone fail, edits elsewhere change nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from doors import command_line
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.checking.baseline import Scope, compare, next_baseline
from evalcontract.checking.pipeline import validate
from evalcontract.datasets.opening import Input, Options
from evalcontract.model.reference import Kind
from evalcontract.structure.exact import validator_for
from evalcontract.structure.schemas import load

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ROW = "  - {{id: {0}, input: b, must_not_contain: [c]{1}}}\n"
FAULTY = ", expecteed_facts: [d]"


def write(rows: Sequence[str], place: Path, above: int = 0) -> Path:
    path = place / "a.yaml"
    path.write_text("# x\n" * above + "questions:\n" + "".join(rows), encoding="utf-8")
    return path


def counts(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    """Return the exit code and the summary of a report."""
    capsys.readouterr()
    status = command_line("check", *arguments, "--output-format", "json", "--strict")
    return status, json.loads(capsys.readouterr().out)["summary"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write([ROW.format("a", FAULTY), ROW.format("b", FAULTY), ROW.format("c", "")], tmp_path)
    return tmp_path


def test_known_findings_do_not_fail(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert counts(capsys)[0] == 1
    assert command_line("check", "--strict", "--write-baseline") == 0
    name = ".evalcontract-baseline.json"
    said = capsys.readouterr()
    assert f"baseline of 2 findings in {name} (2 new, 0 removed)" in said.err
    assert "(2 known)" in said.out
    status, summary = counts(capsys, "--baseline", name)
    assert (status, summary["baseline"]) == (0, {"known": 2, "gone": 0})
    write([ROW.format("b", FAULTY), ROW.format("new", FAULTY)], place)
    status, summary = counts(capsys, "--baseline", name)
    assert (status, summary["errors"]) == (1, 1)
    assert summary["baseline"] == {"known": 1, "gone": 1}
    assert command_line("check", "--strict", "--baseline", name, "--write-baseline") == 0
    assert "(1 new, 1 removed)" in capsys.readouterr().err


def test_the_file_is_stable(place: Path) -> None:
    command_line("check", "--write-baseline", "b.json")
    text = (place / "b.json").read_text(encoding="utf-8")
    value = json.loads(text)
    assert validator_for(load("baseline")).is_valid(value)
    assert text.count("\n") == len(value["findings"]) + 2
    assert value["findings"] == sorted(value["findings"], key=lambda item: item["row"])
    command_line("check", "--write-baseline", "b.json")
    assert (place / "b.json").read_text(encoding="utf-8") == text


def test_other_files_and_codes_stay_in_it(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = place / "other.yaml"
    other.write_text("questions:\n" + ROW.format("z", FAULTY), encoding="utf-8")
    command_line("check", "--write-baseline=b.json")
    arguments = ("validate-dataset", "a.yaml", "--baseline", "b.json")
    capsys.readouterr()
    assert command_line(*arguments, "--strict") == 0
    assert "gone" not in capsys.readouterr().out
    command_line("validate-dataset", "a.yaml", "--write-baseline=b.json")
    command_line("check", "--select", "rubric/", "--write-baseline=b.json")
    assert len(json.loads((place / "b.json").read_text(encoding="utf-8"))["findings"]) == 3
    other.unlink()
    command_line("validate-dataset", "a.yaml", "--write-baseline=b.json")
    assert len(json.loads((place / "b.json").read_text(encoding="utf-8"))["findings"]) == 2


def test_joined_findings(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Fewer places are known, the last one, too; more of them are new."""
    rows = [ROW.format(name, ", rubric_ref: rubric/gone@1.0.0") for name in "abcd"]
    write(rows[:3], place)
    command_line("check", "--write-baseline=b.json")
    for size, status in ((3, 0), (2, 0), (1, 0), (4, 1)):
        write(rows[:size], place)
        assert counts(capsys, "--baseline", "b.json")[0] == status


def test_what_cannot_be_read_is_never_known(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "bad.yaml").write_text("questions: [\n", encoding="utf-8")
    assert command_line("check", "--write-baseline=b.json") == 1
    assert "source/syntax" in capsys.readouterr().out
    assert command_line("check", "--baseline=b.json") == 1


@every_case(
    ("text", "said"),
    [
        ("{", "b.json:1:2: not a baseline"),
        ("[]", "b.json:1:1: not a baseline"),
        ('{"version": 2, "findings": []}', "b.json:1:13: not a baseline"),
        ('{"version": 1,\n "findings": [{"file": 1}]}', "b.json:2:"),
        ("", "b.json: not a baseline"),
    ],
)
def test_a_broken_baseline(
    text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    write([ROW.format("a", "")], tmp_path)
    (tmp_path / "b.json").write_text(text, encoding="utf-8")
    assert command_line("check", "--baseline", "b.json") == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert command_line("check", "--write-baseline", "b.json") == 2
    assert (tmp_path / "b.json").read_text(encoding="utf-8") == text


@every_case(
    ("arguments", "said"),
    [
        (("check", "--baseline", "gone.json"), "there is no baseline gone.json"),
        (("check", "--write-baseline", "."), "ends in .json"),
        (("validate-dataset", "--write-baseline", "a.yaml", "a.yaml"), "ends in .json"),
        (("check", "--max-findings", "1", "--write-baseline"), "--max-findings 0"),
    ],
)
def test_what_is_refused(
    arguments: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    write([ROW.format("a", FAULTY), ROW.format("b", FAULTY)], tmp_path)
    before = (tmp_path / "a.yaml").read_bytes()
    assert command_line(*arguments) == 2
    assert said in capsys.readouterr().err
    assert (tmp_path / "a.yaml").read_bytes() == before
    assert len([*tmp_path.iterdir()]) == 1


@given(
    order=st.permutations(range(6)),
    kept=st.integers(min_value=1, max_value=6),
    above=st.integers(min_value=0, max_value=3),
)
def test_moved_rows_and_new_lines_are_not_new(
    order: list[int], kept: int, above: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("moved")
    rows = [ROW.format(f"r{n}", FAULTY if n % 2 else ", criterai: x") for n in range(6)]
    before = validate(Kind.DATASET, [Input(write(rows, place))], Options(root=place))
    baseline = next_baseline(before, [], Scope())
    assert len(baseline) == len(before.diagnostics) == 6
    path = write([rows[n] for n in order[:kept]], place, above)
    after = validate(Kind.DATASET, [Input(path)], Options(root=place))
    compared = compare(after, baseline, Scope())
    assert compared.new == []
    assert len(compared.known) == kept
    assert len(compared.gone) == 6 - kept
