"""`grade`: recorded outputs are joined with the rows of a dataset, and graded by their rubrics."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from doors import ROOT, Options, command_line
from results import as_lines, lines_of_version_2, partial_of, printed_lines, rows_of, run_of
from tables import every_case
from writing import write

from evalcontract.datasets.opening import Advance, Input
from evalcontract.grading.grade import Grading
from evalcontract.grading.results import earlier_results

if TYPE_CHECKING:
    from pathlib import Path

SUPPORT = """\
id: support
version: "1.0.0"
checks:
  - {id: names_period, kind: must_contain_any, values: [30 days, thirty days]}
  - {id: no_apology, kind: must_not_contain, values: [sorry]}
scoring:
  combine: weighted_avg
  weights: {names_period: 3, no_apology: 1}
  threshold: 0.7
"""
REF = {"rubric_ref": "rubric/support@1.0.0"}
ROWS: list[dict[str, Any]] = [
    {"id": "refund", "input": "May I send it back?", **REF},
    {"id": "lost", "input": "Where is it?", **REF},
    {"id": "hours", "input": "When are you open?", "must_contain_any": ["nine"]},
]
OUTPUTS = {
    "refund": "Within 30 days.",
    "lost": "Sorry, within thirty days.",
    "hours": "At noon.",
}
MANIFEST = json.loads((ROOT / "schema" / "manifest.schema.json").read_text(encoding="utf-8"))
RESULTS = json.loads((ROOT / "schema" / "results.schema.json").read_text(encoding="utf-8"))


def lines_of(*records: dict[str, Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def recorded(**changed: str | None) -> str:
    outputs = {**OUTPUTS, **changed}
    return lines_of(*({"id": id_, "output": text} for id_, text in outputs.items() if text))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(
        tmp_path,
        {
            "rubrics/support.yaml": SUPPORT,
            "datasets/a.json": {"questions": ROWS},
            "outputs.jsonl": recorded(),
        },
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def grade(*arguments: str) -> int:
    return command_line("grade", "datasets/a.json", "--outputs", "outputs.jsonl", *arguments)


def results(
    capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int, list[dict[str, Any]], str]:
    """Return the exit code, the lines of the results, and what is on standard error."""
    code = grade("--output-format", "json", *arguments)
    printed = capsys.readouterr()
    return code, printed_lines(printed.out), printed.err


def rows(lines: list[dict[str, Any]]) -> dict[str, tuple[str | None, float | None]]:
    return {line["id"]: (line["outcome"], line["score"]) for line in lines if "id" in line}


@pytest.mark.usefixtures("place")
def test_lines_conform_to_their_schema(capsys: pytest.CaptureFixture[str]) -> None:
    code, lines, _ = results(capsys)
    assert code == 0
    for line in lines:
        jsonschema.Draft202012Validator(RESULTS).validate(line)
    jsonschema.Draft202012Validator(MANIFEST).validate(lines[-1]["provenance"])
    assert rows(lines) == {
        "refund": ("passed", 1.0),
        "lost": ("passed", 0.75),
        "hours": ("failed", 0.0),
    }
    (lost,) = (line for line in lines if line.get("id") == "lost")
    (check,) = (check for check in lost["checks"] if check["outcome"] == "failed")
    assert "sorry" in check["reason"].lower()
    summary = lines[-1]["summary"]
    assert summary["rows"]["mean"] == pytest.approx(1.75 / 3)
    assert summary["rows"]["outcomes"] == {"failed": 1, "passed": 2}


@pytest.mark.usefixtures("place")
def test_text_shows_rubrics_checks_and_failures(capsys: pytest.CaptureFixture[str]) -> None:
    assert grade() == 0
    text = capsys.readouterr().out
    for part in ("rubric/support@1.0.0", "names_period", "must_contain_any", "hours", "0.58"):
        assert part in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_table_is_graded_by_the_keys_of_its_columns(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header = "nr,question,words,rubric_ref"
    lines = [f"{nr},What?,{word},rubric/words@1.0.0" for nr, word in (("a", "noon"), ("b", "six"))]
    rubric = "id: words\nversion: '1.0.0'\nchecks: [{id: w, kind: must_contain_any}]\n"
    recorded_ = '{"id": "a", "output": "at noon"}\n{"id": "b", "output": "at one"}\n'
    files = {
        "rubrics/words.yaml": f"{rubric}scoring: {{combine: all_pass}}\n",
        "table.csv": "\n".join([header, *lines]),
        "two.jsonl": recorded_,
    }
    write(place, files)
    asked = ("--map", "nr=id", "--map", "words=must_contain_any", "--output-format", "jsonl")
    assert command_line("grade", "table.csv", "--outputs", "two.jsonl", *asked) == 0
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows(printed) == {"a": ("passed", 1.0), "b": ("failed", 0.0)}


@pytest.mark.usefixtures("place")
def test_outputs_may_come_in_any_order_and_from_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import io

    text = "".join(reversed(recorded().splitlines(keepends=True)))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    code = command_line("grade", "datasets/a.json", "--outputs", "-", "--output-format", "json")
    lines = printed_lines(capsys.readouterr().out)
    assert code == 0
    assert rows(lines)["refund"] == ("passed", 1.0)
    assert "sha256" not in lines[0]["manifest"]["outputs"]


def lost(**record: Any) -> str:
    """Return outputs of which one is this record."""
    return recorded(lost=None) + lines_of({"id": "lost", **record})


CALLS = [{"name": "find"}]
LOST: list[tuple[dict[str, Any], int, str, tuple[str, float | None] | None]] = [
    ({"outptu": "x"}, 1, "output/unread-answer", ("undecided", None)),
    ({"response": ""}, 1, "output/unread-answer", ("undecided", None)),
    ({"tools_called": CALLS}, 1, "output/unread-answer", ("undecided", None)),
    ({"output": None, "content": "x"}, 1, "output/unread-answer", ("undecided", None)),
    ({"tool_calls": CALLS, "content": "x"}, 1, "output/unread-answer", ("undecided", None)),
    ({}, 1, "output/no-answer", ("undecided", None)),
    ({"metadata": {}, "latency": 3}, 1, "output/no-answer", ("undecided", None)),
    ({"output": "x", "metadat": {}}, 0, "output/near-miss-key", ("failed", 0.25)),
    ({"output": "x", "tools_called": CALLS}, 0, "output/near-miss-key", ("failed", 0.25)),
    ({"output": "x", "tool_calls": "x"}, 1, "output/invalid-record", ("undecided", None)),
    ({"output": "x", "tool_calls": [7]}, 1, "output/unreadable-tool-call", ("failed", 0.25)),
]
NO_IDS: list[Any] = [True, 7.0, 7.5, None, [], "", 10**400]


@pytest.mark.costly
@every_case(
    ("outputs", "code", "finding", "row"),
    [
        (recorded(lost=None), 1, "output/missing", ("undecided", None)),
        (recorded() + lines_of({"id": "lost", "output": "No"}), 1, "output/duplicate-id", None),
        (recorded() + lines_of({"id": "other", "output": "x"}), 0, "output/unknown-id", None),
        (recorded() + lines_of({"id": "lost", "output": 3}), 1, "output/invalid-record", None),
        (recorded() + "{broken\n", 1, "source/syntax", None),
        (recorded() + lines_of({"output": "x"}), 1, "output/invalid-record", None),
        (recorded() + "7\n", 1, "output/invalid-record", None),
        *((lost(**record), code, finding, row) for record, code, finding, row in LOST),
        *((lost(id=id_, output="x"), 1, "output/invalid-record", None) for id_ in NO_IDS),
    ],
)
def test_faulty_outputs(
    place: Path,
    capsys: pytest.CaptureFixture[str],
    outputs: str,
    code: int,
    finding: str,
    row: tuple[str, float | None] | None,
) -> None:
    write(place, {"outputs.jsonl": outputs})
    status, lines, err = results(capsys)
    assert status == code
    assert f"[{finding}]" in err
    assert rows(lines)["refund"] == ("passed", 1.0), "the others are graded"
    assert row is None or rows(lines)["lost"] == row


@pytest.mark.costly
@every_case(
    ("key", "typed"),
    [
        ("response", "response=output"),
        ("completion", "completion=output"),
        ("answer", "answer=output"),
        ("text", "text=output"),
        ("content", "content=output"),
        ("actualOutput", "actualOutput=output"),
        ("Output", "Output=output"),
        ("outptu", "outptu=output"),
        ("Model Output", "'Model Output=output'"),
    ],
)
def test_another_key_of_the_answer_is_named_and_can_be_mapped(
    place: Path, capsys: pytest.CaptureFixture[str], key: str, typed: str
) -> None:
    records = [{"id": id_, key: text} for id_, text in OUTPUTS.items()]
    write(place, {"outputs.jsonl": lines_of(*records)})
    status, lines, err = results(capsys)
    assert status == 1
    assert err.count("[output/") == 1, "one cause, one finding"
    assert f"`{key}`" in err
    assert "3 records" in err
    assert f"`--map {typed}`" in err
    assert {row[0] for row in rows(lines).values()} == {"undecided"}
    status, lines, err = results(capsys, "--map", shlex.split(typed)[0])
    assert (status, err) == (0, "")
    assert rows(lines)["lost"] == ("passed", 0.75)


def test_calls_under_another_key_can_be_mapped_too(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"id": "a", "input": "b", "expected_tools": ["find"]}
    record = {"id": "a", "actual_output": "", "tools_called": [{"name": "find"}]}
    write(place, {"datasets/a.json": {"questions": [row]}, "outputs.jsonl": lines_of(record)})
    mapped = ("--map", "actual_output=output", "--map", "tools_called=tool_calls")
    status, lines, err = results(capsys, *mapped)
    assert (status, err, rows(lines)["a"]) == (0, "", ("passed", 1.0))


@every_case(
    ("outputs", "place_of"),
    [
        ({"id": "refund", "response": 7, "output": "x"}, "1:30"),
        ({"id": "refund", "output": 7}, "1:28"),
    ],
)
def test_what_is_mapped_is_placed_where_it_stands(
    place: Path, capsys: pytest.CaptureFixture[str], outputs: dict[str, Any], place_of: str
) -> None:
    write(place, {"outputs.jsonl": lines_of(outputs)})
    _, _, err = results(capsys, "--map", "response=output")
    assert "[output/invalid-record]" in err
    assert f"outputs.jsonl:{place_of}" in err


def test_what_cannot_be_typed_or_is_no_text_is_not_mapped(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records: list[Any] = [
        {"id": "refund", "out\nput": "x"},
        {"id": "lost", "content": [{"text": "x"}]},
    ]
    write(place, {"outputs.jsonl": lines_of(*records)})
    status, _, err = results(capsys)
    assert (status, err.count("[output/unread-answer]")) == (1, 2)
    assert "--map" not in err


def test_ids_may_be_whole_numbers(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = [{**ROWS[2], "id": id_} for id_ in ("7", "-3", "8")]
    records = [{"id": id_, "output": "at nine"} for id_ in (8, -3, 7, 7, "8")]
    write(place, {"datasets/a.json": {"questions": questions}, "outputs.jsonl": lines_of(*records)})
    status, lines, err = results(capsys)
    assert rows(lines) == dict.fromkeys(("7", "-3", "8"), ("passed", 1.0))
    assert (status, err.count("[output/duplicate-id]")) == (1, 2)


RECORD = {"id": "refund", "output": "Within 30 days."}


@pytest.mark.costly
@every_case(
    ("name", "text", "missing"),
    [
        ("one.txt", json.dumps(RECORD), 2),
        ("one.txt", json.dumps(RECORD, indent=2), 2),
        ("one.json", json.dumps(RECORD), 2),
        ("one.yaml", "id: refund\noutput: Within 30 days.\n", 2),
        ("one.jsonl", json.dumps(RECORD), 2),
        ("several.txt", recorded(), 0),
        ("list.txt", json.dumps([RECORD]), 2),
        ("list.json", json.dumps([RECORD]), 2),
        ("none.txt", "[]", 3),
    ],
)
def test_a_file_of_any_name_may_hold_one_record_or_several(
    place: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, missing: int
) -> None:
    write(place, {name: text})
    status = command_line("grade", "datasets/a.json", "--outputs", name, "--output-format", "jsonl")
    printed = capsys.readouterr()
    graded = rows([json.loads(line) for line in printed.out.splitlines()])
    assert [outcome for outcome, _ in graded.values()].count("undecided") == missing
    assert ("refund", ("passed", 1.0)) in graded.items() or missing == 3
    assert printed.err.count("error[") == (1 if missing else 0) == status
    assert ("[output/missing]" in printed.err) is bool(missing)


@every_case(("name", "finding"), [("e.txt", "source/empty"), ("e.jsonl", "source/empty")])
def test_an_empty_file_of_outputs_is_an_error(
    place: Path, capsys: pytest.CaptureFixture[str], name: str, finding: str
) -> None:
    write(place, {name: ""})
    assert command_line("grade", "datasets/a.json", "--outputs", name) == 1
    assert f"[{finding}]" in capsys.readouterr().err


@pytest.mark.usefixtures("place")
@every_case("wrapped", [{"questions": []}, {"outputs": [RECORD]}, {}], ids=str)
def test_a_mapping_that_is_no_record_is_none(
    place: Path, capsys: pytest.CaptureFixture[str], wrapped: dict[str, Any]
) -> None:
    write(place, {"one.json": wrapped})
    assert command_line("grade", "datasets/a.json", "--outputs", "one.json") == 1
    assert "[output/invalid-record]: the file is not a list" in capsys.readouterr().err


@every_case(
    "files",
    [
        {"rubrics/support.yaml": SUPPORT.replace("kind: must_not", "kind: must_nto")},
        {"rubrics/support.yaml": SUPPORT.replace("weighted_avg", "average")},
        {"rubrics/support.yaml": SUPPORT.replace('"1.0.0"', '"2.0.0"')},
        {"datasets/a.json": {"questions": [{"id": "refund", **REF}]}},
        {"datasets/a.json": {"questions": [{"id": "refund", "input": "x", "bundle": ["a"]}]}},
    ],
    ids=str,
)
def test_what_is_malformed_is_undecided_and_fails_the_run(
    place: Path, capsys: pytest.CaptureFixture[str], files: dict[str, Any]
) -> None:
    write(place, files)
    status, lines, err = results(capsys)
    assert status == 1
    assert rows(lines)["refund"] == ("undecided", None)
    assert lines[1]["bounds"] == [0, 1]
    assert "Traceback" not in err


@pytest.mark.costly
@every_case(
    ("threshold", "target", "code"),
    [
        (None, None, 0),
        ("0.58", None, 0),
        ("0.59", None, 1),
        (None, 0.5, 0),
        (None, 0.9, 1),
        ("0.1", 0.9, 0),
        ("1", None, 1),
        ("0", None, 0),
    ],
)
def test_gates(
    place: Path,
    capsys: pytest.CaptureFixture[str],
    threshold: str | None,
    target: float | None,
    code: int,
) -> None:
    if target is not None:
        file = {"dataset": "datasets/a.json", "threshold": target}
        write(place, {"targets/a.json": file})
    arguments = [] if threshold is None else ["--threshold", threshold]
    status, lines, _ = results(capsys, *arguments)
    assert status == code
    wanted = float(threshold) if threshold else target
    assert lines[-1]["summary"].get("threshold") == wanted
    assert lines[-1]["summary"].get("reached") == (None if wanted is None else code == 0)


def test_results_are_a_file_that_is_not_replaced_unless_asked(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert grade("--results", "results.jsonl") == 0
    file = place / "results.jsonl"
    first = file.read_bytes()
    assert not (place / "results.jsonl.partial").exists()
    assert grade("--results", "results.jsonl") == 2
    refusal = "error: results.jsonl already exists; pass --force to replace it\n"
    assert capsys.readouterr().err.endswith(refusal)
    assert grade("--results", "results.jsonl", "--force") == 0
    assert file.read_bytes() == first, "the same every time"


@pytest.mark.slow
@pytest.mark.parametrize("kept", [1, 2, 3, 4])
@pytest.mark.parametrize("torn", [b"", b'{"id": "lost", "rub'])
def test_an_interrupted_run_goes_on(
    place: Path, capsys: pytest.CaptureFixture[str], kept: int, torn: bytes
) -> None:
    grade("--results", "whole.jsonl")
    lines = partial_of(place / "whole.jsonl", place / "results.jsonl")
    partial = place / "results.jsonl.partial"
    partial.write_bytes("".join(lines[:kept]).encode() + torn)
    capsys.readouterr()
    assert grade("--results", "results.jsonl", "--resume") == 0
    assert (place / "results.jsonl").read_bytes() == (place / "whole.jsonl").read_bytes()
    assert run_of(place / "results.jsonl")["summary"] == run_of(place / "whole.jsonl")["summary"]
    assert not partial.exists()
    assert "0.58" in capsys.readouterr().out, "rows of both runs count"


@every_case(
    ("files", "told"),
    [
        ({"outputs.jsonl": recorded(lost="other")}, "the outputs `outputs.jsonl` have other"),
        (
            {"rubrics/support.yaml": SUPPORT.replace("0.7", "0.8")},
            "rubric/support@1.0.0 has other content under the same version",
        ),
        ({"datasets/a.json": {"questions": ROWS[:2]}}, "the dataset `datasets/a.json` has other"),
    ],
    ids=str,
)
def test_a_run_of_other_files_does_not_go_on(
    place: Path, capsys: pytest.CaptureFixture[str], files: dict[str, Any], told: str
) -> None:
    grade("--results", "whole.jsonl")
    partial = place / "results.jsonl.partial"
    partial_of(place / "whole.jsonl", place / "results.jsonl")
    write(place, files)
    assert grade("--results", "results.jsonl", "--resume") == 2
    refusal = capsys.readouterr().err
    assert "without --resume" in refusal
    assert told in refusal
    assert partial.exists(), "nothing is lost"


def test_a_complete_run_without_errors_is_gone_on_with(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, {"datasets/a.json": {"questions": ROWS[:2]}})
    grade("--results", "results.jsonl")
    first = (place / "results.jsonl").read_bytes()
    assert b'"error"' not in first
    assert grade("--results", "results.jsonl", "--resume") == 0
    assert (place / "results.jsonl").read_bytes() == first
    write(place, {"outputs.jsonl": recorded(lost="other")})
    capsys.readouterr()
    assert grade("--results", "results.jsonl", "--resume") == 2
    assert "results.jsonl depends on what is another now" in capsys.readouterr().err
    assert (place / "results.jsonl").read_bytes() == first
    assert not (place / "results.jsonl.partial").exists()


@pytest.mark.slow
@pytest.mark.thorough
def test_a_killed_run_leaves_what_it_has_written(place: Path) -> None:
    many = [{"id": f"r{at}", "input": "x", "must_contain_any": ["y"]} for at in range(40_000)]
    write(place, {"datasets/a.json": {"questions": many}})
    write(
        place,
        {"outputs.jsonl": lines_of(*({"id": f"r{at}", "output": "y"} for at in range(40_000)))},
    )
    call = [sys.executable, "-m", "evalcontract", "grade", "datasets/a.json"]
    call += ["--outputs", "outputs.jsonl", "--results", "r.jsonl"]
    running = subprocess.Popen(
        call, env={**os.environ, "PYTHONPATH": str(ROOT / "src")}, stdout=subprocess.DEVNULL
    )
    partial = place / "r.jsonl.partial"
    deadline = time.monotonic() + 60
    while not (partial.exists() and partial.stat().st_size > 10_000):
        assert time.monotonic() < deadline
        assert running.poll() is None
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert not (place / "r.jsonl").exists()
    assert grade("--results", "r.jsonl", "--resume") == 0
    graded = [json.loads(line) for line in (place / "r.jsonl").read_text().splitlines()]
    assert len(rows(graded)) == 40_000
    assert len([line for line in graded if "id" in line]) == 40_000, "each row once"


CONTENT = {"tags": ["a"], "metadata": {"source": "x"}, "expected": {"reference": "30 days"}}


def test_rows_have_what_was_graded_and_no_texts_leaves_it_out(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, {"datasets/a.json": {"questions": [{**ROWS[0], **CONTENT}, *ROWS[1:]]}})
    call = {"name": "find", "arguments": {"id": 1}}
    write(place, {"outputs.jsonl": recorded(hours=None)})
    with (place / "outputs.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"id": "hours", "output": "", "tool_calls": [call]}) + "\n")
    grade("--results", "r.jsonl")
    refund, lost, hours = rows_of(place / "r.jsonl")
    given = {key: refund[key] for key in ("input", "output", *CONTENT)}
    kept = {**CONTENT, "expected": {"expected": CONTENT["expected"]}}
    assert given == {"input": ROWS[0]["input"], "output": OUTPUTS["refund"], **kept}
    assert hours["expected"] == {"must_contain_any": ["nine"]}
    assert "tags" not in lost
    assert (hours["output"], hours["tool_calls"]) == ("", [call])
    assert "sorry" in lost["checks"][1]["reason"]
    assert grade("--results", "r.jsonl", "--no-texts", "--resume") == 2
    assert "earlier results have texts" in capsys.readouterr().err
    grade("--results", "r.jsonl", "--no-texts", "--force")
    refund, lost, _ = rows_of(place / "r.jsonl")
    assert list(refund) == ["id", "fingerprint", "rubric", "outcome", "score", "checks", "tags"]
    assert list(lost["checks"][1]) == ["id", "kind", "outcome", "score"]
    assert grade("--results", "r.jsonl", "--no-texts", "--resume") == 0


@pytest.mark.costly
@every_case("name", ["r.csv", "r.tsv", "r.parquet"])
def test_results_are_a_table_if_their_name_says_so(
    name: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Read by pandas as anybody would; and by `grade`, with the same rows as JSON Lines."""
    import pandas as pd

    long = 'a "quoted", long\r\nanswer ' * 10_000
    write(place, {"datasets/a.json": {"questions": [{**ROWS[0], **CONTENT}, *ROWS[1:]]}})
    write(place, {"outputs.jsonl": recorded(lost=long)})
    assert grade("--results", name) == 0
    path = place / name
    read = {".csv": pd.read_csv, ".tsv": pd.read_table, ".parquet": pd.read_parquet}[path.suffix]
    frame = read(path)
    assert [*frame["id"]] == [row["id"] for row in ROWS]
    assert [*frame["score"]] == [1.0, 0.25, 0.0]
    assert json.loads(frame["tags"][0]) == CONTENT["tags"]
    assert json.loads(frame["checks"][1])[0]["outcome"] == "failed"
    assert frame["output"][1].split() == long.split()
    grade("--results", "same.jsonl", "--force")
    before, same = earlier_results(path), earlier_results(place / "same.jsonl")
    assert [row._replace(content=None) for row in before.rows] == [
        row._replace(content=None) for row in same.rows
    ]
    capsys.readouterr()
    assert grade("--compare", name) == 0
    assert "no result changed" in capsys.readouterr().out
    assert grade("--results", name, "--resume") == 0
    assert [*read(path)["score"]] == [1.0, 0.25, 0.0]
    assert not path.with_name(f"{name}.partial").exists()
    path.write_bytes(b"id,rubric\na,b\n")
    assert grade("--compare", name) == 2
    assert name in capsys.readouterr().err


def test_a_table_that_cannot_be_written_is_refused_before_anything_is_graded(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert grade("--results", "r.parquet") == 2
    assert "writing Parquet needs pyarrow: pip install" in capsys.readouterr().err
    assert not [*place.glob("r.*")]


def test_values_that_json_has_not_are_written_as_text(place: Path) -> None:
    text = "questions:\n- {id: a, input: x, must_contain_any: [y], metadata: {n: .nan}}\n"
    write(place, {"a.yaml": text, "one.jsonl": '{"id": "a", "output": "y"}\n'})
    command_line("grade", "a.yaml", "--outputs", "one.jsonl", "--results", "r.jsonl")
    (row,) = rows_of(place / "r.jsonl")
    assert row["id"] == "a"
    assert isinstance(row["metadata"]["n"], str)


def test_results_need_their_run_file(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grade("--results", "r.jsonl")
    rows_alone = (place / "r.jsonl").read_text()
    run = (place / "r.run.json").read_text()
    for files, told in (
        ({"old.jsonl": rows_alone}, "old.jsonl has no old.run.json beside it"),
        ({"old.jsonl": rows_alone, "old.run.json": "{}"}, "old.run.json is not the run file"),
        ({"old.jsonl": rows_alone, "old.run.json": "[1"}, "old.run.json is not the run file"),
        (
            {"old.jsonl": rows_alone.splitlines(keepends=True)[0], "old.run.json": run},
            "old.jsonl has changed since old.run.json was written beside it",
        ),
    ):
        write(place, files)
        capsys.readouterr()
        assert grade("--compare", "old.jsonl") == 2
        assert told in capsys.readouterr().err
    (place / "r.jsonl").unlink()
    assert grade("--results", "r.jsonl") == 2
    assert "r.run.json already exists" in capsys.readouterr().err
    assert (place / "r.run.json").read_text() == run


def test_results_of_version_2_are_read(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grade("--results", "r.jsonl")
    lines = lines_of_version_2(place / "r.jsonl")
    lines[0]["manifest"]["version"] = "2.1"
    write(place, {"old.jsonl": lines_of(*lines)})
    capsys.readouterr()
    assert grade("--compare", "old.jsonl", "--output-format", "text") == 0
    assert "no result changed" in capsys.readouterr().out
    assert grade("--results", "old.jsonl", "--resume") == 0
    assert (place / "old.jsonl").read_bytes() == (place / "r.jsonl").read_bytes()


@pytest.mark.usefixtures("place")
def test_printed_rows_are_those_of_the_file(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grade("--results", "r.jsonl", "--output-format", "jsonl")
    assert capsys.readouterr().out == (place / "r.jsonl").read_text()
    _, lines, _ = results(capsys)
    assert lines == as_lines({**run_of(place / "r.jsonl"), "rows": rows_of(place / "r.jsonl")})


def test_links_are_not_written_through(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "precious").write_text("keep me")
    (place / "results.jsonl").symlink_to(place / "precious")
    assert grade("--results", "results.jsonl", "--force") == 2
    (place / "other.jsonl.partial").symlink_to(place / "precious")
    assert grade("--results", "other.jsonl") == 2
    assert (place / "precious").read_text() == "keep me"
    assert "symbolic link" in capsys.readouterr().err


def test_comparison(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grade("--results", "old.jsonl")
    write(place, {"outputs.jsonl": recorded(lost="I don't know.", hours="At nine.")})
    new = SUPPORT.replace("1.0.0", "1.1.0").replace("0.7", "0.8")
    write(place, {"rubrics/support@1.1.0.yaml": new})
    changed = [{**row, "rubric_ref": "rubric/support@1.1.0"} for row in ROWS[:2]]
    write(place, {"datasets/a.json": {"questions": [*changed, ROWS[2]]}})
    capsys.readouterr()
    assert grade("--compare", "old.jsonl") == 0
    text = capsys.readouterr().out.partition("compared with")[2]
    for part in (
        "2 rows graded by rubric/support@1.1.0, before by rubric/support@1.0.0",
        "rubric/support: names_period",
        "lost: passed 0.75 → failed 0.25",
        "hours: failed 0.00 → passed 1.00",
        "n is too small to say more",
    ):
        assert part in " ".join(text.split())


@every_case(
    "text",
    [
        "",
        "{}\n",
        "[]\n",
        '{"id": "a"}\n',
        "nonsense\n",
        '{"manifest": {"version": "2.0"}}\n',
        "\x00",
    ],
    ids=repr,
)
def test_other_files_are_no_results_to_compare_with(
    place: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    write(place, {"old.jsonl": text})
    assert grade("--compare", "old.jsonl") == 2
    assert "old.jsonl" in capsys.readouterr().err


@pytest.mark.usefixtures("place")
def test_wrong_calls(capsys: pytest.CaptureFixture[str]) -> None:
    assert grade("--resume") == 2
    assert "--results" in capsys.readouterr().err
    for dataset, outputs in (("none.json", "outputs.jsonl"), ("datasets/a.json", "none.jsonl")):
        assert command_line("grade", dataset, "--outputs", outputs) == 1
        printed = capsys.readouterr()
        assert "[source/unreadable]" in printed.err
        assert printed.out == ""
    assert grade("--threshold", "80") == 2
    capsys.readouterr()
    assert grade("--threshold", "nan") == 2
    assert "from 0 to 1" in capsys.readouterr().err


@pytest.mark.slow
def test_one_process_and_several_agree(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    many = [{"id": f"r{at}", "input": "x", **REF} for at in range(1200)]
    answers = ({"id": f"r{at}", "output": f"{at % 40} days, sorry"} for at in range(1200))
    write(place, {"datasets/a.json": {"questions": many}, "outputs.jsonl": lines_of(*answers)})
    alone = results(capsys, "--jobs", "1")
    assert results(capsys, "--jobs", "3") == alone
    assert len(rows(alone[1])) == 1200


def test_names_of_files_cannot_command_a_runner(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = "::error::x"
    write(place, {"datasets/a.json": {"questions": [{**ROWS[0], "id": evil}]}})
    write(place, {"outputs.jsonl": lines_of({"id": evil, "output": f"\n{evil}\x1b[31m"})})
    grade("--results", "r.jsonl")
    grade("--compare", "r.jsonl")
    printed = capsys.readouterr()
    assert not any(line.lstrip().startswith("::") for line in printed.out.splitlines())
    assert "\x1b" not in printed.out


def test_progress_is_told(place: Path) -> None:
    told: list[Advance] = []
    options = Options(progress=told.append)
    inputs = (Input(place / "datasets" / "a.json"), Input(place / "outputs.jsonl"))
    list(Grading(*inputs, options).results())
    file, rows, read, *others = told[-1]
    assert file.endswith("outputs.jsonl")
    assert rows == len(ROWS)
    assert read == ((place / "outputs.jsonl").stat().st_size,) * 2
    assert others == [None, 0, None, 0, None, None]


@pytest.mark.costly
@every_case("cache", ["--cache", "--no-cache"])
def test_check_says_what_outputs_and_results_are(
    cache: str, place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    grade("--results", "results.jsonl", "--force")
    write(place, {"calls.json": [{"id": "a", "tool_calls": []}], "notes.json": {"a": 1}})
    for _ in range(2):
        capsys.readouterr()
        command_line("check", ".", cache)
        printed = capsys.readouterr().out
        assert ", 2 output files, 2 result files: " in printed
        assert "skipped 1 data file that does" in printed
    command_line("check", ".", cache, "--output-format", "json")
    summary = json.loads(capsys.readouterr().out)["summary"]
    assert (summary["files"]["output"], summary["files"]["results"]) == (2, 2)
    assert summary["left_out"] == ["notes.json"]


def test_recorded_outputs_alone_are_nothing_to_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {"outputs.jsonl": lines_of({"id": "a", "output": "b"})})
    assert command_line("check", tmp_path) == 2
    assert "no dataset, rubric, judge or target" in capsys.readouterr().err


LINT: dict[str, Any] = {
    "id": "lint",
    "version": "1.0.0",
    "checks": [
        {"id": "lint", "kind": "php_lint"},
        {"id": "kind", "kind": "llm_judge", "judge_prompt_ref": "judge/kind@1.0.0"},
    ],
    "scoring": {"combine": "all_pass"},
}
BROKEN = "```php\n<?php echo (\n```"
UNMEASURED = {
    "rubrics/lint.json": LINT,
    "judges/kind.json": {"id": "kind", "version": "1.0.0", "template": "Kind? {{ output }}"},
    "datasets/a.json": {
        "questions": [
            {"id": id_, "input": "?", "rubric_ref": "rubric/lint@1.0.0"} for id_ in ("a", "b")
        ]
    },
    "outputs.jsonl": lines_of(*({"id": id_, "output": BROKEN} for id_ in ("a", "b"))),
}
TARGET = {"dataset": "datasets/a.json"}


@pytest.fixture
def unmeasured(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a workspace in which nothing can run: there are neither PHP nor an endpoint."""
    write(place, UNMEASURED)
    (place / "rubrics" / "support.yaml").unlink()
    monkeypatch.setenv("PATH", str(place))
    return place


@pytest.mark.costly
@every_case(
    ("arguments", "targets", "code", "reported"),
    [
        ([], [], 0, "warning"),
        (["--allow-undecided"], [], 0, None),
        (["--threshold", "0"], [], 1, "warning"),
        (["--threshold", "0", "--allow-undecided"], [], 0, None),
        (["--threshold", "0.01", "--allow-undecided"], [], 1, None),
        ([], [{"threshold": 0}], 1, "warning"),
        ([], [{"threshold": 0, "allow_undecided": True}], 0, None),
        ([], [{"allow_undecided": True}], 0, None),
        ([], [{"allow_undecided": True}, {}], 0, "warning"),
        ([], [{"allow_undecided": False}], 0, "warning"),
        (["--threshold", "0"], [{"allow_undecided": True}], 0, None),
    ],
    ids=str,
)
def test_undecided_rows(
    unmeasured: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    targets: list[dict[str, Any]],
    code: int,
    reported: str | None,
) -> None:
    shutil.rmtree(unmeasured / "targets", ignore_errors=True)
    for number, target in enumerate(targets):
        write(unmeasured, {f"targets/t{number}.json": {**TARGET, **target}})
    status, lines, err = results(capsys, *arguments)
    assert status == code
    assert rows(lines) == {"a": ("undecided", None), "b": ("undecided", None)}
    assert ("[output/undecided]" in err) is (reported is not None)
    assert reported is None or f"{reported}[output/undecided]: 2 of 2 rows" in err
    summary = lines[-1]["summary"]
    assert (summary["rows"]["decided"], summary["rows"]["undecided"]) == (0, 2)
    assert (summary["rows"]["mean"], summary["rows"]["bounds"]) == (None, [0, 1])
    assert [*map(tuple, map(dict.values, summary["unmeasured"]))] == [
        ("llm_judge", "unavailable", "no model is configured", 2, 2),
        ("php_lint", "unavailable", "no `php` on this machine", 2, 2),
    ]
    assert summary.get("allow_undecided", False) is (reported is None)


@every_case(
    ("arguments", "target", "code"),
    [
        (["--strict"], {}, 1),
        (["--strict", "--allow-undecided"], {}, 0),
        ([], {"strict_validation": True}, 1),
        ([], {"strict_validation": True, "allow_undecided": True}, 0),
    ],
    ids=str,
)
def test_undecided_rows_in_strict_mode(
    place: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    target: dict[str, Any],
    code: int,
) -> None:
    write(place, {"outputs.jsonl": lines_of(*({"id": id_, "output": None} for id_ in OUTPUTS))})
    write(place, {"targets/a.json": {**TARGET, **target}})
    status, lines, err = results(capsys, *arguments)
    assert status == code
    assert set(rows(lines).values()) == {("undecided", None)}
    assert ("error[output/undecided]: 3 of 3 rows" in err) is (code == 1)


@every_case(
    ("on_no_code", "outcome", "score"),
    [("skip", "skipped", None), ("fail", "failed", 0), ("pass", "passed", 1)],
)
@pytest.mark.parametrize("nested", [False, True])
def test_outputs_without_php_need_none(
    unmeasured: Path,
    capsys: pytest.CaptureFixture[str],
    on_no_code: str,
    outcome: str,
    score: float | None,
    *,
    nested: bool,
) -> None:
    check: dict[str, Any] = {"id": "lint", "kind": "php_lint", "on_no_code": on_no_code}
    rubric = {**LINT, "checks": [check]}
    outer = {
        **LINT,
        "checks": [{"id": "all", "kind": "composite", "rubric_ref": "rubric/in@1.0.0"}],
    }
    write(unmeasured, {
        "rubrics/lint.json": outer if nested else rubric,
        "rubrics/in.json": {**rubric, "id": "in"},
        "outputs.jsonl": lines_of({"id": "a", "output": "No code."}, {"id": "b", "output": BROKEN}),
    })  # fmt: skip
    _, lines, _ = results(capsys)
    assert rows(lines) == {"a": (outcome, score), "b": ("undecided", None)}
    arguments = ("datasets/a.json", "--output-format", "json")
    assert command_line("coverage", *arguments) == 0
    totals = json.loads(capsys.readouterr().out)["summary"]
    assert (totals["run"], totals["unavailable"]) == (0, 2)


@pytest.mark.usefixtures("unmeasured")
def test_what_did_not_run_is_told_above_the_mean(capsys: pytest.CaptureFixture[str]) -> None:
    assert grade("--threshold", "1") == 1
    text = " ".join(capsys.readouterr().out.split())
    parts = (
        "a: undecided 0.00 to 1.00: no `php` on this machine",
        "2 of 2 llm_judge checks did not run: no model is configured",
        "2 of 2 php_lint checks did not run: no `php` on this machine",
        "2 rows, 0 decided (0 %), mean score 0.00 to 1.00, 2 undecided",
        "the lowest possible mean score of 0.00 is below the threshold of 1",
        "2 rows are undecided, which `--allow-undecided` would allow",
    )
    assert [part for part in parts if part not in text] == []
    places = [text.rindex(part) for part in parts]
    assert places == sorted(places)


def test_null_outputs_are_in_the_bounds_of_the_mean(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {"must_contain_any": ["y"], "expected_facts": ["y"]}
    many = [{"id": f"r{at}", "input": "x", **asked} for at in range(20)]
    answers = ({"id": f"r{at}", "output": "y" if at > 6 else None} for at in range(20))
    write(place, {"datasets/a.json": {"questions": many}, "outputs.jsonl": lines_of(*answers)})
    assert grade() == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "7 of 20 must_contain_any checks did not run: no text of the output" in text
    decided = "20 rows, 13 decided (65 %), mean score 1.00 of these (95 % interval 0.77 to 1.00)"
    assert f"{decided}, 0.65 to 1.00 of all, 13 passed, 7 undecided" in text
    assert "no model" not in text, "nothing asks a judge, so that none is missing"


@every_case(
    ("recorded_", "outcome", "reason"),
    [
        ([{"output": None}], "undecided", "no tool calls of the output were recorded"),
        ([], "undecided", "no output was recorded"),
        ([{"output": 7}], "undecided", "its recorded output is not valid"),
        ([{"output": None, "tool_calls": []}], "failed", None),
        ([{"output": None, "tool_calls": [{"name": "t"}]}], "undecided", "no text of the output"),
    ],
    ids=str,
)
def test_a_row_is_decided_by_what_was_recorded(
    place: Path,
    capsys: pytest.CaptureFixture[str],
    recorded_: list[dict[str, Any]],
    outcome: str,
    reason: str | None,
) -> None:
    row = {"id": "a", "input": "x", "must_contain_any": ["y"], "expected_tools": ["t"]}
    write(place, {"datasets/a.json": {"questions": [row]}})
    write(place, {"outputs.jsonl": lines_of({"id": "z"}, *({"id": "a", **it} for it in recorded_))})
    _, lines, _ = results(capsys)
    assert lines[1]["outcome"] == outcome
    assert str(lines[1].get("reason")).startswith(str(reason))


def test_what_did_not_run_is_graded_again(
    unmeasured: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rubric = {**LINT, "checks": [LINT["checks"][0]]}
    write(unmeasured, {"rubrics/lint.json": rubric})
    grade("--results", "r.jsonl")
    first = (unmeasured / "r.jsonl").read_text()
    assert '"undecided"' in first
    php = unmeasured / "php"
    php.write_text("#!/bin/sh\nexit 0\n")
    php.chmod(0o755)
    capsys.readouterr()
    assert grade("--results", "r.jsonl", "--resume") == 0
    written = [json.loads(line) for line in (unmeasured / "r.jsonl").read_text().splitlines()]
    assert rows(written) == {"a": ("passed", 1), "b": ("passed", 1)}


def test_rows_without_a_known_score_are_told_in_a_comparison(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grade("--results", "old.jsonl")
    write(place, {"outputs.jsonl": recorded().replace('"At noon."', "null")})
    capsys.readouterr()
    assert grade("--compare", "old.jsonl") == 0
    text = " ".join(capsys.readouterr().out.partition("compared with")[2].split())
    for part in (
        "1 row is in no difference, without a known score:",
        "1 now: no text of the output was recorded",
        "rows: 0.88 → 0.88 (+0.000",
        "over 2 rows",
        "hours: failed 0.00 → undecided 0.00 to 1.00",
    ):
        assert part in text
