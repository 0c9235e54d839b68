"""A record as a row of ours and back, as far as one says by itself what the other is.

What is lost on the way is not looked after here: `conversion` keeps the difference.
"""

from __future__ import annotations

import json
from typing import Any

from evalcontract.formats._conversion import default_id, last_said, renamed, with_bundle
from evalcontract.formats.mlflow import expectations as expected

#: What is kept of how a record was written: see `as_row`.
Hints = dict[str, Any]

_NAMED_BY = {"oss": "dataset_record_id", "managed": "dataset_record_id", "evaluate": "request_id"}


def as_row(record: dict[str, Any], variant: str, index: int) -> tuple[dict[str, Any], Hints]:
    """Return a record as a row, and what the way back has to know besides."""
    text, form = as_text(record)
    hints: Hints = dict(form)
    row: dict[str, Any] = {"id": _id(record, variant, index), "input": text}
    expectations = record.get("expectations")
    if isinstance(expectations, dict):
        row |= _expected(expectations, hints)
    if form.get("input_form") == "messages":
        row["messages"] = record["inputs"]["messages"]
    # The open-source store gives a mapping without keys where there were no outputs.
    if "outputs" in record and (variant != "oss" or record["outputs"] != {}):
        row["recorded_output"] = record["outputs"]
    if variant == "evaluate" and isinstance(record.get("trace"), dict | str):
        row["trace"] = record["trace"]
        hints["trace"] = True
    return with_bundle(row), hints


def as_record(row: dict[str, Any], hints: Hints, variant: str, index: int) -> dict[str, Any]:
    """Return a row as a record."""
    record = as_inputs(row, hints, are_free=variant == "evaluate")
    if expectations := _expectations(row, hints):
        record["expectations"] = expectations
    if "recorded_output" in row:
        record["outputs"] = row["recorded_output"]
    if hints.get("trace") and variant == "evaluate" and "trace" in row:
        record["trace"] = row["trace"]
    if variant != "oss" and row["id"] != default_id(index):
        record[_NAMED_BY[variant]] = row["id"]
    return record


def _id(record: dict[str, Any], variant: str, index: int) -> str:
    name = record.get(_NAMED_BY[variant])
    return name if isinstance(name, str) and name else default_id(index)


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
    if _are_filled(expectations.get(expected.FACTS)):
        row["expected_facts"] = expectations[expected.FACTS]
    if _are_calls(expectations.get(expected.TOOL_CALLS)):
        calls = expectations[expected.TOOL_CALLS]
        row["expected_tools"] = [each["name"] if len(each) == 1 else each for each in calls]
    if _are_documents(expectations.get(expected.CONTEXT), "doc_uri", "id"):
        documents = expectations[expected.CONTEXT]
        row["expected_documents"] = [renamed(each, "doc_uri", "id") for each in documents]
    return row


def _expectations(row: dict[str, Any], hints: Hints) -> dict[str, Any]:
    found: dict[str, Any] = {}
    criteria = row.get("criteria")
    if isinstance(criteria, str) and criteria.strip():
        match hints.get("criteria_from"):
            case expected.RESPONSE:
                found[expected.RESPONSE] = criteria
            case "guideline":
                found[expected.GUIDELINES] = criteria
            case expected.GUIDELINES:
                found[expected.GUIDELINES] = criteria.split("\n")
            case _:
                found[expected.GUIDELINES] = [criteria]
    if _are_filled(row.get("expected_facts")):
        found[expected.FACTS] = row["expected_facts"]
    if isinstance(tools := row.get("expected_tools"), list) and tools:
        found[expected.TOOL_CALLS] = [
            {"name": each} if isinstance(each, str) else each for each in tools
        ]
    if _are_documents(row.get("expected_documents"), "id", "doc_uri"):
        documents = row["expected_documents"]
        found[expected.CONTEXT] = [renamed(each, "id", "doc_uri") for each in documents]
    return found


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_filled(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_text, value))


def _are_calls(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(each, dict)
            and each.keys() <= {"name", "arguments"}
            and _is_text(each.get("name"))
            and isinstance(each.get("arguments", {}), dict)
            for each in value
        )
    )


def _are_documents(value: Any, name: str, other: str) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(each, dict)
            and isinstance(each.get(name), str)
            and isinstance(each.get("content", ""), str)
            and other not in each
            for each in value
        )
    )


#: The name that one text among the inputs gets where nothing else is known.
DEFAULT_KEY = "question"
#: Names under which applications take the one text that they are asked.
USUAL_KEYS = frozenset(
    {DEFAULT_KEY, "query", "input", "request", "prompt", "message", "text"}
    | {"user_input", "user_query", "user_message", "instruction"}
)
_MESSAGES = "messages"
_UNTOLD = "The input stands in the trace."

#: How inputs became a text: nothing for `question`, else what is named here.
Form = dict[str, str]


def as_text(record: dict[str, Any]) -> tuple[str, Form]:
    """Return the text of what a record asks, and how it was made."""
    if "inputs" not in record:
        return _of_trace(record.get("trace")), {"input_form": "none"}
    inputs = record["inputs"]
    if isinstance(inputs, dict) and len(inputs) == 1:
        key, value = next(iter(inputs.items()))
        if key in USUAL_KEYS and isinstance(value, str) and value:
            return value, {} if key == DEFAULT_KEY else {"input_key": key}
        if key == _MESSAGES and are_messages(value):
            said = last_said(value)
            return said if _is_text(said) else _json(inputs), {"input_form": _MESSAGES}
    return _json(inputs), {"input_form": "json"}


def as_inputs(row: dict[str, Any], form: Form, *, are_free: bool) -> dict[str, Any]:
    """Return the `inputs` of a record again, as its one key; none where it has none.

    They are mappings, unless they are free to be anything or none.
    """
    text = row["input"]
    match form.get("input_form"):
        case "none" if are_free:
            return {}
        case "messages" if are_messages(row.get(_MESSAGES)):
            return {"inputs": {_MESSAGES: row[_MESSAGES]}}
        case "json":
            inputs = _parsed(text)
            if are_free or isinstance(inputs, dict):
                return {"inputs": inputs}
    return {"inputs": {form.get("input_key", DEFAULT_KEY): text}}


def are_messages(value: Any) -> bool:
    """Whether a value is a conversation: mappings, one at least."""
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _of_trace(trace: Any) -> str:
    info = trace.get("info") if isinstance(trace, dict) else None
    preview = info.get("request_preview") if isinstance(info, dict) else None
    return preview if isinstance(preview, str) and preview.strip() else _UNTOLD


def _parsed(text: str) -> Any:
    """Return what a JSON text says; one that was edited since may be a plain question."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return {DEFAULT_KEY: text}


def _json(value: Any) -> str:
    """Return a value as JSON, with its keys in the author's order."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)  # a lone surrogate can only be written as an escape
    return text
