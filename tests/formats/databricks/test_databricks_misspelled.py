"""A key that must be there and is misspelled or misplaced is not there: the row is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from texts import facts

from evalcontract.checking.pipeline import validate
from evalcontract.covering import coverage
from evalcontract.datasets.opening import Input, Options
from evalcontract.model.reference import Kind

if TYPE_CHECKING:
    from pathlib import Path

CASES: dict[str, tuple[Any, list[tuple[str, list[str]]]]] = {
    "misspelled": ({"reqest": "a"}, [("missing-key", ["reqest", "request"])]),
    "misplaced": (
        {"query": "a"},
        [("missing-key", ["request", "request: {query: …}"])],
    ),
    "twice misplaced": (
        {"query": "a", "messages": []},
        [
            ("missing-key", ["request", "request: {query: …}"]),
            ("misplaced-key", ["request", "request: {messages: …}"]),
        ],
    ),
    "one that need not be there": (
        {"request": "a", "expected_respnse": "b"},
        [("near-miss-key", ["expected_response"])],
    ),
    "one beside the query": (
        {"request": {"query": "a", "hsitory": []}},
        [("near-miss-key", ["history"])],
    ),
    "of a message": (
        {"request": {"messages": [{"rol": "user", "content": "a", "mine": 1}]}},
        [("near-miss-key", ["role"])],
    ),
    "of a message before": (
        {"request": {"query": "a", "history": [{"role": "user", "contnt": "a"}]}},
        [("near-miss-key", ["content"])],
    ),
    "another key of a message": (
        {"request": {"messages": [{"role": "user", "content": "a", "context": "b"}]}},
        [],
    ),
    "of a document": (
        {"request": "a", "expected_retrieved_context": [{"doc_uri": "a", "contnt": "b"}]},
        [("near-miss-key", ["content"])],
    ),
    "of a trace": (
        {"request": "a", "trace": {"ifno": {}, "data": {"spns": []}}},
        [("near-miss-key", ["info"]), ("near-miss-key", ["spans"])],
    ),
    "of an expectation": (
        {"request": "a", "expectations": {"facts": ["b"], "mine": 1}},
        [("near-miss-key", ["expected_facts"])],
    ),
    "one that is there too": (
        {"request": "a", "reqest": "b"},
        [("near-miss-key", ["request"])],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_required_key_under_another_name_is_missing(name: str, tmp_path: Path) -> None:
    row, expected = CASES[name]
    path = tmp_path / "set.json"
    path.write_text(json.dumps([row]), encoding="utf-8")
    options = Options(root=tmp_path, dialect="databricks")
    found = validate(Kind.DATASET, [Input(path)], options).diagnostics
    assert [(each.code.removeprefix("databricks/"), facts(each.help)) for each in found] == expected
    covered = coverage([Input(path)], options, all_rows=True).files[0]
    assert len(covered.rows) == 1
