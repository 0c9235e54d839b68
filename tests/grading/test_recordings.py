"""Outputs that other systems recorded are graded: what they say, what they lack, and where."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import zipfile
from functools import cache
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from doors import command_line
from needs import PEERS, PROMPTFOO, missing
from real_packages import ask_peer
from results import printed_lines
from tables import every_case
from writing import write

from evalcontract.checks.tool_usage import read_calls
from evalcontract.datasets.recordings import recording_of

if TYPE_CHECKING:
    from collections.abc import Iterable

CALL = {"name": "weather", "arguments": {"city": "Bonn"}}
ROWS: list[dict[str, Any]] = [
    {"id": "refund", "input": "May I?", "must_contain_any": ["30 days"]},
    {"id": "2", "input": "Where?", "must_contain_any": ["Sorry"]},
    {"id": "tool", "input": "Weather?", "expected_tools": [CALL]},
]
#: What a model answered to each row: the same in all tests.
TEXTS = {"refund": "Within 30 days.", "2": "Sorry."}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path, {"datasets/a.json": {"questions": ROWS}})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def graded(
    capsys: pytest.CaptureFixture[str], outputs: str, *arguments: str
) -> tuple[dict[str, dict[str, Any]], str]:
    """Return the rows of the results by id, and what is on standard error."""
    call = ("grade", "datasets/a.json", "--outputs", outputs, "--output-format", "json")
    command_line(*call, *arguments)
    printed = capsys.readouterr()
    lines = printed_lines(printed.out)
    return {line["id"]: line for line in lines if "id" in line}, printed.err


def outcomes(rows: dict[str, dict[str, Any]]) -> list[str]:
    return [rows[row["id"]]["outcome"] for row in ROWS]


def lines_of(values: Iterable[Any]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def chat(id_: str, text: str | None, **message: Any) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{id_}",
        "object": "chat.completion",
        "model": "m-1",
        "metadata": {"id": id_},
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": text, "refusal": None, **message},
            }
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


FUNCTION = {"name": "weather", "arguments": '{"city": "Bonn"}'}
CALLED = {"tool_calls": [{"id": "c", "type": "function", "function": FUNCTION}]}
CHATS = [*(chat(id_, text) for id_, text in TEXTS.items()), chat("tool", None, **CALLED)]


def response(id_: str, *items: dict[str, Any]) -> dict[str, Any]:
    body = {"id": f"resp_{id_}", "object": "response", "status": "completed", "error": None}
    return {**body, "metadata": {"id": id_}, "output": [{"type": "reasoning"}, *items]}


def said(text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "role": "assistant", "status": "completed", "content": content}


RESPONSES = [
    *(response(id_, said(text)) for id_, text in TEXTS.items()),
    response("tool", {"type": "function_call", "call_id": "c", **FUNCTION}),
]


def batch(body: dict[str, Any]) -> dict[str, Any]:
    answer = {"status_code": 200, "request_id": "r", "body": {**body, "metadata": None}}
    return {
        "id": f"batch_req_{body['id']}",
        "custom_id": body["metadata"]["id"],
        "response": answer,
        "error": None,
    }


def run(id_: str, outputs: Any, **more: Any) -> dict[str, Any]:
    return {
        "id": "2f1a8a0e-0000-4000-8000-000000000000",
        "name": "target",
        "run_type": "chain",
        "inputs": {"question": "?"},
        "outputs": outputs,
        "error": None,
        "parent_run_id": None,
        "reference_example_id": id_,
        "trace_id": "2f1a8a0e-0000-4000-8000-000000000000",
        **more,
    }


TURN = {
    "type": "ai",
    "content": "",
    "tool_calls": [{"name": "weather", "args": {"city": "Bonn"}, "id": "c"}],
}
RUNS = [
    run("refund", {"answer": TEXTS["refund"]}),
    run("2", {"anything": TEXTS["2"]}),
    run("tool", {"messages": [{"type": "human", "content": "?"}, {**TURN, "role": "assistant"}]}),
]
RESULTS_OF_PROMPTFOO = [
    {"testIdx": 0, "promptIdx": 0, "testCase": {"description": "refund"}, "error": "no zzz",
     "response": {"output": TEXTS["refund"]}},
    {"testIdx": 1, "promptIdx": 0, "testCase": {"description": "2"}, "response":
     {"output": TEXTS["2"]}},
    {"testIdx": 2, "promptIdx": 0, "testCase": {"description": "tool"}, "response":
     {"output": CALLED["tool_calls"]}},
]  # fmt: skip


def sample(id_: Any, text: str, **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, "source": "generate", **more}
    return {
        "id": id_,
        "epoch": 1,
        "input": "?",
        "target": "x",
        "messages": [{"role": "user", "content": "?"}, message],
        "output": {"model": "m", "choices": [{"message": message}], "completion": text},
        "scores": {},
    }


SAMPLES = [
    sample("refund", TEXTS["refund"]),
    sample(2, TEXTS["2"]),
    sample(
        "tool", "", tool_calls=[{"id": "c", "function": "weather", "arguments": {"city": "Bonn"}}]
    ),
]
FILES = {
    "chats.jsonl": lines_of(CHATS),
    "chats.json": json.dumps(CHATS),
    "responses.jsonl": lines_of(RESPONSES),
    "batch.jsonl": lines_of(map(batch, [*CHATS[:2], RESPONSES[2]])),
    "runs.jsonl": lines_of(RUNS),
    "runs.json": json.dumps(RUNS),
    "results.json": json.dumps({"evalId": "e", "results": {"version": 3, "results":
                                RESULTS_OF_PROMPTFOO, "stats": {}}, "config": {}}),
    "results.jsonl": lines_of(RESULTS_OF_PROMPTFOO),
    "log.json": json.dumps({"version": 2, "status": "success", "eval": {}, "samples": SAMPLES}),
    "table.csv": 'id,output,tool_calls\nrefund,Within 30 days.,\n2,Sorry.,\n'
                 f'tool,,"{json.dumps([CALL]).replace(chr(34), chr(34) * 2)}"\n',
    "table.tsv": "id\toutput\ttool_calls\nrefund\tWithin 30 days.\t\n2\tSorry.\t\n"
                 'tool\t\t"[{""name"": ""weather"", ""arguments"": {""city"": ""Bonn""}}]"\n',
}  # fmt: skip


@pytest.mark.costly
@every_case("name", [*FILES])
def test_what_each_system_recorded_is_graded(
    name: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, {name: FILES[name]})
    rows, error = graded(capsys, name)
    assert outcomes(rows) == ["passed"] * 3, error
    assert error == ""
    assert [rows[id_]["output"] for id_ in TEXTS] == [*TEXTS.values()]


def archive(samples: list[dict[str, Any]], way: int) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", way) as file:
        file.writestr("header.json", "{}")
        for each in samples:
            file.writestr(f"samples/{each['id']}_epoch_1.json", json.dumps(each))
    return out.getvalue()


@every_case("way", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_log_of_inspect_may_be_an_archive(
    way: int, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "log.eval").write_bytes(archive(SAMPLES, way))
    rows, error = graded(capsys, "log.eval")
    assert (outcomes(rows), error) == (["passed"] * 3, "")


JUDGE = 'id: tone\nversion: "1.0.0"\ntemplate: "KIND? {{ output }}"\n'


def bytes_of(name: str) -> bytes:
    """Return a file of a system: its name says how it is read."""
    if name == "log.eval":
        texts = [each for each in SAMPLES if each["id"] != "tool"]
        return archive(texts, zipfile.ZIP_DEFLATED)
    if name == "table.parquet":
        pytest.importorskip("pyarrow")
        from pyarrow import Table, parquet

        table = BytesIO()
        rows = [{"id": id_, "output": text} for id_, text in TEXTS.items()]
        parquet.write_table(Table.from_pylist(rows), table)
        return table.getvalue()
    return FILES[name].encode()


@pytest.mark.costly
@every_case("name", [*FILES, "log.eval", "table.parquet"])
def test_each_command_reads_what_grade_reads(
    name: str, place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`diff`, `calibrate-judge` and `report` know outputs as `grade` does, by the same reader."""
    monkeypatch.setenv("EVALCONTRACT_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("EVALCONTRACT_MODEL", "m")
    stricter = [{**row, "must_contain_any": ["zzz"]} for row in ROWS[:2]]
    labels = lines_of({"id": id_, "human": "pass"} for id_ in TEXTS)
    write(place, {"old/a.json": {"questions": ROWS[:2]}, "new/a.json": {"questions": stricter}})
    write(place, {"judges/tone.yaml": JUDGE, "labels.jsonl": labels})
    (place / name).write_bytes(bytes_of(name))
    command_line("diff", "old/a.json", "new/a.json", "--outputs", name, "--output-format", "json")
    flips = json.loads(capsys.readouterr().out)["flips"]
    assert (flips["rows"], flips["flipped"]) == (2, 2)
    call = ("calibrate-judge", "judges/tone.yaml", "--labels", "labels.jsonl", "--outputs", name)
    assert command_line(*call, "--dry-run", "--output-format", "json") == 0
    forecast = json.loads(capsys.readouterr().out)["dry_run"]
    assert (forecast["questions"], forecast["impossible"]) == (2, [])
    graded(capsys, name, "--results", "r.jsonl", "--no-texts", "--force")
    shown = ("--results", "r.jsonl", "--outputs", name, "--force")
    assert command_line("report", "datasets/a.json", *shown) == 0
    page = (place / "report.html").read_text(encoding="utf-8")
    assert TEXTS["refund"] in page


def test_epochs_of_a_log_are_samples(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    again = [{**each, "epoch": 2, "output": {"choices": []}, "messages": []} for each in SAMPLES]
    write(place, {"log.json": json.dumps({"version": 2, "eval": {}, "samples": SAMPLES + again})})
    call = ("grade", "datasets/a.json", "--outputs", "log.json", "--output-format", "json")
    assert command_line(*call, "--allow-undecided") == 0
    lines = [line for line in printed_lines(capsys.readouterr().out) if "id" in line]
    assert sorted((line["id"], line["sample"]) for line in lines) == [
        (id_, at) for id_ in ("2", "refund", "tool") for at in (1, 2)
    ]


def epochs(first: int = 1) -> list[dict[str, Any]]:
    """Return three epochs of a log, but for that of a row that one misses."""
    every = [{**each, "epoch": at} for at in range(first, first + 3) for each in SAMPLES]
    return [*every[:4], *every[5:]]


@every_case("name", ["log.json", "log.eval", "log.jsonl"])
def test_an_epoch_that_is_missing_leaves_the_others_what_they_are(
    name: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The number of the epoch is that of the sample."""
    if name == "log.eval":
        out = BytesIO()
        with zipfile.ZipFile(out, "w") as file:
            for at, each in enumerate(epochs()):
                file.writestr(f"samples/{at}.json", json.dumps(each))
        (place / name).write_bytes(out.getvalue())
    else:
        text = lines_of(epochs()) if name == "log.jsonl" else json.dumps({"samples": epochs()})
        write(place, {name: text})
    more = [{"id": f"r{at}", "input": "x"} for at in range(9)]
    write(place, {"datasets/a.jsonl": lines_of([*ROWS, *more])})
    call = ("grade", "datasets/a.jsonl", "--outputs", name, "--output-format", "json")
    command_line(*call)
    printed = capsys.readouterr()
    assert "duplicate-id" not in printed.err
    lines = [line for line in printed_lines(printed.out) if "sample" in line]
    assert sorted((line["id"], line["sample"], line["outcome"]) for line in lines) == [
        *(("2", at, "passed") for at in (1, 3)),
        *((id_, at, "passed") for id_ in ("refund", "tool") for at in (1, 2, 3)),
    ]


def test_an_epoch_twice_is_no_sample(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(place, {"log.json": {"samples": [*epochs(), epochs()[-1]]}})
    _, error = graded(capsys, "log.json")
    assert "another output for the row `tool` with the sample `3`" in " ".join(error.split())


def test_rows_of_which_the_caller_names_the_id_are_no_samples(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those of one row are, and those of several models are not of one."""
    named = [{**each, "metadata": None, "row": each["metadata"]["id"]} for each in CHATS]
    for records, samples, said in (
        (named, set[int](), ""),
        ([*named, *named], {1, 2}, ""),
        ([*named, *of_model(named, "m-2")], {1, 2}, "not of one model, but of `m-1` and `m-2`"),
    ):
        write(place, {"chats.json": records})
        call = ("grade", "datasets/a.json", "--outputs", "chats.json", "--map", "row=output.id")
        command_line(*call, "--output-format", "json")
        printed = capsys.readouterr()
        lines = [line for line in printed_lines(printed.out) if "id" in line]
        assert {line["sample"] for line in lines if "sample" in line} == samples
        assert "output/" not in printed.err if not said else said in " ".join(printed.err.split())


@every_case(
    ("data", "told"),
    [
        (b"PK\x03\x04", "it is no log of Inspect"),
        (b"", "it is no log of Inspect"),
        (archive([], zipfile.ZIP_STORED), "the log has no samples"),
        (archive(SAMPLES, zipfile.ZIP_STORED)[:900], "it is no log of Inspect"),
        (archive(SAMPLES, zipfile.ZIP_STORED).replace(b'{"id"', b'{"id!'), "it is no log of"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else None,
)
def test_an_archive_that_cannot_be_read_says_why(
    data: bytes, told: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "log.eval").write_bytes(data)
    assert command_line("grade", "datasets/a.json", "--outputs", "log.eval") == 1
    error = capsys.readouterr().err
    assert "[source/unreadable]" in error
    assert told in error


FILTERED = {"finish_reason": "content_filter"}
FAULT = "the endpoint is gone"
LACKING: list[tuple[Any, str, str]] = [
    (chat("refund", None) | {"metadata": None}, "invalid-record", "which row it answers"),
    (chat("refund", None) | {"choices": [], "error": {"message": FAULT}}, "no-answer", FAULT),
    (batch(CHATS[0]) | {"error": {"code": "x", "message": FAULT}}, "no-answer", FAULT),
    (
        batch(CHATS[0]) | {"response": {"status_code": 400, "body": {"error": {"message": FAULT}}}},
        "no-answer",
        FAULT,
    ),
    (sample("refund", "") | {"error": {"message": FAULT, "traceback": ""}}, "no-answer", FAULT),
    (
        {"testCase": {"description": "refund"}, "promptIdx": 0, "error": FAULT},
        "no-answer",
        FAULT,
    ),
    (
        {**chat("refund", ""), "choices": [{**chat("refund", "")["choices"][0], **FILTERED}]},
        "no-answer",
        "a filter of the provider withheld it",
    ),
    (
        sample("refund", "")
        | {"output": {"choices": [{"message": {"content": ""}, "stop_reason": "content_filter"}]}},
        "no-answer",
        "a filter of the provider withheld it",
    ),
    (
        response("refund") | {"incomplete_details": {"reason": "content_filter"}},
        "no-answer",
        "a filter of the provider withheld it",
    ),
    (run("refund", None, error=FAULT), "no-answer", FAULT),
    (run("refund", {"a": "x", "b": "y"}), "unread-answer", "none of `a`, `b` is read"),
    (run("refund", {"a": "x"}, parent_run_id="r"), "unknown-id", "a run inside of another"),
    (run(None, {"a": "x"}), "invalid-record", "which row it answers"),  # type: ignore[arg-type]
    (
        CHATS[0] | {"choices": [*CHATS[0]["choices"]] * 2},
        "unknown-id",
        "only the first of several choices",
    ),
    (
        {"custom_id": "refund", "method": "POST", "url": "/v1", "body": {}},
        "no-answer",
        "seems to be a request of a batch of OpenAI",
    ),
    ({"id": "refund", "input": "x", "rubric_ref": "r"}, "no-answer", "a row of a dataset"),
    ({"id": "refund", "input": "x", "target": "y"}, "no-answer", "that was not run"),
]


@pytest.mark.costly
@every_case(("row", "code", "told"), LACKING, ids=lambda value: str(value)[:40])
def test_what_is_not_read_is_said(
    row: Any, code: str, told: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, {"one.jsonl": lines_of([row])})
    _, error = graded(capsys, "one.jsonl")
    assert f"[output/{code}]" in error
    assert told in " ".join(error.split())


def ended(body: dict[str, Any], reason: str) -> dict[str, Any]:
    """Return a chat completion that ended for a reason."""
    return {**body, "choices": [{**body["choices"][0], "finish_reason": reason}]}


def stopped(each: dict[str, Any], reason: str) -> dict[str, Any]:
    """Return a sample of Inspect whose model stopped for a reason."""
    choice = {**each["output"]["choices"][0], "stop_reason": reason}
    return {**each, "output": {**each["output"], "choices": [choice]}}


LIMITED = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
SAID = {"role": "assistant", "content": TEXTS["2"]}
ENDED = [{**SAID, "response_metadata": {"stop_reason": "max_tokens"}}]


@pytest.mark.costly
@every_case(
    ("records", "reason"),
    [
        ([ended(each, "length") for each in CHATS[:2]], "finish_reason: length"),
        ([batch(ended(each, "length")) for each in CHATS[:2]], "finish_reason: length"),
        ([{**each, **LIMITED} for each in RESPONSES[:2]], "reason: max_output_tokens"),
        ([batch({**each, **LIMITED}) for each in RESPONSES[:2]], "reason: max_output_tokens"),
        ([stopped(each, "max_tokens") for each in SAMPLES[:2]], "stop_reason: max_tokens"),
        ([stopped(each, "model_length") for each in SAMPLES[:2]], "stop_reason: model_length"),
        (
            [
                {
                    "promptIdx": 0,
                    "testCase": {"description": id_},
                    "response": {"output": text, "finishReason": "length"},
                }
                for id_, text in TEXTS.items()
            ],
            "finishReason: length",
        ),
        (
            [run(id_, ended(chat(id_, text), "length")) for id_, text in TEXTS.items()],
            "finish_reason: length",
        ),
        ([run(id_, {"messages": ENDED}) for id_ in TEXTS], "stop_reason: max_tokens"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_an_answer_that_was_cut_off_is_graded_with_a_warning(
    records: list[dict[str, Any]], reason: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, {"a.jsonl": lines_of(records), "datasets/a.json": {"questions": ROWS[:2]}})
    call = ("grade", "datasets/a.json", "--outputs", "a.jsonl")
    for mode, severity, status in (("--soft", "warning", 0), ("--strict", "error", 1)):
        assert command_line(*call, mode) == status
        printed = capsys.readouterr()
        told = " ".join(printed.err.split())
        assert told.count("[output/") == 1
        assert f"{severity}[output/cut-off]: the answer was cut off (`{reason}`)" in told
        assert "so it is in 2 records" in told
        assert "2 rows" in printed.out
        assert "undecided" not in printed.out


@every_case("reason", ["stop", "tool_calls", "content_filter", "LONG", 7, None])
def test_an_answer_that_ended_otherwise_has_no_warning(
    reason: Any, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = lines_of(ended(each, reason) for each in CHATS[:2])
    write(place, {"a.jsonl": records, "datasets/a.json": {"questions": ROWS[:2]}})
    assert graded(capsys, "a.jsonl")[1] == ""


@every_case(
    ("value", "seems"),
    [
        ({"questions": []}, "a dataset of evalcontract"),
        ({"checks": [], "scoring": {}}, "a rubric"),
        ({"eval": {}, "plan": {}}, "a log of Inspect without its samples"),
        ({"prompts": [], "tests": []}, "a configuration of promptfoo, not its results"),
    ],
    ids=str,
)
def test_a_file_of_something_else_is_named(
    value: Any, seems: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, {"other.json": value})
    assert command_line("grade", "datasets/a.json", "--outputs", "other.json") == 1
    error = " ".join(capsys.readouterr().err.split())
    assert "[output/invalid-record]" in error
    assert f"this seems to be {seems}" in error


@every_case(
    ("rows", "columns"),
    [
        ([{"row": {"name": "refund"}, "answer": {"text": TEXTS["refund"]}}],
         ["row.name=output.id", "answer.text=output"]),
        ([CHATS[0] | {"metadata": None, "row": "refund"}], ["row=output.id"]),
        ([run("refund", {"a": "x", "b": TEXTS["refund"]})], ["outputs.b=output"]),
    ],
    ids=str,
)  # fmt: skip
def test_map_names_what_is_not_known(
    rows: list[Any], columns: list[str], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, {"some.jsonl": lines_of(rows)})
    mapped = [part for column in columns for part in ("--map", column)]
    found, error = graded(capsys, "some.jsonl", *mapped)
    assert (found["refund"]["outcome"], found["refund"]["output"]) == ("passed", TEXTS["refund"])
    assert "[output/missing]" in error
    assert error.count("error[") == 1


def test_a_table_of_parquet_is_graded(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    records = [{"id": id_, "output": text} for id_, text in TEXTS.items()]
    table = pa.Table.from_pylist([*records, {"id": "tool", "output": None}])
    calls = pa.array([None, None, [CALL]])
    parquet.write_table(table.append_column("tool_calls", calls), place / "outputs.parquet")
    rows, error = graded(capsys, "outputs.parquet")
    assert (outcomes(rows), error) == (["passed"] * 3, "")


def test_empty_cells_name_no_samples(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(place, {"outputs.csv": "id,sample,output\nrefund,,30 days\nrefund,,No.\n2,,Sorry.\n"})
    rows, error = graded(capsys, "outputs.csv")
    assert error.count("[output/duplicate-id]") == 1
    assert not any("sample" in row for row in rows.values())


UNWANTED = [{"id": id_, "input": "x", "must_not_contain": ["Sorry"]} for id_ in "abc"]


@every_case(
    ("text", "arguments", "name"),
    [
        ("id,output\na,Yes.\nb,\nc,\n", (), "output"),
        ('id,output\na,Yes.\nb,""\nc,""\n', (), "output"),
        ("id,output,tool_calls\na,Yes.,\nb,,\nc,,\n", (), "output"),
        ("id,output\na,Yes.\nb\nc\n", (), "output"),
        ("id,said\na,Yes.\nb,\nc,\n", ("--map", "said=output"), "said"),
        ("id,input,rubric_ref,output\na,x,r,Yes.\nb,x,r,\nc,x,r,\n", (), "output"),
    ],
)
def test_an_empty_cell_of_csv_is_no_answer(
    text: str,
    arguments: tuple[str, ...],
    name: str,
    place: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(place, {"datasets/a.json": {"questions": UNWANTED}, "outputs.csv": text})
    rows, error = graded(capsys, "outputs.csv", *arguments)
    assert [rows[id_]["outcome"] for id_ in "abc"] == ["passed", "undecided", "undecided"]
    assert error.count("[output/no-answer]") == 1
    told = " ".join(error.split())
    assert f"`{name}` is empty: an empty cell of CSV is no answer; so it is in 2 records" in told


def test_an_empty_text_of_parquet_is_an_answer_and_a_null_is_none(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    texts = {"a": "Yes.", "b": "", "c": None}
    records = [{"id": id_, "output": text} for id_, text in texts.items()]
    parquet.write_table(pa.Table.from_pylist(records), place / "outputs.parquet")
    write(place, {"datasets/a.json": {"questions": UNWANTED}})
    rows, error = graded(capsys, "outputs.parquet")
    assert [rows[id_]["outcome"] for id_ in "abc"] == ["passed", "passed", "undecided"]
    assert error.count("[output/no-answer]") == 1


SCRIPT = Path(__file__).with_name("recorded_by.py")
CUSTOM = {"type": "custom", "id": "c", "custom": {"name": "weather", "input": "Bonn"}}
REFUSED = {"type": "refusal", "refusal": "Sorry."}


def complete(body: dict[str, Any]) -> dict[str, Any]:
    """Return a body with the other keys that the types of the package require."""
    if body["object"] == "response":
        whole = {"created_at": 1, "model": "m-1", "tools": [], "tool_choice": "auto", **body}
        whole["parallel_tool_calls"] = True
        required: dict[str, dict[str, Any]] = {
            "reasoning": {"id": "r", "summary": []},
            "message": {"id": "m"},
        }
        items = [{**required.get(each["type"], {}), **each} for each in body["output"]]
        return {**whole, "output": items}
    return {"created": 1, **body}


def response_of(*items: dict[str, Any]) -> dict[str, Any]:
    return response("x", *items)


#: What the types of the package allow besides: the answer, and the names of the tools called.
ANSWERS: list[tuple[dict[str, Any], str | None, list[str]]] = [
    (chat("x", None, refusal="Sorry."), "Sorry.", []),
    (chat("x", None, function_call=FUNCTION), None, ["weather"]),
    (chat("x", "Hm.", tool_calls=[CUSTOM]), "Hm.", ["weather"]),
    (response_of({**said(""), "content": [REFUSED]}), "Sorry.", []),
    (
        response_of({"type": "custom_tool_call", "call_id": "c", "name": "weather", "input": "B"}),
        None,
        ["weather"],
    ),
    (
        response_of({"type": "web_search_call", "id": "w", "status": "completed", "action": {
            "type": "search", "query": "q"}}, said("Found.")),
        "Found.",
        [],
    ),
    (
        {"id": "x", "object": "text_completion", "model": "m", "metadata": {"id": "x"}, "choices": [
            {"index": 0, "text": "So.", "finish_reason": "stop", "logprobs": None}]},
        "So.",
        [],
    ),
]  # fmt: skip


@pytest.mark.slow
def test_what_the_types_of_openai_dump_is_read() -> None:
    """Per the package `openai`: its types take these bodies, and their dumps say the same."""
    bodies = [complete(body) for body, _, _ in ANSWERS]
    dumps = ask_peer("openai", SCRIPT, "openai", bodies)
    for (body, text, names), dumped in zip(ANSWERS, dumps, strict=True):
        for each in (body, *dumped):
            recording = recording_of(each)
            assert recording is not None
            record = recording.read(each, 0).record
            assert record is not None
            assert (record["id"], record["output"]) == ("x", text)
            calls = read_calls(record.get("tool_calls") or ()).calls
            assert ([call.name for call in calls], [call.fault for call in calls]) == (
                names,
                [None] * len(names),
            )


@pytest.mark.slow
@pytest.mark.parametrize("recorded", [CHATS, RESPONSES])
def test_the_bodies_above_are_those_of_openai(
    recorded: list[dict[str, Any]], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Per the package; the lines of a batch around them are per its public documentation."""
    dumps = ask_peer("openai", SCRIPT, "openai", [*map(complete, recorded)])
    for number in (0, 1):
        bodies = [dumped[number] for dumped in dumps]
        for name, values in (("a.jsonl", bodies), ("b.jsonl", [*map(batch, bodies)])):
            write(place, {name: lines_of(values)})
            rows, error = graded(capsys, name)
            assert outcomes(rows) == ["passed"] * 3, error


UUIDS = [f"00000000-0000-0000-0000-00000000000{at}" for at in range(1, 5)]
OUTPUTS_OF_RUNS: dict[str, dict[str, Any]] = {
    UUIDS[0]: {"answer": "Within 30 days."},
    UUIDS[1]: {"output": "Sorry.", "steps": 3},
    UUIDS[2]: {"messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content":
               "Yes."}]},
    UUIDS[3]: {"raise": "it was away"},
}  # fmt: skip


@cache
def experiment() -> list[Any]:
    return ask_peer("plain", SCRIPT, "langsmith", OUTPUTS_OF_RUNS)


@pytest.mark.slow
@pytest.mark.parametrize("layout", [0, 1, 2])
def test_what_an_experiment_of_langsmith_gives_is_read(
    layout: int, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Per the package `langsmith`: the runs of `evaluate`, its results, and their data frame."""
    recorded = experiment()[layout]
    wanted = ["30 days", "Sorry", "Yes"]
    rows = [{"id": id_, "input": "?", "must_contain_any": wanted} for id_ in UUIDS]
    write(place, {"datasets/a.json": {"questions": rows}, "x.jsonl": lines_of(recorded)})
    files = ["x.jsonl"]
    if layout == 2:
        header = [*dict.fromkeys(key for row in recorded for key in row)]
        text = StringIO()
        writer = csv.DictWriter(text, header)
        writer.writeheader()
        writer.writerows({key: json.dumps(value) if isinstance(value, list) else value
                          for key, value in row.items()} for row in recorded)  # fmt: skip
        write(place, {"x.csv": text.getvalue()})
        files.append("x.csv")
    for name in files:
        found, error = graded(capsys, name)
        told = {id_: found[id_]["outcome"] for id_ in UUIDS}
        assert [*told.values()] == ["passed"] * 3 + ["undecided"], (name, error)
        assert "it was away" in error


def test_outputs_of_runs_are_texts_in_a_table(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Per the public documentation of exports: a table has the fields of runs."""
    table = [{**each, "outputs": json.dumps(each["outputs"])} for each in RUNS]
    columns = [*RUNS[0]]
    text = StringIO()
    writer = csv.DictWriter(text, columns)
    writer.writeheader()
    writer.writerows({**each, "inputs": json.dumps(each["inputs"])} for each in table)
    write(place, {"runs.csv": text.getvalue()})
    rows, error = graded(capsys, "runs.csv")
    assert outcomes(rows) == ["passed"] * 3, error


@pytest.mark.slow
@pytest.mark.parametrize("log_format", ["eval", "json"])
def test_a_log_that_inspect_writes_is_graded(
    log_format: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One of its samples has an error, and is of no row."""
    peers = os.environ.get("EVALCONTRACT_PEERS")
    python = Path(peers).parents[1] / "inspect/bin/python" if peers else None
    if python is None or not python.exists():
        missing(PEERS)
    script = Path(__file__).with_name("inspect_logs.py")
    call = [str(python), str(script), str(place / "logs"), log_format, "1"]
    subprocess.run(call, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": ""})
    (log,) = (place / "logs").iterdir()
    rows, error = graded(capsys, str(log))
    assert outcomes(rows) == ["passed"] * 3
    assert [rows[id_]["output"] for id_ in TEXTS] == [*TEXTS.values()]
    told = " ".join(error.split())
    assert "an error was recorded in place of an answer" in told
    assert "the endpoint is gone" in told
    assert error.count("error[") == 1
    if log_format == "eval":
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(sys.modules, "pyarrow", None)
            _, error = graded(capsys, str(log))
        is_packed = zipfile.ZipFile(log).infolist()[0].compress_type == 93
        assert ("reading them needs pyarrow" in " ".join(error.split())) is is_packed


WRONG = {"type": "contains", "value": "z"}


@pytest.mark.slow
def test_results_that_promptfoo_writes_are_graded(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is no text is JSON, and a provider that failed has no answer."""
    node, scripts = shutil.which("node"), Path(__file__).parents[1] / "promptfoo"
    if node is None or not (scripts / "node_modules/promptfoo").is_dir():
        missing(PROMPTFOO)
    tests = [
        {
            "description": "refund",
            "vars": {"q": "a"},
            "assert": [{"type": "contains", "value": "z"}],
        },
        {"description": "2", "vars": {"q": "b"}},
        {"description": "tool", "vars": {"q": "c"}},
        {"vars": {"q": "d"}},
        {"description": "gone", "vars": {"q": "e"}},
    ]
    answers = {
        "a": {"output": TEXTS["refund"]},
        "b": {"output": TEXTS["2"]},
        "c": {"output": CALLED["tool_calls"]},
        "d": {"output": {"n": 1}},
    }
    more = [{"id": id_, "input": "?", "must_contain_any": ['"n": 1']} for id_ in ("row_4", "gone")]
    write(place, {"datasets/a.json": {"questions": [*ROWS, *more]}})
    suite = json.dumps({"prompts": ["{{q}}"], "tests": tests, "answers": answers})
    call = [node, str(scripts / "evaluate.mjs"), str(place / "results.jsonl")]
    subprocess.run(call, check=True, capture_output=True, input=suite.encode(), cwd=scripts)
    rows, error = graded(capsys, "results.jsonl")
    assert [row["outcome"] for row in rows.values()].count("passed") == 4, error
    assert rows["gone"]["outcome"] == "undecided"
    assert "nothing is recorded for e" in " ".join(error.split())
    assert error.count("error[") == 1


def result_of(provider: Any, prompt: str = "p") -> list[dict[str, Any]]:
    """Return results of promptfoo for all rows."""
    made = {"provider": provider, "prompt": {"raw": prompt, "label": prompt}, "promptIdx": 0}
    return [
        {**made, "testCase": {"description": str(row["id"])}, "response": {"output": "Sorry."}}
        for row in ROWS
    ]


def of_model(bodies: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [{**body, "model": name} for body in bodies]


ONE, OTHER = {"id": "openai:one", "label": ""}, {"id": "x:other", "label": "other"}
LOG = [{**each, "output": {**each["output"], "model": "n"}} for each in SAMPLES]


@every_case(
    ("file", "rows", "said"),
    [
        (
            "results.json",
            [*result_of(ONE), *result_of(OTHER)],
            "are not of one model, but of `openai:one` and `other`",
        ),
        (
            "results.jsonl",
            [*result_of(ONE, "short"), *result_of(ONE, "long")],
            "are not of one prompt, but of `short` and `long`",
        ),
        ("results.json", [*result_of(ONE), *result_of(ONE)], ""),
        ("chats.jsonl", [*CHATS, *of_model(CHATS, "m-2")], "of `m-1` and `m-2`"),
        ("chats.jsonl", [*CHATS, *CHATS], ""),
        (
            "batch.jsonl",
            [*map(batch, CHATS), *map(batch, of_model(CHATS, "m-2"))],
            "of `m-1` and `m-2`",
        ),
        ("log.json", [*SAMPLES, *LOG], "of `m` and `n`"),
        ("log.json", [*SAMPLES, *SAMPLES], ""),
    ],
)
def test_outputs_of_several_models_are_no_samples_of_one(
    file: str,
    rows: list[dict[str, Any]],
    said: str,
    place: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    documents = {"results.json": {"results": {"results": rows}}, "log.json": {"samples": rows}}
    text = json.dumps(documents[file]) if file in documents else lines_of(rows)
    write(place, {file: text})
    _, error = graded(capsys, file)
    printed = " ".join(error.split())
    assert printed.count("error[output/duplicate-id]: the outputs of a row") == bool(said)
    assert said in printed
