"""Fingerprints stay when something else is edited, and differ within one report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from doors import command_line
from tables import every_case

from evalcontract import Diagnostic, Severity
from evalcontract.model.diagnostic import Place, Site, Sites, Span, fingerprints

if TYPE_CHECKING:
    from pathlib import Path


ONE = Diagnostic(
    "dataset/near-miss-key",
    Severity.WARNING,
    "unknown key `a1` in row 3",
    Place("d.yaml", Span(3, 5, 3, 9), "text"),
    ("questions", 3, "checks", 2, "a1"),
    "help",
    "row_a",
    3,
)
SITES = Sites("2 rows refer to it", 2, (Site(ONE.place),) * 2)


def mark(diagnostic: Diagnostic) -> str:
    return fingerprints([diagnostic])[0]


@every_case(
    "changed",
    [
        ONE._replace(severity=Severity.ERROR),
        ONE._replace(place=Place("d.yaml", Span(30, 9, 30, 13), "other")),
        ONE._replace(path=("questions", 7, "checks", 4, "a1"), row_index=7),
        ONE._replace(path=("rows", 7, "checks", 4, "a1"), row_index=7),
        ONE._replace(message="unknown key `a1` in row 1,234"),
        ONE._replace(help="another", related=(("m", ONE.place),)),
    ],
)
def test_what_does_not_matter(changed: Diagnostic) -> None:
    assert mark(changed) == mark(ONE)


@every_case(
    "changed",
    [
        ONE._replace(code="dataset/misplaced-key"),
        ONE._replace(place=Place("e.yaml", ONE.place.span)),
        ONE._replace(row="row_b"),
        ONE._replace(row=None),
        ONE._replace(path=("questions", 3, "tools", 2, "a1")),
        ONE._replace(message="unknown key `a2` in row 3"),
    ],
)
def test_what_matters(changed: Diagnostic) -> None:
    assert mark(changed) != mark(ONE)


def test_equal_findings_are_numbered() -> None:
    marks = fingerprints([ONE, ONE, ONE._replace(severity=Severity.ERROR)])
    assert len({*marks}) == 3
    assert marks[0] == mark(ONE)
    assert marks == fingerprints([ONE] * 3)


def test_a_finding_for_several_places_is_not_that_of_its_first_row() -> None:
    several = ONE._replace(sites=SITES)
    other = several._replace(row="row_b", path=("questions", 9, "x"), row_index=9)
    assert mark(several) == mark(other) != mark(ONE)


def test_the_name_of_the_file_is_that_of_the_caller() -> None:
    assert fingerprints([ONE], "evals/{}".format) != fingerprints([ONE])


TEXTS = {
    "a.yaml": "questions:\n  - {id: x, input: b, criteria: c, tagz: [1]}\n",
    "b.jsonl": '{"id": "x", "input": "b", "criteria": "c", "tagz": [1]}\n',
    "rubrics/r.yaml": 'id: r\nversion: "1.0.0"\nchecks:\n  - {id: a, kind: fact_match, valuez: 1}\n'
    "scoring: {combine: all_pass}\n",
}
ABOVE = {
    "a.yaml": ("questions:\n", "# note\nquestions:\n  - {id: new, input: b, criteria: c}\n"),
    "b.jsonl": ('{"id": "x"', '{"id": "new", "input": "b", "criteria": "c"}\n\n{"id": "x"'),
    "rubrics/r.yaml": ("checks:\n", "checks:\n  - {id: new, kind: fact_match}\n\n"),
}


@pytest.mark.slow
def test_an_edit_above_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rubrics").mkdir()

    def found() -> dict[str, tuple[str, int]]:
        command_line("check", ".", "--output-format", "json")
        report = json.loads(capsys.readouterr().out)["findings"]
        return {item["file"]: (item["fingerprint"], item["line"]) for item in report}

    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
    before = found()
    for name, (old, new) in ABOVE.items():
        (tmp_path / name).write_text(TEXTS[name].replace(old, new, 1))
    after = found()
    assert before.keys() == after.keys() == TEXTS.keys()
    for name, (fingerprint, line) in before.items():
        assert after[name][0] == fingerprint, name
        assert after[name][1] > line


@pytest.mark.slow
def test_formats_and_folders_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A service that reads two of the formats, or runs of two folders, sees the same findings."""
    top = tmp_path / "repository"
    (top / ".git").mkdir(parents=True)
    rows = '{"input": "b", "criteria": "c", "tagz": [1]}\n'
    (top / "evals").mkdir()
    (top / "evals" / "b.jsonl").write_text(rows * 3)

    def marks(name: str) -> list[str]:
        command_line("check", top / "evals", "--output-format", name)
        text = capsys.readouterr().out
        if name == "jsonl":
            return [json.loads(line)["fingerprint"] for line in text.splitlines()]
        log = json.loads(text)
        if name == "gitlab":
            return [issue["fingerprint"] for issue in log]
        if name == "json":
            return [found["fingerprint"] for found in log["findings"]]
        parts = [result["partialFingerprints"] for result in log["runs"][0]["results"]]
        assert all(
            part["primaryLocationLineHash"].startswith(part["evalcontract/v1"]) for part in parts
        )
        return [part["evalcontract/v1"] for part in parts]

    found = []
    for folder in (top, top / "evals", tmp_path):
        monkeypatch.chdir(folder)
        found += [marks(name) for name in ("json", "jsonl", "gitlab", "sarif")]
    assert found == [found[0]] * len(found)
    assert len({*found[0]}) == len(found[0]) >= 3
