"""The shapes that the documentation of each system shows are accepted, and most are recognised.

They are facts of our own wording: which keys stand together, with which types of values. The
sources are the guides of MLflow and Databricks on evaluation data, and NorthStar's documentation
and its tests of datasets and graders.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tables import every_case

from evalcontract import convert
from evalcontract.checking.pipeline import validate
from evalcontract.datasets.kinds import candidates
from evalcontract.datasets.opening import Input, Options
from evalcontract.model.diagnostic import Severity
from evalcontract.model.reference import Kind

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract.model.diagnostic import Diagnostic

ASKED = {"role": "user", "content": "How deep is it?"}
SAID = {"role": "assistant", "content": "Nine metres."}
CALLED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {
            "id": "c",
            "type": "function",
            "function": {"name": "sound", "arguments": '{"port":"Wick"}'},
        }
    ],
}
GAVE = {"role": "tool", "tool_call_id": "c", "name": "sound", "content": "9 m"}
PARTS = {"role": "assistant", "content": [{"type": "text", "text": "Nine metres."}]}
RUN, SESSION = (f"7d3f0000-0000-4000-8000-00000000000{n}" for n in (1, 2))
TRACE = {
    "schema_version": 1,
    "sessions": [{"id": SESSION}],
    "runs": [{"id": RUN, "session_id": SESSION, "name": "agent", "status": "ok"}],
    "spans": [],
    "events": [],
}
HUMAN = {"source_type": "HUMAN", "source_data": {"curator": "crew", "date": "2026-01-01"}}
PAGE = {"source_type": "DOCUMENT", "source_data": {"document_id": "chart", "page": 1}}
GOAL = {"goal": "Books a berth", "persona": "In a hurry", "simulation_guidelines": ["Is brief."]}
EXCERPT = {"doc_uri": "port/chart", "content": "Nine metres at low tide."}

#: Rows or a document, the dialect, and whether it is recognised without being named.
SHAPES: dict[str, tuple[Any, str, bool]] = {
    # MLflow: data for `evaluate`, and records for `merge_records`.
    "facts": (
        [
            {"inputs": {"question": f"{n}?"}, "expectations": {"expected_facts": ["a"]}}
            for n in "ab"
        ],
        "mlflow:oss",
        True,
    ),
    "a response": (
        [{"inputs": {"question": "a"}, "expectations": {"expected_response": "b"}}],
        "mlflow:evaluate",
        True,
    ),
    "inputs alone": ([{"inputs": {"question": f"{n}?"}} for n in "ab"], "mlflow:evaluate", True),
    "inputs that differ": (
        [{"inputs": {"question": "a", "history": "b|c"}}, {"inputs": {"question": "d"}}],
        "mlflow:evaluate",
        True,
    ),
    "messages": ([{"inputs": {"messages": [ASKED]}}], "mlflow:evaluate", True),
    "messages as input": ([{"inputs": {"input": [ASKED]}}], "mlflow:evaluate", True),
    "messages and context": (
        [{"inputs": {"messages": [ASKED], "context": "a port"}}],
        "mlflow:evaluate",
        True,
    ),
    "an answer": ([{"inputs": {"question": "a"}, "outputs": "b"}], "mlflow:evaluate", True),
    "an answer as a mapping": (
        [{"inputs": {"question": "a"}, "outputs": {"response": "b"}}],
        "mlflow:evaluate",
        False,
    ),
    "an answer and facts": (
        [
            {
                "inputs": {"query": "a"},
                "outputs": {"response": "b"},
                "expectations": {"expected_facts": ["c"]},
            }
        ],
        "mlflow:evaluate",
        True,
    ),
    "guidelines": (
        [{"inputs": {"question": "a"}, "expectations": {"guidelines": ["Is brief."]}}],
        "mlflow:oss",
        True,
    ),
    "expectations of the author's own": (
        [
            {
                "inputs": {"question": "a", "context": "general"},
                "expectations": {"expected_answer": "b", "must_mention": ["c"]},
                "tags": {"priority": "high"},
            }
        ],
        "mlflow:oss",
        True,
    ),
    "sources": (
        [
            {"inputs": {"q": "a"}, "expectations": {"expected_answer": "b"}, "source": HUMAN},
            {"inputs": {"q": "c"}, "expectations": {"must_mention_it": True}, "source": PAGE},
        ],
        "mlflow:oss",
        True,
    ),
    "many records made by code": (
        [{"inputs": {"question": f"Question {n}"}} for n in range(100)],
        "mlflow:oss",
        True,
    ),
    "conversations to simulate": (
        [{"inputs": GOAL}, {"inputs": {"goal": "Leaves", "context": {"port": "Wick"}}}],
        "mlflow:oss",
        True,
    ),
    "tool calls": (
        [
            {
                "inputs": {"q": "a"},
                "expectations": {"expected_tool_calls": [{"name": "b", "arguments": {"c": "d"}}]},
            }
        ],
        "mlflow:oss",
        True,
    ),
    "a documented source": (
        [
            {
                "inputs": {"q": "a"},
                "expectations": {"expected_facts": ["b"]},
                "source": {"document": {"doc_uri": "port/chart", "content": "c"}},
            }
        ],
        "mlflow:managed",
        True,
    ),
    # Databricks: evaluation sets, as lists and by columns.
    "a request alone": ([{"request": "How deep?"}], "databricks:application", True),
    "all of a request": (
        [
            {
                "request_id": "a",
                "request": "How deep?",
                "expected_retrieved_context": [{"doc_uri": "port/chart"}],
                "expected_response": "Nine metres.",
            }
        ],
        "databricks:application",
        True,
    ),
    "a conversation": (
        [{"request": {"messages": [ASKED, SAID, ASKED]}, "expected_facts": ["9 m"]}],
        "databricks:application",
        True,
    ),
    "a query with a history": (
        [{"request": {"query": "How deep?", "history": [ASKED, SAID]}}],
        "databricks:application",
        True,
    ),
    "outputs": (
        [{"request": "How deep?", "response": "9 m", "retrieved_context": [EXCERPT]}],
        "databricks:outputs",
        True,
    ),
    "columns": (
        {
            "request_id": ["a", "b"],
            "request": ["How deep?", "How wide?"],
            "response": ["9 m", "40 m"],
            "expected_retrieved_context": [[{"doc_uri": "a"}], [{"doc_uri": "b"}]],
            "expected_response": ["Nine metres.", "Forty."],
            "retrieved_context": [[EXCERPT], [EXCERPT]],
        },
        "databricks:outputs",
        True,
    ),
    # NorthStar: cases alone, in a list and under `cases`.
    "a case without messages": ([{"id": "a", "messages": []}], "northstar", False),
    "cases without messages": ({"cases": [{"id": "a", "messages": []}]}, "northstar", False),
    "a goal": (
        [{"id": "a", "messages": [ASKED, SAID], "expected": {"goal": "b"}}],
        "northstar",
        True,
    ),
    "a rubric": (
        [{"id": "a", "messages": [SAID], "expected": {"goal": "b", "rubric": "c"}}],
        "northstar",
        True,
    ),
    "a case with an answer": ([{"id": "a", "messages": [SAID]}], "northstar", True),
    "a case with a trace": ([{"id": "a", "messages": [SAID], "trace": TRACE}], "northstar", True),
    "a trace in the input": (
        {"id": "a", "input": {"trace": TRACE}, "messages": [SAID]},
        "northstar",
        True,
    ),
    "what a trace is to have": (
        [
            {
                "id": "a",
                "messages": [SAID],
                "trace": TRACE,
                "expected": {"trace": {"max_repeated_tool_calls": 2, "max_step_cost_usd": 0.1}},
            }
        ],
        "northstar",
        True,
    ),
    "context": (
        [{"id": "a", "messages": [ASKED, SAID], "expected": {"context": "It is 9 m deep."}}],
        "northstar",
        True,
    ),
    "a run with tools": (
        {
            "cases": [
                {
                    "id": "a",
                    "input": "How deep?",
                    "messages": [ASKED, CALLED, GAVE, PARTS],
                    "expected": {
                        "required_tools": ["sound"],
                        "forbidden_tools": ["dredge"],
                        "tool_sequence": ["sound"],
                        "tool_arguments": [{"name": "sound", "arguments": {"port": "Wick"}}],
                        "require_tool_output_reference": True,
                        "max_tool_calls": 2,
                        "max_latency_ms": 500,
                        "contains": "nine",
                        "not_contains": ["ten"],
                    },
                    "metrics": {"latency_ms": 120, "cost_usd": 0.01},
                    "metadata": {"suite": "harbour"},
                }
            ]
        },
        "northstar",
        True,
    ),
}


def told(value: Any, folder: Path, dialect: str | None) -> list[Diagnostic]:
    """Return the findings on a file that are not notes."""
    path = folder / "shape.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    options = Options(root=folder, dialect=dialect)
    found = validate(Kind.DATASET, [Input(path)], options).diagnostics
    return [each for each in found if each.severity > Severity.NOTE]


@every_case("name", SHAPES)
def test_a_documented_shape_has_no_findings(name: str, tmp_path: Path) -> None:
    value, dialect, is_recognised = SHAPES[name]
    assert told(value, tmp_path, dialect) == []
    assert (told(value, tmp_path, None) == []) is is_recognised


@every_case("name", SHAPES)
def test_what_is_converted_is_ours(name: str) -> None:
    value, dialect, _ = SHAPES[name]
    if isinstance(value, dict) and dialect.startswith("databricks"):
        value = [
            dict(zip(value, parts, strict=True)) for parts in zip(*value.values(), strict=True)
        ]
    ours = convert(value, from_=dialect)
    for row in ours.rows:
        assert candidates(row) == []
    assert candidates(ours.document) == candidates([*ours.rows]) == []
