"""One text for the inputs of a record, and the inputs again."""

from __future__ import annotations

import json
from typing import Any

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
            return _last_said(value) or _json(inputs), {"input_form": _MESSAGES}
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


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _last_said(messages: list[dict[str, Any]]) -> str | None:
    said = [each.get("content") for each in messages if each.get("role") == "user"]
    return said[-1] if said and _is_text(said[-1]) else None


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
