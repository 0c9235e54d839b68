"""`compare`: the results of several runs: what else differs, tests, groups and flipped rows."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from doors import command_line
from results import partial_of
from tables import every_case
from writing import write

if TYPE_CHECKING:
    from pathlib import Path

COUNT = 30


def lines(values: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def answers(right: range) -> str:
    said = [{"id": f"r{at}", "output": "yes" if at in right else "no"} for at in range(COUNT)]
    return lines(said)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three runs: the second has ten rows more right than the first, the third is the first."""
    rows = [
        {
            "id": f"r{at}",
            "input": "x",
            "must_contain_any": ["yes"],
            "tags": ["even", "odd"][at % 2 : at % 2 + 1],
            "metadata": {"document": f"d{at // 2}"},
        }
        for at in range(COUNT)
    ]
    right = {"one": range(10), "two": range(20), "three": range(10)}
    outputs = {f"{name}.jsonl": answers(of) for name, of in right.items()}
    write(tmp_path, {"rows.jsonl": lines(rows), **outputs})
    monkeypatch.chdir(tmp_path)
    for name in right:
        asked = ("--outputs", f"{name}.jsonl", "--results", f"{name}.results.jsonl")
        assert command_line("grade", "rows.jsonl", *asked, "--cluster", "document") == 0
    return tmp_path


def compare(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert command_line("compare", *arguments, "--output-format", "json") == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["comparisons"]
    return found


ALL = [f"{name}.results.jsonl" for name in ("one", "two", "three")]


@pytest.mark.costly
@pytest.mark.usefixtures("place")
def test_each_run_is_compared_with_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    two, three = compare(capsys, *ALL)
    assert two["differences"] == ["the outputs are `two.jsonl`, before `one.jsonl`"]
    rows = two["rows"]
    assert (rows["pairs"], rows["better"], rows["worse"], rows["test"]) == (30, 10, 0, "mcnemar")
    assert rows["difference"] == pytest.approx(1 / 3)
    assert rows["p"] == pytest.approx(2 / 2**10)
    assert rows["p_corrected"] == pytest.approx(2 * rows["p"]), "of two tests, one a run"
    groups = {group["value"]: group for group in two["groups"]}
    assert groups["even"]["p"] == pytest.approx(2 / 2**5)
    assert groups["even"]["p_corrected"] == pytest.approx(4 * 2 / 2**5), "two groups of two runs"
    assert [flip["id"] for flip in two["flipped"]] == [f"r{at}" for at in range(10, 20)]
    assert (three["changed"], three["flipped"], three["rows"]["p"]) == (0, [], 1)
    assert three["rows"]["interval"][0] < 0 < three["rows"]["interval"][1], "not a width of zero"


@pytest.mark.usefixtures("place")
def test_rows_that_were_drawn_together(capsys: pytest.CaptureFixture[str]) -> None:
    (alone,), (clustered,) = (
        compare(capsys, *ALL[:2], *asked) for asked in ([], ["--cluster", "document"])
    )
    assert (clustered["rows"]["clusters"], clustered["rows"]["test"]) == (15, "t")
    assert clustered["rows"]["stderr"] > 1.3 * alone["rows"]["stderr"]


@pytest.mark.usefixtures("place")
def test_a_comparison_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert command_line("compare", *ALL, "--limit", "1") == 0
    text = " ".join(capsys.readouterr().out.split())
    assert text.startswith("two.results.jsonl compared with one.results.jsonl: the outputs are")
    assert "10 pass now, 0 fail now; p 0.002 by McNemar's exact test, 0.0039 corrected" in text
    assert "tags: even: 0.33 → 0.67" in text
    assert (
        "flipped rows: r10: failed 0.00 → passed 1.00 (must_contain_any) before: no now: yes"
        in text
    )
    assert text.endswith("no result changed")


@pytest.mark.costly
def test_grade_shows_the_output_of_rows_that_flipped(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """That of the earlier run, too, where its results tell it."""
    earlier = (place / ALL[0]).read_text(encoding="utf-8")
    lines = earlier.replace('"output": "no", ', "", 9)
    (place / ALL[0]).write_text(lines, encoding="utf-8")
    run_file = place / ALL[0].replace(".jsonl", ".run.json")
    run = json.loads(run_file.read_text(encoding="utf-8"))
    run["results"]["sha256"] = sha256(lines.encode()).hexdigest()
    run_file.write_text(json.dumps(run), encoding="utf-8")
    capsys.readouterr()
    asked = ("rows.jsonl", "--outputs", "two.jsonl", "--compare", ALL[0])
    assert command_line("grade", *asked) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "r10: failed 0.00 → passed 1.00 (must_contain_any) now: yes" in text
    assert "r19: failed 0.00 → passed 1.00 (must_contain_any) before: no now: yes" in text


@pytest.fixture
def partly(place: Path) -> Path:
    """A fourth run: `r0` has no answer, `r1` is lost, `new` is new, all others are as in `one`."""
    rows = (place / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    rows[1] = json.dumps({**json.loads(rows[1]), "id": "new"})
    (place / "other.jsonl").write_text("\n".join(rows), encoding="utf-8")
    said = [json.loads(line) for line in answers(range(10)).splitlines()]
    said[0]["output"], said[1]["id"] = None, "new"
    (place / "partly.jsonl").write_text(lines(said), encoding="utf-8")
    asked = ("--outputs", "partly.jsonl", "--results", "partly.results.jsonl")
    assert command_line("grade", "other.jsonl", *asked) == 0
    return place


PARTLY = [ALL[0], "partly.results.jsonl"]


def answer(capsys: pytest.CaptureFixture[str], output_format: str, *arguments: str) -> str:
    capsys.readouterr()
    assert command_line("compare", *arguments, "--output-format", output_format) == 0
    return capsys.readouterr().out


@pytest.mark.costly
@pytest.mark.usefixtures("partly")
def test_rows_that_are_in_no_difference_are_in_every_format(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """No format is silent of them, nor of what else differs: a comparison is of a part alone."""
    markdown, github = (answer(capsys, each, *PARTLY) for each in ("markdown", "github"))
    for text in (markdown, github):
        assert "0 rows flipped in 1 comparison with one.results.jsonl; 3 rows are in no" in text
        assert all(what in text for what in ("other.jsonl", "partly.jsonl", "was recorded"))
    (suite,) = ET.fromstring(answer(capsys, "junit", *PARTLY))
    assert [suite.get(key) for key in ("tests", "failures", "errors", "skipped")] == [
        "4", "0", "1", "2",
    ]  # fmt: skip
    names = {case.get("name"): [part.tag for part in case] for case in suite}
    assert names == {
        "what the scores depend on": ["system-out"],
        "1 row only in this run": ["skipped"],
        "1 row no longer there": ["skipped"],
        "1 row without a known score now": ["error"],
    }
    first, second, *_ = answer(capsys, "jsonl", *PARTLY).splitlines()
    of_rows = json.loads(first)
    assert (of_rows["of"], of_rows["pairs"], of_rows["left_out"]) == ("rows", 28, 3)
    assert json.loads(second)["left_out"] is None


@pytest.mark.costly
def test_runs_without_a_common_row_are_not_the_same(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    renamed = (place / "rows.jsonl").read_text(encoding="utf-8").replace('"id": "r', '"id": "s')
    said = answers(range(10)).replace('"id": "r', '"id": "s')
    write(place, {"others.jsonl": renamed, "said.jsonl": said})
    asked = ("others.jsonl", "--outputs", "said.jsonl", "--results", "others.results.jsonl")
    assert command_line("grade", *asked) == 0
    both = (ALL[0], "others.results.jsonl")
    text = answer(capsys, "text", *both)
    assert "no row is in both runs" in text
    assert "no result changed" not in text
    header, figures = answer(capsys, "csv", *both).splitlines()
    found = dict(zip(header.split(","), figures.split(","), strict=True))
    assert (found["pairs"], found["difference"], found["left_out"]) == ("0", "", "60")
    assert 'skipped="2"' in answer(capsys, "junit", *both)


@pytest.mark.costly
def test_results_of_an_interrupted_run_are_told(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They have a part of the rows, and the last row may have a part of its outputs."""
    text = partial_of(place / ALL[1], place / "part.jsonl")
    part = "part.jsonl.partial"
    (place / part).write_text("".join(text[:22]), encoding="utf-8")
    said = f"{part} is incomplete: its run was interrupted"
    for both in ((ALL[0], part), (part, ALL[0])):
        assert said in compare(capsys, *both)[0]["differences"][0]
        assert said in answer(capsys, "text", *both)
    assert said not in answer(capsys, "text", *ALL)
    assert command_line("power", part, "--detect", "0.1") == 0
    assert said in capsys.readouterr().err
    asked = ("rows.jsonl", "--outputs", "one.jsonl", "--compare", part)
    assert command_line("grade", *asked) == 0
    assert said in capsys.readouterr().err


@pytest.mark.usefixtures("place")
@every_case(
    ("arguments", "said"),
    [
        (ALL[:1], "at least two files"),
        ([ALL[0], "rows.jsonl"], "rows.jsonl:1: this is not a result"),
        ([ALL[0], "none.jsonl"], "none.jsonl: no such file"),
        ([*ALL[:2], "--by", "language"], "do not tell `language`"),
    ],
)
def test_what_cannot_be_compared(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command_line("compare", *arguments) == 2
    assert said in capsys.readouterr().err
