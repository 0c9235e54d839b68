"""Datasets, rubrics and judges of other tools are recognised, and reported once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from doors import Input, Kind, Options, check_workspaces, command_line, validate
from tables import every_case

from evalcontract import ContractViolation, DatasetLoader
from evalcontract.workspace.recognition import TOOLS, tool_of_root, tool_of_rows

MESSAGES = [{"role": "user", "content": "How deep?"}]
#: Rows by the name of the tool, as its documentation shows them.
ROWS: list[tuple[str, dict[str, Any]]] = [
    ("pydantic-evals", {"name": "a", "inputs": "b", "expected_output": "c"}),
    ("Ragas", {"user_input": "a", "retrieved_contexts": ["b"], "response": "c"}),
    ("Ragas", {"question": "a", "contexts": ["b"], "answer": "c", "ground_truth": "d"}),
    ("OpenAI evals", {"input": MESSAGES, "ideal": "b"}),
    ("OpenAI evals", {"item": {"q": "a", "correct": "b"}}),
    ("LangSmith", {"id": "4d", "inputs": {"q": "a"}, "outputs": {"a": "b"}, "dataset_id": "7a"}),
    ("ai_best_practices", {"id": 1, "prompt": "a", "expectations": ["b"], "must_contain_any": []}),
]
#: Whole files by the name of the tool.
ROOTS: list[tuple[str, dict[str, Any]]] = [
    ("pydantic-evals", {"name": "a", "cases": [{"name": "b", "inputs": "c"}], "evaluators": []}),
    ("Ragas", {"samples": [{"user_input": "a"}]}),
    ("OpenAI evals", {"x": {"id": "x.dev.v0", "metrics": ["accuracy"]}}),
    ("OpenAI evals", {"x.dev.v0": {"class": "evals.elsuite.basic.match:Match", "args": {}}}),
    ("OpenAI evals", {"fact": {"prompt": "a", "choice_strings": ["Y"], "input_outputs": {}}}),
    ("OpenAI evals", {"name": "a", "testing_criteria": [], "data_source_config": {}}),
    ("LangSmith", {"examples": [{"inputs": {"q": "a"}, "outputs": {"a": "b"}}]}),
    ("ai_best_practices", {"skill_name": "a", "evals": [{"id": 1, "prompt": "b"}]}),
]
#: Files that are no datasets by the name of the tool, each with where it is among datasets.
_TIMES = {"startTime": "2026-01-01T00:00:00Z", "endTime": "2026-01-01T00:00:01Z"}
_SPAN = {"uuid": "a", "name": "b", "status": "SUCCESS", "type": "llm", "input": "c", "output": "d"}
_SAMPLE = {"id": 1, "epoch": 1, "input": "a", "target": "b", "messages": [], "scores": {}}
_LOG = {"version": 2, "status": "success", "eval": {"task": "a"}, "plan": {}, "stats": {}}
WITHOUT_DATASETS: list[tuple[str, Any]] = [
    ("Inspect", {**_LOG, "samples": [_SAMPLE]}),
    ("Inspect", {"status": "error", "eval": {}}),
    ("DeepEval", [{**_SPAN, **_TIMES}] * 2),
    ("DeepEval", [{**_SPAN, "start_time": 1.0, "end_time": 2.0, "expected_output": "e"}]),
    ("DeepEval", [{"uuid": "a", **_TIMES, "baseSpans": [], "input": "b", "expectedOutput": "c"}]),
    ("DeepEval", {"uuid": "a", **_TIMES, "llmSpans": [], "input": "b", "output": "c"}),
    ("DeepEval", {"traces": [{**_SPAN, **_TIMES}]}),
    ("DeepEval", {"testCases": [{"name": "a", "input": "b"}], "metricsScores": []}),
    ("DeepEval", {"testRunData": {"testCases": [], "metricsScores": []}}),
    ("lm-evaluation-harness", {"task": "a", "dataset_path": "b", "doc_to_text": "c"}),
    ("lm-evaluation-harness", {"task": "a", "output_type": "multiple_choice"}),
]
#: Faulty rows of evalcontract datasets.
OWN_ROWS: list[dict[str, Any]] = [
    {"id": "a", "input": "b", "expected_output": "c"},
    {"id": "a", "input": "b", "vars": {"c": 1}, "assert": []},
    {"input": "b", "criteria": "c", "target": "d"},
    {"id": 1, "input": "b", "expected": {"reference": "c"}, "ideal": "d"},
    {"id": "a", "prompt": "b", "rubric_ref": "rubric/a@1.0.0", "expectations": []},
    {"id": "a", "question": "b", "expected_facts": ["c"], "contexts": []},
    {"id": "a", "input": "b"},
    {"id": 1, "input": "b", "expected_tools": ["c"], "context": ["d"]},
    {"id": "a", "user_input": "b"},
    {"id": "a", "prompt": "b"},
    {"id": "a", "inputs": "b", "must_contain_any": ["c"]},
]


def test_every_tool_is_tried() -> None:
    tried = {name for name, _ in (*ROWS, *ROOTS, *WITHOUT_DATASETS)}
    assert tried == {tool.name for tool in TOOLS}
    assert all("." in tool.source for tool in TOOLS)


@pytest.mark.slow
@every_case("suffix", [".json", ".jsonl", ".yaml"])
@every_case(("name", "row"), ROWS)
def test_rows_of_a_tool(name: str, row: dict[str, Any], suffix: str, tmp_path: Path) -> None:
    lines = [json.dumps(row)] * 5
    text = "\n".join(lines) if suffix == ".jsonl" else f"[{','.join(lines)}]"
    assert_reported_once(tmp_path / f"datasets/a{suffix}", text, name, "dataset")


@pytest.mark.costly
@every_case(("name", "root"), ROOTS)
def test_a_file_of_a_tool(name: str, root: dict[str, Any], tmp_path: Path) -> None:
    # As a dataset its dialect is told.
    kinds = ("rubric", "judge") if name == "ai_best_practices" else ("dataset", "rubric", "judge")
    for kind in kinds:
        folder = tmp_path / kind
        assert_reported_once(folder / f"{kind}s/a.json", json.dumps(root), name, kind)


def test_cases_of_a_skill_are_of_their_dialect(tmp_path: Path) -> None:
    for variant, case in (("guide", {}), ("best_practices", {"must_contain_any": ["a"]})):
        text = json.dumps({"skill_name": "a", "evals": [{"id": 1, "prompt": "b", **case}]})
        path = tmp_path / variant / "datasets/a.json"
        assert_reported_once(path, text, "Agent Skills", "dataset")
        (finding,) = check_workspaces(path.parents[1], Options()).diagnostics
        assert f"--dialect agent_skills:{variant}" in str(finding.help)


def assert_reported_once(path: Path, text: str, name: str, kind: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    for strict in (False, True):
        outcome = check_workspaces(path.parents[1], Options(strict=strict))
        (finding,) = outcome.diagnostics
        assert (finding.code, str(finding.severity)) == (f"{kind}/other-tool", "error")
        assert name in finding.message
        assert finding.help
        assert finding.place.span


def test_a_command_that_is_advised_translates_the_file(tmp_path: Path) -> None:
    row = {"inputs": {"question": "a"}, "outputs": {"answer": "b"}}
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    (finding,) = validate(Kind.DATASET, [Input(tmp_path / "a.jsonl")], Options()).diagnostics
    command = str(finding.help).split("`")[1].split()
    assert command[:2] == ["evalcontract", "convert"]
    paths = {"FILE": tmp_path / "a.jsonl", "OUT": tmp_path / "out.yaml"}
    assert command_line(*(paths.get(word, word) for word in command[1:])) == 0
    assert "input: a" in (tmp_path / "out.yaml").read_text()


@pytest.mark.slow
@every_case("row", OWN_ROWS)
def test_faulty_rows_of_ours_are_of_no_tool(row: dict[str, Any], tmp_path: Path) -> None:
    assert tool_of_rows([row]) is None
    assert tool_of_rows([*(foreign for _, foreign in ROWS[2:3]), row]) is None
    (tmp_path / "datasets").mkdir()
    for root in ([row], {"questions": [row]}, {"tests": [row]}):
        (tmp_path / "datasets/a.json").write_text(json.dumps(root), encoding="utf-8")
        outcome = check_workspaces(tmp_path, Options(strict=False))
        codes = {finding.code for finding in outcome.diagnostics}
        assert codes
        assert "dataset/other-tool" not in codes


@every_case(
    "root",
    [
        {"questions": [], "prompts": [], "providers": []},
        {"checks": [], "testing_criteria": []},
        {"template": "a", "prompt": "b", "choice_strings": []},
        {"tests": []},
        {"cases": [{"id": "a", "input": "b"}]},
        {"prompts": []},
        {},
        [],
        None,
    ],
)
def test_a_file_of_no_tool(root: Any) -> None:
    assert tool_of_root(root) is None


NO_DATASETS = [
    "name: a\nskill: b\ngraders: [{type: code, name: c}]\ntasks: [tasks/a.yaml]\n",
    "repos: [{repo: a, hooks: [{id: b}]}]\n",
    "agents: [{name: a, instructions: b}]\n",
    "cases: [{name: a, steps: []}]\n",
    "- {name: a, on: push}\n",
    "body: [{id: a, type: textarea, attributes: {label: b}}, {id: c, type: dropdown}]\n",
    "panels: [{id: a, type: lens, version: '1'}]\n",
    "scenes: [{id: a, title: b, narration: c}]\n",
    "items: [{id: a}]\n",
    "pass_rate: 1\nevals: [{eval_id: 1, prompt: a, with_skill: {output: b}}]\n",
    "{call_id: a, scenario: b, expected_outcome: c, turns: [{role: user, content: d}]}\n",
    "- {id: a, label: b, metadata: {}}\n",
]


@pytest.mark.costly
@every_case("text", NO_DATASETS)
def test_a_file_that_is_no_dataset_is_not_made_one(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text, encoding="utf-8")
    (found,) = validate(Kind.DATASET, [Input(path)], Options()).diagnostics
    assert (found.code, found.fix) == ("dataset/no-questions", None)
    assert "is not checked" in found.message
    assert command_line("fix", "--unsafe-fixes", path) == 1
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.costly
@every_case(("name", "value"), WITHOUT_DATASETS)
def test_a_log_of_another_tool_is_not_advised_to_be_a_dataset(
    name: str, value: Any, tmp_path: Path
) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    for strict, dialect in ((False, None), (True, None), (True, "evalcontract")):
        options = Options(strict=strict, dialect=dialect)
        (found,) = validate(Kind.DATASET, [Input(path)], options).diagnostics
        assert (found.code, str(found.severity), found.fix) == ("dataset/other-tool", "error", None)
        assert name in found.message
        assert "questions" not in str(found.help)
    assert command_line("fix", "--unsafe-fixes", path) == 1
    assert command_line("init", "--from", path, "--ci", "none", tmp_path / "out") == 2
    assert [each.name for each in tmp_path.iterdir()] == ["a.json"]
    assert path.read_text(encoding="utf-8") == json.dumps(value)


@pytest.mark.costly
@every_case(("name", "value"), WITHOUT_DATASETS)
def test_a_log_that_nobody_named_is_noted(
    name: str, value: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "datasets"
    for path in (folder / "log.json", tmp_path / "logs/log.json"):
        path.parent.mkdir()
        path.write_text(json.dumps(value), encoding="utf-8")
    for command in ("check", "validate-dataset"):
        assert command_line(command, tmp_path) == 2  # there is nothing else
        assert name in capsys.readouterr().err
    (folder / "own.yaml").write_text(
        "questions: [{id: a, input: b, expected_facts: [c]}]\n", encoding="utf-8"
    )
    for inputs in ([Input(folder / "log.json", is_found=True), Input(folder / "own.yaml")], None):
        options = Options(strict=True)
        outcome = (
            validate(Kind.DATASET, inputs, options)
            if inputs
            else check_workspaces(tmp_path, options)
        )
        (found,) = outcome.diagnostics
        assert (found.code, str(found.severity)) == ("workspace/unread-file", "note")
        assert found.place.file.endswith("datasets/log.json")
        assert name in found.message
        assert "is not checked" in found.message
        assert (outcome.files, outcome.rows) == ({"dataset": 1}, 1)
        assert [Path(each).parent.name for each in outcome.left_out] == ["logs"][: not inputs]


def test_a_log_that_somebody_names_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "targets").mkdir()
    (tmp_path / "targets/nightly.yaml").write_text("dataset: datasets/log.json\n")
    folder = tmp_path / "datasets"
    folder.mkdir()
    (folder / "log.json").write_text(json.dumps(_LOG), encoding="utf-8")
    codes = [found.code for found in check_workspaces(tmp_path, Options()).diagnostics]
    assert "dataset/other-tool" in codes
    assert "workspace/unread-file" not in codes
    for arguments in ([folder / "log.json"], [tmp_path, folder / "log.json"]):
        assert command_line("validate-dataset", *arguments) == 1


@every_case(
    "row",
    [
        *("{id: a, input: b}", "{id: a, question: b}", "{input: b}", "{idd: a, inptu: b}"),
        *("{id: a, expected_facts: [b]}", "{id: a, criteria: b}", "{id: a, rubric_ref: b@1.0}"),
    ],
)
def test_a_list_of_rows_under_another_key(row: str, tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(f"trials: [{row}]\n", encoding="utf-8")
    (found,) = validate(Kind.DATASET, [Input(path)], Options()).diagnostics
    assert (found.code, found.help) == ("dataset/no-questions", "rename it to `questions`")
    assert found.fix is not None
    path.write_text(f"- {row}\n", encoding="utf-8")
    (found,) = validate(Kind.DATASET, [Input(path)], Options()).diagnostics
    assert found.help == "add `questions:` above the list"


def test_a_dialect_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("datasets/a.jsonl")
    row = {"inputs": {"q": "a"}, "expectations": {"expected_facts": ["b"]}}
    path.parent.mkdir()
    path.write_text(f"{json.dumps(row)}\n" * 3, encoding="utf-8")
    (finding,) = check_workspaces(Path(), Options()).diagnostics
    assert finding.code == "dataset/other-tool"
    assert "`validate-dataset --dialect mlflow:oss`" in (finding.help or "")
    assert command_line("validate-dataset", "--dialect", "mlflow:oss", path) == 0


def test_nothing_of_another_tool_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"input": "a", "target": "b"}\n', encoding="utf-8")
    with pytest.raises(ContractViolation) as caught:
        DatasetLoader(strict=False).load(tmp_path / "a.jsonl")
    assert [finding.code for finding in caught.value.diagnostics] == ["dataset/other-tool"]


def test_ignored_rows_are_checked_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "datasets").mkdir()
    (tmp_path / "evalcontract.toml").write_text('[severity]\n"dataset/other-tool" = "ignore"\n')
    (tmp_path / "datasets/a.jsonl").write_text('{"input": "a", "target": "b"}\n' * 2)
    codes = [finding.code for finding in check_workspaces(tmp_path, Options()).diagnostics]
    assert codes.count("dataset/missing-key") == 2
