"""The report of losses names what the source holds and the target lacks, and nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tables import every_case

from evalcontract.converting.convert import convert
from evalcontract.converting.output import ConvertOptions
from evalcontract.datasets.opening import Input, Options

if TYPE_CHECKING:
    from pathlib import Path

ASKED = {"role": "user", "content": "How deep?"}
HARBOUR: dict[str, Any] = {
    "inputs": {"question": "How deep?", "port": "Wick"},
    "expectations": {"expected_answer": "9 m", "must_mention": ["tide"]},
}
TAGGED: dict[str, Any] = {
    "inputs": {"question": "How deep?"},
    "expectations": {"expected_facts": ["9 m"], "format": "text", "guidelines": None},
    "tags": {"port": "Wick"},
}
QUERIES: dict[str, Any] = {
    "queries": [{"query_id": "q", "query_text": "How deep?", "expected_doc_ids": ["d1"]}],
    "documents": [{"doc_id": "d1", "text": "9 m"}, {"doc_id": "d2", "text": "8 m"}],
}
RUN: dict[str, Any] = {
    "id": "c",
    "messages": [ASKED, {"role": "assistant", "content": "9 m"}],
    "expected": {"contains": ["9 m"], "context": ["At low tide 9 m."]},
}


@pytest.mark.costly
@every_case(
    ("source", "value", "target", "paths"),
    [
        # The question is there: only the other inputs and expectations are lost.
        ("mlflow", [HARBOUR], "databricks", ["$[0].inputs.port"]),
        (
            "mlflow",
            [HARBOUR],
            "evret",
            [
                "$[0].inputs.port",
                "$[0].expectations.expected_answer",
                "$[0].expectations.must_mention",
            ],
        ),
        ("mlflow", [HARBOUR], "evalcontract", []),
        # Between dialects of one system nothing that stands there is lost.
        ("mlflow:oss", [TAGGED], "mlflow:managed", []),
        ("mlflow:oss", [TAGGED], "mlflow:oss", []),
        ("evret:0.0.3", QUERIES, "evret:0.0.1", []),
        ("evret:0.0.3", QUERIES, "evret:0.0.2", ["$.queries[0].expected_doc_ids"]),
        ("northstar", {"cases": [RUN], "by": "us"}, "northstar", []),
        # A check does not look for a part of a nested argument.
        (
            "northstar",
            [
                {**RUN, "expected": {"tool_arguments": [{"name": "a", "arguments": {"b": part}}]}}
                for part in ([1], {}, {"c": 1})
            ],
            "evalcontract",
            ["$[2].expected.tool_arguments"],
        ),
        # A history stands before the question.
        (
            "databricks",
            [{"request": {"query": "How deep?", "history": [ASKED]}}],
            "mlflow:evaluate",
            [],
        ),
        # What the file has beside its rows is lost once.
        ("northstar", {"cases": [{**RUN, "expected": {}}], "by": "us"}, "databricks", ["$.by"]),
        # A document without a query, and a text where there are ids alone.
        ("evret", QUERIES, "databricks", ["$.documents"]),
        ("evret", QUERIES, "northstar", ["$.queries[0].expected_doc_ids", "$.documents"]),
        # The question stands in the messages, which are not lost with the context.
        ("northstar", [RUN], "databricks", ["$[0].expected.context"]),
        # Metadata are kept, and not read.
        *(
            (
                "inspect",
                [{"input": "How deep?", "metadata": {"by": "Ada"}}],
                target,
                ["$[0].metadata"],
            )
            for target in (
                "agent_skills",
                "databricks",
                "mlflow:evaluate",
                "openai",
                "openai:samples",
            )
        ),
        # What only the rubric has is lost with it, and what the row has is not.
        (
            "northstar",
            [{**RUN, "expected": {"contains": ["9 m", "9  m"], "max_tool_calls": 1}}],
            "mlflow:evaluate",
            ["$[0].expected.contains", "$[0].expected.max_tool_calls"],
        ),
        (
            "northstar",
            [{**RUN, "expected": {"contains": ["9 m"], "max_tool_calls": 1}}],
            "mlflow:evaluate",
            ["$[0].expected.max_tool_calls"],
        ),
        (
            "northstar",
            [{**RUN, "expected": {"tool_sequence": ["a"], "required_tools": ["b"]}}],
            "mlflow:evaluate",
            ["$[0].expected.required_tools", "$[0].expected.tool_sequence"],
        ),
    ],
)
def test_what_is_lost_is_listed(
    source: str, value: Any, target: str, paths: list[str], tmp_path: Path
) -> None:
    (tmp_path / "in.json").write_text(json.dumps(value), encoding="utf-8")
    report = tmp_path / "losses.json"
    done = convert(
        Input(tmp_path / "in.json"),
        tmp_path / "out.json",
        ConvertOptions(source, target, report, force=True),
        Options(root=tmp_path),
    )
    assert done.refusal is None, done.diagnostics
    losses = json.loads(report.read_text(encoding="utf-8"))["losses"]
    assert [each["path"] for each in losses] == paths


IMAGE = {"role": "user", "content": [{"type": "image", "image": "a.png"}]}
DIFFER = "`input` and the last question of `messages` differ, and only one of them is asked"
RUN_LOST = "a sample ends with the question; the run after it is no input"


@every_case(
    ("messages", "target", "lost"),
    [
        ([ASKED], "inspect", {("input", DIFFER)}),
        ([ASKED], "langsmith", {("input", DIFFER)}),
        ([IMAGE], "inspect", {("messages", DIFFER)}),
        (RUN["messages"], "inspect", {("input", DIFFER), ("messages", RUN_LOST)}),
    ],
)
def test_an_edited_input_beside_messages(
    messages: list[Any], target: str, lost: set[tuple[str, str]], tmp_path: Path
) -> None:
    row = {"id": "a", "input": "How far?", "messages": messages, "bundle": "agent"}
    (tmp_path / "in.jsonl").write_text(json.dumps(row), encoding="utf-8")
    options = ConvertOptions("evalcontract", target)
    done = convert(
        Input(tmp_path / "in.jsonl"), tmp_path / "o.jsonl", options, Options(root=tmp_path)
    )
    counts = [(each.key, each.reason) for each in done.losses.counts]
    assert {each for each in counts if each[0] in ("input", "messages")} == lost


@pytest.mark.costly
def test_many_lost_documents_are_one_loss_with_their_number(tmp_path: Path) -> None:
    documents = [{"doc_id": f"d{n}", "text": f"{n} m"} for n in range(1, 5_002)]
    (tmp_path / "in.json").write_text(json.dumps({**QUERIES, "documents": documents}))
    done = convert(
        Input(tmp_path / "in.json"),
        tmp_path / "out.jsonl",
        ConvertOptions("evret", "evalcontract"),
        Options(root=tmp_path),
    )
    assert [(sort.key, sort.reason) for sort in done.losses.counts] == [
        ("documents", "the target has no place for documents that no query expects (5,000)"),
    ]


def test_keys_stay_in_their_order(tmp_path: Path) -> None:
    record = {
        "expectations": {"own": {"z": 1, "a": 2}, "expected_response": "9 m", "an_own": 1},
        "tags": {"z": "1", "a": "2"},
        "inputs": {"question": "How deep?"},
    }
    (tmp_path / "in.json").write_text(json.dumps([record]), encoding="utf-8")
    options = Options(root=tmp_path)
    for source, target, from_, to in (
        ("in.json", "same.json", "mlflow:oss", "mlflow:managed"),
        ("in.json", "ours.json", "mlflow:oss", "evalcontract"),
    ):
        done = convert(
            Input(tmp_path / source), tmp_path / target, ConvertOptions(from_, to), options
        )
        assert done.refusal is None, done.diagnostics
    same = (tmp_path / "same.json").read_text(encoding="utf-8")
    assert json.dumps(json.loads(same)) == json.dumps([record])
    (row,) = json.loads((tmp_path / "ours.json").read_text(encoding="utf-8"))["questions"]
    assert [*row["expected"]] == ["own", "reference", "an_own"]
    assert [*row["expected"]["own"]] == ["z", "a"]


def test_keys_beside_the_rows_stay_where_they_are(tmp_path: Path) -> None:
    text = "questions:\n  - id: a\n    input: b\nlabel: c\nversion: '1.0'\n"
    (tmp_path / "in.yaml").write_text(text, encoding="utf-8")
    for target in ("out.yaml", "out.json"):
        options = ConvertOptions(None, "evalcontract")
        done = convert(
            Input(tmp_path / "in.yaml"), tmp_path / target, options, Options(root=tmp_path)
        )
        assert done.refusal is None, done.diagnostics
    written = (tmp_path / "out.yaml").read_text(encoding="utf-8")
    assert written.partition("\n")[2] == text
    whole = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert [*whole] == ["questions", "label", "version"]
