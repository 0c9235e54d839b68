"""Every case that was put to the real MLflow gets its verdict."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from evalcontract.engine.options import Input, Options
from evalcontract.engine.pipeline import validate
from evalcontract.formats._codes import is_rejection
from evalcontract.formats.mlflow import MLFLOW
from evalcontract.model.reference import Kind
from evalcontract.source.document import Document
from evalcontract.source.foreign import Foreign
from evalcontract.source.json_scanner import scan

#: Cases whose verdict does not hang on a dataset, and why.
NO_DATASET = {
    ("create_dataset", "no-name"): "the name of a dataset stands in a call, not in its records",
    ("create_dataset", "tags-int-value"): "tags of a dataset stand in a call",
    ("create_dataset", "duplicate-name"): "the name of a dataset stands in a call",
    ("create_dataset", "empty-name"): "the name of a dataset stands in a call",
    ("to_df", "empty-to_df-columns"): "these are columns that MLflow writes",
    ("evaluate", "predict_fn-arg-mismatch"): "the function is not in the data",
}
VARIANTS = {"merge_records": "oss", "evaluate": "evaluate"}
SCORERS = {
    "Correctness-neither": "Correctness",
    "ExpectationsGuidelines-empty": "ExpectationsGuidelines",
    "Equivalence-no-response": "Equivalence",
}


@pytest.fixture(scope="module")
def cases() -> list[dict[str, Any]]:
    """Return the cases, which stand beside the repository."""
    file = Path(__file__).parents[4] / "shared" / "cases" / "mlflow.json"
    if not file.is_file():
        reason = "the cases do not stand beside the repository"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    found: list[dict[str, Any]] = json.loads(file.read_bytes())
    return found


def records_of(case: dict[str, Any]) -> Any:
    """Return what a case puts to the loader; calls one after another are one file."""
    given = case["input"]
    if isinstance(given, dict) and "DataFrame" in given:
        return given["DataFrame"]
    if isinstance(given, list) and given and all(isinstance(each, list) for each in given):
        return [record for call in given for record in call]
    return given


def verdict_on(records: Any, variant: str, folder: Path) -> str:
    """Return the verdict on records, written as a file."""
    file = folder / "records.json"
    file.write_text(json.dumps(records), encoding="utf-8")
    options = Options(root=folder, strict=False, dialect=f"mlflow:{variant}")
    found = validate(Kind.DATASET, [Input(file)], options).diagnostics
    return "reject" if any(is_rejection(each.code) for each in found) else "accept"


def test_every_case_has_the_real_verdict(cases: list[dict[str, Any]], tmp_path: Path) -> None:
    asked = [each for each in cases if (each["op"], each["name"]) not in NO_DATASET]
    asked = [each for each in asked if each["op"] in VARIANTS]
    differ = [
        f"{each['op']} {each['name']}: {each['verdict']} {each['message']}"
        for each in asked
        if verdict_on(records_of(each), VARIANTS[each["op"]], tmp_path) != each["verdict"]
    ]
    assert differ == []
    assert len(asked) > 50


def test_no_case_is_passed_over(cases: list[dict[str, Any]]) -> None:
    left = {(each["op"], each["name"]) for each in cases if each["op"] not in VARIANTS}
    assert left - NO_DATASET.keys() == {("scorer", name) for name in SCORERS}
    assert {(each["op"], each["name"]) for each in cases} >= NO_DATASET.keys()


@pytest.mark.parametrize("name", SCORERS)
def test_a_scorer_that_fails_has_that_prospect(cases: list[dict[str, Any]], name: str) -> None:
    case = next(each for each in cases if each["op"] == "scorer" and each["name"] == name)
    row = {"inputs": {"question": "How deep?"}, "outputs": "nine metres", **case["input"]}
    states = {each.name: each.state for each in MLFLOW.prospects(row, "evaluate")}
    assert case["verdict"] == "reject"
    assert states[SCORERS[name]] == "fail"
    assert states["Safety"] == "run"


def test_a_stored_record_is_read_as_the_one_that_was_given(cases: list[dict[str, Any]]) -> None:
    """The store adds a user, times and an id: a row is the same but for these."""
    read = Foreign("json", Document("records.json", [], "[]", b"[]", lambda: scan("[]")))
    count = 0
    for case in cases:
        given = records_of(case)
        stored = case.get("stored")
        if case["op"] != "merge_records" or not stored or len(stored) != len(given):
            continue
        rows = [MLFLOW.reader(read, "oss").read(each, 0).row for each in given]
        again = [MLFLOW.reader(read, "oss").read(each, 0).row for each in stored]
        for one in (*rows, *again):
            one.pop("metadata", None)
            one.pop("id")
        count += len(rows)
        assert sorted(map(repr, rows)) == sorted(map(repr, again)), case["name"]
    assert count > 15
