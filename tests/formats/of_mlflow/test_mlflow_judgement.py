"""What is said of records, where, and what is told of a record once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case
from texts import facts

from evalcontract.checking.pipeline import validate
from evalcontract.datasets.opening import Input, Options
from evalcontract.formats.mlflow import Mlflow
from evalcontract.formats.mlflow.readers import Merging
from evalcontract.model.reference import Kind
from evalcontract.structure.dialect_checker import dialect_checker

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract.model.diagnostic import Diagnostic

Q = {"question": "How deep?"}
FACTS = {"expected_facts": ["9 m"]}
TALK = {"goal": "Book a berth", "persona": "A skipper"}
LOCATION = {"type": "MLFLOW_EXPERIMENT"}
INFO = {"trace_id": "tr-1", "trace_location": LOCATION, "request_time": "t", "state": "OK"}
TRACE = {"info": INFO, "data": {"spans": []}}
VARIANTS = ("oss", "managed", "evaluate")


def found(
    records: Any, folder: Path, variant: str = "oss", name: str = "records.json"
) -> list[Diagnostic]:
    """Return what is found in a file of records."""
    file = folder / name
    lines = [json.dumps(each) for each in records] if name.endswith("jsonl") else []
    file.write_text("\n".join(lines) or json.dumps(records), encoding="utf-8")
    options = Options(root=folder, strict=False, dialect=f"mlflow:{variant}")
    return validate(Kind.DATASET, [Input(file)], options).diagnostics


def said(records: Any, folder: Path, variant: str = "oss") -> list[tuple[str, str]]:
    """Return the codes and places of what is found, without the first word of the codes."""
    return [(each.code.partition("/")[2], each.pointer) for each in found(records, folder, variant)]


def record(**more: Any) -> dict[str, Any]:
    return {"inputs": Q, "expectations": FACTS, **more}


CASES: list[tuple[str, Any, list[tuple[str, str]]]] = [
    ("oss", [record()], []),
    ("oss", [record(outputs="Nine.", tags={"a": [1]}, source=None)], []),
    ("oss", [{"input": Q, "expectations": FACTS}], [("missing-key", "$[0].input")]),
    ("oss", [{"inputs": Q, "expectation": FACTS}], [("near-miss-key", "$[0].expectation")]),
    ("oss", [{"inputs": Q, "expected_facts": ["a"]}], [("misplaced-key", "$[0].expected_facts")]),
    ("oss", [record(created_time=1)], [("ignored-key", "$[0].created_time")]),
    # What another reader reads, or what is spelled as that.
    ("oss", [record(create_time=1)], [("near-miss-key", "$[0].create_time")]),
    ("oss", [record(trace=TRACE)], [("near-miss-key", "$[0].trace")]),
    ("oss", [record(reqest_id="a")], [("near-miss-key", "$[0].reqest_id")]),
    ("managed", [record(request_id="a")], [("near-miss-key", "$[0].request_id")]),
    ("evaluate", [record(last_updatd_by="a")], [("near-miss-key", "$[0].last_updatd_by")]),
    (
        "oss",
        [{"inputs": Q, "expectations": {"expected_tool_calls": [{"name": "a", "args": {}}]}}],
        [("near-miss-key", "$[0].expectations.expected_tool_calls[0].args")],
    ),
    ("oss", [record(x_note=1)], []),
    (
        "oss",
        [{"inputs": Q, "expectations": {"expected_fact": ["a"]}}],
        [("near-miss-key", "$[0].expectations.expected_fact")],
    ),
    (
        "oss",
        [{"inputs": Q, "expectations": {"facts": ["a"], "depth_m": 9}}],
        [("near-miss-key", "$[0].expectations.facts")],
    ),
    (
        "oss",
        [{"inputs": Q, "expectations": {"facts": ["a"]}, "notes": 1}],
        [("near-miss-key", "$[0].expectations.facts"), ("ignored-key", "$[0].notes")],
    ),
    ("oss", [record(), record()], [("equal-inputs", "$[1].inputs")]),
    (
        "oss",
        [{**record(), "inputs": {"a": 1}}, {**record(), "inputs": {"a": 1.0}}],
        [],
    ),
    ("oss", [record(), record(source={"human": {}})], [("equal-inputs", "$[1].inputs")]),
    (
        "oss",
        [record(source={"human": {"user_name": "ana"}})],
        [("documented-source", "$[0].source.human")],
    ),
    (
        "oss",
        [record(source={"source_type": "ROBOT"})],
        [("malformed-value", "$[0].source.source_type")],
    ),
    ("oss", [{**record(), "inputs": {"goal": "a"}}], [("reserved-goal", "$[0].inputs.goal")]),
    ("oss", [{**record(), "inputs": TALK}], []),
    ("oss", [{**record(), "inputs": {**TALK, "a": 1}}], [("mixed-goal", "$[0].inputs.goal")]),
    (
        "oss",
        [record(), {**record(), "inputs": TALK}, {**record(), "inputs": {"goal": "b"}}],
        [("mixed-granularity", "$[1].inputs")],
    ),
    (
        "oss",
        [{**record(), "inputs": {}}, {**record(), "inputs": TALK}],
        [("empty-inputs", "$[1].inputs")],
    ),
    ("oss", [{**record(), "inputs": {}}, record()], []),
    (
        "oss",
        [record(outputs="a"), {**record(outputs={"b": 1}), "inputs": {"a": 1}}],
        [("mixed-outputs", "$[1].outputs")],
    ),
    (
        "oss",
        [{"inputs": Q, "expectations": {**FACTS, "expected_response": "9 m"}}],
        [("facts-and-response", "$[0].expectations.expected_facts")],
    ),
    (
        "oss",
        [{"inputs": Q, "expectations": {"guidelines": {"a": 1}}}],
        [("no-list-of-texts", "$[0].expectations.guidelines")],
    ),
    ("oss", [{"inputs": Q, "expectations": {"guidelines": "Be brief."}}], []),
    (
        "oss",
        [{"inputs": Q, "expectations": {"expected_tool_calls": [{"name": "a"}, {"name": 1}]}}],
        [("unreadable-tool-call", "$[0].expectations.expected_tool_calls[1]")],
    ),
    (
        "oss",
        [{"inputs": Q, "expectations": {"expected_retrieved_context": [{"docuri": "a", "b": 1}]}}],
        [("near-miss-key", "$[0].expectations.expected_retrieved_context[0].docuri")],
    ),
    (
        "oss",
        [record(source={"source_type": "HUMAN", "source_data": {"user_nme": "a", "team": "b"}})],
        [("near-miss-key", "$[0].source.source_data.user_nme")],
    ),
    ("oss", [{"inputs": Q}], []),
    ("evaluate", [{"inputs": Q}, {"inputs": Q, "expectations": {}}], []),
    ("oss", [record(), {"inputs": {"a": 1}}], [("no-expectations", "$[1]")]),
    ("evaluate", [{"inputs": {"a": 1}}, record()], [("no-expectations", "$[0]")]),
    (
        "managed",
        [{"inputs": {"a": 1}, "expectations": {}}, record()],
        [("no-expectations", "$[0]")],
    ),
    (
        "evaluate",
        [{"trace": {**TRACE, "data": {"span": []}}}],
        [("near-miss-key", "$[0].trace.data.span")],
    ),
    (
        "evaluate",
        [{"trace": {**TRACE, "info": {**INFO, "asessments": [], "mine": 1}}}],
        [
            ("unknown-key", "$[0].trace.info.asessments"),
            ("unknown-key", "$[0].trace.info.mine"),
        ],
    ),
    (
        "evaluate",
        [
            {
                "trace": {
                    **TRACE,
                    "info": {**INFO, "trace_location": {**LOCATION, "mlflow_experment": {}}},
                }
            }
        ],
        [("near-miss-key", "$[0].trace.info.trace_location.mlflow_experment")],
    ),
    ("evaluate", [{"trace": {"inof": {}, "data": {}}}], [("missing-key", "$[0].trace.inof")]),
    (
        "evaluate",
        [
            {
                "trace": {
                    **TRACE,
                    "info": {"trace_id": "a", "trace_lcation": {}, "request_time": "", "state": ""},
                }
            }
        ],
        [("unknown-key", "$[0].trace.info.trace_lcation")],
    ),
    ("managed", [record(source={"human": {"user_name": "ana"}}, create_time=1)], []),
    ("managed", [record(source={"trace": {"trace_id": "t"}, "human": None})], []),
    ("managed", [record(source={})], [("missing-key", "$[0].source")]),
    ("managed", [record(source={"humans": {}})], [("missing-key", "$[0].source.humans")]),
    (
        "managed",
        [record(source={"document": {"doc_url": "s3://a"}})],
        [("missing-key", "$[0].source.document.doc_url")],
    ),
    (
        "managed",
        [record(source={"document": {"doc_uri": "a"}, "trace": {"trace_id": "b"}})],
        [("several-sources", "$[0].source.trace")],
    ),
    (
        "managed",
        [record(source={"source_type": "HUMAN"})],
        [("open-source-source", "$[0].source.source_type")],
    ),
    (
        "managed",
        [record(dataset_record_id="a"), record(dataset_record_id="a")],
        [("duplicate-id", "$[1].dataset_record_id")],
    ),
    ("evaluate", [], [("no-rows", "$")]),
    ("evaluate", [record(), record()], []),
    ("evaluate", [record(source={"human": {}})], []),
    ("evaluate", [{"input": Q, "expectations": FACTS}], [("missing-key", "$[0].input")]),
    ("evaluate", [{**record(), "inputs": "a"}, record()], [("wrong-type", "$[0].inputs")]),
    ("evaluate", [record(), {**record(), "inputs": "a"}], []),
    ("evaluate", [{"trace": TRACE}, {"trace": json.dumps(TRACE)}], []),
    ("evaluate", [{"trace": TRACE}, record()], [("mixed-traces", "$[1]")]),
    ("evaluate", [{"trace": "{}"}], [("malformed-value", "$[0].trace")]),
    (
        "evaluate",
        [{"inputs": Q, "expectations": {"depth": None}}],
        [("wrong-type", "$[0].expectations.depth")],
    ),
]


@pytest.mark.costly
@every_case(("variant", "records", "wanted"), CASES)
def test_what_is_found(
    variant: str, records: Any, wanted: list[tuple[str, str]], tmp_path: Path
) -> None:
    assert said(records, tmp_path, variant) == wanted


@every_case(
    ("more", "named"),
    [
        ({"trace": {}}, ["evaluate"]),
        ({"create_tme": 1}, ["create_time"]),
        ({"expectations": {"expected_tool_calls": [{"name": "a", "args": {}}]}},
         ["arguments", "args"]),
    ],
)  # fmt: skip
def test_the_reader_of_a_key_is_named(
    more: dict[str, Any], named: list[str], tmp_path: Path
) -> None:
    (one,) = found([{**record(), **more}], tmp_path)
    assert (one.code, facts(one.help)) == ("mlflow/near-miss-key", named)


def test_the_documented_source_is_shown_as_the_store_wants_it(tmp_path: Path) -> None:
    (one,) = found([record(source={"trace": {"trace_id": "tr-1"}})], tmp_path)
    assert facts(one.help) == ["source: {source_type: TRACE, source_data: {trace_id: tr-1}}"]


def test_the_first_of_two_equal_records_is_named(tmp_path: Path) -> None:
    for name in ("records.json", "records.jsonl"):
        (one,) = found([record(), record()], tmp_path, "oss", name)
        assert "1" in facts(one.message)
        assert [place.span.line for _, place in one.related if place.span] == [1]


def test_what_databricks_refuses_rests_on_its_documentation(tmp_path: Path) -> None:
    sources: list[Any] = [{"source_type": "HUMAN"}, {}, "a", {"human": {}}]
    for source in sources:
        (one,) = found([record(source=source)], tmp_path, "managed")
        assert one.message.endswith("per public documentation")
    (one,) = found({"inputs": Q}, tmp_path, "managed")
    assert one.message.endswith("per public documentation")
    assert "per public documentation" in Mlflow.basis


def test_a_record_is_named_as_it_was() -> None:
    assert Mlflow().name_of({"dataset_record_id": "dr-1", "id": "a"}) == "dr-1"
    assert Mlflow().name_of({"request_id": 7, "id": "a"}) == "a"
    assert Mlflow().name_of("a") is None


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_list_below_a_key_is_named(variant: str, tmp_path: Path) -> None:
    (one,) = found({"records": [record()]}, tmp_path, variant)
    assert (one.code, facts(one.help)) == ("mlflow/rejected", ["records"])


KEYS = (
    *("inputs", "expectations", "source", "source_type", "source_data", "tags", "goal", "outputs"),
    *("trace", "info", "data", "human", "document", "doc_uri", "trace_id", "note", "mlflow.user"),
    *("expected_facts", "guidelines", "expected_tool_calls", "name", "args"),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["", "a", "TRACE"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=12,
)
ROWS = VALUES | st.fixed_dictionaries(
    {"inputs": VALUES},
    optional=dict.fromkeys(("expectations", "source", "tags", "trace", "outputs"), VALUES),
)


@pytest.mark.costly
@given(st.sampled_from(VARIANTS), st.lists(ROWS, max_size=4))
def test_the_short_way_says_the_same(variant: str, rows: list[Any]) -> None:
    """A row that the schema passes is judged as one that is looked at closely."""
    stage = dialect_checker("mlflow", "MLflow", f"formats/mlflow-{variant}")
    short, close = (Mlflow(variant).checker(stage) for _ in range(2))
    for index, row in enumerate(rows):
        is_clean = stage.passes([row])
        said = [*short.check(row, (index,), is_clean=is_clean)]
        assert said == [*close.check(row, (index,), is_clean=False)]
    assert [*short.finish()] == [*close.finish()]


INPUTS = st.dictionaries(st.sampled_from(["a", "b", "1 a", '{"a']), VALUES | st.text(), max_size=2)


@pytest.mark.costly
@given(INPUTS, INPUTS)
def test_inputs_are_equal_where_their_json_is(one: dict[str, Any], other: dict[str, Any]) -> None:
    merging = Merging()
    assert merging.first_with(one, (0,)) is None
    is_one = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert merging.first_with(other, (1,)) == ((0,) if is_one else None)


@pytest.mark.parametrize("name", ["records.jsonl", "records.yaml", "records.parquet"])
def test_records_are_read_from_other_media(name: str, tmp_path: Path) -> None:
    records = [record(), record()]
    if name.endswith("parquet"):
        parquet = pytest.importorskip("pyarrow.parquet")
        table = pytest.importorskip("pyarrow").Table.from_pylist(records)
        parquet.write_table(table, tmp_path / name)
        options = Options(root=tmp_path, strict=False, dialect="mlflow")
        said = validate(Kind.DATASET, [Input(tmp_path / name)], options).diagnostics
    else:
        said = found(records, tmp_path, "oss", name)
    assert [(each.code, each.pointer) for each in said] == [("mlflow/equal-inputs", "$[1].inputs")]
