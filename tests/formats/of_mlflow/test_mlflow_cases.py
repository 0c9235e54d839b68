"""What the real MLflow made of the cases that were put to it, beside its verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from evalcontract.formats.mlflow import Mlflow
from evalcontract.source.document import Document
from evalcontract.source.external import ExternalFile
from evalcontract.source.json import scan

if TYPE_CHECKING:
    from collections.abc import Callable

SCORERS = {
    "Correctness-neither": "Correctness",
    "ExpectationsGuidelines-empty": "ExpectationsGuidelines",
    "Equivalence-no-response": "Equivalence",
}


@pytest.fixture(scope="session")
def cases(cases_of: Callable[[str], list[dict[str, Any]]]) -> list[dict[str, Any]]:
    return cases_of("mlflow")


@pytest.mark.parametrize("name", SCORERS)
def test_a_scorer_that_fails_is_predicted_to(cases: list[dict[str, Any]], name: str) -> None:
    case = next(each for each in cases if each["op"] == "scorer" and each["name"] == name)
    row = {"inputs": {"question": "How deep?"}, "outputs": "nine metres", **case["input"]}
    states = {each.name: each.state for each in Mlflow("evaluate").predict(row)}
    assert case["verdict"] == "reject"
    assert states[SCORERS[name]] == "fail"
    assert states["Safety"] == "run"


def test_a_stored_record_is_read_as_the_one_that_was_given(cases: list[dict[str, Any]]) -> None:
    """The store adds a user, times and an id: a row is the same but for these."""
    read = ExternalFile("json", Document("records.json", [], "[]", b"[]", lambda: scan("[]")))
    count = 0
    for case in cases:
        stored = case.get("stored")
        if case["op"] != "merge_records" or not stored:
            continue
        # A table of records, or calls one after another, each a list of them.
        given = case["input"]
        given = given["DataFrame"] if isinstance(given, dict) else given
        calls = [call if isinstance(call, list) else [call] for call in given]
        given = [record for call in calls for record in call]
        if len(stored) != len(given):
            continue
        rows = [Mlflow("oss").reader(read).read(each, 0).row for each in given]
        again = [Mlflow("oss").reader(read).read(each, 0).row for each in stored]
        for one in (*rows, *again):
            one.pop("metadata", None)
            one.pop("id")
        count += len(rows)
        assert sorted(map(repr, rows)) == sorted(map(repr, again)), case["name"]
    assert count > 15
