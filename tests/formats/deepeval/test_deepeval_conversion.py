"""Goldens of DeepEval and rows of ours: what is carried, and that every row comes back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract import convert
from evalcontract.formats.deepeval import DeepEval
from evalcontract.formats.deepeval.reading import as_read
from evalcontract.model.values import json_equal
from evalcontract.structure.dialect_checker import dialect_checker
from evalcontract.structure.schemas import definition
from evalcontract.structure.validator import SchemaValidator

TEXT = st.text(max_size=6)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
CALL = st.fixed_dictionaries(
    {"name": TEXT},
    optional={
        "input_parameters": st.none() | st.dictionaries(TEXT, ANY, max_size=1),
        "type": st.sampled_from(["FUNCTION", "MCP"]),
        "output": ANY,
    },
)
RETRIEVED = TEXT | st.fixed_dictionaries({"source": TEXT, "context": TEXT})
TURN = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant"]), "content": TEXT}, optional={"user_id": TEXT}
)
BOTH = {
    "context": st.lists(TEXT, max_size=2) | TEXT | st.none(),
    "name": TEXT | st.sampled_from(["row_1", "row_2"]) | st.none(),
    "comments": TEXT | st.none(),
    "additional_metadata": st.dictionaries(TEXT, ANY, max_size=2) | st.none(),
    "expectations": st.fixed_dictionaries({}, optional={
        "must": st.lists(st.sampled_from(["a", "- b", "c d"]), max_size=2),
        "must_not": st.lists(st.just("e"), max_size=1),
    }) | st.none(),
    "own": ANY,
}  # fmt: skip
OF_INPUT = st.fixed_dictionaries(
    {"input": TEXT},
    optional=BOTH
    | {
        "expected_output": TEXT | st.none(),
        "actual_output": TEXT | st.none(),
        "retrieval_context": st.lists(RETRIEVED, max_size=2) | st.none(),
        "expected_tools": st.lists(CALL, max_size=2) | st.none(),
        "turns": st.none(),
    },
)
OF_SCENARIO = st.fixed_dictionaries(
    {"scenario": st.text(min_size=1, max_size=6)},
    optional=BOTH
    | {
        "turns": st.lists(TURN, max_size=2) | st.none(),
        "expected_outcome": TEXT | st.none(),
        "persona": st.just({"characteristics": "hurried"}),
        "input": TEXT,
    },
)
OURS = st.fixed_dictionaries(
    {
        "id": st.text(min_size=1, max_size=6) | st.sampled_from(["row_1", "row_2"]),
        "input": st.text(max_size=6),
    },
    optional={
        "criteria": TEXT | st.sampled_from(["- a\n- b", " a "]),
        "expected": st.dictionaries(st.sampled_from(["reference", "own"]) | TEXT, ANY, max_size=3),
        "expected_facts": st.lists(TEXT, max_size=2),
        "expected_tools": st.lists(
            st.text(min_size=1, max_size=3)
            | st.fixed_dictionaries(
                {"name": st.text(min_size=1, max_size=3)},
                optional={"arguments": st.dictionaries(TEXT, ANY, max_size=1)},
            ),
            max_size=2,
        ),
        "context": ANY | st.lists(TEXT, max_size=2),
        "retrieved_documents": ANY
        | st.lists(
            st.fixed_dictionaries({"id": TEXT | st.just("document_1"), "content": TEXT}), max_size=2
        ),
        "bundle": st.sampled_from(["rag", "agent", "other"]),
        "messages": st.lists(TURN, max_size=2),
        "recorded_output": ANY,
        "metadata": st.dictionaries(TEXT, ANY, max_size=2),
        "own": ANY,
    },
)
OUR_ROW = SchemaValidator("dataset", definition("row", of="dataset"))
STAGE = dialect_checker("deepeval", "it", "formats/deepeval")
GUESSES = ("foreign-key", "near-miss-key", "misplaced-key")


def to_ours(golden: dict[str, Any], index: int = 0) -> dict[str, Any]:
    return DeepEval().lens("json").read(golden, index).row


def to_theirs(row: dict[str, Any], index: int = 0) -> dict[str, Any]:
    golden: dict[str, Any] = DeepEval().lens("json").write(row, None, index).row
    return golden


@given(OF_INPUT | OF_SCENARIO, st.integers(0, 2))
def test_every_golden_comes_back(golden: dict[str, Any], index: int) -> None:
    assert json_equal(to_theirs(to_ours(golden, index), index), as_read(golden))


@given(OURS, st.integers(0, 2))
def test_every_row_of_ours_comes_back(row: dict[str, Any], index: int) -> None:
    assert json_equal(to_ours(to_theirs(row, index), index), row)


@pytest.mark.costly
@given(OF_INPUT | OF_SCENARIO)
def test_what_comes_of_theirs_is_a_row_of_ours(golden: dict[str, Any]) -> None:
    found = OUR_ROW.check(to_ours(golden))
    assert [each for each in found if not each.code.endswith((*GUESSES, "empty-value"))] == []


@given(OURS)
def test_what_comes_of_ours_is_a_golden(row: dict[str, Any]) -> None:
    faults = STAGE.faults(to_theirs(row), ())
    assert [each for each in faults if not each.code.endswith("ignored-key")] == []


CARRIED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"input": "a?", "expected_output": "b"}, {"input": "a?", "expected": {"reference": "b"}}),
    (
        {"input": "a?", "expectations": {"must": ["b", "c"]}},
        {"input": "a?", "criteria": "- b\n- c"},
    ),
    (
        {"input": "a?", "expected_tools": [{"name": "b"}, {"name": "c", "input_parameters": {}}]},
        {"input": "a?", "expected_tools": ["b", {"name": "c", "arguments": {}}]},
    ),
    (
        {"input": "a?", "retrieval_context": ["b", {"source": "c", "context": "d"}]},
        {
            "input": "a?",
            "retrieved_documents": [
                {"id": "document_1", "content": "b"},
                {"id": "c", "content": "d"},
            ],
            "bundle": "rag",
        },
    ),
    ({"input": "a?", "context": ["b"]}, {"input": "a?", "context": ["b"]}),
]


@every_case(("golden", "row"), CARRIED)
def test_what_is_carried(golden: dict[str, Any], row: dict[str, Any]) -> None:
    assert to_ours(golden) == {"id": "row_1", **row}
    assert to_theirs({"id": "row_1", **row}) == golden


#: What `save_as` writes: every key of a turn, the types of calls, and sources inside of texts.
SAVED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {"input": "a?", "expected_tools": [{"name": "b", "type": "FUNCTION"}]},
        {"input": "a?", "expected_tools": ["b"]},
    ),
    (
        {"input": "a?", "expected_tools": [
            {"name": "b", "type": "FUNCTION", "inputParameters": {"c": 1}, "output": None},
        ]},
        {"input": "a?", "expected_tools": [{"name": "b", "arguments": {"c": 1}}]},
    ),
    (
        {"input": "a?", "retrieval_context": ["deepeval_source=b,deepeval_context=c"]},
        {"input": "a?", "retrieved_documents": [{"id": "b", "content": "c"}], "bundle": "rag"},
    ),
    (
        {"scenario": "a", "turns": [{"role": "user", "content": "b", "user_id": None}]},
        {"input": "a", "messages": [{"role": "user", "content": "b"}], "bundle": "agent",
         "metadata": {"deepeval": {"scenario": True}}},
    ),
]  # fmt: skip


@every_case(("golden", "row"), SAVED)
def test_what_deepeval_saves_is_carried_without_a_loss(
    golden: dict[str, Any], row: dict[str, Any]
) -> None:
    read = (
        DeepEval()
        .lens("json")
        .read({**golden, "comments": None, "custom_column_key_values": None}, 0)
    )
    assert (read.row, read.losses) == ({"id": "row_1", **row}, ())


def test_the_letters_of_a_text_are_no_documents() -> None:
    golden = {"input": "a?", "retrieval_context": [*"High tide"]}
    ours = to_ours(golden)
    assert "retrieved_documents" not in ours
    assert to_theirs(ours) == golden


def test_an_alias_counts_before_the_name_of_a_key() -> None:
    call = {"name": "b", "inputParameters": None, "input_parameters": {"c": 1}}
    assert to_ours({"input": "a?", "expected_tools": [call]})["expected_tools"] == ["b"]


def test_the_losses_of_a_golden_say_what_is_so() -> None:
    call = {"name": "b", "output": "c"}
    golden = {"input": "a?", "expected_tools": [call], "context": [], "own": 5}
    losses = {loss.path: loss.reason for loss in DeepEval().lens("json").read(golden, 0).losses}
    assert losses == {
        ("expected_tools",): "the field of a row has no place for all that it says",
        ("own",): "DeepEval does not read it, and rows have no key for it",
    }


def test_an_empty_list_is_an_empty_cell_in_a_column_of_its_own() -> None:
    writer = DeepEval().lens("csv")
    written = writer.write(to_ours({"input": "a?", "context": []}), None, 0)
    assert written.losses == ()
    assert writer.wrap([written.row], {}) == (
        (["input", "context"], [{"input": "a?", "context": ""}]),
        [],
    )


def test_a_column_that_deepeval_does_not_read_comes_back() -> None:
    writer = DeepEval().lens("csv")
    written = writer.write(to_ours({"input": "a?", "id": "5", "own": "NA"}), None, 0)
    assert written.losses == ()
    cells = {"input": "a?", "id": "5", "own": "NA"}
    assert writer.wrap([written.row], {}) == (([*cells], [cells]), [])


def test_a_conversation_stays_one_when_it_is_edited() -> None:
    ours = to_ours({"scenario": "a", "expected_outcome": "b", "turns": [], "persona": 5})
    assert (ours["input"], ours["criteria"]) == ("a", "b")
    edited = to_theirs({**ours, "input": "c", "messages": [{"role": "user", "content": "d"}]})
    assert edited["scenario"] == "c"
    assert edited["turns"] == [{"role": "user", "content": "d"}]
    assert "input" not in edited


def test_what_is_not_read_beside_a_scenario_comes_back() -> None:
    golden = {"scenario": "a", "input": 5, "expected_tools": ["chart"]}
    there = convert([golden], from_="deepeval")
    assert convert(there.rows, to="deepeval").rows == (golden,)


def test_only_the_first_of_equal_names_is_an_id() -> None:
    reader = DeepEval().lens("json")
    rows = [reader.read({"input": "a?", "name": "b"}, index).row for index in (0, 1)]
    assert [row["id"] for row in rows] == ["b", "row_2"]
    assert [to_theirs(row, index)["name"] for index, row in enumerate(rows)] == ["b", "b"]


def test_both_kinds_are_not_written_to_one_file() -> None:
    writer = DeepEval().lens("json")
    rows = [to_ours({"input": "a?"}), to_ours({"scenario": "b"}, 1)]
    written = [writer.write(row, None, index) for index, row in enumerate(rows)]
    assert [[each.code for each in one.problems] for one in written] == [
        [],
        ["deepeval/mixed-goldens"],
    ]


@every_case(
    ("rows", "lost"),
    [
        ([{"input": "a?", "expected": {"reference": "None"}}], {"expected_output"}),
        ([{"input": "a?", "expected": {"reference": "4"}}], {"expected_output"}),
        ([{"input": "a?", "context": ["b|c"]}], {"context"}),
        (
            [{"input": "a?", "expected": {"reference": "4"}},
             {"input": "b?", "expected": {"reference": "five"}}],
            set(),
        ),
    ],
)  # fmt: skip
def test_what_a_table_cannot_hold_is_a_loss(rows: list[dict[str, Any]], lost: set[str]) -> None:
    writer = DeepEval().lens("csv")
    written = [writer.write({"id": f"row_{n + 1}", **r}, None, n) for n, r in enumerate(rows)]
    _, more = writer.wrap([each.row for each in written], {})
    losses = [*(loss for each in written for loss in each.losses), *more]
    assert {loss.path[0] for loss in losses if not loss.is_kept} == lost


def test_an_input_that_is_no_cell_is_not_written() -> None:
    written = DeepEval().lens("csv").write({"id": "row_1", "input": "null"}, None, 0)
    assert [each.code for each in written.problems] == ["deepeval/null-text"]
