"""Convert a case to a row of evalcontract and back, as far as each can represent the other.

`residual` preserves the rest.
"""

from __future__ import annotations

from typing import Any

from evalcontract.formats._conversion import BUNDLES, OURS, Loss, conversation_of, default_id
from evalcontract.formats._expectations import reference_of
from evalcontract.formats._findings import is_list_of, mapping_at
from evalcontract.formats.northstar.case import input_of, is_blank
from evalcontract.formats.northstar.fields import OF_RUN, OF_TRACE
from evalcontract.formats.northstar.normalization import EXPECTED, METRICS, TRACE, normal
from evalcontract.formats.northstar.pydantic_coercion import CoercionError
from evalcontract.formats.northstar.restoring import restored
from evalcontract.formats.northstar.rubric import from_rubric
from evalcontract.formats.northstar.rubric_synthesis import GradedRow, graded
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import json_equal

#: The metadata key under which a row preserves what it cannot represent of a case.
THEIRS = "northstar"
# What judges read, and a row may have below `expected`.
_OF_JUDGES = ("goal", "rubric", "ground_truth")
# How a row says that its criteria are the rubric of a case that has no goal.
_FROM_RUBRIC = {"criteria_from": "rubric"}


def to_row(case: dict[str, Any], index: int) -> GradedRow:
    """Convert a case that is valid JSON, without a residual."""
    expected = normal(case.get("expected", {}), EXPECTED)
    name = case["id"] if not is_blank(case["id"]) else default_id(index)
    row: dict[str, Any] = {
        "id": name,
        "input": input_of(case.get("input"), case["messages"], name),
    }
    criteria = expected.get("rubric", expected.get("goal"))
    if criteria is not None:
        row["criteria"] = criteria
    own = {"reference": expected["ground_truth"]} if "ground_truth" in expected else {}
    if "rubric" in expected and "goal" in expected:
        own["goal"] = expected["goal"]
    if own:
        row["expected"] = own
    graded_row, rubric = graded(expected)
    row |= graded_row
    if "context" in expected:
        row["context"] = expected["context"]
    row["bundle"] = "agent"
    row["messages"] = case["messages"]
    if isinstance(case.get("trace"), dict):
        row["trace"] = case["trace"]
    if "metrics" in case:
        row["metrics"] = normal(case["metrics"], METRICS)
    of_trace = expected.get("trace", {})
    if "relevant_retrieval_ids" in of_trace:
        row["expected_documents"] = [{"id": id_} for id_ in of_trace["relevant_retrieval_ids"]]
    metadata = _own_metadata(case)
    if "rubric" in expected and "goal" not in expected:
        metadata[THEIRS] = dict(_FROM_RUBRIC)
    if metadata:
        row["metadata"] = metadata
    return GradedRow(row, rubric)


class ConvertedCase(NamedTuple):
    """A case, what it cannot represent of the rubric, and the keys of the row that it represents.

    `said` has only keys whose whole value is represented.
    """

    case: dict[str, Any]
    losses: list[Loss]
    said: set[str]


def to_case(row: dict[str, Any], rubric: dict[str, Any] | None) -> ConvertedCase:
    """Convert a row, and restore what it preserves of a case."""
    carried = from_rubric(rubric, row)
    expected = _judged(row, carried.said) | carried.expected
    context = row.get("context")
    context = [context] if isinstance(context, str) else context
    if context and is_list_of(context, str):
        expected["context"] = context
        carried.said.add("context")
    expected |= _valid(row, OF_RUN, EXPECTED)
    if of_trace := _valid(row, OF_TRACE, TRACE) | _documents(row):
        expected["trace"] = of_trace
    carried.said.update(key for key in (*OF_RUN, *OF_TRACE) if key in {**expected, **of_trace})
    messages = _messages(row, carried.said)
    case: dict[str, Any] = {"id": row["id"], "messages": messages}
    if row["input"] != input_of(None, messages, row["id"]):
        case["input"] = row["input"]
    if expected:
        case["expected"] = expected
    if row.get("bundle") in BUNDLES:
        carried.said.add("bundle")
    metrics = row.get("metrics")
    if isinstance(metrics, dict) and json_equal(metrics, _valid(metrics, METRICS, METRICS)):
        case["metrics"] = metrics
    if isinstance(row.get("trace"), dict):
        case["trace"] = row["trace"]
    if metadata := _own_metadata(row):
        case["metadata"] = metadata
    residual = row.get("metadata", {}).get(THEIRS)
    case = restored(case, residual) if isinstance(residual, dict) else case
    return ConvertedCase(case, carried.losses, carried.said)


def _own_metadata(row: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata of the author."""
    metadata = row.get("metadata", {})
    return {key: part for key, part in metadata.items() if key not in (THEIRS, OURS)}


def _messages(row: dict[str, Any], said: set[str]) -> list[dict[str, Any]]:
    """Return the conversation of a row, or its history and its question; then its answer."""
    messages = row.get("messages")
    if not is_list_of(messages, dict):
        history = mapping_at(row, "context").get("history")
        before = history if is_list_of(history, dict) else []
        if before and row["context"].keys() == {"history"}:
            said.add("context")
        messages = [*before, {"role": "user", "content": row["input"]}]
    else:
        said.add("messages")
    output = row.get("recorded_output")
    answer = conversation_of({"messages": messages}).answer
    if isinstance(output, str) and answer is None:
        messages = [*messages, {"role": "assistant", "content": output}]
        answer = output
    if answer is not None and output == answer:
        said.add("recorded_output")
    return messages


def _judged(row: dict[str, Any], said: set[str]) -> dict[str, Any]:
    """Return the goal, the rubric and the right answer that judges grade by."""
    given = mapping_at(row, "expected")
    texts = {key: given[key] for key in _OF_JUDGES if isinstance(given.get(key), str)}
    said.update(f"expected.{key}" for key in texts)
    criteria = row.get("criteria")
    if isinstance(criteria, str):
        is_rubric = mapping_at(row, "metadata", THEIRS).get("criteria_from") == "rubric"
        if "rubric" in texts and texts["rubric"] != criteria:
            said.discard("expected.rubric")
        texts["rubric" if is_rubric or "goal" in texts else "goal"] = criteria
        said.add("criteria")
    if (reference := reference_of(row)) is not None:
        if texts.setdefault("ground_truth", reference) != reference:
            said.discard("expected.ground_truth")
        texts["ground_truth"] = reference
        said.add("expected.reference")
    return texts


def _valid(row: dict[str, Any], keys: Any, forms: Any) -> dict[str, Any]:
    """Return the fields of a row that are valid in a case as they are."""
    valid = {}
    for key in keys:
        try:
            if row.get(key) is not None and json_equal(forms[key](row[key]), row[key]):
                valid[key] = row[key]
        except (CoercionError, TypeError):
            continue  # a case cannot have it
    return valid


def _documents(row: dict[str, Any]) -> dict[str, Any]:
    documents = row.get("expected_documents")
    if not is_list_of(documents, dict):
        return {}
    ids = [document.get("id") for document in documents]
    return {"relevant_retrieval_ids": ids} if is_list_of(ids, str) else {}
