"""The output formats of `grade`, read as programs read them."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from doors import command_line
from writing import write

from evalcontract.cli.options import CASES

if TYPE_CHECKING:
    from pathlib import Path

EVIL = '::error::x|<b>"&\x1b[31m'
ROWS = [
    {"id": "good", "input": "?", "must_contain_any": ["yes"]},
    {"id": EVIL, "input": "?", "must_contain_any": [EVIL]},
    {"id": "none", "input": "?", "must_contain_any": ["yes"]},
    {"id": "idle", "input": "?"},
]
OUTPUTS = {"good": "yes", EVIL: "::error::no", "none": None, "idle": "x"}
COUNTS = {"passed": 1, "failed": 1, "undecided": 1, "skipped": 1}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    lines = (json.dumps({"id": id_, "output": text}) for id_, text in OUTPUTS.items())
    write(tmp_path, {"a.json": {"questions": ROWS}, "outputs.jsonl": "\n".join(lines)})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], output_format: str) -> str:
    call = ("grade", "a.json", "--outputs", "outputs.jsonl", "--soft")
    assert command_line(*call, "--output-format", output_format) == 0
    text = capsys.readouterr().out
    assert "\x1b" not in text
    return text


@pytest.mark.usefixtures("place")
def test_csv_has_the_rows_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(printed(capsys, "json"))["rows"]
    read = [*csv.DictReader(io.StringIO(printed(capsys, "csv")))]
    assert [row["outcome"] for row in read] == [row["outcome"] for row in rows]
    assert [json.loads(row["checks"]) for row in read] == [row["checks"] for row in rows]
    assert read[0]["score"] == "1.0"


@pytest.mark.usefixtures("place")
def test_junit_has_a_test_for_each_row(capsys: pytest.CaptureFixture[str]) -> None:
    (suite,) = ET.fromstring(printed(capsys, "junit"))
    names = {"tests": "4", "failures": "1", "errors": "1", "skipped": "1"}
    assert {key: suite.get(key) for key in names} == names
    kinds = [[inner.tag for inner in case] for case in suite]
    assert kinds == [[], ["failure"], ["error"], ["skipped"]]
    assert "must_contain_any: it contains none of" in str(suite[1][0].get("message"))


@pytest.mark.usefixtures("place")
def test_markdown_has_checks_and_rows_that_did_not_pass(
    capsys: pytest.CaptureFixture[str],
) -> None:
    head, checks, rows = printed(capsys, "markdown").split("\n\n")
    assert head.startswith("### evalcontract: 4 rows, mean score 0.33 to 0.67, ")
    assert head.endswith(" checks did not run: no text of the output was recorded")
    assert all(f"{count} {outcome}" in head for outcome, count in COUNTS.items())
    assert "| `must_contain_any` | 0.33 to 0.67 | - | 1 | 1 | 1 |" in checks
    lines = rows.splitlines()[2:]
    assert [line.count("|") for line in lines] == [5] * 3
    assert "`good`" not in rows
    assert "<b>" not in rows


def test_markdown_says_how_sure_a_mean_is(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """But not the mean of what is decided where some rows are not."""
    outputs = [json.dumps({"id": id_, "output": "yes"}) for id_ in OUTPUTS]
    write(place, {"outputs.jsonl": "\n".join(outputs)})
    head, checks = printed(capsys, "markdown").split("\n\n")[:2]
    assert "mean score 0.67 (95 % interval 0.21 to 0.94), 1 failed" in head
    assert "| Score | 95 % interval |" in checks
    assert "| `must_contain_any` | 0.67 | 0.21 to 0.94 | 2 | 1 | 0 |" in checks


@pytest.mark.usefixtures("place")
def test_github_annotates_rows(capsys: pytest.CaptureFixture[str]) -> None:
    notice, *commands = printed(capsys, "github").splitlines()
    assert notice.startswith("::notice title=evalcontract::4 rows")
    assert [command.split(" ")[0] for command in commands] == ["::error", "::warning"]
    assert all("file=a.json,line=1,title=" in command for command in commands)
    properties = commands[0].removeprefix("::error ").split("::")[0]
    assert "%3A%3Aerror%3A%3Ax" in properties


def test_a_name_or_text_is_no_command(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(place, {"outputs.jsonl": json.dumps({"id": EVIL, "output": "a\n::error::b"})})
    for output_format in ("csv", "junit", "markdown", "json", "jsonl"):
        command_line(
            *("grade", "a.json", "--outputs", "outputs.jsonl", "--output-format", output_format)
        )
        text = capsys.readouterr().out
        assert not any(line.lstrip().startswith("::") for line in text.splitlines()), output_format


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("output_format", [*CASES, "text"])
def test_a_threshold_that_is_not_met_is_told(
    output_format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ("grade", "a.json", "--outputs", "outputs.jsonl", "--soft", "--threshold", "0.9")
    assert command_line(*call, "--output-format", output_format) == 1
    printed = capsys.readouterr()
    told = printed.out if output_format == "text" else printed.err
    assert "mean score of 0.33 is below the threshold of 0.9" in told
    if output_format in ("markdown", "github"):
        assert "threshold of 0.9 not met" in printed.out.splitlines()[0]
    if output_format in ("junit", "github", "gitlab", "sarif", "concise"):
        assert "it is not reached" in printed.out
        assert "1 row is undecided" in printed.out


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("output_format", CASES)
def test_a_comparison_stands_beside_a_format_for_programs(
    output_format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ("grade", "a.json", "--outputs", "outputs.jsonl", "--soft")
    assert command_line(*call, "--results", "old.jsonl") == 0
    capsys.readouterr()
    assert command_line(*call, "--compare", "old.jsonl", "--output-format", output_format) == 0
    printed = capsys.readouterr()
    assert "compared with old.jsonl:" in printed.err
    assert "compared with" not in printed.out


def test_a_dataset_without_rows_is_not_graded(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, {"a.json": {"questions": []}})
    assert command_line("grade", "a.json", "--outputs", "outputs.jsonl", "--soft") == 2
    error = capsys.readouterr().err
    assert "dataset/no-rows" in error
    assert "error: the dataset has no rows" in error


def test_of_outputs_no_other_command_shows_more(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (json.dumps({"id": f"other{n}", "output": "x"}) for n in range(100))
    write(place, {"outputs.jsonl": "\n".join(lines)})
    command_line("grade", "a.json", "--outputs", "outputs.jsonl", "--soft")
    assert capsys.readouterr().err.endswith(" more findings\n\n")
