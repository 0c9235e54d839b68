"""Convert a record to a row of evalcontract and back, without residuals."""

from __future__ import annotations

import json
from typing import Any

from evalcontract.formats._conversion import (
    default_id,
    last_question,
    with_bundle,
    with_renamed_key,
)
from evalcontract.formats._findings import has_lone_surrogate, is_list_of, parsed_json
from evalcontract.formats.mlflow import expectations as expected

#: How a record was written, for converting it back: `input_key`, `input_form`, `criteria_from` and
#: `trace`.
Hints = dict[str, Any]

#: The key of a single text among the inputs if nothing else is known.
DEFAULT_KEY = "question"
#: Keys under which applications usually take a single text.
USUAL_KEYS = frozenset(
    {DEFAULT_KEY, "query", "input", "request", "prompt", "message", "text"}
    | {"user_input", "user_query", "user_message", "instruction"}
)
_MESSAGES = "messages"
_NO_TEXT = "The input stands in the trace."
_NAMED_BY = {"oss": "dataset_record_id", "managed": "dataset_record_id", "evaluate": "request_id"}


def as_row(record: dict[str, Any], variant: str, index: int) -> tuple[dict[str, Any], Hints]:
    """Convert a record to a row, and return the hints for converting it back."""
    text, hints = _as_text(record)
    name = record.get(_NAMED_BY[variant])
    id_ = name if isinstance(name, str) and name else default_id(index)
    row: dict[str, Any] = {"id": id_, "input": text}
    expectations = record.get("expectations")
    if isinstance(expectations, dict):
        row |= _expected(expectations, hints)
    if hints.get("input_form") == _MESSAGES:
        row["messages"] = record["inputs"]["messages"]
    # The open-source store stores absent outputs as an empty mapping.
    if "outputs" in record and (variant != "oss" or record["outputs"] != {}):
        row["recorded_output"] = record["outputs"]
    if variant == "evaluate" and isinstance(record.get("trace"), dict | str):
        row["trace"] = record["trace"]
        hints["trace"] = True
    return with_bundle(row), hints


def as_record(row: dict[str, Any], hints: Hints, variant: str, index: int) -> dict[str, Any]:
    """Convert a row to a record."""
    record = _as_inputs(row, hints, is_optional=variant == "evaluate")
    if expectations := _expectations(row, hints):
        record["expectations"] = expectations
    if "recorded_output" in row:
        record["outputs"] = row["recorded_output"]
    if hints.get("trace") and variant == "evaluate" and "trace" in row:
        record["trace"] = row["trace"]
    if variant != "oss" and row["id"] != default_id(index):
        record[_NAMED_BY[variant]] = row["id"]
    return record


def _expected(expectations: dict[str, Any], hints: Hints) -> dict[str, Any]:
    row: dict[str, Any] = {}
    response: Any = expectations.get(expected.RESPONSE)
    guidelines: Any = expectations.get(expected.GUIDELINES)
    if _is_text(response):
        row["criteria"], hints["criteria_from"] = response, expected.RESPONSE
    elif _is_text(guidelines):
        row["criteria"], hints["criteria_from"] = guidelines, "guideline"
    elif _are_filled(guidelines) and (len(guidelines) == 1 or "\n" not in "".join(guidelines)):
        row["criteria"] = "\n".join(guidelines)
        if len(guidelines) > 1:
            hints["criteria_from"] = expected.GUIDELINES
    if _are_filled(facts := expectations.get(expected.FACTS)):
        row["expected_facts"] = facts
    calls: Any = expectations.get(expected.TOOL_CALLS)
    if calls and is_list_of(calls, dict) and all(map(_is_call, calls)):
        row["expected_tools"] = [call["name"] if len(call) == 1 else call for call in calls]
    if documents := _documents(expectations.get(expected.CONTEXT), "doc_uri", "id"):
        row["expected_documents"] = documents
    return row


def _expectations(row: dict[str, Any], hints: Hints) -> dict[str, Any]:
    expectations: dict[str, Any] = {}
    criteria = row.get("criteria")
    if isinstance(criteria, str) and criteria.strip():
        match hints.get("criteria_from"):
            case expected.RESPONSE:
                expectations[expected.RESPONSE] = criteria
            case "guideline":
                expectations[expected.GUIDELINES] = criteria
            case expected.GUIDELINES:
                expectations[expected.GUIDELINES] = criteria.split("\n")
            case _:
                expectations[expected.GUIDELINES] = [criteria]
    if _are_filled(row.get("expected_facts")):
        expectations[expected.FACTS] = row["expected_facts"]
    if isinstance(tools := row.get("expected_tools"), list) and tools:
        calls = [{"name": tool} if isinstance(tool, str) else tool for tool in tools]
        expectations[expected.TOOL_CALLS] = calls
    if documents := _documents(row.get("expected_documents"), "id", "doc_uri"):
        expectations[expected.CONTEXT] = documents
    return expectations


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_filled(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_text, value))


def _is_call(call: dict[str, Any]) -> bool:
    is_named = call.keys() <= {"name", "arguments"} and _is_text(call.get("name"))
    return is_named and isinstance(call.get("arguments", {}), dict)


def _documents(documents: Any, old: str, new: str) -> list[Any]:
    """Return documents with their names under another key; none unless all can be converted."""
    if not is_list_of(documents, dict):
        return []
    for document in documents:
        is_named = isinstance(document.get(old), str) and new not in document
        if not is_named or not isinstance(document.get("content", ""), str):
            return []
    return [with_renamed_key(document, old, new) for document in documents]


def _as_text(record: dict[str, Any]) -> tuple[str, Hints]:
    """Return the question of a record as a text, and the hints for converting it back.

    There are no hints for a single text under the default key.
    """
    if "inputs" not in record:
        return _preview_of(record.get("trace")), {"input_form": "none"}
    inputs = record["inputs"]
    if isinstance(inputs, dict) and len(inputs) == 1:
        key, value = next(iter(inputs.items()))
        if key in USUAL_KEYS and isinstance(value, str) and value:
            return value, {} if key == DEFAULT_KEY else {"input_key": key}
        if key == _MESSAGES and value and is_list_of(value, dict):
            question = last_question(value)
            text = question if _is_text(question) else _json(inputs)
            return text, {"input_form": _MESSAGES}
    return _json(inputs), {"input_form": "json"}


def _as_inputs(row: dict[str, Any], hints: Hints, *, is_optional: bool) -> dict[str, Any]:
    """Return a record with the `inputs` of a row.

    They are a mapping; if `is_optional`, they may be any value, or absent.
    """
    text = row["input"]
    match hints.get("input_form"):
        case "none" if is_optional:
            return {}
        case "messages" if row.get(_MESSAGES) and is_list_of(row[_MESSAGES], dict):
            return {"inputs": {_MESSAGES: row[_MESSAGES]}}
        case "json":
            # A text that was edited since may be a plain question.
            inputs = parsed_json(text, default={DEFAULT_KEY: text})
            if is_optional or isinstance(inputs, dict):
                return {"inputs": inputs}
    return {"inputs": {hints.get("input_key", DEFAULT_KEY): text}}


def _preview_of(trace: Any) -> str:
    info = trace.get("info") if isinstance(trace, dict) else None
    preview = info.get("request_preview") if isinstance(info, dict) else None
    return preview if isinstance(preview, str) and preview.strip() else _NO_TEXT


def _json(value: Any) -> str:
    """Format a value as JSON, with its keys in the author's order."""
    text = json.dumps(value, ensure_ascii=False)
    return json.dumps(value) if has_lone_surrogate(text) else text
