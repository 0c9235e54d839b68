"""`grade`: several outputs of a row, which are reduced to one result, and how much they differ."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from doors import ROOT, command_line
from results import partial_of
from tables import every_case
from writing import write

from evalcontract.checks.outcome import ANY_SCORE, Outcome
from evalcontract.grading.results import CheckResult, RowResult, earlier_results
from evalcontract.grading.samples import reduced
from evalcontract.grading.summary import Summary

if TYPE_CHECKING:
    from pathlib import Path

RESULTS = json.loads((ROOT / "schema" / "results.schema.json").read_text(encoding="utf-8"))
#: The answers to each row: three right, two, one, none.
ANSWERS = {f"r{at}": ["yes"] * (3 - at % 4) + ["no"] * (at % 4) for at in range(40)}


def lines(values: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def outputs(
    answers: dict[str, list[str]], *, by_row: bool = True, names: bool = True
) -> list[dict[str, Any]]:
    """Return records row by row, or sample by sample; with `names`, they say which sample."""
    records = [
        (at, {"id": id_, **({"sample": at + 1} if names else {}), "output": text})
        for id_, texts in answers.items()
        for at, text in enumerate(texts)
    ]
    return [record for _, record in (records if by_row else sorted(records, key=lambda x: x[0]))]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [{"id": id_, "input": "x", "must_contain_any": ["yes"]} for id_ in ANSWERS]
    write(tmp_path, {"rows.jsonl": lines(rows), "outputs.jsonl": lines(outputs(ANSWERS))})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def grade(*arguments: str) -> int:
    return command_line("grade", "rows.jsonl", "--outputs", "outputs.jsonl", *arguments)


def graded(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    capsys.readouterr()
    assert grade("--output-format", "json", *arguments) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_each_output_is_a_line_and_each_row_counts_once(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = graded(capsys, "--results", "results.jsonl")
    written = (place / "results.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(written) == 120
    for line in map(json.loads, written):
        jsonschema.Draft202012Validator(RESULTS).validate(line)
    assert [line["sample"] for line in found["rows"][:4]] == [1, 2, 3, 1]
    summary = found["summary"]
    rows = summary["rows"]
    assert (rows["total"], rows["mean"]) == (40, pytest.approx(0.5))
    # The error is that of forty means: 10 each of 1, 2/3, 1/3 and 0.
    assert rows["stderr"] == pytest.approx((10 * (1 / 2 + 1 / 18) / 39 / 40) ** 0.5)
    assert rows["pass_rate"]["rate"] == 0.5, "more than half of the samples pass"
    samples = summary["samples"]
    assert (samples["rows"], samples["outputs"], samples["k"]) == (40, 120, 3)
    assert [each["rate"] for each in samples["pass_at_k"]] == pytest.approx([1 / 2, 2 / 3, 3 / 4])
    assert [each["rate"] for each in samples["pass_all_k"]] == pytest.approx([1 / 2, 1 / 3, 1 / 4])
    shares = [samples[when] for when in ("never", "sometimes", "always")]
    assert shares == [0.25, 0.5, 0.25]
    assert samples["variance_within"] == pytest.approx(1 / 6)


@pytest.mark.costly
@pytest.mark.usefixtures("place")
@every_case(
    ("how", "mean", "passed"),
    [("mean", 0.5, 20), ("mode", 0.5, 20), ("max", 0.75, 30), ("pass_at_k", 0.75, 30)],
)
def test_reductions(how: str, mean: float, passed: int, capsys: pytest.CaptureFixture[str]) -> None:
    rows = graded(capsys, "--reduce", how)["summary"]["rows"]
    assert (rows["mean"], rows["outcomes"]["passed"]) == (pytest.approx(mean), passed)


@pytest.mark.parametrize("by_row", [True, False])
@pytest.mark.parametrize("names", [True, False])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_order_of_outputs_makes_no_difference(
    place: Path, capsys: pytest.CaptureFixture[str], *, by_row: bool, names: bool, jobs: str
) -> None:
    """Nor whether they name their sample, as long as all rows have equally many."""
    expected = graded(capsys)
    write(place, {"outputs.jsonl": lines(outputs(ANSWERS, by_row=by_row, names=names))})
    found = graded(capsys, "--jobs", jobs)
    assert (found["summary"], found["rows"]) == (expected["summary"], expected["rows"])


def test_a_list_of_outputs(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = graded(capsys)["summary"]
    write(place, {"outputs.json": json.dumps(outputs(ANSWERS, names=False))})
    assert graded(capsys, "--outputs", "outputs.json")["summary"] == expected


@every_case(
    ("records", "said"),
    [
        # Not all rows have two: that is a mistake, unless they say which sample they are.
        (
            [
                *outputs({id_: ["yes"] for id_ in ANSWERS}, names=False),
                {"id": "r1", "output": "no"},
            ],
            "number them: `sample`",
        ),
        ([*outputs(ANSWERS), {"id": "r1", "sample": 2, "output": "no"}], "with the sample `2`"),
    ],
)
def test_repeated_outputs(
    records: list[dict[str, Any]],
    said: str,
    place: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(place, {"outputs.jsonl": lines(records)})
    assert grade() == 1
    printed = " ".join(capsys.readouterr().err.split())
    assert printed.count("[output/duplicate-id]") == 1
    assert said in printed


def test_rows_may_have_different_numbers_of_named_samples(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fewer = {id_: texts[: 1 + at % 3] for at, (id_, texts) in enumerate(ANSWERS.items())}
    write(place, {"outputs.jsonl": lines(outputs(fewer))})
    summary = graded(capsys)["summary"]
    assert (summary["rows"]["total"], summary["samples"]["k"]) == (40, 1)
    means = [sum(text == "yes" for text in texts) / len(texts) for texts in fewer.values()]
    assert summary["rows"]["mean"] == pytest.approx(sum(means) / 40)


def test_what_did_not_run_in_a_sample_is_in_the_bounds(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = outputs({id_: ["yes", "yes", "yes"] for id_ in ANSWERS})
    records[1] = {"id": "r0", "sample": 2, "output": None}
    records[4] = {"id": "r1", "sample": 2, "output": None}
    records[5] = {"id": "r1", "sample": 3, "output": None}
    write(place, {"outputs.jsonl": lines(records)})
    summary = graded(capsys, "--allow-undecided")["summary"]["rows"]
    assert summary["bounds"] == pytest.approx([1 - (1 / 3 + 2 / 3) / 40, 1])
    assert summary["outcomes"] == {"passed": 39, "undecided": 1}, "two of three samples decide"
    assert "0.97 to 1.00 of all, pass rate 1.00 of the decided (95 %" in said(
        capsys, "--allow-undecided"
    )


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return what is printed for people, without what was printed before."""
    capsys.readouterr()
    assert grade(*arguments) == 0
    return " ".join(capsys.readouterr().out.split())


def test_rates_of_samples_say_which_rows_are_in_none(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A row with an output that has no verdict is not among those that are always right."""
    records = outputs(ANSWERS)
    del records[-1]
    records[1] = {"id": "r0", "sample": 2, "output": None}
    write(place, {"outputs.jsonl": lines(records)})
    samples = graded(capsys, "--allow-undecided")["summary"]["samples"]
    assert (samples["rows"], samples["decided"], samples["outputs"]) == (40, 39, 119)
    assert samples["always"] == pytest.approx(9 / 39)
    text = said(capsys, "--allow-undecided")
    assert "119 outputs of 40 rows, 2 to 3 of each, 1 row is in no rate, since an" in text


def clustered(size: int) -> str:
    """Return the rows in clusters of so many, which are right or wrong together."""
    return lines(
        [
            {
                "id": id_,
                "input": "x",
                "must_contain_any": ["yes"],
                "metadata": {"document": f"d{at // size}"},
            }
            for at, id_ in enumerate(ANSWERS)
        ]
    )


def test_rates_of_samples_account_for_clusters(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = {id_: ["yes"] * 3 if at // 4 % 2 else ["no"] * 3 for at, id_ in enumerate(ANSWERS)}
    write(place, {"outputs.jsonl": lines(outputs(answers)), "rows.jsonl": clustered(4)})
    alone, together = (
        graded(capsys, *asked)["summary"]["samples"] for asked in ([], ["--cluster", "document"])
    )
    for name in ("pass_at_k", "pass_all_k"):
        for one, other in zip(alone[name], together[name], strict=True):
            assert other["rate"] == one["rate"] == 0.5
            assert other["clusters"] == 10
            # All rows of a cluster are the same, so that ten rows tell as much: √(p(1-p)/9).
            assert other["stderr"] == pytest.approx((0.25 / 9) ** 0.5)
            assert other["stderr"] > 1.9 * one["stderr"]
    write(place, {"rows.jsonl": clustered(8)})
    few = graded(capsys, "--cluster", "document")["summary"]["samples"]["pass_at_k"]
    assert [each["interval"] for each in few] == [None] * 3
    text = said(capsys, "--cluster", "document")
    assert "pass@1 0.50 (too few clusters to say)" in text
    assert "mean score 0.50 (too few clusters to say)" in text


def test_a_flipped_row_shows_an_output_with_its_verdict(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first output of `r0` passes both times: it is not why the row failed."""
    before = {id_: ["yes one", "yes two", "no three"] for id_ in ANSWERS}
    after = {**before, "r0": ["yes one", "no two", "no three"]}
    write(place, {"outputs.jsonl": lines(outputs(before))})
    assert grade("--results", "results.jsonl") == 0
    write(place, {"outputs.jsonl": lines(outputs(after))})
    text = said(capsys, "--compare", "results.jsonl", "--results", "later.jsonl")
    shown = "r0: passed 0.67 → failed 0.33 (must_contain_any) before: yes one now: no two"
    assert shown in text
    assert command_line("compare", "results.jsonl", "later.jsonl") == 0
    assert shown in " ".join(capsys.readouterr().out.split())


@pytest.mark.costly
@every_case("record", [{"answer": "?"}, {"output": 7}, {}])
def test_a_sample_without_an_answer_could_have_been_right_or_wrong(
    record: dict[str, Any], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its row is not that of its other samples alone, whatever they are."""
    records = outputs({id_: ["yes", "no", "yes"] for id_ in ANSWERS})
    records[1] = {"id": "r0", "sample": 2, **record}
    write(place, {"outputs.jsonl": lines(records)})
    assert grade("--output-format", "json") == 1
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert printed.err.count("error[output/") == 1
    first = [(row["sample"], row["outcome"]) for row in found["rows"][:3]]
    assert first == [(1, "passed"), (2, "undecided"), (3, "passed")]
    summary = found["summary"]
    assert summary["rows"]["bounds"] == pytest.approx([2 / 3, 2 / 3 + 1 / 3 / 40])
    assert (summary["samples"]["outputs"], summary["samples"]["decided"]) == (120, 39)


@pytest.mark.usefixtures("place")
def test_samples_are_compared_by_their_rows(capsys: pytest.CaptureFixture[str]) -> None:
    assert grade("--results", "results.jsonl") == 0
    capsys.readouterr()
    assert grade("--compare", "results.jsonl") == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "rows: 0.50 → 0.50 (+0.000, 95 % interval" in text
    assert "over 40 rows" in text
    assert text.endswith("no result changed")


@pytest.mark.costly
@every_case("jobs", ["1", "2"])
def test_the_dataset_of_a_run_is_the_same_however_many_outputs_there_are(
    jobs: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each row is one row of the dataset, and has one part in what that means."""
    one = {id_: texts[:1] for id_, texts in ANSWERS.items()}
    some = outputs(ANSWERS)[1:]
    known = []
    for records in (outputs(one, names=False), outputs(ANSWERS), some):
        write(place, {"outputs.jsonl": lines(records)})
        asked = ("--results", "results.jsonl", "--force", "--jobs", jobs)
        known.append(graded(capsys, *asked)["provenance"]["dataset"])
    assert [each["rows"] for each in known] == [40] * 3
    assert len({each["meaning_sha256"] for each in known}) == 1
    text = partial_of(place / "results.jsonl", place / "results.jsonl")
    (place / "results.jsonl.partial").write_text("".join(text[:8]), encoding="utf-8")
    again = graded(capsys, "--results", "results.jsonl", "--resume", "--force", "--jobs", jobs)
    assert again["provenance"]["dataset"] == known[0]


@pytest.mark.costly
@every_case("kept", [3, 4, 5, 6, 61, 121])
def test_a_run_goes_on_with_whole_rows(
    kept: int, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wherever it was interrupted: between the samples of a row, too."""
    assert grade("--results", "whole.jsonl", "--force") == 0
    text = partial_of(place / "whole.jsonl", place / "results.jsonl")
    (place / "results.jsonl.partial").write_text("".join(text[:kept]), encoding="utf-8")
    found = graded(capsys, "--results", "results.jsonl", "--resume", "--force")
    assert found["summary"] == json.loads((place / "whole.run.json").read_bytes())["summary"]
    rows = [(place / f"{name}.jsonl").read_text(encoding="utf-8") for name in ("results", "whole")]
    assert rows[0] == rows[1]


def test_a_row_with_a_sample_that_did_not_run_is_graded_again(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert grade("--results", "results.jsonl") == 0
    text = partial_of(place / "results.jsonl", place / "results.jsonl")
    at = next(at for at, line in enumerate(text) if '"id": "r1", "sample": 2' in line)
    line = json.loads(text[at])
    line["checks"][0] |= {"outcome": "error", "score": None, "reason": "it was away"}
    line |= {"outcome": "undecided", "score": None, "bounds": [0, 1]}
    text[at] = json.dumps(line) + "\n"
    (place / "results.jsonl.partial").write_text("".join(text), encoding="utf-8")
    again = graded(capsys, "--results", "results.jsonl", "--resume", "--force")
    ids = [(row["id"], row["sample"]) for row in again["rows"]]
    assert len({*ids}) == len(ids) == 120
    assert again["summary"]["rows"]["outcomes"] == {"passed": 20, "failed": 20}


@every_case("name", ["r.csv", "r.tsv", "r.parquet"])
def test_samples_keep_their_names_in_tables(name: str, place: Path) -> None:
    numbers: list[int | str] = [0, 12]
    texts: list[int | str] = ["a", "0.50"]  # a column of Parquet has one type
    write(place, {"rows.jsonl": lines([{"id": "a0", "input": "x", "must_contain_any": ["yes"]}])})
    for names in (numbers, texts) if name == "r.parquet" else (numbers + texts,):
        records = [{"id": "a0", "sample": each, "output": "yes"} for each in names]
        write(place, {"outputs.jsonl": lines(records)})
        assert grade("--results", name, "--force") == 0
        assert [row.sample for row in earlier_results(place / name).rows] == names


CALLS = [{"name": "f", "arguments": {"n": 1}}]
TWO_CHECKS = """
id: r
version: "1.0.0"
checks:
  - {id: tools, kind: tool_usage}
  - {id: text, kind: must_contain_any}
scoring: {combine: weighted_avg, threshold: 0.5}
"""


@pytest.mark.costly
@every_case("lacking", [0, 1, 2])
def test_a_check_that_did_not_run_on_one_sample_is_told(
    lacking: int, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whichever it is, and though the others decide the row without it."""
    keys = {"rubric_ref": "rubric/r@1.0.0", "must_contain_any": ["yes"], "expected_tools": CALLS}
    write(place, {"rows.jsonl": lines([{"id": id_, "input": "x", **keys} for id_ in "ab"])})
    write(place, {"rubrics/r.yaml": TWO_CHECKS})
    records = [
        {**each, "tool_calls": CALLS} for each in outputs({id_: ["yes"] * 3 for id_ in "ab"})
    ]
    del records[lacking]["tool_calls"]
    write(place, {"outputs.jsonl": lines(records)})
    sentence = "1 of 6 tool_usage checks did not run: no tool calls of the output were recorded"
    for jobs in ("1", "2"):
        assert sentence in said(capsys, "--jobs", jobs)
    summary = graded(capsys)["summary"]
    assert summary["rows"]["outcomes"] == {"passed": 2}
    assert [(each["kind"], each["number"], each["of"]) for each in summary["unmeasured"]] == [
        ("tool_usage", 1, 6)
    ]


def test_rows_that_are_not_valid_are_counted_once(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"id": id_, "input": "x", "must_contain_any": "yes"} for id_ in ("r0", "r1")]
    write(place, {"rows.jsonl": lines(rows)})
    write(place, {"outputs.jsonl": lines(outputs({"r0": ["yes"] * 3, "r1": ["no"] * 2}))})
    assert grade() == 1
    text = " ".join(capsys.readouterr().out.split())
    assert "2 of 2 rows could not be graded: the row is not valid" in text
    assert "2 rows, 0 decided" in text


CHECK = CheckResult("text", "regex", Outcome.PASSED, 1.0)


@every_case("failing", [0, 1, 2, None])
def test_an_error_in_one_sample_is_an_error_of_the_run(failing: int | None) -> None:
    passed = RowResult("a", "r", Outcome.PASSED, 1.0, checks=(CHECK,))
    unknown: dict[str, Any] = {"score": None, "bounds": ANY_SCORE}
    error = CHECK._replace(outcome=Outcome.ERROR, reason="it was away", **unknown)
    failed = passed._replace(outcome=Outcome.UNDECIDED, checks=(error,), **unknown)
    rows = [(failed if at == failing else passed)._replace(sample=at) for at in range(3)]
    total = Summary()
    for some in (rows, [passed._replace(id="b", sample=at) for at in (1, 2, 3)]):
        summary = Summary.of(reduced(some, "max"))
        summary.add_samples(some)
        total.merge(summary)
    assert total.has_errors is (failing is not None)
    assert total.counted("regex") == 6
    assert [*total.unmeasured.values()] == [1] * (failing is not None)
