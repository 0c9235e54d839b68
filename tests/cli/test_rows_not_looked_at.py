"""After many rows that cannot be used, the others are not looked at, and no command says yes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from doors import command_line

from evalcontract import covering
from evalcontract.grading import grade, parts

if TYPE_CHECKING:
    from pathlib import Path

GOOD = '{"id": "g%d", "input": "a", "must_contain_any": ["b"]}'
BAD = '{"id": "f%d", "input": 1}'
LIMIT = 5


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for module in (covering, grade, parts):
        monkeypatch.setattr(module, "MAX_REJECTED", LIMIT)
    (tmp_path / "rubrics").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_rows(folder: Path, name: str, lines: list[str]) -> None:
    texts = [line % number for number, line in enumerate(lines)]
    rows = "".join(f"{text}\n" for text in texts)
    whole = f'{{"questions": [{", ".join(texts)}]}}'
    (folder / name).write_text(rows if name.endswith(".jsonl") else whole)
    ids = [json.loads(text)["id"] for text in texts]
    outputs = "".join(f'{{"id": "{id_}", "output": "b"}}\n' for id_ in ids)
    (folder / "outputs.jsonl").write_text(outputs)


def says(err: str, unchecked: int) -> bool:
    """Whether the findings say that so many rows were not looked at, or none if it is 0."""
    return f"{unchecked} row" in err if unchecked else "not looked at" not in err


NAMES = pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
#: Rows, the number of those that are not looked at, and of those on which a check runs.
CASES = [
    ([GOOD] * 3 + [BAD] * (LIMIT - 1) + [GOOD] * 2, 0, 5),
    ([GOOD] * 3 + [BAD] * LIMIT, 0, 3),
    ([GOOD, *[BAD] * LIMIT, GOOD], 1, 1),
    ([GOOD] * 3 + [BAD] * (LIMIT + 4) + [GOOD] * 20, 24, 3),
]


@NAMES
@pytest.mark.parametrize(("lines", "unchecked", "run"), CASES)
def test_coverage(
    folder: Path,
    name: str,
    lines: list[str],
    unchecked: int,
    run: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_rows(folder, name, lines)
    status = command_line("coverage", name, "--output-format", "json")
    captured = capsys.readouterr()
    summary = json.loads(captured.out)["summary"]
    assert (summary["rows"], summary["run"]) == (len(lines), run)
    assert summary["rows_on_which_nothing_runs"] == len(lines) - run
    assert says(captured.err, unchecked)
    assert status == bool(unchecked)


@NAMES
@pytest.mark.parametrize(("lines", "unchecked", "run"), CASES)
def test_grade(
    folder: Path,
    name: str,
    lines: list[str],
    unchecked: int,
    run: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_rows(folder, name, lines)
    command = ("grade", name, "--outputs", "outputs.jsonl", "--output-format", "json")
    status = command_line(*command, "--allow-undecided")
    captured = capsys.readouterr()
    outcomes = json.loads(captured.out)["summary"]["rows"]["outcomes"]
    assert (outcomes["passed"], outcomes["undecided"]) == (run, len(lines) - run)
    assert says(captured.err, unchecked)
    assert status == 1  # as with any row that cannot be graded
