"""Convert a record to a row of evalcontract and back, without residuals."""

from __future__ import annotations

from typing import Any

from evalcontract.formats._conversion import (
    conversation_of,
    default_id,
    with_bundle,
    with_renamed_key,
)
from evalcontract.formats._expectations import (
    criteria_of,
    guidelines_of,
    own_expectations,
    reference_of,
)
from evalcontract.formats._findings import is_list_of
from evalcontract.formats.mlflow import expectations as expected
from evalcontract.formats.mlflow.inputs import read_inputs, write_inputs
from evalcontract.formats.mlflow.tool_calls import expected_calls, expected_tools

#: How a record was written, for converting it back: `input_key`, `input_form`, `criteria_from`,
#: `expects` and `trace`.
Hints = dict[str, Any]

_NAMED_BY = {"oss": "dataset_record_id", "managed": "dataset_record_id", "evaluate": "request_id"}


def as_row(record: dict[str, Any], variant: str, index: int) -> tuple[dict[str, Any], Hints]:
    """Convert a record to a row, and return the hints for converting it back."""
    read, hints = read_inputs(record)
    name = record.get(_NAMED_BY[variant])
    id_ = name if isinstance(name, str) and name else default_id(index)
    row: dict[str, Any] = {"id": id_, **read}
    expectations = record.get("expectations")
    if isinstance(expectations, dict):
        row |= _expected(expectations, hints)
    # The open-source store stores absent outputs as an empty mapping.
    if "outputs" in record and (variant != "oss" or record["outputs"] != {}):
        row["recorded_output"] = record["outputs"]
    if variant == "evaluate" and isinstance(record.get("trace"), dict | str):
        row["trace"] = record["trace"]
        hints["trace"] = True
    return with_bundle(row), hints


def as_record(row: dict[str, Any], hints: Hints, variant: str, index: int) -> dict[str, Any]:
    """Convert a row to a record."""
    record = write_inputs(row, hints, is_optional=variant == "evaluate")
    if expectations := _expectations(row, hints):
        record["expectations"] = expectations
    answer = conversation_of(row).answer
    if "recorded_output" in row or answer is not None:
        record["outputs"] = row.get("recorded_output", answer)
    if hints.get("trace") and variant == "evaluate" and "trace" in row:
        record["trace"] = row["trace"]
    if variant != "oss" and row["id"] != default_id(index):
        record[_NAMED_BY[variant]] = row["id"]
    return record


def _expected(expectations: dict[str, Any], hints: Hints) -> dict[str, Any]:
    row: dict[str, Any] = {}
    response: Any = expectations.get(expected.RESPONSE)
    guidelines: Any = expectations.get(expected.GUIDELINES)
    if _is_text(guidelines):
        row["criteria"], hints["criteria_from"] = guidelines, "guideline"
    elif criteria := criteria_of(guidelines):
        row["criteria"] = criteria
    if of_row := _of_row(expectations):
        row["expected"] = of_row
    if _are_filled(facts := expectations.get(expected.FACTS)):
        row["expected_facts"] = facts
        if _is_text(response):
            hints["expects"] = "both"
    if tools := expected_tools(expectations.get(expected.TOOL_CALLS)):
        row["expected_tools"] = tools
    if documents := _documents(expectations.get(expected.CONTEXT), "doc_uri", "id"):
        row["expected_documents"] = documents
    return row


def _of_row(expectations: dict[str, Any]) -> dict[str, Any]:
    """Return the reference answer and the author's own expectations, in the author's order."""
    own = own_expectations({"expected": expectations})
    return {
        "reference" if key == expected.RESPONSE else key: part
        for key, part in own.items()
        if key not in expected.RESERVED or (key == expected.RESPONSE and _is_text(part))
    }


def _expectations(row: dict[str, Any], hints: Hints) -> dict[str, Any]:
    expectations: dict[str, Any] = {}
    reference, facts = reference_of(row), row.get("expected_facts")
    is_both = hints.get("expects") == "both"
    if reference and (is_both or not facts or facts == [reference]):
        expectations[expected.RESPONSE] = reference
    if _are_filled(facts) and (is_both or expected.RESPONSE not in expectations):
        expectations[expected.FACTS] = facts
    criteria = row.get("criteria")
    if isinstance(criteria, str) and criteria.strip():
        is_text = hints.get("criteria_from") == "guideline"
        expectations[expected.GUIDELINES] = criteria if is_text else guidelines_of(criteria)
    if calls := expected_calls(row.get("expected_tools")):
        expectations[expected.TOOL_CALLS] = calls
    if documents := _documents(row.get("expected_documents"), "id", "doc_uri"):
        expectations[expected.CONTEXT] = documents
    own = own_expectations(row)
    return expectations | {key: own[key] for key in own if key not in expected.RESERVED}


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_filled(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_text, value))


def _documents(documents: Any, old: str, new: str) -> list[Any]:
    """Return documents with their names under another key; none unless all can be converted."""
    if not is_list_of(documents, dict):
        return []
    for document in documents:
        is_named = isinstance(document.get(old), str) and new not in document
        if not is_named or not isinstance(document.get("content", ""), str):
            return []
    return [with_renamed_key(document, old, new) for document in documents]
