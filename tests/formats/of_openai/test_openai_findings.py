"""What is told of evals, items and samples: each mistake once, where it stands."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from openai_files import CRITERIA, OUTPUT, eval_with, findings
from tables import every_case
from texts import facts

from evalcontract.formats import dialect_of
from evalcontract.source.external import read_external

if TYPE_CHECKING:
    from pathlib import Path

#: A criterion, what is changed in it, the code, and facts of the message or the help.
CHANGES: list[tuple[str, dict[str, Any], str, list[str]]] = [
    ("string_check", {"operation": "equals"}, "unknown-value", ["operation", "equals", "eq"]),
    ("string_check", {"type": "string_chek"}, "unknown-value", ["string_chek", "string_check"]),
    ("string_check", {"input": 5}, "wrong-type", ["input"]),
    ("string_check", {"reference": "{{ item.lable }}"}, "unknown-variable", ["{{ item.label }}"]),
    ("string_check", {"reference": "{{item.question.id}}"}, "unknown-variable", ["question.id"]),
    ("string_check", {"input": "{{ output }}"}, "unknown-variable", ["{{ sample.output_text }}"]),
    ("string_check", {"input": "{{ label }}"}, "unknown-variable", ["{{ item.label }}"]),
    (
        "string_check",
        {"input": "{{ sample.output }}"},
        "unknown-variable",
        ["{{ sample.output_text }}"],
    ),
    ("string_check", {"input": "a", "reference": "b"}, "constant-criterion", ["item", "sample"]),
    ("string_check", {"threshold": 0.5}, "ignored-key", ["threshold"]),
    ("text_similarity", {"evaluation_metric": "rouge"}, "unknown-value", ["rouge", "rouge_1"]),
    ("label_model", {"passing_labels": ["Kind"]}, "unknown-label", ["Kind", "kind"]),
    ("label_model", {"passing_labels": []}, "unknown-label", []),
    ("label_model", {"input": "Is it kind?"}, "wrong-type", ["input"]),
    ("score_model", {"range": [1]}, "too-few-items", ["range"]),
    ("score_model", {"pass_treshold": 1}, "near-miss-key", ["pass_threshold"]),
]


@pytest.mark.costly
@every_case(("name", "changes", "code", "told"), CHANGES)
def test_a_mistake_in_a_criterion_is_told_once(
    name: str, changes: dict[str, Any], code: str, told: list[str], tmp_path: Path
) -> None:
    value = eval_with(name, **changes)
    if code == "near-miss-key":
        del value["testing_criteria"][0]["pass_threshold"]
    (found,) = findings(value, tmp_path)
    assert found.code == f"openai/{code}"
    assert set(told) <= {*facts(found.message), *facts(found.help)}
    assert found.place.span is not None
    assert found.place.span.line > 1


def test_an_eval_without_mistakes_has_no_findings(tmp_path: Path) -> None:
    assert findings(eval_with(*CRITERIA), tmp_path) == []
    rows = eval_with()["data_source"]["source"]["content"]
    assert findings("".join(f"{json.dumps(row)}\n" for row in rows), tmp_path) == []


def test_two_criteria_of_one_name(tmp_path: Path) -> None:
    (found,) = findings(eval_with("python", "python"), tmp_path)
    assert found.code == "openai/duplicate-id"
    assert found.related[0][1].span is not None


@every_case(
    ("item", "told"),
    [
        ({"question": "a"}, ["label"]),
        ({"question": 5, "label": "b"}, ["question"]),
    ],
)
def test_an_item_violates_its_own_schema(
    item: dict[str, Any], told: list[str], tmp_path: Path
) -> None:
    value = eval_with("python")
    value["data_source"]["source"]["content"][1]["item"] = item
    (found,) = findings(value, tmp_path)
    assert found.code == "openai/schema-mismatch"
    assert set(told) <= set(facts(found.message))
    assert found.place.span is not None


@every_case(
    ("item", "told"),
    [
        ({"question": "a", "labl": "b"}, ["labl", "label"]),
        ({"quesiton": "a", "label": "b"}, ["quesiton", "question"]),
        ({"question": "a", "label": "b", "teir": "c"}, ["teir", "tier"]),
    ],
)
def test_a_misspelled_key_of_an_item_is_told_with_its_own(
    item: dict[str, Any], told: list[str], tmp_path: Path
) -> None:
    value = eval_with("python")
    value["data_source"]["source"]["content"][1]["item"] = item
    (found,) = findings(value, tmp_path)
    assert found.code == "openai/near-miss-key"
    assert [*facts(found.message), *facts(found.help)] == told
    assert found.pointer == f"$.data_source.source.content[1].item.{told[0]}"


def test_other_keys_of_an_item_are_its_own(tmp_path: Path) -> None:
    value = eval_with("python")
    value["data_source"]["source"]["content"][1]["item"] |= {"labels": "b", "answer": "c"}
    assert findings(value, tmp_path) == []


SOURCES: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    ({"type": "file_id", "id": "file-67"}, [("no-rows", "")]),
    ({"type": "file_contnt", "content": []}, [("unknown-value", ".source.type")]),
    ({"content": []}, [("missing-key", ".source")]),
    ({"type": "file_id"}, [("missing-key", ".source")]),
    ({"type": "file_id", "id": 67}, [("wrong-type", ".source.id")]),
    ({"type": "file_content"}, [("missing-key", ".source")]),
    ({"type": "stored_completions"}, [("unknown-value", ".source.type")]),
    ({"tpye": "file_id", "id": "file-67"}, [("missing-key", ".source.tpye")]),
]


@every_case(("source", "expected"), SOURCES)
def test_a_source_is_one_that_the_api_takes(
    source: dict[str, Any], expected: list[tuple[str, str]], tmp_path: Path
) -> None:
    value = eval_with("python")
    value["data_source"]["source"] = source
    found = findings(value, tmp_path)
    told = [(each.code.removeprefix("openai/"), each.pointer) for each in found]
    assert [
        (code, where.removeprefix("$").removeprefix(".data_source")) for code, where in told
    ] == expected


@every_case("schema", [{"type": "objekt"}, {"$ref": "#/nowhere"}, {"pattern": "("}])
def test_a_schema_is_invalid(schema: dict[str, Any], tmp_path: Path) -> None:
    value = eval_with("python")
    value["data_source_config"]["item_schema"] = schema
    assert [each.code for each in findings(value, tmp_path)] == ["openai/invalid-schema"]


def test_the_schema_that_the_api_gives_is_read(tmp_path: Path) -> None:
    value = eval_with("python")
    schema = value["data_source_config"].pop("item_schema")
    value["data_source_config"]["schema"] = {"type": "object", "properties": {"item": schema}}
    del value["data_source"]["source"]["content"][0]["item"]["label"]
    assert [each.code for each in findings(value, tmp_path)] == ["openai/schema-mismatch"]


def test_no_item_needs_what_the_schema_declares(tmp_path: Path) -> None:
    value = eval_with("string_check", reference="{{ item.note }}")
    assert [each.code for each in findings(value, tmp_path)] == ["openai/unknown-variable"]
    value["data_source_config"]["item_schema"]["properties"]["note"] = {"type": "string"}
    assert findings(value, tmp_path) == []


@every_case(
    ("text", "codes"),
    [
        ('{"input": "a", "ideal": "b"}', []),
        ('{"input": "a", "ideel": "b"}', ["near-miss-key"]),
        ('{"input": "a"}', ["nothing-expected"]),
        ('{"input": "a", "choice": "b", "completion": "c"}', []),
        ('{"input": "a", "ideal": ["b", ""]}', ["empty-ideal"]),
        ('{"input": "a", "ideal": []}', ["empty-ideal"]),
        ('{"input": "a", "ideal": [5]}', ["wrong-type"]),
        ('{"inputs": "a", "ideal": "b"}', ["missing-key"]),
        ('{"prompt": "a", "ideal": "b"}', ["missing-key"]),
        ('\ufeff{"input": "a", "ideal": "b"}', ["rejected"]),
        ("[1]", ["wrong-type"]),
    ],
)
def test_samples(text: str, codes: list[str], tmp_path: Path) -> None:
    found = findings(f"{text}\n", tmp_path, "openai:samples")
    assert [each.code for each in found] == [f"openai/{code}" for code in codes]


@every_case("value", [5, "text", None, [], [5], {}, {"testing_criteria": 5}, {"item": {}}])
def test_what_is_no_eval_is_told(value: Any, tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    assert findings(value if not isinstance(value, str) else [value], tmp_path)


@pytest.mark.parametrize(
    ("name", "changes", "states"),
    [
        ("string_check", {}, ["run", "run", "run"]),
        ("string_check", {"reference": "{{ item.note }}"}, ["run", "fail", "fail"]),
        ("string_check", {"operation": "like", "reference": ""}, ["vacuous"] * 3),
        ("label_model", {"passing_labels": ["none"]}, ["fail"] * 3),
        ("label_model", {"passing_labels": ["kind", "cold", "rude"]}, ["vacuous"] * 3),
        ("python", {}, ["run"] * 3),
    ],
)
def test_each_criterion_is_predicted(
    name: str, changes: dict[str, Any], states: list[str], tmp_path: Path
) -> None:
    value = eval_with(name, **changes)
    rows = value["data_source"]["source"]["content"]
    rows[0]["item"]["note"] = "x"
    path = tmp_path / "d.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    read = read_external(path, "d.json")
    found = [[*dialect_of("openai").predict(row, read)] for row in rows]
    assert [each.state for (each,) in found] == states
    assert {(each.name, each.kind) for (each,) in found} == {(CRITERIA[name]["name"], name)}


def test_items_alone_have_no_graders() -> None:
    form = dialect_of("openai")
    found = [*form.predict({"item": {"a": OUTPUT}})]
    assert {each.state for each in found} == {"skip"}
    assert {each.name for each in found} == CRITERIA.keys()
