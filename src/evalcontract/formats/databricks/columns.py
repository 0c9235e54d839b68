"""The columns of an evaluation set, and what they are in a row of ours."""

from __future__ import annotations

import json
from typing import Any

#: Columns with a place of their own in ours, and keys of ours with one in theirs.
CARRIED = {
    "request_id": "id",
    "request": "input",
    "expected_response": "criteria",
    "expected_facts": "expected_facts",
    "expected_retrieved_context": "expected_documents",
    "response": "recorded_output",
    "retrieved_context": "retrieved_documents",
    "trace": "trace",
}
#: Keys of ours that are in the request, or follow from the others.
DERIVED = frozenset({"messages", "context", "bundle"})
_AS_THEY_ARE = ("expected_response", "expected_facts", "response", "trace")
#: The columns that hold documents.
CONTEXTS = ("expected_retrieved_context", "retrieved_context")
_OF_AGENT = ("messages", "trace")
_OF_RAG = ("expected_documents", "retrieved_documents", "recorded_output")


def ours_of(row: dict[str, Any], index: int) -> dict[str, Any]:
    """Return a row of ours, as far as one has places for what theirs says."""
    request = row.get("request")
    id_ = row.get("request_id")
    ours: dict[str, Any] = {
        "id": id_ if isinstance(id_, str) and id_ else f"row_{index + 1}",
        "input": _asked(request) or json.dumps(request, ensure_ascii=False),
    }
    if isinstance(request, dict) and isinstance(request.get("messages"), list):
        ours["messages"] = request["messages"]
    elif isinstance(request, dict) and isinstance(request.get("history"), list):
        ours["context"] = {"history": request["history"]}
    ours |= {CARRIED[key]: row[key] for key in _AS_THEY_ARE if row.get(key) is not None}
    if not all(ours.get("expected_facts", ())):
        del ours["expected_facts"]  # a fact of ours says something
    for key in CONTEXTS:
        if isinstance(row.get(key), list):
            ours[CARRIED[key]] = _renamed(row[key], "doc_uri", "id")
    if any(key in ours for key in _OF_AGENT):
        ours["bundle"] = "agent"
    elif any(key in ours for key in _OF_RAG):
        ours["bundle"] = "rag"
    return ours


def theirs_of(row: dict[str, Any], index: int) -> dict[str, Any]:
    """Return a row of theirs, as far as one has places for what ours says."""
    theirs: dict[str, Any] = {}
    if row.get("id") != f"row_{index + 1}":
        theirs["request_id"] = row.get("id")
    theirs["request"] = _request(row)
    for key in _AS_THEY_ARE:
        if (part := row.get(CARRIED[key])) is not None:
            theirs[key] = part
    for key in CONTEXTS:
        if isinstance(row.get(CARRIED[key]), list):
            theirs[key] = _renamed(row[CARRIED[key]], "id", "doc_uri")
    return theirs


def _asked(request: Any) -> str | None:
    """Return the text that is asked; None where there is none."""
    if isinstance(request, dict):
        messages = request.get("messages")
        request = _last(messages) if isinstance(messages, list) else request.get("query")
    return request if isinstance(request, str) and request.strip() else None


def _last(messages: list[Any]) -> Any:
    """Return what the user says last."""
    said = [each for each in messages if isinstance(each, dict) and each.get("role") == "user"]
    return said[-1].get("content") if said else None


def _request(row: dict[str, Any]) -> Any:
    if isinstance(row.get("messages"), list):
        return {"messages": row["messages"]}
    context = row.get("context")
    if isinstance(context, dict) and isinstance(context.get("history"), list):
        return {"query": row.get("input"), "history": context["history"]}
    return row.get("input")


def _renamed(documents: list[Any], old: str, new: str) -> list[Any]:
    """Return documents with their name under another key, in the same place."""
    return [
        {(new if key == old else key): part for key, part in each.items()}
        if isinstance(each, dict) and new not in each
        else each
        for each in documents
    ]
