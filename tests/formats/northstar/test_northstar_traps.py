"""What NorthStar loads in silence is told: each trap once, at its place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from northstar_checks import check_rows, check_text, pairs, told
from northstar_traces import RUN, SESSION, TRACE, traced
from tables import every_case

from evalcontract.checking.pipeline import validate
from evalcontract.datasets.opening import Input, Options
from evalcontract.model.reference import Kind

if TYPE_CHECKING:
    from pathlib import Path

SAID = [{"role": "user", "content": "How is it?"}, {"role": "assistant", "content": "Sunny."}]
CLEAN = {"contains": ["sunny"]}

# What a case has besides `id`, and each code with its place.
CASES: dict[str, tuple[dict[str, Any], str]] = {
    "clean": ({"expected": CLEAN}, ""),
    "nothing expected": ({}, "judges-only"),
    "null is nothing": ({"expected": {"contains": None}}, "not-evaluated expected"),
    "goal alone": ({"expected": {"goal": "g"}}, "judges-only"),
    "false alone": (
        {"expected": {"require_tool_output_reference": "no"}},
        "not-evaluated expected",
    ),
    "true alone": ({"expected": {"require_tool_output_reference": "yes"}}, ""),
    "no answer": (
        {"messages": [], "expected": {"not_contains": "a", "ground_truth": "b"}},
        "missing-answer messages",
    ),
    "an answer without text": (
        {"messages": [{"role": "assistant", "content": None}], "expected": CLEAN},
        "missing-answer messages",
    ),
    "a misspelled key of a message": (
        {"messages": [{"role": "assistant", "contnt": "a", "at": 1}], "expected": {"goal": "b"}},
        "judges-only, near-miss-key messages[0].contnt",
    ),
    "no answer is needed": ({"messages": [], "expected": {"required_tools": ["a"]}}, ""),
    "latency": (
        {"expected": {"max_latency_ms": 1}, "metrics": {"cost_usd": 1}},
        "missing-metric expected.max_latency_ms",
    ),
    "cost": (
        {"expected": {"max_cost_usd": "1"}, "metrics": {"cost_usd": None}},
        "missing-metric expected.max_cost_usd",
    ),
    "both measured": (
        {
            "expected": {"max_cost_usd": 1, "max_latency_ms": 1},
            "metrics": {"cost_usd": 0, "latency_ms": 0},
        },
        "",
    ),
    "a list as text": (
        {"expected": {"contains": " ['a', 'b'] ", "required_tools": "a, b"}},
        "list-as-text expected.contains, list-as-text expected.required_tools",
    ),
    "one text": ({"expected": {"contains": "a, b", "required_tools": "a"}}, ""),
    "a phrase twice": (
        {"expected": {"contains": ["Sunny days"], "not_contains": ["SUN", "rain"]}},
        "contradiction expected.not_contains",
    ),
    "a forbidden truth": (
        {"expected": {"ground_truth": "Sunny", "not_contains": "sunny"}},
        "contradiction expected.not_contains",
    ),
    "a forbidden tool": (
        {"expected": {"tool_sequence": ["a", "b"], "forbidden_tools": ["b", "c"]}},
        "contradiction expected.forbidden_tools",
    ),
    "too few calls": (
        {"expected": {"tool_sequence": ["a", "a"], "max_tool_calls": "1"}},
        "contradiction expected.max_tool_calls",
    ),
    "calls enough": ({"expected": {"required_tools": ["a", "a"], "max_tool_calls": 1}}, ""),
    "empty lists": (
        {"expected": {"contains": [], "required_tools": [], "tool_sequence": []}},
        "empty-list expected.contains, empty-list expected.required_tools",
    ),
    "blank texts": (
        {"expected": {"contains": ["a", " "], "not_contains": "", "ground_truth": ""}},
        (
            "blank-text expected.contains[1], blank-text expected.ground_truth, "
            "blank-text expected.not_contains"
        ),
    ),
    "blank id": ({"id": " ", "expected": CLEAN}, "blank-id id"),
    "a trace of nobody": ({"expected": CLEAN, "trace": {"runs": [{}]}}, "unused-trace trace"),
    "a trace of a run": ({"expected": CLEAN, "trace": {**TRACE, "run_id": None}}, ""),
    "a trace with an id alone": (
        {"expected": CLEAN, "trace": {"runs": [{"id": 1}]}},
        "broken-trace trace",
    ),
    "a trace without its run": (
        {"expected": CLEAN, "trace": {**TRACE, "run_id": "other"}},
        "broken-trace trace",
    ),
    "a trace without its session": (
        {"expected": CLEAN, "trace": {**TRACE, "sessions": []}},
        "broken-trace trace",
    ),
    "a span of no kind": (
        {"expected": CLEAN, "trace": traced([{"kind": "x"}], [])},
        "broken-trace trace",
    ),
    "an event of no type in the input": (
        {"expected": CLEAN, "input": {"trace": traced([], [{"type": "x"}])}},
        "broken-trace input.trace",
    ),
    "a span of another run": (
        {"expected": CLEAN, "trace": traced([{"kind": "x", "run_id": SESSION}], [])},
        "",
    ),
    "a run without a name": (
        {"expected": CLEAN, "trace": {**TRACE, "runs": [{"id": RUN, "session_id": SESSION}]}},
        "broken-trace trace",
    ),
    "a trace in the input": (
        {"expected": CLEAN, "input": {"trace": {}}},
        "unused-trace input.trace",
    ),
    "any word in the input": ({"expected": CLEAN, "input": {"trace": "of blood"}}, ""),
    "no trace": (
        {"expected": {**CLEAN, "trace": {"max_step_cost_usd": 1}}},
        "missing-trace expected.trace",
    ),
    "nothing of the trace": ({"expected": {**CLEAN, "trace": {"max_step_cost_usd": None}}}, ""),
    "the trace of nobody once": (
        {"expected": {**CLEAN, "trace": {"max_step_cost_usd": 1}}, "trace": {}},
        "unused-trace trace",
    ),
    "documents alone": (
        {"expected": {**CLEAN, "trace": {"relevant_retrieval_ids": ["a"]}}, "trace": TRACE},
        "ungraded-retrieval expected.trace.relevant_retrieval_ids",
    ),
    "a share alone": (
        {"expected": {**CLEAN, "trace": {"min_retrieval_recall": 1}}, "trace": TRACE},
        "ungraded-retrieval expected.trace.min_retrieval_recall",
    ),
    "both": (
        {
            "expected": {
                **CLEAN,
                "trace": {"min_retrieval_recall": 1, "relevant_retrieval_ids": ["a"]},
            },
            "trace": TRACE,
        },
        "",
    ),
    "a refused case has no traps": (
        {"expected": {"max_latency_ms": -1}},
        "out-of-range expected.max_latency_ms",
    ),
    "each mistake once": (
        {"expected": {"max_tool_calls": 3.5, "contains": [1], "trace": []}, "metrics": None},
        (
            "wrong-type expected.contains[0], wrong-type expected.max_tool_calls, "
            "wrong-type expected.trace, wrong-type metrics"
        ),
    ),
}


@pytest.mark.costly
@every_case("name", CASES)
def test_a_case(name: str, tmp_path: Path) -> None:
    case, expected = CASES[name]
    found = check_rows([{"id": "a", "messages": SAID, **case}], tmp_path)
    assert sorted(told(found)) == pairs(expected, "$[0]")


def test_a_key_is_told_where_it_belongs(tmp_path: Path) -> None:
    case = {"id": "a", "messages": SAID, "contains": "a", "expected": {"latency_ms": 1}}
    found = check_rows([case], tmp_path)
    assert [(each.pointer, each.help) for each in found] == [
        ("$[0].contains", "it belongs below `expected`"),
        ("$[0].expected.latency_ms", "it belongs below `metrics`"),
    ]


ADVICE: list[tuple[Any, str, str | None]] = [
    ({"messages": {}}, "$[0].messages", 'write [{"role": "user", "content": "…"}]'),
    ({"messages": [[]]}, "$[0].messages[0]", 'write {"role": "user", "content": "…"}'),
    ({"trace": []}, "$[0].trace", 'write {"run_id": "…"}'),
    ({"expected": {"trace": []}}, "$[0].expected.trace", 'write {"max_repeated_tool_calls": 2}'),
    ({"metrics": []}, "$[0].metrics", 'write {"latency_ms": 320.5}'),
    ({"metrics": None}, "$[0].metrics", "fill it in, or remove it"),
    ({"id": 5}, "$[0].id", 'quote it: "5"'),
    ({"messages": "Hi"}, "$[0].messages", 'write [{"role": "user", "content": "Hi"}]'),
    (
        {"expected": {"trace": {"relevant_retrieval_ids": "a"}}},
        "$[0].expected.trace.relevant_retrieval_ids",
        'write ["a"]',
    ),
    (
        {"expected": {"tool_arguments": [{"name": "a", "arguments": '{"b": 1}'}]}},
        "$[0].expected.tool_arguments[0].arguments",
        'write {"b": 1}',
    ),
    (
        {"expected": {"tool_arguments": {"a": {"b": 1}}}},
        "$[0].expected.tool_arguments",
        'write [{"name": "a", "arguments": {"b": 1}}]',
    ),
    ({"metrics": {"latency": 1}}, "$[0].metrics.latency", "did you mean `latency_ms`?"),
    ({"expected": {"max_cost": 1}}, "$[0].expected.max_cost", "did you mean `max_cost_usd`?"),
    ({"expected": {"contains": 5}}, "$[0].expected.contains", 'quote it: "5"'),
    (
        {"expected": {"tool_arguments": {}}},
        "$[0].expected.tool_arguments",
        'write [{"name": "weather", "arguments": {}}]',
    ),
    (
        {"expected": {"max_tool_calls": 1.5}},
        "$[0].expected.max_tool_calls",
        "write a whole number, 0 or more, or remove it",
    ),
]


@pytest.mark.slow
@every_case(("part", "pointer", "advice"), ADVICE)
def test_what_to_write_is_said_in_json(
    part: Any, pointer: str, advice: str, tmp_path: Path
) -> None:
    (found,) = check_rows([{"id": "a", "messages": SAID, **part}], tmp_path)
    assert (found.pointer, found.help) == (pointer, advice)


def test_a_case_that_is_none_is_shown_one(tmp_path: Path) -> None:
    (found,) = check_rows(["text"], tmp_path)
    assert found.help == 'write {"id": "weather", "messages": []}'


def test_messages_are_anybodys(tmp_path: Path) -> None:
    messages = [*SAID, {"rol": "user", "contents": 1, "tool_call": []}]
    case = {"id": "a", "messages": messages, "expected": {"contains": [1]}}
    assert told(check_rows([case], tmp_path)) == [("wrong-type", "$[0].expected.contains[0]")]


def test_the_second_of_two_ids_is_told_with_the_first(tmp_path: Path) -> None:
    case = {"id": "a", "messages": SAID, "expected": CLEAN}
    (found,) = check_rows({"cases": [case, {**case, "id": "b"}, case]}, tmp_path)
    assert told([found]) == [("duplicate-id", "$.cases[2].id")]
    ((_, first),) = found.related
    assert first.span
    assert found.place.span
    assert first.span.column < found.place.span.column


def test_the_places_of_one_case_alone(tmp_path: Path) -> None:
    text = '{"id": "a",\n "messages": [],\n "expected": {"contains": [1]}}'
    (found,) = check_text(text, tmp_path)
    assert found.pointer == "$.expected.contains[0]"
    assert str(found.place).endswith("cases.json:3:28")


FILES = {
    "[]": "empty",
    '{"cases": []}': "empty cases",
    '{"cases": [], "$schema": "x", "cases_": 1, "owner": 1}': (
        "empty cases, ignored-key owner, near-miss-key cases_"
    ),
    '{"cases": 5}': "wrong-type cases",
    '{"cases": {"a": {"messages": []}}}': "wrong-type cases",
    '{"case": [{"id": "a", "messages": []}], "version": 2}': "unknown-key case",
    '{"a": [{}], "b": [{}]}': "missing-key, missing-key, unknown-key a, unknown-key b",
    "5": "rejected",
    '"text"': "rejected",
    "null": "rejected",
    "\ufeff[]": "rejected",
    "[1]": "wrong-type [0]",
    "[[]]": "wrong-type [0]",
}


@every_case("text", FILES)
def test_a_file(text: str, tmp_path: Path) -> None:
    assert sorted(told(check_text(text, tmp_path))) == pairs(FILES[text])


LINES = {
    "": "empty",
    "\n \n": "empty",
    "\ufeff": "rejected",
    '{"id": "a"}\n\n{"id": "b"}': "missing-key [0], missing-key [1]",
    "{\n": "syntax",
}


@pytest.mark.parametrize("text", LINES)
def test_lines(text: str, tmp_path: Path) -> None:
    assert sorted(told(check_text(text, tmp_path, "cases.jsonl"))) == pairs(LINES[text])


def test_an_empty_file_of_json_is_no_dataset(tmp_path: Path) -> None:
    (found,) = check_text("", tmp_path)
    assert (found.code, found.is_error) == ("source/empty", True)


def test_what_is_passed_over_is_a_warning_and_an_error_in_strict_mode(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text("")
    for strict in (False, True):
        options = Options(root=tmp_path, strict=strict, dialect="northstar")
        (found,) = validate(Kind.DATASET, [Input(path)], options).diagnostics
        assert (found.code, found.is_error) == ("northstar/empty", strict)


RECOGNISED = {
    json.dumps([{"id": "a", "messages": SAID, "expected": CLEAN}]): True,
    json.dumps({"cases": [{"id": "a", "messages": SAID, "metrics": {}}]}): True,
    json.dumps([{"id": "a", "messages": SAID}]): True,
    json.dumps([{"id": "a", "messages": []}]): False,
    json.dumps([{"id": "a", "messages": []}, {"id": "b", "messages": [], "expected": {}}]): True,
    json.dumps([{"id": "a", "messages": SAID, "expected": CLEAN, "input": "x", "more": 1}]): False,
    json.dumps([{"id": "a", "expected": CLEAN, "input": "x"}]): False,
}


@pytest.mark.parametrize("text", RECOGNISED)
def test_it_is_recognised_where_it_can_be_no_others(text: str, tmp_path: Path) -> None:
    path = tmp_path / "cases.json"
    path.write_text(text)
    options = Options(root=tmp_path, strict=False)
    codes = [each.code for each in validate(Kind.DATASET, [Input(path)], options).diagnostics]
    assert ("northstar/detected" in codes) is RECOGNISED[text]


CASE = json.dumps({"id": "a", "messages": SAID, "expected": CLEAN})
WRONG = json.dumps({"id": "a", "messages": SAID, "expected": CLEAN, "metadata": 5})
# Texts of JSONL whose lines Python's text files have, and the line and column of what is wrong.
TEXT_LINES = {
    "lone returns": (f"{CASE}\r{WRONG}\r", (2, WRONG.index("5}") + 1)),
    "all ends": (f"{CASE}\r\n\r{CASE}\n{WRONG}", (4, WRONG.index("5}") + 1)),
    "no-break spaces": (f"\xa0{CASE}\u3000\n\xa0\n \xa0{WRONG}\x0c", (3, WRONG.index("5}") + 3)),
    "a return at the end of a block": (
        f"{CASE}{' ' * (65535 - len(CASE))}\r{WRONG}",
        (2, WRONG.index("5}") + 1),
    ),
}


@pytest.mark.parametrize("name", TEXT_LINES)
def test_lines_are_those_of_a_text_file(name: str, tmp_path: Path) -> None:
    text, place = TEXT_LINES[name]
    text = text.replace('"id": "a"', '"id": "b"', 1)
    path = tmp_path / "cases.jsonl"
    path.write_text(text, encoding="utf-8", newline="")
    with path.open(encoding="utf-8") as lines:  # as its loader reads them
        assert [json.loads(line.strip())["id"] for line in lines if line.strip()][-1] == "a"
    options = Options(root=tmp_path, dialect="northstar")
    found = validate(Kind.DATASET, [Input(path)], options).diagnostics
    (wrong,) = (each for each in found if each.code == "northstar/wrong-type")
    assert wrong.place.span is not None
    assert (wrong.place.span.line, wrong.place.span.column) == place
    assert {each.code for each in found} <= {"northstar/wrong-type", "northstar/duplicate-id"}
