"""`power`: the rows and samples that a difference needs, from one pilot run or two."""

from __future__ import annotations

import json
from math import fsum
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from doors import command_line
from tables import every_case
from writing import write

from evalcontract.grading.pilot import pilot_of_one, pilot_of_two
from evalcontract.grading.results import RowResult
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
def test_rows_that_say_nothing_are_counted(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those without a score, and those that one of two runs does not have."""
    outputs = (place / "one.jsonl").read_text(encoding="utf-8").splitlines()
    unknown = [{"id": f"r{at}", "output": None} for at in range(4)]
    rows = (place / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    files = {"fewer.jsonl": "\n".join(rows[:-1]), "some.jsonl": lines(unknown)}
    files["some.jsonl"] += "\n".join(outputs[4:-1])
    write(place, files)
    asked = ("--outputs", "some.jsonl", "--results", "some.results.jsonl")
    assert command_line("grade", "fewer.jsonl", *asked) == 0
    alone, both = (power(capsys, *names)["pilot"] for names in (["some"], ["two", "some"]))
    assert (alone["rows"], alone["left_out"]) == (COUNT - 5, 4)
    assert (both["rows"], both["left_out"]) == (COUNT - 5, 5)
    for names, said in (
        (["some.results.jsonl"], "4 rows are left out, without a known score in the run"),
        (
            ["two.results.jsonl", "some.results.jsonl"],
            "5 rows are left out, without a known score in both",
        ),
    ):
        capsys.readouterr()
        assert command_line("power", *names, "--detect", "0.05") == 0
        assert said in " ".join(capsys.readouterr().out.split())


@pytest.mark.costly
@every_case("counts", [((1, 1), (1, 3)), ((3, 1), (1, 1)), ((1, 3), (3, 1))])
def test_runs_with_other_numbers_of_samples_tell_of_one_output(
    counts: tuple[tuple[int, int], ...],
) -> None:
    """A mean of three varies less than one output does: that is no variance of one output.

    Of the numbers of outputs of each second row in either run; over many runs, the variance is
    that of runs with one output of each row.
    """
    chance = Random(7)  # noqa: S311 - the same every time
    rights = [chance.choice((0.2, 0.5, 0.9)) for _ in range(40)]

    def run(numbers: tuple[int, ...]) -> list[RowResult]:
        return [
            RowResult(f"r{at}", None, None, float(chance.random() < right), sample=sample)
            for at, right in enumerate(rights)
            for sample in range(numbers[at % 2])
        ]

    def means(*numbers: tuple[int, int]) -> list[float]:
        pilots = [
            (pilot_of_one(run(numbers[0]), 0), pilot_of_two(run(numbers[0]), run(numbers[1])))
            for _ in range(400)
        ]
        return [
            fsum(pilot.variance.of(1) for pilot in some) / 400 for some in zip(*pilots, strict=True)
        ]

    expected = means((1, 1), (1, 1))
    assert means(*counts) == pytest.approx(expected, rel=0.03)


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
