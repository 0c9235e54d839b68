"""`power`: the rows and samples that a difference needs, from one pilot run or two."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from doors import command_line
from tables import every_case
from writing import write

from evalcontract.statistics.estimates import rows_needed

if TYPE_CHECKING:
    from pathlib import Path

COUNT = 60


def lines(values: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two runs of one output a row, and one of three; a row is right as often in all of them."""
    chance = Random(5)  # noqa: S311 - the same every time
    easy = {f"r{at}": chance.choice((0.2, 0.9)) for at in range(COUNT)}
    rows = [{"id": id_, "input": "x", "must_contain_any": ["yes"]} for id_ in easy]
    files = {"rows.jsonl": lines(rows)}
    for name, samples in (("one", 1), ("two", 1), ("three", 3)):
        said = [
            {"id": id_, "sample": at, "output": "yes" if chance.random() < share else "no"}
            for id_, share in easy.items()
            for at in range(1, samples + 1)
        ]
        files[f"{name}.jsonl"] = lines(said)
    write(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two", "three"):
        asked = ("--outputs", f"{name}.jsonl", "--results", f"{name}.results.jsonl")
        assert command_line("grade", "rows.jsonl", *asked) == 0
    return tmp_path


def power(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    capsys.readouterr()
    names = [f"{each}.results.jsonl" if each.isalpha() else each for each in arguments]
    assert command_line("power", *names, "--detect", "0.05", "--output-format", "json") == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.costly
@pytest.mark.usefixtures("place")
def test_one_run_two_runs_and_samples(capsys: pytest.CaptureFixture[str]) -> None:
    one, two, three = (power(capsys, *names) for names in (["one"], ["one", "two"], ["three"]))
    (needed,) = one["needed"]
    assert needed == {"samples": 1, "rows": rows_needed(one["variance_between"], 0.05)}
    assert (one["variance_within"], one["pilot"]["paired"]) == (None, False)
    assert two["pilot"]["paired"]
    assert two["needed"][0]["rows"] < needed["rows"], "the runs are alike"
    by_samples = {each["samples"]: each["rows"] for each in three["needed"]}
    assert sorted(by_samples.values(), reverse=True) == [*by_samples.values()]
    assert by_samples[1] > 1.3 * by_samples[10]
    assert three["pilot"]["samples"] == 3


@pytest.mark.costly
@pytest.mark.usefixtures("place")
def test_runs_that_are_alike_need_fewer_rows(capsys: pytest.CaptureFixture[str]) -> None:
    alone, alike = power(capsys, "one"), power(capsys, "one", "--correlation", "0.75")
    assert alike["variance_between"] == pytest.approx(alone["variance_between"] / 4)


@pytest.mark.costly
@pytest.mark.usefixtures("place")
def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert command_line("power", "three.results.jsonl", "--detect", "0.05") == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "a difference of 0.05 is found 80 % of the time, and at 0.05 significance, with" in text
    assert "outputs of each row rows 1 " in text
    assert "60 rows with 3 outputs each find 0." in text


@pytest.mark.costly
@every_case(
    ("count", "answer", "said"),
    [(3, None, "too few to say"), (9, "yes", "does not tell a variance")],
)
def test_a_pilot_run_that_says_nothing(
    count: int,
    answer: str | None,
    said: str,
    place: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    outputs = [{"id": f"r{at}", "output": answer or ["yes", "no"][at % 2]} for at in range(count)]
    rows = [{"id": f"r{at}", "input": "x", "must_contain_any": ["yes"]} for at in range(count)]
    write(place, {"rows.jsonl": lines(rows), "few.jsonl": lines(outputs)})
    asked = ("--outputs", "few.jsonl", "--results", "few.results.jsonl", "--force")
    assert command_line("grade", "rows.jsonl", *asked) == 0
    assert command_line("power", "few.results.jsonl", "--detect", "0.1") == 2
    assert said in capsys.readouterr().err
