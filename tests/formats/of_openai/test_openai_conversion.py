"""Criteria become checks that grade the same, and a file comes back as it was."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import pytest
import yaml
from examples import some, tries
from openai_files import CRITERIA, ITEMS, OUTPUT, converted, eval_with, losses, mutants
from tables import every_case

from evalcontract.checks.outcome import Outcome
from evalcontract.converting.convert import convert
from evalcontract.converting.output import ConvertOptions
from evalcontract.covering import coverage
from evalcontract.datasets.opening import Input, Options
from evalcontract.grading.grade import Grading

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["Hardware", "hardware", "It is Hardware.", "", "Hard", "a.b*(c)?[d]^$|\\{1}", "axb"]


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def rubric_of(row: dict[str, Any], folder: Path) -> dict[str, Any]:
    name = row["rubric_ref"].removeprefix("rubric/").partition("@")[0]
    return dict(read(folder / f"rubrics/{name}.yaml"))


def means(operation: str, text: str, reference: str) -> bool:
    """Return what the documentation of graders says of an operation."""
    match operation:
        case "eq" | "ne":
            return (text == reference) is (operation == "eq")
        case "like":
            return reference in text
    return reference.lower() in text.lower()


@pytest.mark.slow
@every_case("operation", ["eq", "ne", "like", "ilike"])
@every_case("reference", ["{{ item.label }}", "Hardware", "{{item.label}}!", *TEXTS[4:]])
def test_a_string_check_grades_the_same(operation: str, reference: str, tmp_path: Path) -> None:
    value = eval_with("string_check", operation=operation, reference=reference)
    value["data_source"]["source"]["content"] = [
        {"item": {"question": f"t{number}", "label": label}}
        for number, label in enumerate(["Hardware", "a.b*(c)?[d]^$|\\{1}"])
    ]
    assert converted(value, "datasets/d.yaml", tmp_path).refusal is None
    rows = read(tmp_path / "datasets/d.yaml")["questions"]
    for text in TEXTS:
        outputs = "".join(f"{json.dumps({'id': row['id'], 'output': text})}\n" for row in rows)
        (tmp_path / "outputs.jsonl").write_text(outputs, encoding="utf-8")
        inputs = Input(tmp_path / "datasets/d.yaml"), Input(tmp_path / "outputs.jsonl")
        results = [*Grading(*inputs, Options(root=tmp_path)).results()]
        for row, result in zip(rows, results, strict=True):
            label = "Hardware" if row["input"] == "t0" else TEXTS[5]
            asked = reference.replace("{{ item.label }}", label).replace("{{item.label}}", label)
            (check,) = result.checks
            assert (check.outcome is Outcome.PASSED) is means(operation, text, asked), (text, asked)


def test_each_type_of_criterion(tmp_path: Path) -> None:
    done = converted(eval_with(*CRITERIA), "datasets/d.yaml", tmp_path)
    assert done.refusal is None
    rows = read(tmp_path / "datasets/d.yaml")["questions"]
    assert [row["input"] for row in rows] == [item["item"]["question"] for item in ITEMS]
    assert [row["expected"]["reference"] for row in rows] == ["Hardware", "Software", "Hardware"]
    assert rows[1]["recorded_output"] == "Software"
    # Rows that are compared with the same text share a rubric.
    assert rows[0]["rubric_ref"] == rows[2]["rubric_ref"] != rows[1]["rubric_ref"]
    rubric = rubric_of(rows[0], tmp_path)
    assert [(each["id"], each["kind"]) for each in rubric["checks"]] == [
        ("right_label", "regex"),
        ("tone", "llm_judge"),
        ("help", "llm_judge"),
    ]
    assert rubric["scoring"] == {"combine": "all_pass"}
    assert {path: kept for path, _, kept in losses(tmp_path)} == {
        "$.testing_criteria[1]": True,
        "$.testing_criteria[4]": True,
    }
    tone, help_ = read(tmp_path / "judges/tone.yaml"), read(tmp_path / "judges/help.yaml")
    assert tone["template"] == "Is it kind to a {{ context.tier }} guest?\n{{ output }}"
    assert tone["level_names"] == ["cold", "rude", "kind"]
    assert tone["pass_threshold"] == 1
    assert help_["template"] == "[developer]\nGive a number.\n\n[user]\n{{ input }}\n{{ output }}"
    assert (help_["min_score"], help_["max_score"], help_["pass_threshold"]) == (1, 7, 5.5)
    assert help_["model"] == {"provider": "openai", "name": "m-1"}


@pytest.mark.costly
@every_case(
    ("name", "changes"),
    [
        ("string_check", {"input": "{{ sample.output_json }}"}),
        ("string_check", {"input": "{{ item.question }}"}),
        ("string_check", {"operation": "like", "reference": ""}),
        ("label_model", {"passing_labels": []}),
        ("label_model", {"labels": ["kind"]}),
        ("label_model", {"input": [{"role": "user", "content": "{{ item.question }}"}]}),
        ("label_model", {"input": [{"role": "user", "content": "{{ sample.output_json }}"}]}),
        ("label_model", {"input": [{"role": "user", "content": [{"type": "input_image"}]}]}),
        ("label_model", {"input": [{"role": "user", "content": f"{OUTPUT} {{{{#a}}"}]}),
        ("label_model", {"input": [{"role": "user", "content": f"{OUTPUT} {{{{ item.a b }}}}"}]}),
        ("score_model", {"range": [5, 5], "pass_threshold": None}),
        ("score_model", {"range": [0, 1]}),
        ("text_similarity", {}),
        ("python", {}),
    ],
)
def test_what_no_check_can_say_is_a_loss(
    name: str, changes: dict[str, Any], tmp_path: Path
) -> None:
    value = eval_with(name, **changes)
    value["testing_criteria"].append({**CRITERIA["string_check"], "input": OUTPUT})
    assert converted(value, "datasets/d.yaml", tmp_path).refusal is None
    assert [path for path, *_ in losses(tmp_path)] == ["$.testing_criteria[0]"]
    for row in read(tmp_path / "datasets/d.yaml")["questions"]:
        assert [each["id"] for each in rubric_of(row, tmp_path)["checks"]] == ["right_label"]


def test_the_question_is_what_the_model_is_asked(tmp_path: Path) -> None:
    value = eval_with("python")
    value["data_source"] |= {
        "type": "completions",
        "input_messages": {
            "type": "template",
            "template": [
                {"role": "developer", "content": "Guests are {{ item.tier }}."},
                {"role": "user", "content": "{{ item.label }}"},
            ],
        },
    }
    assert converted(value, "d.yaml", tmp_path).refusal is None
    row = read(tmp_path / "d.yaml")["questions"][0]
    assert row["input"] == "Hardware"
    assert row["messages"][0] == {"role": "developer", "content": "Guests are gold."}
    assert row["context"] == {"question": "The screen is black.", "tier": "gold"}
    options = ConvertOptions(None, "openai")
    done = convert(Input(tmp_path / "d.yaml"), tmp_path / "b.json", options, Options(root=tmp_path))
    assert done.losses.total == 0
    assert read(tmp_path / "b.json") == value


def test_an_answer_in_the_item_is_the_recorded_one(tmp_path: Path) -> None:
    value = eval_with("string_check", input="{{ item.tier }}")
    assert converted(value, "d.yaml", tmp_path).refusal is None
    rows = read(tmp_path / "d.yaml")["questions"]
    assert [row.get("recorded_output") for row in rows] == ["gold", "free", "free"]


VALUES: list[Any] = [
    eval_with(*CRITERIA),
    eval_with(),
    {**eval_with("python"), "id": "eval_1", "object": "eval", "metadata": {"team": "x"}},
    [{"item": {"a": 1, "b": [None, {"c": ""}]}, "sample": {"output_text": "", "choices": []}}],
    [{"item": {}}, {"item": {"id": "", "input": ""}}, {"item": {"input": "a", "x": None}}],
    [{"item": {"id": "a", "question": "b", "tags": [1], "expected": "c", "context": {"d": 1}}}],
    [{"item": {"messages": [{"role": "user", "content": "Hi"}], "criteria": " ", "bundle": "rag"}}],
    [{"item": {"input": "a"}, "sample": None, "metadata": {"evalcontract": {"set": 5}}}],
]
SAMPLES: list[Any] = [
    {"input": "a", "ideal": "b"},
    {
        "input": [{"role": "system", "content": "s"}, {"role": "user", "content": "f"}],
        "ideal": ["b"],
    },
    {"input": [{"role": "user", "content": "c"}], "ideal": "b", "x": {"y": 1}, "completion": "c"},
    {"input": [], "ideal": ["", "b"]},
    {"input": ["a", 5], "ideal": ""},
    {"input": "", "id": 5, "metadata": 7},
    {"input": [{"role": "user", "content": [{"type": "text", "text": "d"}]}], "expected": 5},
    {"input": [{"role": "user", "content": "e"}, {"role": "assistant", "content": "b"}]},
]


@pytest.mark.slow
@every_case("other", ["evalcontract", "mlflow:oss", "databricks", "northstar", "openai:samples"])
@every_case("value", VALUES, ids=lambda value: json.dumps(value)[:40])
def test_an_export_comes_back_as_it_was(value: Any, other: str, tmp_path: Path) -> None:
    there = converted(value, "there.json", tmp_path, "openai", other)
    assert there.refusal is None, there.diagnostics
    options = ConvertOptions(other, "openai")
    back = convert(
        Input(tmp_path / "there.json"), tmp_path / "b.json", options, Options(root=tmp_path)
    )
    assert back.refusal is None, back.diagnostics
    result = read(tmp_path / "b.json")
    is_eval = isinstance(value, dict)
    if is_eval and other == "evalcontract":
        assert result == value
    rows = value["data_source"]["source"]["content"] if is_eval else value
    assert result["data_source"]["source"]["content"] == rows


@pytest.mark.costly
@every_case("other", ["evalcontract", "mlflow:oss", "databricks", "northstar", "openai:hosted"])
def test_samples_come_back_as_they_were(other: str, tmp_path: Path) -> None:
    text = "".join(f"{json.dumps(each)}\n" for each in SAMPLES)
    there = converted(text, "there.jsonl", tmp_path, "openai:samples", other)
    assert there.refusal is None, there.diagnostics
    options = ConvertOptions(other, "openai:samples")
    back = convert(
        Input(tmp_path / "there.jsonl"), tmp_path / "b.jsonl", options, Options(root=tmp_path)
    )
    assert back.refusal is None, back.diagnostics
    lines = (tmp_path / "b.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == SAMPLES


def test_a_rubric_that_all_rows_share_becomes_criteria(tmp_path: Path) -> None:
    (tmp_path / "rubrics").mkdir()
    checks: list[dict[str, Any]] = [
        {"id": "whole", "kind": "regex", "pattern": "Yes\\.", "match": "full"},
        {"id": "not", "kind": "regex", "pattern": "No", "match": "full", "negate": True},
        {"id": "part", "kind": "must_contain_any", "values": ["yes"]},
    ]
    rubric = {"id": "r", "version": "1.0.0", "checks": checks, "scoring": {"combine": "all_pass"}}
    (tmp_path / "rubrics/r.yaml").write_text(yaml.safe_dump(rubric), encoding="utf-8")
    rows = [
        {"id": name, "input": "Is it?", "context": {"a": 1}, "rubric_ref": "rubric/r@1.0.0"}
        for name in ("a", "b")
    ]
    value = {"label": "Own", "questions": rows}
    done = converted(value, "b.json", tmp_path, None, "openai")
    assert done.refusal is None
    written = read(tmp_path / "b.json")
    assert [(each["operation"], each["reference"]) for each in written["testing_criteria"]] == [
        ("eq", "Yes."),
        ("ne", "No"),
        ("ilike", "yes"),
    ]
    assert written["data_source_config"]["item_schema"]["required"] == ["id", "input", "a"]
    assert losses(tmp_path) == []
    rubric["checks"] = [*checks, {"id": "x", "kind": "regex", "pattern": "a+", "match": "full"}]
    (tmp_path / "rubrics/r.yaml").write_text(yaml.safe_dump(rubric), encoding="utf-8")
    converted(value, "b.json", tmp_path, None, "openai")
    assert {path for path, *_ in losses(tmp_path)} == {
        "$.questions[0].rubric_ref",
        "$.questions[1].rubric_ref",
    }
    assert read(tmp_path / "b.json")["testing_criteria"] == []


def test_an_edited_rubric_is_told(tmp_path: Path) -> None:
    converted(eval_with("string_check"), "datasets/d.yaml", tmp_path)
    path = tmp_path / "rubrics/d_right_label_2.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("Software", "Softer"), "utf-8")
    report = tmp_path / "l.json"
    done = convert(
        Input(tmp_path / "datasets/d.yaml"),
        tmp_path / "b.json",
        ConvertOptions(None, "openai", report),
        Options(root=tmp_path),
    )
    assert done.refusal is None
    (loss,) = cast("list[Any]", json.loads(report.read_text(encoding="utf-8"))["losses"])
    assert not loss["kept"]
    assert loss["path"].endswith("rubric_ref")


def test_a_search_for_a_key_of_the_item_is_one_rubric(tmp_path: Path) -> None:
    value = eval_with("string_check", operation="ilike")
    assert converted(value, "datasets/d.yaml", tmp_path).refusal is None
    rows = read(tmp_path / "datasets/d.yaml")["questions"]
    assert len({row["rubric_ref"] for row in rows}) == 1
    assert [row["must_contain_any"] for row in rows] == [["Hardware"], ["Software"], ["Hardware"]]
    (check,) = rubric_of(rows[0], tmp_path)["checks"]
    assert (check["kind"], "values" in check) == ("must_contain_any", False)
    options = ConvertOptions(None, "openai")
    folder = Options(root=tmp_path)
    back = convert(Input(tmp_path / "datasets/d.yaml"), tmp_path / "b.json", options, folder)
    assert back.losses.total == 0
    assert read(tmp_path / "b.json") == value


def test_too_many_texts_are_a_loss_and_no_thousand_rubrics(tmp_path: Path) -> None:
    value = eval_with("string_check", "label_model")
    value["data_source"]["source"]["content"] = [
        {"item": {"question": "q", "label": str(number), "tier": "x"}} for number in range(201)
    ]
    assert converted(value, "datasets/d.yaml", tmp_path).refusal is None
    assert [path for path, *_ in losses(tmp_path)] == ["$.testing_criteria[0]"]
    assert len([*(tmp_path / "rubrics").iterdir()]) == 1


@pytest.mark.slow
def test_a_malformed_eval_is_refused_without_a_crash(tmp_path: Path) -> None:
    refused = 0
    for _, changed in some(mutants(eval_with(*CRITERIA)), times=4):
        done = converted(changed, "d.yaml", tmp_path)
        refused += done.refusal is not None
        options = Options(root=tmp_path, dialect="openai")
        assert coverage([Input(tmp_path / "in.json")], options, all_rows=True).files
    assert refused > tries(100)
