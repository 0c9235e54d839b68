"""`--select`, `--ignore`, `--fail-on`, `--exit-zero` and `--quiet`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from doors import command_line
from tables import every_case

if TYPE_CHECKING:
    from pathlib import Path

ROWS = """\
questions:
  - {id: a, input: b, expected_facts: [c], expecteed_facts: [x]}
  - {id: a, input: b, rubric_ref: rubric/none@1.0.0}
"""
NEAR, TWICE, DANGLING = "dataset/near-miss-key", "dataset/duplicate-id", "reference/dangling"
ALL = {NEAR, TWICE, DANGLING}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.yaml").write_text(ROWS)
    (tmp_path / "rubrics").mkdir()
    return tmp_path


def codes(capsys: pytest.CaptureFixture[str], *options: str) -> set[str]:
    """Return the codes that `check` and `validate-dataset` report; they agree."""
    found = []
    for call in (["check", "."], ["validate-dataset", "rows.yaml"]):
        command_line(*call, "--output-format", "json", *options)
        report = json.loads(capsys.readouterr().out)
        found.append({finding["code"] for finding in report["findings"]})
    assert found[0] == found[1]
    return found[0]


@pytest.mark.slow
@every_case(
    ("options", "expected"),
    [
        ([], ALL),
        (["--select", NEAR], {NEAR}),
        (["--select", f"{NEAR},{TWICE}"], {NEAR, TWICE}),
        (["--select", NEAR, "--select", f" {TWICE} "], {NEAR, TWICE}),
        (["--select", "dataset"], {NEAR, TWICE}),
        (["--select", "dataset/"], {NEAR, TWICE}),
        (["--select", "dataset/*,reference/"], ALL),
        (["--select", "rubric/"], set()),
        (["--ignore", NEAR], {TWICE, DANGLING}),
        (["--ignore", "dataset/*"], {DANGLING}),
        (["--select", "dataset/", "--ignore", NEAR], {TWICE}),
        (["--select", NEAR, "--ignore", "dataset/"], set()),
    ],
)
def test_what_is_reported(
    options: list[str], expected: set[str], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert place.is_dir()
    assert codes(capsys, *options) == expected
    assert codes(capsys, *options, "--strict") == expected


@every_case(
    ("options", "message"),
    [
        (["--select", "dataset/near-miss-kez"], f"did you mean `{NEAR}`?"),
        (["--select", "near-miss-key"], f"did you mean `{NEAR}`?"),
        (["--select", "datset/"], "there is no code `datset/`; did you mean `dataset`?"),
        (["--ignore", "nothing/like-it"], "`evalcontract explain` lists them all"),
        (["--select", ""], "there is no code ``"),
        (["--select", f"{NEAR},"], "there is no code ``"),
        (["--ignore", "source/syntax"], "`source/syntax` cannot be ignored: it means that"),
        (["--ignore", "source/"], "`source/` cannot be ignored"),
        (["--fail-on", "fatal"], "'fatal'"),
        (["--fail-on", "error", "--exit-zero"], "`--exit-zero` contradicts `--fail-on`"),
    ],
)
def test_what_is_refused(
    options: list[str], message: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command_line("check", str(place), *options) == 2
    assert message in capsys.readouterr().err


def test_a_file_that_is_not_read_is_always_reported(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "rows.yaml").write_text("questions: [\n")
    for options in (["--select", NEAR], ["--ignore", "dataset/", "--select", "rubric/"]):
        assert codes(capsys, *options) == {"source/syntax"}
        assert command_line("check", ".", *options) == 1
        capsys.readouterr()


def test_the_configuration_decides_on_severities(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A selection only leaves out: what the configuration ignores stays ignored."""
    settings = f'[severity]\n"{NEAR}" = "ignore"\n"{TWICE}" = "error"\n'
    (place / "evalcontract.toml").write_text(settings)
    assert codes(capsys, "--select", "dataset/") == {TWICE}
    assert codes(capsys, "--select", NEAR) == set()
    for options, expected in (([], 1), (["--select", DANGLING], 0), (["--ignore", TWICE], 0)):
        assert command_line("check", ".", *options) == expected


def test_the_strictness_of_a_target_holds_for_what_is_selected(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "targets").mkdir()
    (place / "targets/t.yaml").write_text("dataset: rows.yaml\nstrict_validation: true\n")
    for select, expected in ((NEAR, 1), ("judge/", 0)):
        assert command_line("check", ".", "--select", select) == expected
        assert command_line("validate-target", "targets/t.yaml", "--select", select) == expected
    capsys.readouterr()


@pytest.mark.costly
@every_case(
    ("options", "expected"),
    [
        ([], 0),
        (["--fail-on", "error"], 0),
        (["--fail-on", "warning"], 1),
        (["--fail-on", "note"], 1),
        (["--strict"], 1),
        (["--strict", "--exit-zero"], 0),
        (["--fail-on", "warning", "--select", "rubric/"], 0),
    ],
)
def test_what_fails(
    options: list[str], expected: int, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for call in (["check", str(place)], ["validate-dataset", "rows.yaml"]):
        assert command_line(*call, *options) == expected
    capsys.readouterr()


def test_junit_fails_what_fails_the_run(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for options, expected in (([], 0), (["--fail-on", "warning"], 1), (["--strict"], 1)):
        command_line("check", str(place), "--output-format", "junit", *options)
        assert f'failures="{expected}"' in capsys.readouterr().out


@pytest.mark.slow
def test_the_cache_keeps_no_verdict_of_another_selection(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In every order, with and without a change of a file in between."""
    calls: list[tuple[list[str], set[str], int]] = [
        ([], ALL, 1),
        (["--select", NEAR], {NEAR}, 1),
        (["--ignore", "dataset/,reference/"], set(), 0),
        (["--exit-zero"], ALL, 0),
        (["--ignore", NEAR], {TWICE, DANGLING}, 1),
        ([], ALL, 1),
    ]
    for number in range(3):
        (place / "other.yaml").write_text(
            f"questions: [{{id: r{number}, input: b, expected_facts: [c]}}]"
        )
        for options, expected, code in calls:
            call = ["check", ".", "--cache", "--strict", "--output-format", "json", *options]
            assert command_line(*call) == code
            report = json.loads(capsys.readouterr().out)
            assert {finding["code"] for finding in report["findings"]} == expected


@every_case(
    "text", ["questions: [{id: a, input: b, expected_facts: [c]}]\n", ROWS], ids=["clean", "not"]
)
def test_quiet_prints_findings_only(
    text: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "rows.yaml").write_text(text)
    command_line("check", str(place))
    loud = capsys.readouterr().out
    command_line("check", str(place), "--quiet")
    quiet = capsys.readouterr()
    assert loud.startswith(quiet.out)
    assert quiet.err == ""
    assert ("1 dataset" in loud, "1 dataset" in quiet.out) == (True, False)
    assert bool(quiet.out) is (text == ROWS)
