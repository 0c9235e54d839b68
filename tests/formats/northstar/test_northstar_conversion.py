"""A case becomes a row of ours and the same case again; a row of ours becomes a case and itself."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from examples import examples
from hypothesis import example, given
from hypothesis import strategies as st
from northstar_cases import cases, finite_mappings, finite_metadata, finite_values, texts
from northstar_models import Case
from tables import every_case

from evalcontract.formats.northstar import Northstar
from evalcontract.formats.northstar.numbers import (
    EXPECTED,
    LIMITS_OF_RUN,
    LIMITS_OF_TRACE,
    METRICS,
    normal,
)
from evalcontract.model.diagnostic import key_of
from evalcontract.model.values import json_equal
from evalcontract.source.external import ExternalFile, read_external_stream

if TYPE_CHECKING:
    from evalcontract.formats._conversion import OurRow

SAID = [{"role": "user", "content": "How is it?"}, {"role": "assistant", "content": "Sunny."}]


def foreign(value: Any) -> ExternalFile:
    read = read_external_stream(BytesIO(json.dumps(value).encode()), "cases.json")
    assert read.unreadable is None
    return read


READER = Northstar().reader(foreign([]))
WRITER = Northstar().writer("json")


def there_and_back(case: dict[str, Any]) -> tuple[OurRow, Any]:
    ours = READER.read(case, 0)
    return ours, WRITER.write(ours.row, ours.rubric, 0).row


@pytest.mark.slow
@examples(1500)
@given(cases)
def test_a_case_comes_back(case: dict[str, Any]) -> None:
    before = json.dumps(case, sort_keys=True)
    ours, back = there_and_back(case)
    assert json.dumps(back, sort_keys=True) == before
    assert json.dumps(case, sort_keys=True) == before  # it was not changed
    assert all(loss.is_kept for loss in ours.losses)
    json.dumps(ours.row, allow_nan=False, ensure_ascii=False).encode()


@every_case("rubric", [None, "", " "])
def test_a_goal_beside_an_empty_rubric_is_what_is_judged(rubric: Any) -> None:
    expected = {"goal": "Says it.", "rubric": rubric}
    ours, back = there_and_back({"id": "a", "messages": SAID, "expected": expected})
    assert back["expected"] == expected
    assert ours.row["criteria"] == "Says it."
    edited = WRITER.write({**ours.row, "criteria": "Names the depth."}, ours.rubric, 0).row
    assert edited["expected"] == {"goal": "Names the depth.", "rubric": rubric}


CALLS = [{"name": "a", "arguments": {}}]


def without_implied(expected: dict[str, Any]) -> dict[str, Any]:
    """Return expectations without the required tools that are to be called with arguments."""
    tools, called = expected.get("required_tools"), expected.get("tool_arguments", ())
    rest = [tool for tool in tools or () if tool not in {call["name"] for call in called}]
    if rest == (tools or []):
        return expected
    return {k: part for k, part in expected.items() if k != "required_tools"} | (
        {"required_tools": rest} if rest else {}
    )


@given(cases)
@example(
    {"id": "a", "messages": SAID, "expected": {"required_tools": "a", "tool_arguments": CALLS}}
)
@example(
    {
        "id": "a",
        "messages": SAID,
        "expected": {"required_tools": ["b", "a"], "tool_arguments": CALLS},
    }
)
def test_what_is_carried_is_the_normal_form(case: dict[str, Any]) -> None:
    plain = json.loads(json.dumps(case).replace("NaN", "1").replace("Infinity", "1"))
    ours = READER.read(plain, 0)
    row = {key: part for key, part in ours.row.items() if key != "metadata"}
    native, losses, _ = WRITER.write(row, ours.rubric, 0)
    assert losses == ()
    wanted = normal(plain.get("expected", {}), EXPECTED)
    lost = {loss.path[-1] for loss in ours.losses}
    for key in ("goal", "rubric"):
        if key in lost or ours.unread:  # only a judge would read them beside checks
            wanted.pop(key, None)
    if "rubric" in wanted and "goal" not in wanted:
        wanted["goal"] = wanted.pop("rubric")  # either is what a judge reads
    limits = {key: wanted.pop(key) for key in LIMITS_OF_RUN if key in wanted}
    limits |= {
        key: wanted["trace"].pop(key) for key in LIMITS_OF_TRACE if key in wanted.get("trace", {})
    }
    if not wanted.get("trace"):
        wanted.pop("trace", None)
    if set(wanted.get("required_tools", ())) <= set(wanted.get("tool_sequence", ())):
        wanted.pop("required_tools", None)  # the sequence implies them
    assert json_equal(without_implied(native.get("expected", {})), without_implied(wanted))
    assert limits.keys().isdisjoint(native)
    assert json_equal(native.get("metrics", {}), normal(plain.get("metrics", {}), METRICS))


documents = st.lists(
    st.one_of(
        st.fixed_dictionaries({"id": texts}), st.fixed_dictionaries({"id": texts, "content": texts})
    ),
    max_size=2,
)
names = texts.filter(bool)
tools = st.one_of(
    names,
    st.fixed_dictionaries({"name": names}),
    st.fixed_dictionaries({"name": names, "arguments": finite_mappings}),
)
rows = st.fixed_dictionaries(
    {"id": names, "input": texts},
    optional={
        "criteria": texts,
        "expected": st.one_of(
            finite_mappings,
            st.just({"format": "json"}),
            st.fixed_dictionaries(
                {},
                optional=dict.fromkeys(
                    ("goal", "rubric", "ground_truth", "reference", "format"), texts
                ),
            ),
        ),
        "expected_facts": st.lists(names, max_size=2),
        "expected_tools": st.lists(tools, max_size=2),
        "must_not_contain": st.lists(names, max_size=2),
        "context": st.one_of(finite_values, st.lists(texts, max_size=2)),
        "tags": st.lists(texts, max_size=2),
        "metadata": finite_metadata,
        "rubric_ref": st.just("rubric/weather@1.0.0"),
        "bundle": st.sampled_from(("agent", "rag")),
        "messages": st.sampled_from((SAID, SAID[:1], [])),
        "trace": st.one_of(finite_mappings, texts),
        "metrics": st.one_of(finite_mappings, st.just({"latency_ms": 5})),
        "expected_documents": documents,
        "recorded_output": finite_values,
        "max_latency_ms": st.one_of(st.integers(0, 9), finite_values),
        "max_repeated_tool_calls": st.integers(1, 5),
        "require_tool_output_reference": st.booleans(),
        "x_own": finite_values,
    },
)
checks = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {
                "kind": st.sampled_from(("must_contain_any", "must_not_contain")),
                "values": st.lists(names, min_size=1, max_size=2),
            },
            optional={
                "case_sensitive": st.booleans(),
                "id": st.sampled_from(("ground_truth", "contains_1", "a")),
            },
        ),
        st.fixed_dictionaries(
            {"kind": st.just("tool_usage")},
            optional={
                "expected_tools": st.lists(tools, max_size=2),
                "forbidden_tools": st.lists(names, max_size=2),
                "match": st.sampled_from(("all", "any", "exact")),
                "order": st.sampled_from(("any", "sequence")),
                "max_calls": st.integers(0, 5),
            },
        ),
        st.fixed_dictionaries(
            {"kind": st.just("fact_match")},
            optional={"facts": st.lists(names, max_size=2), "min_recall": st.just(0.5)},
        ),
        st.just({"kind": "llm_judge", "judge_prompt_ref": "judge/tone@1.0.0"}),
        st.just({"kind": "regex", "pattern": "a"}),
    ),
    min_size=1,
    max_size=3,
)
rubrics = st.one_of(
    st.none(),
    st.fixed_dictionaries(
        {
            "checks": checks,
            "scoring": st.fixed_dictionaries(
                {"combine": st.sampled_from(("all_pass", "min", "any_pass", "weighted_avg"))}
            ),
        },
        optional={"label": texts},
    ),
)


@pytest.mark.slow
@examples(1500)
@given(rows, rubrics)
def test_a_row_of_ours_comes_back(row: dict[str, Any], rubric: dict[str, Any] | None) -> None:
    before = json.dumps([row, rubric], sort_keys=True)
    named = rubric and {"id": "weather", "version": "1.0.0", **rubric}
    written = WRITER.write(row, named, 3)
    assert json.dumps([row, rubric], sort_keys=True) == before
    assert written.problems == ()
    assert all(loss.is_kept for loss in written.losses)
    Case.model_validate(written.row)
    case = json.loads(json.dumps(written.row))
    found = READER.read(case, 3)
    # A rubric that has a name already is not made anew.
    rubric = None if "rubric_ref" in row else rubric
    assert json.dumps([found.row, found.rubric], sort_keys=True) == json.dumps(
        [row, rubric], sort_keys=True
    )


def test_what_somebody_else_keeps_under_our_name_is_left_alone() -> None:
    for stash in ({"row": {"tags": 5}}, {"rubric": {"": None}}, {"rubric": {"checks": [5]}}, 5):
        case = {"id": "a", "messages": SAID, "metadata": {"evalcontract": stash}}
        ours, back = there_and_back(case)
        assert back == case
        assert [loss.path for loss in ours.losses] == [("metadata", "evalcontract")]
        assert ours.row["metadata"] == case["metadata"]


ILL_FORMED: list[dict[str, Any]] = [
    {},
    {"checks": 5, "scoring": 5},
    {"checks": [5, {"kind": []}], "scoring": {"combine": "all_pass"}},
    {"checks": [{"kind": "must_contain_any"}], "scoring": {"combine": "all_pass"}},
    {"checks": [{"kind": "must_contain_any", "values": [5]}], "scoring": {"combine": "min"}},
    {"checks": [{"kind": "tool_usage", "max_calls": "many"}], "scoring": {"combine": "min"}},
    {"checks": [{"kind": "tool_usage", "expected_tools": 5}], "scoring": {"combine": "min"}},
]


@every_case("rubric", ILL_FORMED)
def test_a_rubric_with_faults_is_kept_and_said_to_be_lost(rubric: dict[str, Any]) -> None:
    row = {"id": "a", "input": "How is it?", "rubric_ref": "rubric/weather@1.0.0"}
    written = WRITER.write(row, rubric, 0)
    Case.model_validate(written.row)
    assert "expected" not in written.row
    assert written.row["metadata"]["evalcontract"]["set"] == {"rubric_ref": row["rubric_ref"]}
    assert written.losses


OF_SOMEBODY = [
    *([["id", "x", "1"]], [["messages", 0, "role", "deep", "1"]], [["id", {}, "1"]]),
    *([["id"]], [[]], [7], {}, [["id", "[" * 100_000]], [["id", "9" * 5_000]]),
]


@every_case("unwritable", OF_SOMEBODY)
def test_what_somebody_else_wrote_into_the_stash_changes_nothing(unwritable: Any) -> None:
    row = {"id": "a", "input": "b", "metadata": {"northstar": {"unwritable": unwritable}}}
    plain = WRITER.write({"id": "a", "input": "b"}, None, 0).row
    written = WRITER.write(row, None, 0).row
    assert {key: written[key] for key in plain if key != "metadata"} == {
        key: part for key, part in plain.items() if key != "metadata"
    }


def lost(row: dict[str, Any], rubric: dict[str, Any] | None = None) -> list[tuple[str, str]]:
    """Return what is told to be lost of a row of ours."""
    found = Northstar().writer("json").write({"id": "a", "input": "Hi", **row}, rubric, 0).losses
    return [(key_of(each.path), each.reason) for each in found]


def test_what_a_case_says_is_not_lost() -> None:
    asked = {"expected_facts": ["b"], "must_not_contain": ["c"], "expected_tools": ["d"]}
    assert lost({**asked, "context": "e"}) == []
    assert lost({"recorded_output": "f", "bundle": "rag"}) == []
    assert [key for key, _ in lost({"bundle": "own"})] == ["bundle"]
    assert lost({"tags": ["x"]}) == [("tags", "cases have no place for it")]
    checks = [{"id": "f", "kind": "fact_match"}, {"id": "t", "kind": "tool_usage"}]
    rubric = {"checks": checks, "scoring": {"combine": "all_pass"}}
    only = "a case says what the rubric requires, but not which rubric it is"
    row = {"expected_facts": ["b"], "expected_tools": ["d"], "rubric_ref": "rubric/r@1.0.0"}
    assert lost(row, rubric) == [("rubric_ref", only)]


@every_case(
    ("row", "expected"),
    [
        ({"expected": {"reference": "b"}}, {"ground_truth": "b"}),
        ({"expected": {"ground_truth": "b"}}, {"ground_truth": "b"}),
        ({"criteria": "b"}, {"goal": "b"}),
        ({"criteria": "b", "expected": {"goal": "c"}}, {"goal": "c", "rubric": "b"}),
        ({"expected": {"goal": "c", "rubric": "d"}}, {"goal": "c", "rubric": "d"}),
    ],
)
def test_what_a_row_expects_goes_where_it_means_the_same(
    row: dict[str, Any], expected: dict[str, Any]
) -> None:
    row = {"id": "a", "input": "Hi", **row}
    for facts in ({}, {"expected_facts": ["d"]}):
        whole = {**row, **facts}
        written = WRITER.write(whole, None, 0)
        contains = {"contains": ["d"]} if facts else {}
        assert (written.row["expected"], written.losses) == ({**expected, **contains}, ())
        back = READER.read(written.row, 0)
        assert (back.row, back.losses, back.unread) == (whole, (), {})


ASKED, ANSWERED = {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "b"}


@every_case(
    ("row", "messages"),
    [
        ({"recorded_output": "b"}, [ASKED, ANSWERED]),
        ({"messages": [ASKED], "recorded_output": "b"}, [ASKED, ANSWERED]),
        ({"messages": [ASKED, ANSWERED], "recorded_output": "b"}, [ASKED, ANSWERED]),
        ({"context": {"history": [ASKED, ANSWERED]}}, [ASKED, ANSWERED, ASKED]),
    ],
)
def test_a_run_is_the_conversation_of_a_case(row: dict[str, Any], messages: list[Any]) -> None:
    row = {"id": "a", "input": "Hi", **row}
    written = WRITER.write(row, None, 0)
    assert (written.row["messages"], written.losses) == (messages, ())
    assert READER.read(written.row, 0).row == row


def test_a_rubric_that_a_case_cannot_say_is_lost_once() -> None:
    checks = [{"id": "f", "kind": "fact_match"}, {"id": "l", "kind": "format", "format": "json"}]
    row = {"expected_facts": ["b"], "rubric_ref": "rubric/r@1.0.0"}
    mean = {"checks": checks, "scoring": {"combine": "median"}}
    assert [key for key, _ in lost(row, mean)] == ["rubric_ref", "expected_facts"]
    every = {"checks": checks, "scoring": {"combine": "all_pass"}}
    assert lost(row, every) == [("rubric_ref", "NorthStar has no grader for the check `l`")]
