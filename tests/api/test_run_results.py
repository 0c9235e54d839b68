"""Results of a run in Python: the same as `grade` and `compare` write, as values."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
from doors import command_line
from results import rows_of, run_of
from writing import write

from evalcontract import Grader, RunResults, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract import GradedFiles

ROWS = [
    {"id": "a", "input": "?", "must_contain_any": ["yes"], "tags": ["x"], "metadata": {"n": 1}},
    {"id": "b", "input": "?", "must_contain_any": ["yes"], "metadata": {"n": 2}},
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path, {"rubrics/.keep": "", "datasets/a.json": {"questions": ROWS}})
    for name, answers in (("one", ("yes", "no")), ("two", ("yes", "yes"))):
        lines = ({"id": id_, "output": text} for id_, text in zip("ab", answers, strict=True))
        write(tmp_path, {f"{name}.jsonl": "".join(json.dumps(line) + "\n" for line in lines)})
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        call = ("grade", "datasets/a.json", "--outputs", f"{name}.jsonl", "--by", "n")
        command_line(*call, "--results", f"{name}.results.jsonl")
    return tmp_path


def graded(place: Path, name: str) -> GradedFiles:
    return Grader(place).grade_files(place / "datasets/a.json", place / f"{name}.jsonl")


def test_what_is_graded_now_is_what_the_file_has(place: Path) -> None:
    path = place / "one.results.jsonl"
    now, read = graded(place, "one").results(), RunResults.read(path)
    written = [{key: row[key] for key in row if key != "by"} for row in rows_of(path)]
    assert json.loads(json.dumps(now.to_dicts())) == written
    assert json.loads(json.dumps(read.to_dicts())) == rows_of(path)
    assert len(now) == len(read) == 2
    summary = json.loads(json.dumps(now.summary()))
    written_summary = run_of(path)["summary"]
    assert summary["rows"] == written_summary["rows"]
    assert json.loads(json.dumps(read.summary(by=["n"])))["groups"] == written_summary["groups"]
    with pytest.raises(UsageError, match="do not tell `language`"):
        read.summary(by=["language"])


def test_a_comparison_is_what_compare_prints(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    files = ("one.results.jsonl", "two.results.jsonl")
    assert command_line("compare", *files, "--output-format", "json") == 0
    (printed,) = json.loads(capsys.readouterr().out)["comparisons"]
    before, after = (RunResults.read(place / name) for name in files)
    found = json.loads(json.dumps(after.compare(before)))
    names = {"before": files[0], "after": files[1]}
    assert {**found, **names} == printed
    assert [change["id"] for change in found["flipped"]] == ["b"]


def test_rows_are_a_data_frame(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = graded(place, "one").results().to_pandas()
    assert [*frame["id"]] == ["a", "b"]
    assert [*frame["score"]] == [1.0, 0.0]
    assert frame["checks"][1][0]["outcome"] == "failed"
    assert frame["output"][1] == "no"
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match=r"pip install .evalcontract\[pandas\]"):
        RunResults.read(place / "one.results.jsonl").to_pandas()
