"""`evalcontract report`: what it writes where, and what the page says that it leaves out."""

from __future__ import annotations

import io
import json
import re
import sys
from base64 import b64encode
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from doors import command_line
from evals import large, reviewed, small
from pages import data_of, report
from tables import every_case
from work import calls_of
from writing import write

from evalcontract.page import runs

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return small(tmp_path)


def findings_of(capsys: pytest.CaptureFixture[str], dataset: Path, mode: str) -> list[Any]:
    capsys.readouterr()
    command_line("validate-dataset", dataset, mode, "--output-format", "json")
    found: list[Any] = json.loads(capsys.readouterr().out)["findings"]
    return found


@pytest.mark.costly
def test_findings_are_those_of_the_check_in_both_modes(
    dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    findings = data_of(report(dataset))["findings"]
    for mode in ("soft", "strict"):
        found = findings_of(capsys, dataset, f"--{mode}")
        assert sorted(
            (each["code"], each["severities"][mode])
            for each in findings
            if mode in each["severities"]
        ) == sorted((each["code"], each["severity"]) for each in found)


@pytest.mark.slow
def test_twice_the_findings_on_lines_of_their_own_take_twice_the_work(tmp_path: Path) -> None:
    """Findings of ignore comments belong to no row: one excerpt has all of them."""
    comment = "# evalcontract: ignore[dataset/missing-key]\n"
    calls = []
    for size in (150, 300, 600):
        path = tmp_path / f"{size}.yaml"
        rows = (f"{comment}- {{id: a{at}, input: b}}\n" for at in range(size))
        path.write_text("questions:\n" + "".join(rows))
        calls.append(calls_of(report, path))
    first, then = (more - less for less, more in pairwise(calls))
    assert then < 2.3 * first


def test_coverage_is_that_of_the_command(dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command_line("coverage", dataset, "--output-format", "json")
    told = json.loads(capsys.readouterr().out)
    (table,) = data_of(report(dataset))["coverage"]
    assert table["percent"] == told["summary"]["percent"]
    states = []
    for _, id_, pattern, fault, _ in table["rows"]:
        numbers = table["patterns"][pattern]
        cells = {
            table["columns"][at]["check"]: table["predictions"][each][0]
            for at, each in zip(numbers[::2], numbers[1::2], strict=True)
        }
        states.append((id_, cells, None if fault is None else table["faults"][fault]))
    assert states == [
        (row["row"], {cell["check"]: cell["state"] for cell in row["checks"]}, row["fault"])
        for row in told["files"][0]["rows"]
    ]


NARROW = "rubric/narrow@1.0.0"


@pytest.fixture
def results(dataset: Path, tmp_path: Path) -> Path:
    """The results of a small dataset, without a model for its judges."""
    outputs, results = tmp_path / "outputs.jsonl", tmp_path / "results.jsonl"
    texts = {"good": "It left on Monday.", "misspelled": "What nonsense.", "circular": "?"}
    lines = (json.dumps({"id": id_, "output": text}) for id_, text in texts.items())
    outputs.write_text("\n".join(lines))
    command_line("grade", dataset, "--soft", "--outputs", outputs, "--results", results)
    return results


def missed(table: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Return by row which checks did not run that were predicted to, with the reasons."""
    evidence, columns = table["evidence"], table["columns"]
    found = {}
    for _, id_, _, _, number in table["rows"]:
        numbers = [] if number is None else evidence["patterns"][number]
        cells = zip(numbers[::2], numbers[1::2], strict=True)
        reasons = {columns[at]["check"]: evidence["reasons"][why] for at, why in cells}
        if reasons:
            found[id_] = reasons
    counts = [len(reasons) for reasons in found.values()]
    assert evidence["missed"] == sum(evidence["columns"]) == sum(counts)
    assert evidence["ran"] == table["totals"]["run"] - sum(counts)
    return found


_UNASKED = {"narrow_1": "unavailable: no model is configured"}
_ABSENT = "the row is not in the results"


@pytest.mark.costly
@every_case(
    ("before", "after", "wanted"),
    [
        ("# A comment", "# Text", {"good": _UNASKED, "misspelled": _UNASKED}),
        (
            "id: good",
            "id: better",
            {
                "better": dict.fromkeys(("narrow_0", "narrow_1", "narrow_2"), _ABSENT),
                "misspelled": _UNASKED,
            },
        ),
        (
            "rubric_ref: rubric/one@1.0.0",
            f"rubric_ref: {NARROW}",
            {
                "good": _UNASKED,
                "misspelled": _UNASKED,
                "circular": dict.fromkeys(
                    ("narrow_1", "narrow_2"), "the row was graded by rubric/one@1.0.0"
                ),
            },
        ),
    ],
)
def test_what_was_predicted_to_run_and_did_not_is_told(
    dataset: Path, results: Path, before: str, after: str, wanted: dict[str, dict[str, str]]
) -> None:
    text = small(results.parent).read_text()
    assert before in text
    dataset.write_text(text.replace(before, after))
    (table,) = data_of(report(dataset, "--results", results))["coverage"]
    assert missed(table) == wanted


@pytest.mark.costly
@every_case("recorded", [(2, 3), (1, 2), (3,), (1, 2, 3)])
def test_a_check_that_did_not_run_on_one_output_is_missed(
    tmp_path: Path, recorded: tuple[int, ...]
) -> None:
    """Whichever of the outputs of a row it is, and whatever the others come to."""
    row = {"id": "a", "input": "Where?", "expected_tools": ["find"]}
    lines = [
        {"id": "a", "sample": number, "output": "Here."}
        | ({"tool_calls": [{"name": "find"}]} if number in recorded else {})
        for number in (1, 2, 3)
    ]
    texts = {"datasets/rows.jsonl": row, "outputs.jsonl": "\n".join(map(json.dumps, lines))}
    write(tmp_path, texts)
    dataset, results = tmp_path / "datasets" / "rows.jsonl", tmp_path / "results.jsonl"
    given = ("--outputs", tmp_path / "outputs.jsonl", "--results", results, "--force")
    command_line("grade", dataset, *given)
    data = data_of(report(dataset, "--results", results))
    (table,), (run,) = data["coverage"], data["runs"]
    lost, why = 3 - len(recorded), "no tool calls of the output were recorded"
    reason = f"on {lost} of 3 outputs: unavailable: {why}"
    assert missed(table) == ({"a": {"expected_tools": reason}} if lost else {})
    told = [f"{lost} of 3 tool_usage checks did not run: {why}"] if lost else []
    assert run["unmeasured"] == told


@pytest.mark.costly
def test_results_are_beside_the_coverage_of_their_dataset(dataset: Path, results: Path) -> None:
    other = dataset.with_name("other.yaml")
    other.write_text(dataset.read_text())
    assert [each["evidence"] for each in data_of(report(dataset))["coverage"]] == [None]
    tables = data_of(report(dataset, other, "--results", results))["coverage"]
    known = {table["file"].rpartition("/")[2]: table["evidence"] for table in tables}
    assert known["other.yaml"] is None
    assert known["small.yaml"]["missed"] == 2


def test_a_run_says_what_is_undecided_and_what_did_not_run(dataset: Path, results: Path) -> None:
    (run,) = data_of(report(dataset, "--results", results))["runs"]
    assert run["sentence"].startswith("4 rows, 1 decided (25 %), mean score 0.00 of these (")
    assert "2 of 4 llm_judge checks did not run: no model is configured" in run["unmeasured"]
    scores = {row["id"]: (row["outcome"], row["score"]) for row in run["rows"]}
    assert scores["good"] == ("undecided", "0.00 to 1.00")
    assert scores["misspelled"] == ("failed", "0.00")
    means = {check["check"]: check["mean"] for check in run["checks"]}
    assert means["narrow_1"] == "0.00 to 1.00"
    assert means["narrow_2"] == "0.50"
    assert means["narrow_3"] is None


def reports_of(dataset: Path, runs: str = "ab") -> dict[str, Any]:
    """Return the data of a report with the results and the outputs of some runs."""
    root = dataset.parent.parent
    names = [("--results", root / f"results_{run}.jsonl") for run in runs]
    names += [("--outputs", root / f"outputs_{run}.jsonl") for run in runs]
    return data_of(report(dataset, *(part for pair in names for part in pair)))


def test_rows_have_what_they_and_their_outputs_say(tmp_path: Path) -> None:
    data = reports_of(reviewed(tmp_path))
    for name, run in zip("ab", data["runs"], strict=True):
        for row in run["rows"]:
            at = row["id"][1:]
            given = data["given"][row["given"]]
            assert given["input"] == f"Where is order {at}?\nPlease say so."
            assert given["expected"] == [["expected_facts", f"order {at} left"]]
            assert given["tags"] == ["odd" if int(at) % 2 else "even"]
            assert row["output"] == f"Order {at} left, says {name}.\n Indeed."
    assert len(data["given"]) == 6
    run = data["runs"][0]
    (tone,) = [check for check in run["checks"] if check["check"] == "tone"]
    assert tone["threshold"] == 0.75
    assert run["rows_tally"]["threshold"] == 0.75
    answers = {row["id"]: row["checks"][1][5] for row in run["rows"]}
    judge = {"judge": "judge/tone@1.0.0", "model": "m-1"}
    assert answers["r0"] == [{**judge, "reason": "the tone of 0", "verdict": 5}]
    assert answers["r5"] == [{**judge, "answer": "Hm."}]


@pytest.mark.costly
def test_texts_of_results_are_those_that_were_graded(dataset: Path, tmp_path: Path) -> None:
    """The dataset has changed since; with `--no-texts`, the results do not tell."""
    outputs, results = tmp_path / "outputs.jsonl", tmp_path / "results.jsonl"
    outputs.write_text(json.dumps({"id": "good", "output": "Monday.", "tool_calls": []}))
    given = ("--soft", "--outputs", outputs, "--results", results, "--force")
    for is_told in (True, False):
        text = small(tmp_path).read_text()
        text = text.replace("order?\n", "order?\n    expected: {reference: Monday}\n", 1)
        dataset.write_text(text)
        command_line("grade", dataset, *given, *([] if is_told else ["--no-texts"]))
        changed = {"reference: Monday": "reference: Friday", "left on Monday]": "left on Friday]"}
        for old, new in {**changed, "Where is my order?": "Where?"}.items():
            text = text.replace(old, new)
        dataset.write_text(text)
        data = data_of(report(dataset, "--results", results))
        (row,) = [row for row in data["runs"][0]["rows"] if row["id"] == "good"]
        said = data["given"][row["given"]]
        assert said["input"] == ("Where is my order?" if is_told else "Where?")
        day = "Monday" if is_told else "Friday"
        assert json.loads(dict(said["expected"])["expected"]) == {"reference": day}
        assert dict(said["expected"])["expected_facts"] == f"it left on {day}"
        assert data["runs"][0]["has_outputs"] is is_told
        assert (row.get("output"), row.get("calls")) == (
            ("Monday.", "no calls") if is_told else (None, None)
        )


def test_runs_are_compared_row_by_row(tmp_path: Path) -> None:
    data = reports_of(reviewed(tmp_path, runs="abc"), "abc")
    found = data["comparisons"]
    assert [(each["before"], each["after"]) for each in found] == [(0, 1), (0, 2), (1, 2)]
    scores = [
        [row["low"] for row in run["rows"] if row["outcome"] != "undecided"] for run in data["runs"]
    ]
    for each in found:
        assert each["pairs"] == 5
        old, new = scores[each["before"]], scores[each["after"]]
        assert each["mean"] == pytest.approx((sum(new) - sum(old)) / 5)
        low, high = each["interval"]
        assert low <= each["mean"] <= high
        assert any(line.startswith("the outputs are `outputs_") for line in each["differences"])


@pytest.mark.costly
@every_case("has_verdicts", [False, True])
def test_a_judge_is_measured_as_calibrate_judge_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *, has_verdicts: bool
) -> None:
    """By verdicts of the labels, or of the results."""
    dataset, labels = reviewed(tmp_path), tmp_path / "labels.jsonl"
    results = ("--results", tmp_path / "results_a.jsonl")
    answers = {
        row["id"]: answer["verdict"]
        for row in data_of(report(dataset, *results))["runs"][0]["rows"]
        for answer in row["checks"][1][5]
        if "verdict" in answer
    }
    rows = [json.loads(line) for line in labels.read_text().splitlines()]
    both = [row | {"judge": answers[row["id"]]} for row in rows if row["id"] in answers]
    with_verdicts = tmp_path / "with.jsonl"
    with_verdicts.write_text("\n".join(map(json.dumps, both)))
    given = f"judge/tone={with_verdicts if has_verdicts else labels}"
    (found,) = data_of(report(dataset, *results, "--labels", given))["judges"]
    capsys.readouterr()
    asked = ("--labels", with_verdicts, "--root", tmp_path, "--output-format", "json")
    command_line("calibrate-judge", "judge/tone", *asked)
    told = json.loads(capsys.readouterr().out)
    assert found["run"] == (None if has_verdicts else 0)
    assert found["compared"] == told["labels"]["compared"] == 5
    assert found["matrix"] == told["confusion_matrix"]
    for name in ("tpr", "tnr", "kappa"):
        assert (found[name] or [None])[0] == told[name]["value"]
    assert found["remarks"] == [each["message"] for each in told["warnings"]]
    assert sum(each["count"] for each in found["reliability"]) == 5
    assert len(found["disagreements"]) == told["confusion_matrix"]["fp"] == 1


@pytest.mark.costly
@every_case(
    ("labels", "said"),
    [
        ("judge/tone", "JUDGE=FILE"),
        ("tone={}", "JUDGE=FILE"),
        ("judge/other={}", "`other`"),
        ("judge/tone={}.yaml", "labels"),
        ("judge/tone={}", "verdicts"),
    ],
)
def test_labels_that_measure_no_judge_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], labels: str, said: str
) -> None:
    dataset, page = reviewed(tmp_path), tmp_path / "page.html"
    given = labels.format(tmp_path / "labels.jsonl")
    assert command_line("report", dataset, "--labels", given, "-o", page) == 2
    assert said in capsys.readouterr().err
    assert not page.exists()


def test_outputs_are_those_that_were_graded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = reviewed(tmp_path)
    outputs, page = tmp_path / "outputs_a.jsonl", tmp_path / "page.html"
    results = ("--results", tmp_path / "results_a.jsonl")
    (run,) = data_of(report(dataset, *results))["runs"]
    assert run["has_outputs"] is False
    assert not any("output" in row for row in run["rows"])
    for text in (outputs.read_text().replace("left", "is"), "[", ""):
        outputs.write_text(text)
        assert command_line("report", dataset, *results, "--outputs", outputs, "-o", page) == 2
        assert "outputs_a.jsonl" in capsys.readouterr().err
        assert not page.exists()


def test_an_output_of_an_id_that_several_rows_have_is_not_guessed(tmp_path: Path) -> None:
    dataset, results = reviewed(tmp_path), tmp_path / "results_a.jsonl"
    lines = results.read_text().splitlines(keepends=True)
    results.write_text("".join([*lines[:3], lines[2], *lines[3:]]))
    rows = reports_of(dataset, "a")["runs"][0]["rows"]
    assert {row["id"] for row in rows if "output" not in row} == {"r1"}
    assert len(rows) == 7


@every_case(
    ("text", "wanted"),
    [
        (
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        ),
        (
            "\u0915\u094d\u200d\u0937 \u0905\u0935\u0928\u094d\u200d",
            "\u0915\u094d\u200d\u0937 \u0905\u0935\u0928\u094d\u200d",
        ),
        ("\U0001f469\u200d\U0001f467 \u2764\ufe0f\u200d\U0001f525", None),
        ("ad\u200dmin", "ad\ufffdmin"),
        (
            "\u0645\u06cc\u200c\u200c\u062e\u0648\u0627\u0647\u0645 \u200c",
            "\u0645\u06cc\ufffd\ufffd\u062e\u0648\u0627\u0647\u0645 \ufffd",
        ),
        ("\u0915\u094d\u200d\u200d", "\u0915\u094d\ufffd\ufffd"),
        (
            "\u0645\u06cc\u202e\u062e\u0648\u0627\u0647\u0645\u200b",
            "\u0645\u06cc\ufffd\u062e\u0648\u0627\u0647\u0645\ufffd",
        ),
    ],
)
def test_joiners_that_are_spelling_are_kept(tmp_path: Path, text: str, wanted: str | None) -> None:
    dataset, results = reviewed(tmp_path, 2), tmp_path / "results_a.jsonl"
    lines = [json.loads(line) for line in results.read_text().splitlines()]
    lines[1]["output"] = text
    lines[1]["checks"][1]["details"]["reason"] = text
    results.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (run,) = data_of(report(dataset, "--results", results))["runs"]
    (row,) = [row for row in run["rows"] if row["id"] == "r0"]
    assert row["output"] == (text if wanted is None else wanted)
    assert row["checks"][1][5][0]["reason"] == row["output"]


def test_texts_are_cut_and_left_out_when_there_are_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = reviewed(tmp_path)
    monkeypatch.setattr(runs, "TEXT", 10)
    monkeypatch.setattr(runs, "ROOM", 60)
    data = reports_of(dataset, "a")
    rows = data["runs"][0]["rows"]
    with_texts = [row for row in rows if "output" in row]
    assert [row["id"] for row in with_texts] == [row["id"] for row in rows[: len(with_texts)]]
    assert 0 < len(with_texts) < len(rows)
    for row in with_texts:  # "Order 0 left, says a.", and so on
        assert row["output"] == f"Order {row['id'][1:]} le… (and 20 more characters)"
    assert (
        f"the page is large: the texts of {len(rows) - len(with_texts)} results are left out"
        in (data["notes"])
    )


def test_a_target_decides_what_is_shown_first(dataset: Path, tmp_path: Path) -> None:
    (tmp_path / "targets").mkdir()
    (tmp_path / "targets" / "nightly.yaml").write_text(
        "label: Nightly\ndataset: datasets/small.yaml\nstrict_validation: true\n"
    )
    data = data_of(report(dataset))
    assert data["mode"] == "configured"
    for finding in data["findings"]:
        severities = finding["severities"]
        assert severities["configured"] == severities["strict"]
    assert any(each["because"] for each in data["findings"])
    assert data_of(report(dataset, "--soft"))["mode"] == "soft"


@every_case(
    ("row", "lines"),
    [
        ("misspelled", (8, 11)),
        ("dangling", (17, 19)),
    ],
)
def test_an_excerpt_is_the_row_as_it_stands_in_the_file(
    dataset: Path, row: str, lines: tuple[int, int]
) -> None:
    excerpts = data_of(report(dataset))["excerpts"]
    (found,) = [each for each in excerpts if each["row"] == row]
    texts = dataset.read_text(encoding="utf-8").split("\n")
    shown = {
        number: "".join(part if isinstance(part, str) else part[0] for part in parts)
        for number, *parts in found["lines"]
    }
    first, last = lines
    assert shown == {at: texts[at - 1] for at in range(first, last + 1)}


def test_rows_on_one_line_are_cut_apart(tmp_path: Path) -> None:
    dataset = tmp_path / "datasets" / "line.json"
    dataset.parent.mkdir()
    rows = [{"id": f"row_{at}", "input": "x", "criterio": "y"} for at in range(3)]
    dataset.write_text(json.dumps(rows))
    excerpts = data_of(report(dataset))["excerpts"]
    (line,) = excerpts[1]["lines"]
    assert line[1] == line[-1] == "…"
    text = "".join(part if isinstance(part, str) else part[0] for part in line[2:-1])
    assert json.loads(text) == rows[1]


def test_an_existing_file_is_replaced_with_force_alone(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    page.write_text("mine")
    assert command_line("report", dataset, "-o", page) == 2
    assert "--force" in capsys.readouterr().err
    assert page.read_text() == "mine"
    assert command_line("report", dataset, "-o", page, "--force") == 0
    assert "wrote " in capsys.readouterr().out
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


@every_case(
    ("arguments", "fact"),
    [
        (["nothing.yaml"], None),
        (["*.nothing"], "*.nothing"),
        (["small.yaml", "--results", "nothing.jsonl"], "nothing.jsonl"),
        (["small.yaml", "--results", "small.yaml"], "grade"),
        (["small.yaml", "--dialect", "mlfow"], "mlfow"),
        (["small.yaml", "-o", "small.yaml/page.html"], "page.html"),
    ],
)
def test_wrong_calls_write_nothing(
    dataset: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    fact: str | None,
) -> None:
    monkeypatch.chdir(dataset.parent)
    code = command_line("report", *arguments)
    page = dataset.parent / "report.html"
    if fact is None:  # a file that is missing is a finding, as it is for the other commands
        assert code == 0
        assert data_of(page)["findings"][0]["code"] == "source/unreadable"
        page.unlink()
        return
    assert code == 2
    assert fact in capsys.readouterr().err
    assert [path.name for path in dataset.parent.iterdir()] == ["small.yaml"]


def test_a_page_goes_to_standard_output(
    dataset: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert command_line("report", dataset, "-o", "-") == 0
    printed = capsys.readouterr().out
    assert printed == report(dataset).read_text(encoding="utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "datasets", "judges", "report.html", "rubrics",
    ]  # fmt: skip


def test_standard_input_and_folders_are_read(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(dataset.read_bytes()), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", stdin)
    page = tmp_path / "page.html"
    arguments = ("report", "-", "--stdin-filename", dataset, "-o", page, "--force")
    assert command_line(*arguments) == 0
    of_stdin = data_of(page)
    assert command_line("report", tmp_path, "-o", page, "--force") == 0
    assert data_of(page) == of_stdin


@pytest.mark.costly
def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    dataset = large(tmp_path, 30)
    data = data_of(report(dataset, "--max-rows", "10"))
    (table,) = data["coverage"]
    assert len(table["rows"]) == 10
    assert table["rows_total"] == 30
    (note,) = data["notes"]
    assert "20 of 30 rows" in note
    assert "--max-rows 0" in note
    data = data_of(report(dataset, "--max-rows", "0"))
    assert (len(data["coverage"][0]["rows"]), data["notes"]) == (30, [])


def test_rows_with_something_to_say_are_kept_first(tmp_path: Path) -> None:
    dataset = tmp_path / "datasets" / "plain.jsonl"
    dataset.parent.mkdir()
    rows: list[dict[str, Any]] = [
        {"id": f"row_{at}", "input": "x", "expected_facts": ["it left"]} for at in range(20)
    ]
    rows[17]["expecteed_facts"] = ["y"]
    dataset.write_text("\n".join(map(json.dumps, rows)))
    (table,) = data_of(report(dataset, "--max-rows", "3"))["coverage"]
    assert [row[0] for row in table["rows"]] == [0, 1, 17]


def test_datasets_of_other_systems_are_shown(tmp_path: Path) -> None:
    dataset = tmp_path / "datasets" / "rows.jsonl"
    dataset.parent.mkdir()
    dataset.write_text('{"inputs": {"question": "x"}, "expectations": {"expected_facts": 3}}\n')
    data = data_of(report(dataset, "--dialect", "mlflow:oss"))
    assert data["coverage"][0]["columns"][0]["rubric"] == "mlflow:oss"
    assert [each["file"] for each in data["excerpts"]] != []


def test_graders_of_another_system_are_chosen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = tmp_path / "rows.jsonl"
    dataset.write_text('{"inputs": {"question": "x"}, "expectations": {"expected_facts": ["y"]}}\n')
    asked = ("--dialect", "mlflow:oss", "--only", "Correctness,Safety")
    (table,) = data_of(report(dataset, *asked))["coverage"]
    assert [each["check"] for each in table["columns"]] == ["Correctness", "Safety"]
    assert command_line("report", dataset, "-o", tmp_path / "a.html", "--only", "Safty") == 2
    assert "did you mean `Safety`?" in capsys.readouterr().err


def test_the_policy_allows_this_style_and_this_script_alone(dataset: Path) -> None:
    text = report(dataset).read_text(encoding="utf-8")
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    (script,) = re.findall(r'<script type="module">(.*?)</script>', text, re.DOTALL)
    assert rules == {
        "default-src": "'none'",
        "style-src": f"'{_digest(style)}'",
        "script-src": f"'{_digest(script)}'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert not re.search(r"<[^>]*\son\w+=", text)


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def test_the_same_files_give_the_same_page(dataset: Path) -> None:
    assert report(dataset).read_bytes() == report(dataset).read_bytes()


def test_clusters_are_those_of_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What would change nothing is refused: no results, or results that do not tell the key."""
    dataset = reviewed(tmp_path)
    assert command_line("report", dataset, "--cluster", "topic", "-o", tmp_path / "a.html") == 2
    assert "--results" in capsys.readouterr().err
    given = ("--results", tmp_path / "results_a.jsonl", "--cluster", "topic")
    assert command_line("report", dataset, *given, "-o", tmp_path / "a.html") == 2
    assert "`topic`" in capsys.readouterr().err
