"""Bombs in the datasets of other systems: tests, goldens, samples, cases and records."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from bomb import Bomb, Files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def asked(name: str, dialect: str) -> tuple[tuple[str, ...], ...]:
    """Return the commands that read a file of another system."""
    return (
        ("validate-dataset", name, "--dialect", dialect),
        ("coverage", name, "--dialect", dialect),
        ("convert", name, "converted.yaml", "--from", dialect),
    )


def lines(rows: Iterable[Any]) -> str:
    """Return rows as JSON Lines."""
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def asserting(*assertions: dict[str, Any]) -> dict[str, Any]:
    """Return a test with these assertions."""
    return {"vars": {"q": "a"}, "assert": assertions}


def contains(text: str) -> dict[str, Any]:
    """Return an assertion that the output has a text."""
    return {"type": "icontains", "value": text}


def assertions_of_a_test(size: int) -> Files:
    """Assertions of one test of promptfoo."""
    return {"a.json": [asserting(*(contains(f"w{at}") for at in range(size)))]}


def tests_that_compare(size: int) -> Files:
    """Tests of promptfoo that each compare the output with another text."""
    texts = (f"w{at}" for at in range(size))
    return {"a.json": [asserting({"type": "equals", "value": text}) for text in texts]}


def tests_by_default_assertions(size: int) -> Files:
    """Tests of promptfoo, and a fifth as many assertions of the default test."""
    default = {"assert": [contains(f"w{at}") for at in range(size // 5)]}
    tests = [{"vars": {"q": f"{at}"}} for at in range(size)]
    return {"a.json": {"prompts": ["p"], "defaultTest": default, "tests": tests}}


def tests_by_default_variables(size: int) -> Files:
    """Tests of promptfoo, and a fifth as many variables of the default test."""
    default = {"vars": {f"v{at}": "a" for at in range(size // 5)}}
    return {"a.json": {"prompts": ["p"], "defaultTest": default, "tests": [asserting()] * size}}


def unknown_variables(size: int) -> Files:
    """Variables of a test of promptfoo, and as many others that an assertion names."""
    names = {f"variable_{at}": "a" for at in range(size)}
    text = " ".join(f"{{{{variables_{at}}}}}" for at in range(size))
    return {"a.json": [{"vars": names, "assert": [contains(text)]}]}


def unknown_assertions(size: int) -> Files:
    """Assertions of promptfoo whose types are misspelled."""
    types = (f"icontain{at}" for at in range(size))
    return {"a.json": [asserting(*({"type": type_, "value": "a"} for type_ in types))]}


def references_to_references(size: int) -> Files:
    """References of promptfoo that name two others each, in layers."""
    layers = [[{"$ref": f"#/t/{at + 1}"}] * 2 for at in range(40)]
    tests = [asserting({"$ref": "#/t/0"})] * size
    return {"a.json": {"prompts": ["p"], "tests": tests, "t": [*layers, contains("a")]}}


def references_to_a_large_value(size: int) -> Files:
    """Tests of promptfoo, and as many assertions of the list that each of them names."""
    tests = [{"vars": {"q": "a"}, "assert": {"$ref": "#/t"}}] * size
    given = [contains(f"w{at}") for at in range(size)]
    return {"a.json": {"prompts": ["p"], "tests": tests, "t": given}}


def references_to_each_other(size: int) -> Files:
    """References of promptfoo that lead to the whole file."""
    return {"a.json": {"prompts": ["p"], "tests": [{"vars": {"q": {"$ref": "#"}}}] * size}}


def expected_columns(size: int) -> Files:
    """Columns of a table of promptfoo that each hold an assertion."""
    header = ",".join(f"__expected{at}" for at in range(1, size + 1))
    return {"a.csv": f"q,{header}\na,{','.join(['icontains: b'] * size)}\n"}


def lists_in_cells(size: int) -> Files:
    """Rows of a table of promptfoo whose lists have quotes without end."""
    cell = '"contains-any: ' + '""a"" ,' * 8 + '""b"'
    return {"a.csv": "q,__expected\n" + f"a,{cell}\n" * size}


def short_tests(size: int) -> Files:
    """Tests of promptfoo, as small as they can be."""
    return {"a.json": [{"vars": {"q": f"{at}"}, "assert": [contains("a")]} for at in range(size)]}


def null_texts_of_goldens(size: int) -> Files:
    """Rows of a table of DeepEval with a cell that is read as nothing."""
    rows = "".join(f"q{at},None,a||b\n" for at in range(size))
    return {"a.csv": f"input,expected_output,context\n{rows}"}


def literals_of_goldens(size: int) -> Files:
    """Rows of a table of DeepEval whose metadata are read as Python."""
    return {"a.csv": "input,additional_metadata\n" + "a,\"{'a': [1,2,(4,5)]}\"\n" * size}


def misspelled_keys_of_a_golden(size: int) -> Files:
    """Misspelled keys of a golden of DeepEval."""
    keys = {f"expected_outputs{at}": "a" for at in range(size)}
    return {"a.json": [{"input": "a", "expected_output": "b", **keys}]}


def faulty_tools_of_a_golden(size: int) -> Files:
    """Calls of a golden of DeepEval that lack a name."""
    return {"a.jsonl": lines([{"input": "a", "expected_tools": [{"nam": 1}] * size}])}


def turns_of_a_golden(size: int) -> Files:
    """Turns of a golden of DeepEval in another role."""
    return {"a.json": [{"scenario": "s", "turns": [{"role": "me", "content": "a"}] * size}]}


def short_goldens(size: int) -> Files:
    """Goldens of DeepEval, as small as they can be."""
    return {"a.jsonl": lines({"input": f"a{at}", "expected_output": "b"} for at in range(size))}


def criteria_by_items(size: int) -> Files:
    """Items of an eval of OpenAI, and as many criteria, of which fifty are converted."""
    criteria = [
        {"type": "string_check", "name": f"c{at}", "operation": "eq",
         "input": "{{sample.output_text}}", "reference": "{{item.a}}"}
        for at in range(size)
    ]  # fmt: skip
    items = [{"item": {"a": f"b{at}"}} for at in range(size * 3)]
    source = {"type": "file_content", "content": items}
    config = {"type": "custom", "item_schema": {"type": "object"}}
    eval_ = {"name": "e", "data_source_config": config, "testing_criteria": criteria}
    return {"a.json": {**eval_, "data_source": {"type": "jsonl", "source": source}}}


def samples_without_ideals(size: int) -> Files:
    """Samples of openai/evals with a misspelled key."""
    return {"a.jsonl": lines({"input": "a", "ideals": "b"} for _ in range(size))}


def misspelled_keys_of_samples(size: int) -> Files:
    """Samples of Inspect with a misspelled key."""
    return {"a.jsonl": lines({"input": "a", "targets": "b"} for _ in range(size))}


def choices_of_a_sample(size: int) -> Files:
    """Choices of a sample of Inspect, in a text that is cut at commas."""
    return {"a.csv": f'input,target,choices\na,B,"{"a," * size}"\n'}


def messages_of_a_sample(size: int) -> Files:
    """Messages of a sample of Inspect without a role."""
    return {"a.json": [{"input": [{"content": "a"}] * size, "target": "b"}]}


def evals_of_a_skill(size: int) -> Files:
    """Evals of a skill, each with the same id."""
    evals = [{"id": 1, "prompt": "p", "expected_output": "o", "files": []}] * size
    return {"a.json": {"skill_name": "s", "evals": evals}}


def expectations_of_an_eval(size: int) -> Files:
    """Expectations of an eval of a skill."""
    texts = [f"w{at}" for at in range(size)]
    return {"a.json": {"skill_name": "s", "evals": [{"id": 1, "prompt": "p", "assertions": texts}]}}


def records_with_expectations(size: int) -> Files:
    """Records of MLflow, as small as they can be."""
    rows = ({"inputs": {"q": f"{at}"}, "expectations": {"expected_response": "a"}}
            for at in range(size))  # fmt: skip
    return {"a.jsonl": lines(rows)}


def keys_of_an_expectation_of_mlflow(size: int) -> Files:
    """Keys of the expectations of a record of MLflow."""
    return {"a.jsonl": lines([{"inputs": {"q": "a"}, "expectations": _numbered(size)}])}


def requests_of_databricks(size: int) -> Files:
    """Rows of Databricks, as small as they can be."""
    return {"a.jsonl": lines({"request": f"a{at}", "expected_facts": ["b"]} for at in range(size))}


def cases_of_northstar(size: int) -> Files:
    """Cases of NorthStar, as small as they can be."""
    rows = ({"case_id": f"a{at}", "input": {"query": "q"}, "expected": {"contains": ["b"]}}
            for at in range(size))  # fmt: skip
    return {"a.jsonl": lines(rows)}


def phrases_of_a_case(size: int) -> Files:
    """Phrases that a case of NorthStar contains, and as many that it does not."""
    expected = {"contains": [f"a{at}" for at in range(size)],
                "not_contains": [f"b{at}" for at in range(size)]}  # fmt: skip
    return {"a.json": [{"case_id": "a", "input": {"query": "q"}, "expected": expected}]}


def queries_of_evret(size: int) -> Files:
    """Queries of Evret, as small as they can be."""
    queries = [{"query_id": f"{at}", "query_text": "q", "relevant_docs": ["b"]}
               for at in range(size)]  # fmt: skip
    return {"a.json": {"queries": queries}}


def documents_of_a_query(size: int) -> Files:
    """Documents that a query of Evret expects."""
    docs = [f"d{at}" for at in range(size)]
    return {"a.json": {"queries": [{"query_id": "a", "query_text": "q", "relevant_docs": docs}]}}


def _numbered(size: int) -> dict[str, Any]:
    return {f"expected_response{at}": "a" for at in range(size)}


_SIZES: tuple[tuple[str, tuple[tuple[Callable[[int], Files], int], ...]], ...] = (
    (
        "promptfoo",
        (
            (assertions_of_a_test, 22_000),
            (tests_that_compare, 11_000),
            (tests_by_default_assertions, 25_000),
            (tests_by_default_variables, 22_000),
            (unknown_variables, 20_000),
            (unknown_assertions, 20_000),
            (references_to_references, 14_000),
            (references_to_a_large_value, 10_000),
            (references_to_each_other, 25_000),
            (expected_columns, 34_500),
            (lists_in_cells, 11_000),
            (short_tests, 12_000),
        ),
    ),
    (
        "deepeval",
        (
            (null_texts_of_goldens, 58_000),
            (literals_of_goldens, 40_000),
            (misspelled_keys_of_a_golden, 30_000),
            (faulty_tools_of_a_golden, 80_000),
            (turns_of_a_golden, 28_000),
            (short_goldens, 21_000),
        ),
    ),
    ("openai", ((criteria_by_items, 4_500),)),
    ("openai:samples", ((samples_without_ideals, 30_000),)),
    (
        "inspect",
        (
            (misspelled_keys_of_samples, 29_000),
            (choices_of_a_sample, 490_000),
            (messages_of_a_sample, 50_000),
        ),
    ),
    ("agent_skills", ((evals_of_a_skill, 14_000), (expectations_of_an_eval, 95_000))),
    (
        "mlflow",
        ((records_with_expectations, 12_000), (keys_of_an_expectation_of_mlflow, 30_000)),
    ),
    ("databricks", ((requests_of_databricks, 18_000),)),
    ("northstar", ((cases_of_northstar, 11_000), (phrases_of_a_case, 48_000))),
    ("evret", ((queries_of_evret, 13_000), (documents_of_a_query, 95_000))),
)
BOMBS = tuple(
    Bomb(files, size, commands=asked(next(iter(files(1))), dialect))
    for dialect, bombs in _SIZES
    for files, size in bombs
)
