"""What comes out of a conversion is valid here, and clean; what grades it can run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from northstar_cases import cases
from tables import every_case
from writing import write

from evalcontract.checking.pipeline import check_workspaces
from evalcontract.converting.convert import convert
from evalcontract.converting.output import ConvertOptions
from evalcontract.datasets.opening import Input, Options
from evalcontract.formats.northstar import Northstar
from evalcontract.model.diagnostic import key_of
from evalcontract.source.document import Document
from evalcontract.source.external import ExternalFile
from evalcontract.structure.exact import validator_for
from evalcontract.structure.schemas import definition, load, text_of

if TYPE_CHECKING:
    from pathlib import Path


def reader_of(value: Any) -> Any:
    text = json.dumps(value)
    document = Document("cases.json", value, text, text.encode(), lambda: None)  # type: ignore[arg-type, return-value]
    return Northstar().reader(ExternalFile("json", document))


READER = reader_of([])
ROW, AGENT = validator_for(definition("row", of="dataset")), validator_for(load("bundles/agent"))
RUBRIC = validator_for(load("rubric"))
NAMED = {"id": "weather", "version": "1.0.0"}


@given(cases)
def test_rows_and_rubrics_are_valid(case: dict[str, Any]) -> None:
    ours = READER.read(case, 4)
    assert list(ROW.iter_errors(ours.row)) == []
    assert list(AGENT.iter_errors(ours.row)) == []
    assert ours.row["id"].strip()
    assert ours.row["input"].strip()
    if ours.rubric:
        assert list(RUBRIC.iter_errors({**NAMED, **ours.rubric})) == []


SAID = [
    {"role": "user", "content": "How is the weather in Paris?"},
    {"role": "assistant", "content": "It is 22 degrees and sunny in Paris."},
]
CASES: list[dict[str, Any]] = [
    {
        "id": "everything",
        "messages": SAID,
        "input": {"question": "How is it?", "city": "Paris"},
        "trace": {"run_id": "run_1", "spans": []},
        "expected": {
            "goal": "Say how the weather is.",
            "rubric": "Names the temperature.",
            "ground_truth": "22 degrees",
            "context": "In Paris it is 22 degrees.",
            "required_tools": ["weather"],
            "forbidden_tools": "delete_user",
            "tool_sequence": ["find_city", "weather"],
            "tool_arguments": [{"name": "weather", "arguments": {"city": "Paris"}}],
            "require_tool_output_reference": "yes",
            "max_tool_calls": "3",
            "contains": ["sunny", "Paris", "SUNNY"],
            "not_contains": ["rain", "rain"],
            "max_latency_ms": 5000,
            "max_cost_usd": "0.01",
            "trace": {
                "max_repeated_tool_calls": 2.0,
                "allowed_state_transitions": [{"from_state": "idle", "to_state": "searching"}],
                "relevant_retrieval_ids": ["weather_report"],
                "min_retrieval_precision": 0.5,
                "min_retrieval_recall": True,
                "max_step_cost_usd": 0.002,
            },
        },
        "metrics": {"latency_ms": 320.5, "cost_usd": None},
        "metadata": {"owner": "support team"},
    },
    {"id": "goal", "messages": SAID, "expected": {"goal": "Say how the weather is."}},
    {"id": "", "messages": [], "expected": {"max_tool_calls": 0, "contains": [""]}},
    {"id": "no_tools", "messages": SAID[:1], "expected": {"tool_sequence": []}},
    {"id": "parts", "messages": [{"role": "user", "content": [{"type": "text", "text": "Well?"}]}]},
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"] or "nameless")
def test_a_workspace_of_it_is_clean(case: dict[str, Any], tmp_path: Path) -> None:
    ours = READER.read(case, 0)
    row = dict(ours.row)
    write(tmp_path, {"bundles/agent.schema.json": json.loads(text_of("bundles/agent"))})
    if ours.rubric:
        write(tmp_path, {"rubrics/weather.json": {**NAMED, **ours.rubric}})
        row["rubric_ref"] = "rubric/weather@1.0.0"
    write(tmp_path, {"datasets/weather.json": {"questions": [row]}})
    found = check_workspaces(tmp_path, Options(root=tmp_path, strict=True)).diagnostics
    expected = set() if ours.rubric else {"dataset/nothing-to-grade"}
    assert {each.code for each in found} == expected
    assert ours.judges == ()


def test_every_expectation_has_its_place() -> None:
    ours = READER.read(CASES[0], 0)
    row = ours.row
    assert ours.rubric == {
        "checks": [
            {"id": "contains_and_ground_truth", "kind": "fact_match"},
            {"id": "not_contains", "kind": "must_not_contain"},
            {
                "id": "tool_sequence",
                "kind": "tool_usage",
                "match": "exact",
                "order": "sequence",
                "forbidden_tools": ["delete_user"],
                "max_calls": 3,
            },
        ],
        "scoring": {"combine": "all_pass"},
        "metadata": {"made_from": "northstar"},
    }
    assert row["input"] == "How is the weather in Paris?"
    assert "criteria" not in row
    assert row["expected"] == {"reference": "22 degrees"}
    assert ours.unread == {
        "criteria": "Names the temperature.",
        "expected": {"goal": "Say how the weather is."},
    }
    assert row["expected_facts"] == ["sunny", "Paris", "22 degrees"]
    weather = {"name": "weather", "arguments": {"city": "Paris"}}
    assert row["expected_tools"] == ["find_city", weather]
    assert row["must_not_contain"] == ["rain"]
    assert row["context"] == ["In Paris it is 22 degrees."]
    assert row["expected_documents"] == [{"id": "weather_report"}]
    assert row.keys().isdisjoint(("max_cost_usd", "max_repeated_tool_calls"))
    assert row["metrics"] == {"latency_ms": 320.5}
    assert row["metadata"] == {
        "owner": "support team",
        "northstar": {
            "set": {
                "input": {"question": "How is it?", "city": "Paris"},
                "expected": {
                    # The default plan of NorthStar has no judge that would read them.
                    "goal": "Say how the weather is.",
                    "rubric": "Names the temperature.",
                    "context": "In Paris it is 22 degrees.",
                    # The sequence implies it.
                    "required_tools": ["weather"],
                    "forbidden_tools": "delete_user",
                    "require_tool_output_reference": "yes",
                    "max_tool_calls": "3",
                    "contains": ["sunny", "Paris", "SUNNY"],
                    "not_contains": ["rain", "rain"],
                    "max_latency_ms": 5000,
                    "max_cost_usd": "0.01",
                    "trace": {
                        "max_repeated_tool_calls": 2.0,
                        "allowed_state_transitions": [
                            {"from_state": "idle", "to_state": "searching"}
                        ],
                        "min_retrieval_precision": 0.5,
                        "min_retrieval_recall": True,
                        "max_step_cost_usd": 0.002,
                    },
                },
                "metrics": {"cost_usd": None},
            }
        },
    }
    assert [key_of(loss.path) for loss in ours.losses] == [
        "input",
        *("expected.require_tool_output_reference", "expected.max_latency_ms"),
        *("expected.max_cost_usd", "expected.trace.max_repeated_tool_calls"),
        "expected.trace.allowed_state_transitions",
        *("expected.trace.min_retrieval_precision", "expected.trace.min_retrieval_recall"),
        "expected.trace.max_step_cost_usd",
    ]


LOST = [
    ({"expected": {"ground_truth": ""}}, [("expected", "ground_truth")]),
    ({"expected": {"not_contains": ["", "a"]}}, [("expected", "not_contains")]),
    ({"expected": {"tool_sequence": [" "]}}, [("expected", "tool_sequence")]),
    ({"expected": {"max_latency_ms": "inf"}}, [("expected", "max_latency_ms")]),
    (
        {"expected": {"trace": {"max_step_cost_usd": "nan"}}},
        [("expected", "trace", "max_step_cost_usd")],
    ),
    ({"metadata": {"a": [float("nan")]}}, [("metadata", "a", 0)]),
    ({"messages": [{"role": "user", "content": "\ud800"}]}, [("messages", 0, "content")]),
    ({"input": 5}, [("input",)]),
    ({"input": "text"}, []),
    ({"expected": {"contains": [], "goal": None}}, []),
]


@every_case(("part", "paths"), LOST)
def test_what_is_lost_is_said(part: dict[str, Any], paths: list[Any]) -> None:
    ours = READER.read({"id": "a", "messages": SAID, **part}, 0)
    assert [loss.path for loss in ours.losses] == paths
    assert all(loss.is_kept for loss in ours.losses)


def test_what_is_changed_in_a_row_counts_more_than_what_was_kept() -> None:
    ours = READER.read(CASES[0], 0)
    row = {**ours.row, "max_cost_usd": 0.02, "input": "Is it warm?", "criteria": "Says it is."}
    row["expected_facts"] = ["cloudy", "23 degrees"]
    case = Northstar().writer("json").write(row, ours.rubric, 0).row
    assert case["input"] == "Is it warm?"
    assert case["expected"]["max_cost_usd"] == 0.02
    assert case["expected"]["contains"] == ["cloudy"]
    assert case["expected"]["ground_truth"] == "23 degrees"
    assert case["expected"]["rubric"] == "Says it is."
    assert case["expected"]["max_tool_calls"] == "3"


ROOTS: list[tuple[Any, dict[str, Any]]] = [
    ([], {}),
    ({"cases": []}, {"metadata": {"northstar": {"beside": {}}}}),
    ({"cases": [], "owner": 1}, {"metadata": {"northstar": {"beside": {"owner": 1}}}}),
    ({"cases": [], "metadata": {"evalcontract": {"id": "weather"}}}, {"id": "weather"}),
]


@pytest.mark.parametrize(("value", "root"), ROOTS)
def test_what_stands_beside_the_cases(value: Any, root: dict[str, Any]) -> None:
    reader = reader_of(value)
    assert reader.root == root
    document, losses = Northstar().writer("json").wrap([], root)
    assert document == value
    assert all(loss.is_kept for loss in losses)


def test_jsonl_has_no_place_beside_the_cases() -> None:
    rows, losses = Northstar().writer("jsonl").wrap([], {"id": "weather"})
    assert rows == []
    assert [(loss.path, loss.is_kept) for loss in losses] == [(("id",), False)]


def test_the_name_of_a_rubric_that_is_made_again_is_not_kept() -> None:
    ours = READER.read(CASES[0], 0)
    row = {**ours.row, "rubric_ref": "rubric/weather@1.0.0"}
    writer = Northstar().writer("json")
    assert ours.rubric
    written = writer.write(row, {**NAMED, **ours.rubric}, 0)
    assert written.row == CASES[0]
    assert written.losses == ()
    changed = {**NAMED, **ours.rubric, "label": "Weather"}
    kept = writer.write(row, changed, 0)
    assert kept.row["metadata"]["evalcontract"]["set"] == {"rubric_ref": "rubric/weather@1.0.0"}
    assert READER.read(kept.row, 0).row == row


# What a case expects, the checks of its rubric, and what its row expects.
SHARED: list[tuple[dict[str, Any], list[str], dict[str, Any]]] = [
    ({"contains": ["sunny"]}, ["contains"], {"expected_facts": ["sunny"]}),
    (
        {"ground_truth": "22"},
        ["ground_truth"],
        {"expected_facts": ["22"], "expected": {"reference": "22"}},
    ),
    (
        {"contains": ["sunny", "Paris"], "ground_truth": "Paris"},
        ["contains"],
        {"expected_facts": ["sunny", "Paris"], "expected": {"reference": "Paris"}},
    ),
    # Two of them are one fact.
    ({"contains": ["Paris  in May", "paris in may"]}, ["contains_1", "contains_2"], {}),
    (
        {"contains": ["sunny", "Sunny "], "ground_truth": "sunny"},
        ["contains_and_ground_truth", "contains_2"],
        {"expected": {"reference": "sunny"}},
    ),
    (
        {"required_tools": ["a"], "forbidden_tools": ["b"], "max_tool_calls": 2},
        ["tools"],
        {"expected_tools": ["a"]},
    ),
    ({"not_contains": ["rain"]}, ["not_contains"], {"must_not_contain": ["rain"]}),
    # A call with arguments is a call.
    (
        {"required_tools": ["b", "a"], "tool_arguments": [{"name": "a", "arguments": {"c": 1}}]},
        ["tools"],
        {"expected_tools": ["b", {"name": "a", "arguments": {"c": 1}}]},
    ),
    (
        {
            "tool_sequence": ["a", "b", "b"],
            "tool_arguments": [{"name": "a", "arguments": {"c": 1}}],
            "required_tools": ["b"],
        },
        ["tool_sequence"],
        {"expected_tools": [{"name": "a", "arguments": {"c": 1}}, "b", "b"]},
    ),
    (
        {
            "tool_sequence": ["a", "b"],
            "tool_arguments": [{"name": "b", "arguments": {}}, {"name": "a", "arguments": {}}],
        },
        ["tool_sequence"],
        {"expected_tools": [{"name": each, "arguments": {}} for each in "ab"]},
    ),
    # Any of the two calls may have the arguments.
    (
        {"tool_sequence": ["a", "a"], "tool_arguments": [{"name": "a", "arguments": {}}]},
        ["tool_sequence", "tool_arguments"],
        {"expected_tools": ["a", "a"]},
    ),
    # One call may have the arguments of both.
    (
        {
            "required_tools": ["a"],
            "tool_arguments": [
                {"name": "a", "arguments": {"c": 1}},
                {"name": "a", "arguments": {"d": 2}},
            ],
            "max_tool_calls": 2,
        },
        ["required_tools", "tool_arguments_1", "tool_arguments_2", "max_tool_calls"],
        {},
    ),
]


@pytest.mark.costly
@every_case(("expected", "checks", "row"), SHARED)
def test_what_a_case_expects_stands_in_its_row(
    expected: dict[str, Any], checks: list[str], row: dict[str, Any], tmp_path: Path
) -> None:
    case = {"id": "a", "messages": SAID, "expected": expected}
    ours = READER.read(case, 0)
    assert ours.rubric is not None
    assert [each["id"] for each in ours.rubric["checks"]] == checks
    keys = ("expected", "expected_facts", "expected_tools", "must_not_contain")
    assert {key: ours.row[key] for key in keys if key in ours.row} == row
    (tmp_path / "cases.json").write_text(json.dumps([case]), encoding="utf-8")
    there, back = tmp_path / "datasets/ours.yaml", tmp_path / "back.json"
    options = Options(root=None, strict=True)
    convert(
        Input(tmp_path / "cases.json"), there, ConvertOptions("northstar", "evalcontract"), options
    )
    # Phrases that are one fact are not in the row.
    is_read = "expected_facts" in row or "expected" not in row
    found = check_workspaces(tmp_path, options).diagnostics
    assert {each.code for each in found} == (set() if is_read else {"dataset/unread-expectation"})
    convert(Input(there), back, ConvertOptions("evalcontract", "northstar"), options)
    assert json.loads(back.read_text(encoding="utf-8")) == [case]


@every_case(
    ("one", "other"),
    [
        ({"contains": ["sunny"]}, {"contains": ["rainy", "cold"]}),
        ({"ground_truth": "sunny"}, {"ground_truth": "rainy"}),
        ({"not_contains": ["sunny"]}, {"not_contains": ["rainy", "cold"]}),
        ({"tool_sequence": ["a"]}, {"tool_sequence": ["b", "a"], "required_tools": ["b"]}),
        (
            {"tool_sequence": ["a"], "tool_arguments": [{"name": "a", "arguments": {"b": 1}}]},
            {"tool_sequence": ["c", "a"], "tool_arguments": [{"name": "c", "arguments": {}}]},
        ),
        (
            {"required_tools": ["a"], "tool_arguments": [{"name": "a", "arguments": {"b": 1}}]},
            {"required_tools": ["c", "d"]},
        ),
    ],
)
def test_cases_that_expect_the_same_sort_of_thing_share_a_rubric(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    read = [
        READER.read({"id": "a", "messages": SAID, "expected": each}, 0) for each in (one, other)
    ]
    assert read[0].rubric is not None
    assert read[0].rubric == read[1].rubric


@pytest.mark.costly
@every_case(
    ("expected", "paths"),
    [
        ({"goal": "Says it."}, ["goal"]),
        ({"rubric": "Is kind."}, ["rubric"]),
        ({"goal": "Says it.", "rubric": "Is kind."}, ["goal", "rubric"]),
        ({}, []),
    ],
)
def test_what_only_a_judge_would_read_is_left_out_and_listed(
    expected: dict[str, Any], paths: list[str], tmp_path: Path
) -> None:
    case = {"id": "a", "messages": SAID, "expected": {"contains": ["sunny"], **expected}}
    (tmp_path / "cases.json").write_text(json.dumps([case]), encoding="utf-8")
    ours, report = tmp_path / "datasets/ours.yaml", tmp_path / "losses.json"
    told = ConvertOptions("northstar", "evalcontract", report)
    options = Options(root=tmp_path, strict=True)
    assert convert(Input(tmp_path / "cases.json"), ours, told, options).written
    losses = json.loads(report.read_text(encoding="utf-8"))["losses"]
    assert sorted(each["path"] for each in losses) == [f"$[0].expected.{key}" for key in paths]
    assert check_workspaces(tmp_path, options).diagnostics == []
    back = tmp_path / "back.json"
    assert convert(Input(ours), back, ConvertOptions(None, "northstar"), options).written
    assert json.loads(back.read_text(encoding="utf-8")) == [case]
    # A system whose judges read it gets it.
    theirs = tmp_path / "theirs.json"
    told = ConvertOptions("northstar", "databricks", report, force=True)
    assert convert(Input(tmp_path / "cases.json"), theirs, told, options).written
    (row,) = json.loads(theirs.read_text(encoding="utf-8"))
    criteria = expected.get("rubric", expected.get("goal"))
    assert row.get("guidelines") == (criteria and [criteria])
    losses = json.loads(report.read_text(encoding="utf-8"))["losses"]
    assert [each["path"] for each in losses if "expected" in each["path"]] == []


@pytest.mark.parametrize("other", ["databricks", "evret:0.0.3"])
def test_by_way_of_a_system_without_rubrics(other: str, tmp_path: Path) -> None:
    expected = {"goal": "Says it.", "contains": ["sunny"], "required_tools": ["weather"]}
    case = {"id": "a", "messages": SAID, "expected": expected}
    options = Options(root=None, strict=False)

    def converted(source: str, target: str, from_: str, to: str) -> set[str]:
        done = convert(
            Input(tmp_path / source), tmp_path / target, ConvertOptions(from_, to), options
        )
        assert done.refusal is None
        return {each.key for each in done.losses.counts if each.is_kept}

    (tmp_path / "cases.json").write_text(json.dumps([case]), encoding="utf-8")
    lost = converted("cases.json", "theirs.json", "northstar", other)
    assert "expected.required_tools" in lost
    assert "rubric" not in lost  # the source has none
    converted("theirs.json", "back.json", other, "northstar")
    back = json.loads((tmp_path / "back.json").read_text(encoding="utf-8"))
    assert (back if isinstance(back, list) else back["cases"]) == [case]
    converted("theirs.json", "ours/datasets/a.yaml", other, "evalcontract")
    found = check_workspaces(tmp_path / "ours", options).diagnostics
    # The default plan of NorthStar has no judge that would read the goal.
    assert {each.code for each in found} == {"dataset/unread-expectation"}
