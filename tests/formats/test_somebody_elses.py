"""What somebody else wrote where a conversion keeps things is data as any, in every system."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import pytest
from tables import every_case
from test_fields import LISTS

from evalcontract.formats import dialect_of
from evalcontract.source.external import read_external_stream
from evalcontract.structure.schemas import definition
from evalcontract.structure.validator import SchemaValidator

OUR_ROW = SchemaValidator("dataset", definition("row", of="dataset"))
MESSAGES = [{"role": "user", "content": "How deep?"}]
#: A row of each system, and the key that a conversion keeps things below.
ROWS: dict[str, tuple[dict[str, Any], str]] = {
    "agent_skills": ({"id": "x", "prompt": "How deep?"}, "metadata"),
    "azure": ({"query": "How deep?", "ground_truth": "9 m"}, "metadata"),
    "databricks": ({"request_id": "x", "request": "How deep?"}, "metadata"),
    "deepeval": ({"name": "x", "input": "How deep?"}, "additional_metadata"),
    "evret": ({"query_id": "x", "query_text": "How deep?", "expected_answers": ["a"]}, "metadata"),
    "inspect": ({"id": "x", "input": "How deep?", "target": "9 m"}, "metadata"),
    "langfuse": ({"id": "x", "input": "How deep?", "expectedOutput": "9 m"}, "metadata"),
    "langsmith": ({"inputs": {"question": "How deep?"}}, "metadata"),
    "braintrust": ({"id": "x", "input": "How deep?", "expected": "9 m"}, "metadata"),
    "mlflow:oss": ({"inputs": {"question": "How deep?"}}, "tags"),
    "mlflow:evaluate": ({"inputs": {"question": "How deep?"}, "request_id": "x"}, "tags"),
    "northstar": ({"id": "x", "messages": MESSAGES}, "metadata"),
    "promptfoo": ({"description": "x", "vars": {"input": "How deep?"}}, "metadata"),
    "openai:hosted": ({"item": {"id": "x", "input": "How deep?"}}, "metadata"),
    "openai:samples": ({"id": "x", "input": MESSAGES, "ideal": "9 m"}, "metadata"),
    "pydantic_evals": ({"name": "x", "inputs": "How deep?"}, "metadata"),
    "ragas": ({"user_input": "How deep?", "reference": "9 m"}, "metadata"),
}
KEPT: list[Any] = [
    *("a text", 5, None, [], {}),
    *({"id": 7}, {"tags": "x"}, {"bundle": 7}, {"expected_tools": None}, {"_unset": "id"}),
    *({"set": {"id": 7}}, {"set": {"tags": "x"}}, {"set": {}, "absent": ["id"]}, {"absent": [[]]}),
    *({"row": {"id": 7}}, {"row": {"tags": "x"}}, {"row": 5}, {"without": [5]}, {"rubric": {}}),
]


@pytest.mark.costly
@every_case("kept", KEPT, ids=json.dumps)
@every_case("dialect", ROWS)
def test_it_makes_no_row_and_comes_back(dialect: str, kept: Any) -> None:
    form = dialect_of(dialect)
    plain, place = ROWS[dialect]
    theirs = {**plain, place: {"evalcontract": kept, "z": 1}}
    key = LISTS.get(dialect)
    text = json.dumps({key: [theirs]} if key else [theirs])
    read = read_external_stream(BytesIO(text.encode()), "d.json")
    assert read.unreadable is None
    ours = form.reader(read).read(theirs, 0)
    assert [each for each in OUR_ROW.check(ours.row) if "near-miss" not in each.code] == []
    assert ours.row["input"] == "How deep?"
    if all(loss.is_kept for loss in ours.losses):
        assert form.writer("json").write(ours.row, ours.rubric, 0).row == theirs
    else:
        assert [each.path for each in ours.losses] == [(place, "evalcontract")]
