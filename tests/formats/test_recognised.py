"""Whose dataset a file is, by its rows: another system's if it can be no other's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tables import every_case

from evalcontract.checking.pipeline import validate
from evalcontract.datasets.opening import Input, Options, open_dataset
from evalcontract.model.reference import Kind

if TYPE_CHECKING:
    from pathlib import Path

MESSAGES = [{"role": "user", "content": "a"}]
CASES: dict[str, tuple[Any, str | None]] = {
    "cases of a skill": ({"evals": [{"id": 1, "prompt": "a"}]}, "agent_skills:guide"),
    "expectations": (
        {"skill_name": "a", "evals": [{"prompt": "a", "expectations": ["b"]}]},
        "agent_skills:skill_creator",
    ),
    "checks of a case": (
        {"evals": [{"prompt": "a", "expectations": [], "must_contain_any": ["b"]}]},
        "agent_skills:best_practices",
    ),
    "a check of a later case": (
        {"evals": [{"prompt": "a"}, {"prompt": "a", "check_php_lint": True}]},
        "agent_skills:best_practices",
    ),
    "older cases": ({"behavioral_cases": [{"prompt": "a"}]}, "agent_skills:best_practices"),
    "misspelled expectations": (
        {"evals": [{"prompt": "a"}, {"prompt": "a", "expectatons": ["b"]}]},
        "agent_skills:skill_creator",
    ),
    "a misspelled prompt": ({"evals": [{"id": 1, "promt": "a"}]}, "agent_skills:guide"),
    "misspelled evals": ({"evls": [{"id": 1, "prompt": "a"}]}, "agent_skills:guide"),
    "results of cases": (
        {"pass_rate": 1, "evals": [{"eval_id": 1, "prompt": "a", "with_skill": {}}]},
        None,
    ),
    "cases that are compared": (
        {"evals": [{"id": 1, "prompt": "a", "without_skill": {"output": "b"}}]},
        None,
    ),
    "a conversation of somebody else": (
        {"call_id": "a", "scenario": "b", "expected_outcome": "c", "turns": []},
        None,
    ),
    "a misspelled conversation": ({"scenarios": "b", "expected_outcome": "c", "turns": []}, None),
    "a golden that is no list": ({"input": "a", "expected_output": "b"}, "deepeval"),
    "evals of somebody else": ({"evals": [{"input": "a"}]}, None),
    "a case": ([{"id": "a", "messages": MESSAGES, "expected": {}}], "northstar"),
    "cases": ({"cases": [{"id": "a", "messages": MESSAGES, "expected": {}}]}, "northstar"),
    "a misspelled case": ([{"id": "a", "messages": MESSAGES, "expectd": {}}], "northstar"),
    "misspelled cases": (
        {"caes": [{"id": "a", "messages": MESSAGES, "expected": {}}]},
        "northstar",
    ),
    "misspelled messages": ([{"id": "a", "mesages": MESSAGES, "expected": {}}], "northstar"),
    "messages alone": ([{"messages": MESSAGES}], None),
    "a case that expects nothing": ([{"id": "a", "messages": MESSAGES}], "northstar"),
    "queries": ({"queries": [{"query_id": "a", "query_text": "b"}]}, "evret:0.0.3"),
    "a record": ([{"inputs": {"q": "a"}, "expectations": {}}], "mlflow:oss"),
    "a misspelled record": ([{"inputs": {"q": "a"}, "expectation": {"a": 1}}], "mlflow:oss"),
    "a record with inputs alone": ([{"inputs": {"q": "a"}}], "mlflow:oss"),
    "a record with an answer": ([{"inputs": {"q": "a"}, "outputs": "b"}], "mlflow:oss"),
    "an exported record": (
        [
            {
                "inputs": {"q": "a"},
                "outputs": {},
                "source": {"source_type": "CODE"},
                "created_by": "b",
            }
        ],
        "mlflow:oss",
    ),
    "a record with columns of Databricks": (
        [{"inputs": {"q": "a"}, "outputs": {}, "create_time": 5}],
        "mlflow:managed",
    ),
    "a record of a person": (
        [{"inputs": {"q": "a"}, "tags": {}, "source": {"human": {"user_name": "b"}}}],
        "mlflow:managed",
    ),
    # The open-source store gives all of them with its records.
    "a record with columns of both": (
        [{"inputs": {"q": "a"}, "created_time": 5, "created_by": "b", "source_type": None}],
        "mlflow:oss",
    ),
    "a record with a name": ([{"inputs": {"q": "a"}, "request_id": "b"}], "mlflow:evaluate"),
    "a name in a later row": (
        [{"inputs": {"q": "a"}}, {"inputs": {"q": "a"}, "request_id": "b"}],
        "mlflow:evaluate",
    ),
    "a misspelled name": ([{"inputs": {"q": "a"}, "reqest_id": "b"}], "mlflow:evaluate"),
    "misspelled inputs": ([{"inpts": {"q": "a"}, "expectations": {}}], "mlflow:oss"),
    "a trace": ([{"trace": {"info": {}, "data": {}}}], "mlflow:evaluate"),
    "ours with a trace": (
        [{"id": "a", "input": "b", "bundle": "agent", "trace": {"info": {}, "data": {}}}],
        None,
    ),
    "a request with a trace": (
        [{"request": "a", "trace": {"info": {}, "data": {}}}],
        "databricks:outputs",
    ),
    "inputs that are text": ([{"inputs": "a"}], None),
    "an example of somebody else": ([{"inputs": {"q": "a"}, "outputs": {}}], None),
    "a request": ([{"request": "a", "expected_facts": ["b"]}], "databricks:application"),
    "a request with outputs": ([{"request": "a", "response": "b"}], "databricks:outputs"),
    "outputs in a later row": (
        [{"request": "a"}, {"request": "a", "response": "b"}],
        "databricks:outputs",
    ),
    "misspelled outputs": ([{"request": "a", "respnse": "b"}], "databricks:outputs"),
    "a misspelled request": ([{"reqest": "a", "request_id": "b"}], "databricks:application"),
    "a misspelled key and nothing else": ([{"reqest": "a"}], None),
    "items": ([{"item": {"question": "a"}, "sample": {"output_text": "b"}}], "openai:hosted"),
    "an eval": ({"testing_criteria": [], "data_source_config": {}}, "openai:hosted"),
    "samples": ([{"input": MESSAGES, "ideal": "b"}], "openai:samples"),
    "samples with texts": ([{"input": "a", "ideal": ["b"]}], "openai:samples"),
    "a test of promptfoo": ([{"vars": {"q": "a"}, "assert": []}], "promptfoo"),
    "a described test": ([{"description": "x", "vars": {"q": "a"}}], "promptfoo"),
    "a misspelled assertion": ([{"vars": {"q": "a"}, "asert": []}], "promptfoo"),
    "a configuration of promptfoo": (
        {"prompts": ["a"], "providers": ["echo"], "tests": "file://tests.csv"},
        "promptfoo",
    ),
    "misspelled variables": ([{"vrs": {"q": "a"}, "description": "b"}], "promptfoo"),
    "keys of a prompt": ({"prompt": "a", "provider": "b", "description": "c"}, None),
    "a default test": ({"defaultTest": {"assert": []}}, "promptfoo"),
    "tests of promptfoo": ({"tests": [{"vars": {"q": "a"}}]}, "promptfoo"),
    "a golden of DeepEval": ([{"input": "a", "expected_output": "b"}], "deepeval"),
    "a golden as it is saved": (
        [{"input": "a", "actual_output": None, "expected_output": "b", "context": None}],
        "deepeval",
    ),
    "a misspelled golden": ([{"input": "a", "expecteed_output": "b"}], "deepeval"),
    "a golden in camel case": ([{"input": "a", "actualOutput": "b"}], "deepeval"),
    "a scenario": ([{"scenario": "a", "expected_outcome": "b"}], "deepeval"),
    "a file of goldens": ({"goldens": [{"input": "a"}]}, "deepeval"),
    "a record of Inspect": ([{"input": "a", "target": "b"}], "inspect"),
    "a misspelled record of Inspect": ([{"input": "a", "tarket": "b"}], "inspect"),
    "a misspelled input": ([{"inputt": "a", "target": "b"}], "inspect"),
    "an odd row before those of Inspect": (
        [{"input": "a", "ideal": "b"}, *[{"input": "a", "target": "b"}] * 2],
        "inspect",
    ),
    "an input and an ideal": ([{"input": "a", "target": "b", "ideal": "c"}], None),
    "a query with an answer and a reference": (
        [{"query": "a", "response": "b", "ground_truth": "c"}],
        "azure",
    ),
    "a misspelled reference": ([{"query": "a", "ground_truht": "c"}], "azure"),
    "a query with an answer": ([{"query": "a", "response": "b"}], None),
    "an exported item": ([{"id": "a", "input": {"q": 1}, "datasetId": "d"}], "langfuse"),
    "a misspelled item": ([{"input": "a", "expectedOutptu": "b"}], "langfuse"),
    "an example of LangSmith": ([{"inputs": {"q": "a"}, "dataset_id": "d"}], "langsmith"),
    "an example with a split": (
        [{"inputs": {"q": "a"}, "outputs": {}, "split": "test", "metadata": {}}],
        "langsmith",
    ),
    "an exported example": (
        [{"id": "4d", "inputs": {"q": "a"}, "outputs": {"a": "b"}, "modified_at": "2026"}],
        "langsmith",
    ),
    "a record of Braintrust": (
        [{"id": "a", "input": {"q": 1}, "expected": "b", "_xact_id": "1"}],
        "braintrust",
    ),
    "a record with trials": ([{"input": [1], "trial_count": 3}], "braintrust"),
    "an input and an expected output": ([{"input": "a", "expected": "b", "tags": []}], None),
    "cases with inputs": ({"cases": [{"inputs": {"q": "a"}}]}, "pydantic_evals"),
    "cases with inputs and a name": ({"name": "a", "cases": [{"inputs": 5}]}, "pydantic_evals"),
    "cases that stand alone": ([{"inputs": "a", "expected_output": "b"}], "pydantic_evals"),
    "cases without inputs": ({"cases": [{"question": "a"}]}, None),
    "a sample of Ragas": ([{"user_input": "a", "reference": "b"}], "ragas"),
    "a sample of several turns": ([{"user_input": [], "reference_topics": ["b"]}], "ragas"),
    "a misspelled sample": ([{"user_inptu": "a", "reference": "b"}], "ragas"),
    "a sample of version 0.1": ([{"question": "a", "contexts": [], "answer": "b"}], "ragas"),
    "a question and an answer": ([{"question": "a", "answer": "b"}], None),
    "ours": ([{"id": "a", "input": "b", "criteria": "c"}], None),
    "ours with a slip": ([{"id": "a", "inputs": "b"}], None),
    "ours with a misspelled key": ([{"id": "a", "input": "b", "expectd": {}}], None),
    "ours with messages": ([{"id": "a", "input": "b", "messages": MESSAGES}], None),
    "a dataset of ours": ({"questions": [{"id": "a", "request": "b"}]}, None),
    "no rows": ([], None),
    "text": ("a", None),
}


@pytest.mark.costly
@every_case("name", CASES)
def test_a_file_is_recognised(name: str, tmp_path: Path) -> None:
    value, expected = CASES[name]
    path = tmp_path / "d.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    assert open_dataset(Input(path)).dialect == (expected or "evalcontract")


@pytest.mark.costly
@every_case("before", ["", "\n", "\r\n \n", "\ufeff\n"], ids=repr)
@every_case("name", [name for name in CASES if isinstance(CASES[name][0], list)])
def test_lines_are_recognised_by_the_first(name: str, before: str, tmp_path: Path) -> None:
    """Blank lines are no rows, wherever they stand."""
    rows, expected = CASES[name]
    path = tmp_path / "d.jsonl"
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    path.write_text(f"{before}{lines}{{}}\n", encoding="utf-8", newline="")
    assert open_dataset(Input(path)).dialect == (expected or "evalcontract")


def test_a_line_that_is_faulty_hides_no_dialect(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    row = json.dumps({"input": "a", "target": "b"})
    path.write_text(f'{{"input\n{{"input": "a"}}\n{row}\n{row}', encoding="utf-8")
    assert open_dataset(Input(path)).dialect == "inspect"


@pytest.mark.slow
@every_case(("length", "examined"), [(1_000, "64 rows"), (100_000, "row")])
def test_the_rows_that_were_examined_are_told_if_there_are_more(
    length: int, examined: str, tmp_path: Path
) -> None:
    path = tmp_path / "d.jsonl"
    line = json.dumps({"input": "a" * length, "target": "b"})
    path.write_text("\n".join([line] * 1_000), encoding="utf-8")
    found = validate(Kind.DATASET, [Input(path)], Options(root=tmp_path)).diagnostics
    assert found[0].message.endswith(f"by `input`, `target` of the first {examined}")


def test_what_shows_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_text(json.dumps([{"inputs": {"q": "a"}, "tags": {}}]), encoding="utf-8")
    (found,) = validate(Kind.DATASET, [Input(path)], Options(root=tmp_path)).diagnostics
    assert found.message == "detected format: MLflow (`--dialect mlflow:oss`), by `inputs`"


def test_a_record_that_others_may_have_names_the_dialect(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_text(json.dumps([{"inputs": {"q": "a"}, "outputs": {}}]), encoding="utf-8")
    (found,) = validate(Kind.DATASET, [Input(path)], Options(root=tmp_path)).diagnostics
    assert found.code == "dataset/other-tool"
    assert "such as `mlflow:evaluate`, pass its `--dialect`" in str(found.help)
