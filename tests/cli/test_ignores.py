"""Ignores: in comments, in metadata and by file; what they leave out is counted, never silent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from doors import command_line
from tables import every_case

from evalcontract import ContractViolation, DatasetLoader
from evalcontract.datasets.ignores import MAX_FAULTS

if TYPE_CHECKING:
    from pathlib import Path

NEAR = "dataset/near-miss-key"
ROW = "  - id: a\n    input: b\n    expected: {{format: json}}\n    expecteed_facts: [d]{}\n"


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[dict[str, Any], list[str]]:
    """Return the summary of a report, and the places and codes of its findings."""
    capsys.readouterr()
    command_line(*arguments, "--output-format", "json")
    report = json.loads(capsys.readouterr().out)
    lines = [f"{item['line']} {item['code']}" for item in report["findings"]]
    return report["summary"], lines


def checked(
    text: str, place: Path, capsys: pytest.CaptureFixture[str], name: str = "datasets/a.yaml"
) -> tuple[int, list[str]]:
    """Return how many findings of a file are ignored, and the others."""
    (place / name).parent.mkdir(exist_ok=True)
    (place / name).write_text(text, encoding="utf-8")
    summary, lines = found(capsys, "check", str(place), "--no-cache")
    return summary["ignored"], lines


def rows(comment: str = "", *, above: str = "", top: str = "") -> str:
    return f"{top}questions:\n{above}{ROW.format(comment)}"


@pytest.mark.slow
@every_case(
    ("text", "ignored", "rest"),
    [
        (rows(f"  # evalcontract: ignore[{NEAR}]"), 1, []),
        (rows(f"  # evalcontract:ignore [ {NEAR} , reference/dangling] our name"), 1, [
            "5 workspace/unused-ignore"]),
        (rows("  # evalcontract: ignore[dataset/] all of them"), 1, []),
        (rows(f"  # see below # evalcontract: ignore[{NEAR}]"), 1, []),
        (rows(above=f"  # evalcontract: ignore[{NEAR}]\n"), 1, []),
        (rows(above=f"  # evalcontract: ignore[{NEAR}]\n\n  # more\n"), 1, []),
        (rows(top=f"# evalcontract: ignore[{NEAR}]\n"), 1, []),
        (rows(top=f"# evalcontract: ignore[{NEAR}]\nlabel: x\n"), 0, [
            "1 workspace/unused-ignore", f"7 {NEAR}"]),
        (rows(top=f"# evalcontract: ignore-file[{NEAR}]\nlabel: x\n"), 1, []),
        (rows(f"\n# evalcontract: ignore-file[{NEAR}]"), 1, []),
        (rows(f"\n  # evalcontract: ignore[{NEAR}]"), 0, [
            f"5 {NEAR}", "6 workspace/unused-ignore"]),
        (rows(f"\n    # evalcontract: ignore[{NEAR}]\n    note: x"), 0, [
            f"5 {NEAR}", "6 workspace/unused-ignore"]),
        (rows(f"\n    note: '# evalcontract: ignore-file[{NEAR}]'"), 0, [f"5 {NEAR}"]),
        (rows("  # evalcontract: ignore"), 0, [f"5 {NEAR}", "5 workspace/invalid-ignore"]),
        (rows("  # evalcontract: ignore[]"), 0, [f"5 {NEAR}", "5 workspace/invalid-ignore"]),
        (rows("  # evalcontract: ignore[dataset/near-mis-key]"), 0, [
            f"5 {NEAR}", "5 workspace/invalid-ignore"]),
        (rows("  # evalcontract: disable"), 0, [f"5 {NEAR}", "5 workspace/invalid-ignore"]),
        (rows("  # evalcontract: see the documentation"), 0, [f"5 {NEAR}"]),
        (rows("  # evalcontract: ignore[source/syntax]"), 0, [
            f"5 {NEAR}", "5 workspace/invalid-ignore"]),
    ],
)  # fmt: skip
def test_comments(
    text: str, ignored: int, rest: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checked(text, tmp_path, capsys) == (ignored, rest)


def test_a_comment_above_a_row_concerns_this_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = ROW.format("").replace("id: a", "id: b")
    text = rows(above=f"  # evalcontract: ignore[{NEAR}]\n") + other
    assert checked(text, tmp_path, capsys) == (1, [f"10 {NEAR}"])


def test_a_file_that_cannot_be_read_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "# evalcontract: ignore-file[source/]\nquestions: [\n"
    ignored, lines = checked(text, tmp_path, capsys)
    assert ignored == 0
    assert lines[0].endswith("source/syntax")


RUBRIC = """\
id: r
version: 1.0.0
{metadata}checks:
  {comment}
  - {{id: a, kind: regex, pattern: y, patern: x{check}}}
scoring: {{combine: all_pass}}
"""
OURS = "metadata: {evalcontract: {ignore: [rubric/unknown-key]}}"


@every_case(
    ("fields", "ignored", "rest"),
    [
        ({}, 0, ["5 rubric/unknown-key"]),
        ({"comment": "# evalcontract: ignore[rubric/unknown-key]"}, 1, []),
        ({"check": f", {OURS}"}, 1, []),
        ({"metadata": f"{OURS}\n"}, 1, []),
        ({"comment": "# evalcontract: ignore[rubric/cycle]"}, 0, [
            "4 workspace/unused-ignore", "5 rubric/unknown-key"]),
    ],
)  # fmt: skip
def test_artifacts(
    fields: dict[str, str],
    ignored: int,
    rest: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = RUBRIC.format(**{"metadata": "", "comment": "", "check": "", **fields})
    assert checked(text, tmp_path, capsys, "rubrics/r.yaml") == (ignored, rest)


def jsonl(*rows: dict[str, Any]) -> str:
    return "".join(
        f"{json.dumps({'input': 'b', 'must_not_contain': ['c'], **row})}\n" for row in rows
    )


def ignoring(ours: Any) -> dict[str, Any]:
    return {"metadata": {"evalcontract": ours}}


@every_case(
    ("text", "ignored", "rest"),
    [
        (jsonl({"id": "a", "expecteed_facts": ["d"], **ignoring({"ignore": [NEAR]})}), 1, []),
        (jsonl({"id": "a", **ignoring({"ignore": [NEAR], "reason": "x"})}), 0, [
            "1 workspace/unused-ignore"]),
        (jsonl({"id": "a"}, {"id": "a", **ignoring({"ignore": ["dataset/duplicate-id"]})}), 1, []),
        (jsonl({"id": "a", **ignoring({"ignore": []})}), 0, ["1 workspace/invalid-ignore"]),
        (jsonl({"id": "a", **ignoring({"ignore": NEAR})}), 0, ["1 workspace/invalid-ignore"]),
        (jsonl({"id": "a", **ignoring({"ignore": [1]})}), 0, ["1 workspace/invalid-ignore"]),
        (jsonl({"id": "a", **ignoring({"ignores": [NEAR]})}), 0, ["1 workspace/invalid-ignore"]),
        (jsonl({"id": "a", **ignoring({"source": "x"})}), 0, []),
        (jsonl({"id": "a", **ignoring("x")}), 0, []),
    ],
)  # fmt: skip
def test_rows_of_jsonl(
    text: str, ignored: int, rest: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checked(text, tmp_path, capsys, "datasets/a.jsonl") == (ignored, rest)


@pytest.mark.slow
def test_processes_change_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fields = [{}, ignoring({"ignore": [NEAR]})]
    cases = [
        {"id": f"r{n}", **fields[n % 2], **({"expecteed_facts": ["x"]} if n % 3 else {})}
        for n in range(3000)
    ]
    path = tmp_path / "a.jsonl"
    path.write_text(jsonl(*cases), encoding="utf-8")
    alone = found(capsys, "validate-dataset", str(path), "--jobs", "1")
    monkeypatch.setattr("evalcontract.datasets.row_check.MIN_PART_BYTES", 1 << 12)
    assert found(capsys, "validate-dataset", str(path), "--jobs", "3") == alone
    assert alone[0]["ignored"] == 1000
    assert sum("unused" in line for line in alone[1]) == 500


@pytest.mark.slow
def test_the_limit_of_findings_does_not_count_what_is_ignored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"expecteed_facts": ["x"], **ignoring({"ignore": [NEAR]})}
    last = {"id": "last", "expecteed_facts": ["x"]}
    text = jsonl(*({"id": f"r{n}", **row} for n in range(1200)), last)
    (tmp_path / "a.jsonl").write_text(text, encoding="utf-8")
    arguments = ("validate-dataset", str(tmp_path / "a.jsonl"), "--max-findings", "5")
    summary, lines = found(capsys, *arguments)
    assert (summary["ignored"], lines) == (1200, [f"1201 {NEAR}"])


def test_the_cache_gives_the_same_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "datasets"
    folder.mkdir()
    for name in ("a", "b"):
        text = rows(f"  # evalcontract: ignore[{NEAR}, reference/dangling]")
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    first = found(capsys, "check", str(tmp_path), "--cache")
    assert found(capsys, "check", str(tmp_path), "--cache") == first
    assert first[0]["ignored"] == 2
    (folder / "b.yaml").write_text(rows(), encoding="utf-8")  # `a.yaml` is remembered
    cached = found(capsys, "check", str(tmp_path), "--cache")
    assert cached == found(capsys, "check", str(tmp_path), "--no-cache")
    assert cached[0]["ignored"] == 1
    (tmp_path / "evalcontract.toml").write_text(
        f"[per_file_ignores]\n'datasets/b.yaml' = ['{NEAR}']\n", encoding="utf-8"
    )
    assert found(capsys, "check", str(tmp_path), "--cache")[0]["ignored"] == 2


def test_ignores_of_codes_that_are_not_reported_are_not_unused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.yaml").write_text(rows(f"  # evalcontract: ignore[{NEAR}]"), encoding="utf-8")
    assert found(capsys, "validate-dataset", str(tmp_path / "a.yaml"), "--ignore", NEAR)[1] == []


@every_case(
    ("settings", "ignored", "rest"),
    [
        (f"[per_file_ignores]\n'datasets/*.yaml' = ['{NEAR}']", 1, []),
        (f"[per-file-ignores]\n'datasets' = ['{NEAR}']", 1, []),
        ("[per_file_ignores]\n'*.yaml' = ['dataset/']", 1, []),
        (f"[per_file_ignores]\n'other.jsonl' = ['{NEAR}']", 0, [f"5 {NEAR}"]),
    ],
)
def test_ignores_by_file(
    settings: str,
    ignored: int,
    rest: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "evalcontract.toml").write_text(settings, encoding="utf-8")
    (tmp_path / "other.jsonl").write_text(jsonl({"id": "a"}), encoding="utf-8")
    assert checked(rows(), tmp_path, capsys) == (ignored, rest)


@every_case(
    ("settings", "said"),
    [
        (f"[per_file_ignores]\n'gone/*' = ['{NEAR}']", ":1: `per_file_ignores`: the pattern"),
        (f"[per_file_ignores]\n'/etc' = ['{NEAR}']", ":2: `per_file_ignores`: the pattern"),
        ("[per_file_ignores]\n'*' = ['dataset/near-mis-key']", "did you mean `dataset/near-miss"),
        ("[per_file_ignores]\n'*' = ['source/syntax']", "cannot be ignored"),
        ("[per_file_ignores]\n'*' = 'dataset/'", "must have a list of codes"),
        ("per_file_ignores = 1", "must be a table of patterns"),
        ("[per_file_ignores]\n[per-file-ignores]", "are the same setting"),
        ("require_ignore_reason = 1", "must be true or false"),
    ],
)
def test_settings_that_ignore_nothing(
    settings: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.yaml").write_text(rows(), encoding="utf-8")
    (tmp_path / "evalcontract.toml").write_text(settings, encoding="utf-8")
    assert command_line("check", str(tmp_path)) == 2
    assert said in capsys.readouterr().err


def test_reasons_that_are_demanded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "evalcontract.toml").write_text("require_ignore_reason = true", encoding="utf-8")
    bare = rows(f"  # evalcontract: ignore[{NEAR}]")
    assert checked(bare, tmp_path, capsys) == (0, [f"5 {NEAR}", "5 workspace/invalid-ignore"])
    assert checked(bare.replace("]\n", "] our name\n"), tmp_path, capsys) == (1, [])


def test_fix_leaves_alone_what_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(rows(f"  # evalcontract: ignore[{NEAR}]"), encoding="utf-8")
    before = path.read_bytes()
    assert command_line("fix", str(path)) == 0
    assert path.read_bytes() == before


def test_loaders_ignore_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(rows(), encoding="utf-8")
    with pytest.raises(ContractViolation):
        DatasetLoader(tmp_path, strict=True).load(path)
    path.write_text(rows(f"  # evalcontract: ignore[{NEAR}]"), encoding="utf-8")
    assert DatasetLoader(tmp_path, strict=True).load(path).diagnostics == ()


@pytest.mark.slow
def test_faulty_ignores_are_bounded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What each may mean is looked for, so a run says it of some; the others have no effect."""
    codes = ",".join(f"dataset/x{at}" for at in range(MAX_FAULTS + 50))
    text = rows(f"  # evalcontract: ignore[{codes},{NEAR}]")
    count, found = checked(text, tmp_path, capsys)
    assert (count, sorted(set(found))) == (0, [f"5 {NEAR}", "5 workspace/invalid-ignore"])
    assert len(found) == MAX_FAULTS + 2
    few = text.replace(codes, "dataset/x0")
    assert checked(few, tmp_path, capsys) == (1, ["5 workspace/invalid-ignore"])
