"""The schema that a file names for editors: it exists, and is that of its kind."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from doors import Options, check_workspaces, command_line
from tables import every_case
from writing import write

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract import Diagnostic

RUBRIC = """\
id: polite
version: "1.0.0"
checks:
  - {id: no_insults, kind: must_not_contain, values: [stupid]}
scoring: {combine: all_pass}
"""
JUDGE = """\
id: right
version: "1.0.0"
template: "Is it right? {{ output }}"
validation: {tpr: 0.9, tnr: 0.9, validated_at: 2026-05-08, sample_size: 100}
"""
DATASET = "questions:\n  - {id: a, input: b, rubric_ref: rubric/polite@1.0.0}\n"
TEXTS = {
    "rubrics/polite.yaml": RUBRIC,
    "judges/right.yaml": JUDGE,
    "targets/nightly.yaml": "dataset: datasets/a.yaml\n",
    "datasets/a.yaml": DATASET,
}
KINDS = dict(zip(TEXTS, ("rubric", "judge", "target", "dataset"), strict=True))
MODELINE = "# yaml-language-server: $schema="


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def findings(place: Path, texts: dict[str, str]) -> list[Diagnostic]:
    write(place, {**TEXTS, **texts})
    diagnostics = check_workspaces(place, Options(strict=True)).diagnostics
    return [finding for finding in diagnostics if not finding.code.startswith("judge/")]


@pytest.mark.slow
@every_case("name", TEXTS)
def test_a_modeline(name: str, place: Path) -> None:
    kind, other = KINDS[name], "judge" if KINDS[name] != "judge" else "rubric"
    for target, said in (
        (f"../schema/{kind}.schema.json", f"`../schema/{kind}.schema.json`"),
        ("./own.json", "`./own.json`"),
        (f"../schema/{other}.schema.json", other),
        (f"https://example.org/{other}.schema.json", other),
    ):
        (finding,) = findings(place, {name: f"# first\n{MODELINE}{target}\n{TEXTS[name]}"})
        assert (finding.code, str(finding.severity)) == ("workspace/schema-reference", "warning")
        assert said in finding.message
        assert finding.place.span
        span = finding.place.span
        assert (span.line, span.column) == (2, len(MODELINE) + 1)
        assert span.end_column - span.column == len(target)


@pytest.mark.slow
@every_case("name", TEXTS)
def test_a_modeline_that_is_right(name: str, place: Path) -> None:
    assert command_line("schema", "export", place / "schema") == 0
    for target in (
        f"../schema/{KINDS[name]}.schema.json",
        f"https://example.org/{KINDS[name]}.schema.json",
        "https://example.org/own.json",
        "../../outside/own.json",
        "/nowhere/own.json",
    ):
        assert findings(place, {name: f"{MODELINE}{target}\n{TEXTS[name]}"}) == []
    assert check_workspaces(place, Options()).left_out == []


@every_case(
    ("target", "count"),
    [("../no.json", 1), ("../rubric.schema.json", 1), ("https://x.org/y.json", 0), ("5", 1)],
)
def test_the_key(target: str, count: int, place: Path) -> None:
    row = '{"id": "a", "input": "b", "expected_facts": ["c"]}'
    text = f'{{"$schema": "{target}", "questions": [{row}]}}'
    found = findings(place, {"datasets/b.json": text})
    assert [finding.code for finding in found] == ["workspace/schema-reference"] * count


def test_a_modeline_may_be_ignored(place: Path) -> None:
    (place / "evalcontract.toml").write_text(
        '[severity]\n"workspace/schema-reference" = "ignore"\n'
    )
    assert findings(place, {"datasets/a.yaml": f"{MODELINE}no.json\n{DATASET}"}) == []


@pytest.mark.costly
@every_case(
    ("command", "name", "code"),
    [
        ("validate-rubric", "datasets/a.yaml", "rubric/wrong-kind"),
        ("validate-dataset", "rubrics/polite.yaml", "dataset/wrong-kind"),
        ("validate-judge", "rubrics/polite.yaml", "judge/wrong-kind"),
    ],
)
def test_a_file_of_another_kind_is_only_that(
    command: str, name: str, code: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command_line("schema", "export", place / "schema") == 0
    capsys.readouterr()
    for kind in KINDS.values():
        modeline = f"{MODELINE}../schema/{kind}.schema.json\n"
        write(place, {**TEXTS, name: modeline + TEXTS[name]})
        assert command_line(command, "--output-format", "jsonl", "--soft", place / name) == 1
        findings = map(json.loads, capsys.readouterr().out.splitlines())
        assert [each["code"] for each in findings if each["file"].endswith(name)] == [code]
