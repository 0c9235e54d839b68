"""Records become rows and records again, and rows records and rows again, with nothing lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.formats.mlflow import Mlflow
from evalcontract.model.values import json_equal
from evalcontract.source.document import Document
from evalcontract.source.external import ExternalFile
from evalcontract.source.json import scan
from evalcontract.structure.dialect_checker import dialect_checker
from evalcontract.structure.validator import structure_of
from evalcontract.workspace.catalogue import is_rejection

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.model.diagnostic import Problem

VARIANTS = ("oss", "managed", "evaluate")
TEXTS = st.text(max_size=6) | st.sampled_from(["a\nb", " ", "row_1", '{"a": 1}'])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=4,
)
MAPPINGS = st.dictionaries(TEXTS, VALUES, max_size=3)
ROLES = TEXTS | st.sampled_from(["user", "assistant"])
MESSAGES = st.lists(st.fixed_dictionaries({}, optional={"role": ROLES, "content": VALUES}))
INPUTS = (
    st.builds(lambda key, value: {key: value}, st.sampled_from(["question", "query"]), VALUES)
    | st.builds(lambda messages: {"messages": messages}, MESSAGES)
    | MAPPINGS
    | st.builds(lambda text, others: {**others, "query": text}, TEXTS, MAPPINGS)
    | st.builds(lambda messages, others: {**others, "messages": messages}, MESSAGES, MAPPINGS)
)
CALL = st.fixed_dictionaries(
    {"name": VALUES}, optional={"arguments": MAPPINGS | st.none(), "id": TEXTS}
)
DOCUMENT = st.fixed_dictionaries({}, optional={"doc_uri": TEXTS, "content": VALUES, "id": TEXTS})
EXPECTATIONS = st.fixed_dictionaries(
    {},
    optional={
        "expected_response": TEXTS | VALUES,
        "expected_facts": st.lists(TEXTS) | VALUES,
        "guidelines": st.lists(TEXTS) | TEXTS | VALUES,
        "expected_tool_calls": st.lists(CALL) | VALUES,
        "expected_retrieved_context": st.lists(DOCUMENT) | VALUES,
        "mine": VALUES,
        "reference": VALUES,
        "format": VALUES,
    },
)
KEPT = st.fixed_dictionaries(
    {}, optional={"set": MAPPINGS, "absent": st.lists(st.lists(TEXTS)), "tags": VALUES}
)
TAGS = MAPPINGS | st.builds(lambda tags, mine: {**tags, "evalcontract": mine}, MAPPINGS, KEPT)
SOURCES = {
    "oss": st.just({"source_type": "human", "source_data": {"user_name": "ana"}}) | st.none(),
    "managed": st.just({"human": {"user_name": "ana"}}) | st.none(),
    "evaluate": VALUES,
}
NAMES = {"oss": "dataset_record_id", "managed": "dataset_record_id", "evaluate": "request_id"}


def records(variant: str) -> st.SearchStrategy[dict[str, Any]]:
    """Give records that the loader of a variant takes."""
    optional: dict[str, st.SearchStrategy[Any]] = {
        "outputs": VALUES,
        "expectations": EXPECTATIONS | st.none(),
        "tags": TAGS | st.none(),
        "source": SOURCES[variant],
        "notes": VALUES,
        NAMES[variant]: TEXTS,
    }
    if variant == "evaluate":
        optional["trace"] = st.just({"info": {"request_preview": "How?"}, "data": {}}) | TEXTS
        return st.fixed_dictionaries({}, optional={"inputs": VALUES | INPUTS, **optional})
    return st.fixed_dictionaries({"inputs": INPUTS}, optional=optional)


FILLED = TEXTS.filter(bool)
ROWS = st.fixed_dictionaries(
    {"id": FILLED | st.sampled_from(["row_1", "row_2"]), "input": FILLED},
    optional={
        "criteria": TEXTS | st.sampled_from(["- a\n- b", "- a\n- "]),
        "expected": st.dictionaries(
            st.sampled_from(["format", "reference", "guidelines", "own"]) | TEXTS, VALUES
        ),
        "expected_facts": st.lists(FILLED),
        "expected_tools": st.lists(
            FILLED | st.fixed_dictionaries({"name": FILLED}, optional={"arguments": MAPPINGS})
        ),
        "must_not_contain": st.lists(FILLED),
        "context": VALUES,
        "tags": st.lists(TEXTS),
        "metadata": MAPPINGS,
        "rubric_ref": st.just("rubric/harbour@1.0.0"),
        "bundle": st.sampled_from(["rag", "agent", "other"]),
        "expected_documents": st.lists(
            st.fixed_dictionaries({"id": TEXTS}, optional={"content": TEXTS, "doc_uri": TEXTS})
        ),
        "recorded_output": VALUES,
        "messages": st.lists(
            MAPPINGS
            | st.fixed_dictionaries(
                {"role": st.sampled_from(["user", "assistant"]), "content": TEXTS}
            )
        ),
        "trace": MAPPINGS | TEXTS,
        "mine": VALUES,
    },
)


def a_file() -> ExternalFile:
    return ExternalFile("json", Document("records.json", [], "[]", b"[]", lambda: scan("[]")))


def as_row(record: dict[str, Any], variant: str, index: int = 0) -> Any:
    return Mlflow(variant).reader(a_file()).read(record, index)


def as_record(row: dict[str, Any], variant: str, index: int = 0) -> Any:
    return Mlflow(variant).writer("json").write(row, None, index)


def refused(problems: Iterable[Problem]) -> list[str]:
    """Return the codes of problems at which a loader stops."""
    return [each.code for each in problems if is_rejection(each.code)]


@pytest.mark.costly
@given(st.sampled_from(VARIANTS).flatmap(lambda each: st.tuples(st.just(each), records(each))))
def test_a_record_comes_back_as_it_was(given: tuple[str, dict[str, Any]]) -> None:
    variant, record = given
    ours = as_row(record, variant)
    back = as_record(ours.row, variant)
    if all(each.is_kept for each in ours.losses):
        assert json_equal(back.row, record)


@given(st.sampled_from(VARIANTS).flatmap(lambda each: st.tuples(st.just(each), records(each))))
def test_a_record_becomes_a_row_of_ours(given: tuple[str, dict[str, Any]]) -> None:
    variant, record = given
    row = as_row(record, variant, 4).row
    assert row["id"]
    assert row["input"]
    plain = json.loads(
        json.dumps({"questions": [row]}).replace("NaN", "0").replace("Infinity", "1")
    )
    assert [each for each in structure_of("dataset").check(plain) if "near" not in each.code] == []


@pytest.mark.costly
@given(st.sampled_from(VARIANTS), ROWS, st.integers(0, 3))
def test_a_row_comes_back_as_it_was(variant: str, row: dict[str, Any], index: int) -> None:
    theirs = as_record(row, variant, index)
    assert all(each.is_kept for each in theirs.losses)
    assert json_equal(as_row(theirs.row, variant, index).row, row)


@given(st.sampled_from(VARIANTS), st.lists(ROWS, max_size=4))
def test_what_is_written_is_taken(variant: str, rows: list[dict[str, Any]]) -> None:
    writer = Mlflow(variant).writer("json")
    written = [writer.write(row, None, index) for index, row in enumerate(rows)]
    checker = Mlflow(variant).checker(
        dialect_checker("mlflow", "MLflow", f"formats/mlflow-{variant}")
    )
    taken = [each.row for each in written if not each.problems]
    found = [
        problem.code
        for index, record in enumerate(taken)
        for problem in checker.check(record, (index,), is_clean=False)
    ]
    assert set(found) <= {"mlflow/no-expectations", "mlflow/duplicate-id"}


@given(
    st.sampled_from(VARIANTS).flatmap(
        lambda each: st.tuples(st.just(each), st.lists(records(each), max_size=3))
    ),
    st.sampled_from(VARIANTS),
)
@example(("managed", [{"inputs": {}, "tags": {"evalcontract": {"tags": []}}}]), "managed")
@example(
    ("evaluate", [{"inputs": {}, "tags": {"evalcontract": {"set": {"tags": []}, "tags": []}}}]),
    "evaluate",
)
def test_records_of_one_mlflow_are_taken_by_another(
    given: tuple[str, list[dict[str, Any]]], other: str
) -> None:
    variant, some = given
    checkers = [
        Mlflow(each).checker(dialect_checker("mlflow", "MLflow", f"formats/mlflow-{each}"))
        for each in (variant, other)
    ]
    writer = Mlflow(other).writer("json")
    index = 0
    for record in some:
        if not refused(checkers[0].check(record, (index,), is_clean=False)):
            written = writer.write(as_row(record, variant, index).row, None, index)
            if not written.problems:
                assert not refused(checkers[1].check(written.row, (index,), is_clean=False))
                index += 1


@every_case(
    ("inputs", "text"),
    [
        ({"question": "How deep?"}, "How deep?"),
        ({"query": "How deep?"}, "How deep?"),
        ({"topic": "tides"}, '{"topic": "tides"}'),
        ({"question": "How deep?", "port": "Wick"}, "How deep?"),
        ({"b": 1, "a": "x"}, "b: 1\na: x"),
        ({"question": "How?", "query": "deep"}, "question: How?\nquery: deep"),
        ({"question": ""}, '{"question": ""}'),
        ({"messages": [{"role": "user", "content": "How deep?"}]}, "How deep?"),
        ({}, "{}"),
    ],
)
def test_inputs_become_one_text(inputs: dict[str, Any], text: str) -> None:
    assert as_row({"inputs": inputs}, "oss").row["input"] == text


def test_what_is_expected_finds_its_place() -> None:
    record = {
        "inputs": {"question": "How deep?"},
        "outputs": "Nine metres.",
        "expectations": {
            "expected_response": "Nine metres at low tide.",
            "expected_facts": ["nine metres"],
            "expected_tool_calls": [{"name": "read_chart", "arguments": {"port": "Wick"}}],
            "expected_retrieved_context": [{"doc_uri": "s3://port/charts.md", "content": "9 m"}],
            "depth_m": 9,
        },
    }
    ours = as_row(record, "oss")
    assert ours.row == {
        "id": "row_1",
        "input": "How deep?",
        "expected": {"reference": "Nine metres at low tide.", "depth_m": 9},
        "expected_facts": ["nine metres"],
        "expected_tools": [{"name": "read_chart", "arguments": {"port": "Wick"}}],
        "expected_documents": [{"id": "s3://port/charts.md", "content": "9 m"}],
        "recorded_output": "Nine metres.",
        "bundle": "rag",
        "metadata": {"mlflow": {"expects": "both"}},
    }
    assert ours.losses == ()
    assert as_record(ours.row, "oss").row == record


@every_case(
    ("expectations", "row", "hints"),
    [
        ({"expected_response": "b"}, {"expected": {"reference": "b"}}, {}),
        ({"guidelines": ["b"]}, {"criteria": "b"}, {}),
        ({"guidelines": ["b", "c"]}, {"criteria": "- b\n- c"}, {}),
        ({"guidelines": "b"}, {"criteria": "b"}, {"criteria_from": "guideline"}),
        ({"must_mention": ["b"], "expected_answer": "c"},
         {"expected": {"must_mention": ["b"], "expected_answer": "c"}}, {}),
        # They mean something else in our rows.
        ({"reference": "b", "format": "json"}, {},
         {"set": {"expectations": {"reference": "b", "format": "json"}}}),
    ],
)  # fmt: skip
def test_an_expectation_goes_where_it_means_the_same(
    expectations: dict[str, Any], row: dict[str, Any], hints: dict[str, Any]
) -> None:
    record = {"inputs": {"question": "a?"}, "expectations": expectations}
    ours = as_row(record, "oss")
    metadata = {"metadata": {"mlflow": hints}} if hints else {}
    assert ours.row == {"id": "row_1", "input": "a?", **row, **metadata}
    names = hints.get("set", {}).get("expectations", {})
    assert [each.path for each in ours.losses] == [("expectations", name) for name in names]
    assert as_record(ours.row, "oss").row == record


@every_case(
    ("expected", "facts", "expectations", "lost"),
    [
        ({"reference": "b"}, None, {"expected_response": "b"}, []),
        ({"reference": "b"}, ["b"], {"expected_response": "b"}, []),
        # Correctness takes one of both, and the facts say more.
        ({"reference": "b"}, ["c"], {"expected_facts": ["c"]}, [("expected", "reference")]),
        ({"own": 1, "format": "json"}, None, {"own": 1}, [("expected", "format")]),
        ({"guidelines": ["b"]}, None, None, [("expected", "guidelines")]),
    ],
)
def test_what_a_row_expects_goes_where_it_means_the_same(
    expected: dict[str, Any], facts: Any, expectations: Any, lost: list[Any]
) -> None:
    row = {"id": "row_1", "input": "a?", "expected": expected}
    row |= {"expected_facts": facts} if facts else {}
    theirs = as_record(row, "oss")
    assert theirs.row.get("expectations") == expectations
    assert [each.path for each in theirs.losses if each.path != ("id",)] == lost
    assert as_row(theirs.row, "oss").row == row


ASKED, ANSWERED = {"role": "user", "content": "a?"}, {"role": "assistant", "content": "b"}


@every_case(
    ("messages", "inputs", "outputs", "lost"),
    [
        ([ASKED], {"question": "a?"}, None, []),
        ([ASKED, ANSWERED], {"question": "a?"}, "b", []),
        (
            [ASKED, ANSWERED, ASKED, ANSWERED],
            {"messages": [ASKED, ANSWERED, ASKED]},
            "b",
            [],
        ),
        ([ASKED, {"role": "tool"}, ANSWERED], {"question": "a?"}, "b", [("messages",)]),
    ],
)
def test_an_answer_is_never_an_input(
    messages: list[Any], inputs: dict[str, Any], outputs: str | None, lost: list[Any]
) -> None:
    row = {"id": "row_1", "input": "a?", "messages": messages, "bundle": "agent"}
    theirs = as_record(row, "oss")
    assert (theirs.row["inputs"], theirs.row.get("outputs")) == (inputs, outputs)
    assert [each.path for each in theirs.losses] == lost
    assert as_row(theirs.row, "oss").row == row


def test_rows_with_equal_inputs_cannot_be_told_apart() -> None:
    writer = Mlflow("oss").writer("json")
    rows = [{"id": each, "input": "How deep?"} for each in ("a", "b")]
    problems = [writer.write(row, None, index).problems for index, row in enumerate(rows)]
    assert [[each.code for each in some] for some in problems] == [[], ["mlflow/equal-inputs"]]


@pytest.mark.parametrize(
    ("one", "other", "before", "after"),
    [
        ("managed", "oss", {"human": {"user_name": "ana"}},
         {"source_type": "HUMAN", "source_data": {"user_name": "ana"}}),
        ("oss", "managed", {"source_type": "trace", "source_data": {"trace_id": "tr-1"}},
         {"trace": {"trace_id": "tr-1"}}),
    ],
)  # fmt: skip
def test_a_source_is_written_as_the_other_mlflow_wants_it(
    one: str, other: str, before: Any, after: Any
) -> None:
    record = {"inputs": {"question": "How deep?"}, "source": before}
    assert as_record(as_row(record, one).row, other).row["source"] == after


def test_what_the_other_mlflow_has_no_place_for_is_lost() -> None:
    record = {"inputs": {"question": "How?"}, "source": {"source_type": "CODE"}, "created_time": 5}
    theirs = as_record(as_row(record, "oss").row, "managed")
    assert theirs.row == {"inputs": {"question": "How?"}}
    assert {each.path[-1] for each in theirs.losses if not each.is_kept} == {
        "source",
        "created_time",
    }


def test_the_first_row_for_evaluate_has_inputs_by_name() -> None:
    writer = Mlflow("evaluate").writer("json")
    later = as_row({"inputs": "How deep?"}, "evaluate", 1).row
    codes = [
        [each.code for each in writer.write(row, None, index).problems]
        for index, row in enumerate([later, {"id": "a", "input": "How?"}, later])
    ]
    assert codes == [["mlflow/wrong-type"], [], []]


def test_null_arguments_of_a_call_are_none() -> None:
    """A table has them in each call where one call has some."""
    calls = [{"name": "chart", "arguments": None}, {"name": "mail", "arguments": {"to": "a"}}]
    record = {"inputs": {"question": "a"}, "expectations": {"expected_tool_calls": calls}}
    read = as_row(record, "oss")
    assert read.row["expected_tools"] == ["chart", calls[1]]
    assert read.losses == ()
    assert as_record(read.row, "oss").row == record
    edited = {**read.row, "expected_tools": ["mail"]}
    assert as_record(edited, "oss").row["expectations"] == {
        "expected_tool_calls": [{"name": "mail"}]
    }


def test_a_conversation_beside_other_inputs_is_one() -> None:
    said = [{"role": "user", "content": "a?"}, {"role": "assistant", "content": "b"}]
    inputs = {"messages": [*said, said[0]], "user": "c"}
    read = as_row({"inputs": inputs}, "oss").row
    assert (read["input"], read["messages"]) == ("a?", inputs["messages"])
    assert read["context"] == {"user": "c"}
    assert as_record(read, "oss").row == {"inputs": inputs}
    # Without a question all of them are lines.
    blank = {"messages": [{"role": "user", "content": " "}], "user": "c"}
    read = as_row({"inputs": blank}, "oss").row
    assert read["input"] == 'messages: [{"role": "user", "content": " "}]\nuser: c'
    assert as_record(read, "oss").row == {"inputs": blank}
