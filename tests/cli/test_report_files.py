"""`--output`: which files are written, in which format, and what is refused."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import pytest
from doors import command_line
from tables import every_case

from evalcontract.cli.report_files import parse_report_file
from evalcontract.model.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

ROWS = "questions:\n  - {id: a, input: b, criteria: c, expecteed_facts: [x]}\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.yaml").write_text(ROWS)
    (tmp_path / "rows.json").write_text('{"questions": [{"id": "a", "input": "b"}]}')
    for folder in ("rubrics", "datasets", "full.sarif"):
        (tmp_path / folder).mkdir()
    return tmp_path


@every_case(
    ("name", "expected"),
    [
        ("out.sarif", "sarif"),
        ("out.sarif.json", "sarif"),
        ("OUT.JSON", "json"),
        ("out.jsonl", "jsonl"),
        ("a/b/out.ndjson", "jsonl"),
        ("out.xml", "junit"),
        ("out.md", "markdown"),
        ("out.txt", "text"),
        ("gl-code-quality-report.json", "gitlab"),
        ("gl-codequality.json", "gitlab"),
        ("codeclimate.json", "gitlab"),
        ("github:out", "github"),
        ("json:out.xml", "json"),
        ("concise:/dev/x", "concise"),
        ("markdown:a:b", "markdown"),
        (r"C:\reports\out.md", "markdown"),
        ("./a:b.md", "markdown"),
    ],
)
def test_the_name_tells_the_format(name: str, expected: str) -> None:
    assert parse_report_file(name).format == expected


@every_case(
    ("name", "message"),
    [
        ("", "names no file"),
        ("sarif:", "names no file"),
        ("-", "use `--output-format` for standard output"),
        ("sarif:-", "use `--output-format` for standard output"),
        ("out", "`out` tells no format: write it before the name, as in `sarif:out`"),
        ("out.yaml", "tells no format"),
        ("sraif:out", "there is no output format `sraif`; did you mean `sarif`?"),
        ("nothing:out", "there is no output format `nothing`; choose from text, concise, json"),
    ],
)
def test_names_that_are_refused(name: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_report_file(name)
    assert message in str(refused.value)


def test_several_files_beside_what_is_printed(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command_line("validate-dataset", "rows.yaml") == 0
    alone = capsys.readouterr().out
    options = [
        *("--output", "new/deep/a.sarif"),
        *("-o", "b.xml"),
        *("-o", "jsonl:c"),
        *("-o", "d.txt"),
    ]
    (place / "b.xml").write_text("from an earlier run")
    assert command_line("validate-dataset", "rows.yaml", *options) == 0
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == (alone, "")
    assert json.loads((place / "new/deep/a.sarif").read_text())["version"] == "2.1.0"
    assert (place / "b.xml").read_text().startswith("<?xml")
    assert json.loads((place / "c").read_text())["code"] == "dataset/near-miss-key"
    assert (place / "d.txt").read_text() == alone
    assert not [*place.rglob(".evalcontract*")]


REFUSED = [
    (["-o", "full.sarif"], "full.sarif cannot be written: is a directory"),
    (["-o", "rows.yaml/a.md"], "rows.yaml/a.md cannot be written: not a directory"),
    (["-o", "a.md", "-o", "json:./a.md"], "a.md would be written twice"),
    (["-o", "rows.json"], "`--output` would replace rows.json, which is checked"),
    (["-o", "json:rows.yaml"], "`--output` would replace rows.yaml, which is checked"),
    (["-o", "rubrics/a.json"], "rubrics/a.json is in `rubrics/`, whose files are checked"),
    (["-o", "datasets/deep/a.md"], "datasets/deep/a.md is in `datasets/`"),
    (["-o", "json:evalcontract.toml"], "evalcontract.toml has settings: choose another name"),
    (["-o", "json:PyProject.toml"], "PyProject.toml has settings"),
    (["-o", "json:.git/config"], ".git/config cannot be written: it belongs to git"),
    (["-o", "deep/.GIT/hooks/new.txt"], "it belongs to git"),
    (["-o", "text:.git"], ".git cannot be written: it belongs to git"),
    (["-o", "hard.json"], "`--output` would replace hard.json, which is checked"),
    (["-o", "b.md", "-o", "B.md"], "B.md would be written twice"),
    (["-o", "link.md"], "link.md cannot be written: it is a symbolic link"),
    (["-o", "a.md", "--fail-on", "warning", "--exit-zero"], "`--exit-zero` contradicts"),
]


@pytest.mark.skipif(sys.platform == "win32", reason="links")
@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_files_that_are_refused(
    options: list[str], message: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is written then, and the exit code is 2."""
    (place / "link.md").symlink_to(place / "elsewhere")
    (place / "hard.json").hardlink_to(place / "rows.json")
    (place / ".git").mkdir()
    for name in ("evalcontract.toml", "PyProject.toml", ".git/config"):
        (place / name).touch()
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    for call in (["check", "."], ["validate-dataset", "rows.yaml", "rows.json"]):
        assert command_line(*call, *options) == 2
        assert message in capsys.readouterr().err
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before


def test_what_is_printed_is_printed_all_the_same(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A disk that is full takes the file, and not the report on the screen."""

    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "open", fails)
    assert command_line("validate-dataset", str(place / "rows.yaml"), "-o", "a.md") == 2
    printed = capsys.readouterr()
    assert "warning[dataset/near-miss-key]" in printed.out
    assert printed.err == "error: a.md cannot be written: no space left on device\n"
