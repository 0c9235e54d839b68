"""Nothing but the findings that are reported decides the exit code, whatever the options are."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from doors import command_line
from examples import some
from tables import every_case

from evalcontract import Severity

if TYPE_CHECKING:
    from pathlib import Path

_NEAR, _TWICE = "dataset/near-miss-key", "dataset/duplicate-id"
_ROWS = """\
questions:
  - {id: a, input: b, expected_facts: [c], tagz: [x]}
  - {id: a, input: b, expected_facts: [c]}
"""
#: The severities that a configuration gives to the two findings.
_CONFIGURED = {
    "warnings": "",
    "an error": f'[severity]\n"{_TWICE}" = "error"\n',
    "a note": f'[severity]\n"{_NEAR}" = "note"\n"{_TWICE}" = "ignore"\n',
    "nothing": f'[severity]\n"{_NEAR}" = "ignore"\n"{_TWICE}" = "ignore"\n',
    "an ignored file": '[per-file-ignores]\n"*.yaml" = ["dataset"]\n',
}
#: What leaves findings out.
_CHOSEN: list[list[str]] = [
    [],
    ["--strict"],
    ["--select", _NEAR],
    ["--ignore", _NEAR],
    ["--strict", "--select", "dataset/", "--ignore", _TWICE],
    ["--strict", "--baseline", "known.json"],
    ["--max-findings", "1"],
]
_FAILING: list[list[str]] = [[], *(["--fail-on", level] for level in ("warning", "note"))]
#: What changes only how findings are shown.
_SHOWN: list[list[str]] = [
    ["--quiet"],
    ["--limit", "1", "--statistics"],
    ["--verbose", "--output-format", "sarif"],
    ["--output-format", "github", "--output", "a.xml", "--output", "gitlab:a.json"],
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.yaml").write_text(_ROWS)
    assert command_line("check", "--write-baseline", "known.json", "--select", _NEAR) == 0
    return tmp_path


def _report(capsys: pytest.CaptureFixture[str], options: list[str]) -> tuple[int, Any]:
    capsys.readouterr()
    code = command_line("check", *options, "--output-format", "json")
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.slow
@every_case("name", _CONFIGURED)
def test_the_findings_decide(name: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "evalcontract.toml").write_text(_CONFIGURED[name])
    for chosen, failing in some(product(_CHOSEN, _FAILING), times=4):
        options = [*chosen, *failing]
        code, report = _report(capsys, options)
        levels = {Severity[each["severity"].upper()] for each in report["findings"]}
        fails_from = Severity[(failing or ["error"])[-1].upper()]
        assert code == int(any(level >= fails_from for level in levels)), options
    for chosen, shown in some(product(_CHOSEN, _SHOWN), times=4):
        expected, _ = _report(capsys, chosen)
        assert command_line("check", *chosen, *shown) == expected, (chosen, shown)
        assert command_line("check", *chosen, *shown, "--exit-zero") == 0, (chosen, shown)


@pytest.mark.slow
def test_the_table_has_every_outcome(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The test above looks at runs that fail, that pass, and that have nothing to report."""
    assert place.is_dir()
    counts = [len(_report(capsys, chosen)[1]["findings"]) for chosen in _CHOSEN]
    assert counts == [2, 2, 1, 1, 1, 1, 2]
    codes = [_report(capsys, chosen)[0] for chosen in _CHOSEN]
    assert codes == [0, 1, 0, 0, 1, 1, 1]


def test_an_inline_ignore_counts_as_no_finding(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = _ROWS.replace("tagz: [x]}", f"tagz: [x]}} # evalcontract: ignore[{_NEAR}] ours")
    (place / "rows.yaml").write_text(text)
    code, report = _report(capsys, ["--strict", "--ignore", _TWICE])
    assert (code, report["findings"], report["summary"]["ignored"]) == (0, [], 1)


@pytest.mark.slow
def test_reports_go_to_files_and_to_standard_output_at_once(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = (
        "a.sarif",
        "a.xml",
        "a.md",
        "a.txt",
        "a.jsonl",
        "gl-code-quality-report.json",
        "a.json",
    )
    options = [f"--output=out/{file}" for file in files]
    options += ["--output=github:out/g", "--output=concise:out/c"]
    capsys.readouterr()
    assert command_line("check", "--strict", "--output-format", "json", *options) == 1
    printed = capsys.readouterr().out
    assert (place / "out/a.json").read_text(encoding="utf-8") == printed
    for name in (*files, "g", "c"):
        assert "near-miss-key" in (place / "out" / name).read_text(encoding="utf-8"), name
    assert command_line("check", "--output", "json:-") == 2
    assert "--output-format" in capsys.readouterr().err
