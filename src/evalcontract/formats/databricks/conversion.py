"""Convert rows of evaluation sets to evalcontract and back; no row loses anything."""

from __future__ import annotations

import json
from typing import Any

from evalcontract.formats._conversion import (
    OURS,
    Loss,
    OurRow,
    Reader,
    TheirRow,
    Writer,
    default_id,
    last_question,
    with_bundle,
    with_renamed_key,
)
from evalcontract.formats._residual import Form, ResidualPlace, applied, difference, is_row
from evalcontract.model.diagnostic import Problem

#: Columns of an evaluation set and the keys of evalcontract that hold the same.
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
#: Keys of evalcontract that the request holds, or that follow from other keys.
DERIVED = frozenset({"messages", "context", "bundle"})
_UNCHANGED = ("expected_response", "expected_facts", "response", "trace")
#: The columns that hold documents.
CONTEXTS = ("expected_retrieved_context", "retrieved_context")

_NOT_IN_OURS = "rows of evalcontract have no key for it"
_NOT_IN_THEIRS = "evaluation sets have no column for it"
_RUBRIC = "evaluation sets have no rubrics; judges are chosen when the evaluation runs"
_FORM = Form(None, "_unset")
_IN_THEIRS = ResidualPlace("metadata", OURS, "_metadata")
_IN_OURS = ResidualPlace("metadata", "databricks", "_metadata")


class RequestReader(Reader):
    """Converts rows to evalcontract; preserves everything else in `metadata.databricks`."""

    def read(self, row: dict[str, Any], index: int) -> OurRow:
        """Convert a valid row; a foreign value in place of the residual is ordinary data."""
        lost = [key for key in row if key not in CARRIED and key != "metadata"]
        losses = tuple(Loss((key,), _NOT_IN_OURS, is_kept=True) for key in lost)
        bare, kept = _IN_THEIRS.split(row, _FORM.fits)
        ours = _restored(to_ours(bare, index), kept)
        if not is_row(ours):
            bare, ours = row, to_ours(row, index)
        residual = difference(to_theirs(ours, index), bare)
        return OurRow(_IN_OURS.joined(ours, _FORM.written(residual)), None, losses)


class RequestWriter(Writer):
    """Converts rows to an evaluation set; preserves everything else in `metadata.evalcontract`."""

    def __init__(self, *, has_outputs: bool) -> None:
        self._has_outputs = has_outputs

    def write(self, row: dict[str, Any], rubric: dict[str, Any] | None, index: int) -> TheirRow:
        """Convert a row."""
        bare, kept = _IN_OURS.split(row, _FORM.fits)
        theirs = _restored(to_theirs(bare, index), kept)
        residual = difference(to_ours(theirs, index), bare)
        known = {*CARRIED.values(), *DERIVED, "metadata", "rubric_ref"}
        losses = [Loss((key,), _NOT_IN_THEIRS, is_kept=True) for key in row if key not in known]
        if rubric is not None or "rubric_ref" in row:
            losses.append(Loss(("rubric_ref",), _RUBRIC, is_kept=True))
        whole = _IN_THEIRS.joined(theirs, _FORM.written(residual))
        return TheirRow(whole, tuple(losses), tuple(self._problems(whole)))

    def _problems(self, row: dict[str, Any]) -> list[Problem]:
        if self._has_outputs and row.get("response") is None and row.get("trace") is None:
            message = "a row of recorded outputs needs a `response` or a `trace`"
            advice = "write `recorded_output`, or convert to `databricks:application`"
            return [Problem("databricks/missing-key", message, (), advice)]
        return []


def _restored(row: dict[str, Any], kept: dict[str, Any] | None) -> dict[str, Any]:
    residual = _FORM.read(kept or {})
    return applied(row, residual) if residual else row


def to_ours(row: dict[str, Any], index: int) -> dict[str, Any]:
    """Convert a row to evalcontract, without a residual."""
    request = row.get("request")
    id_ = row.get("request_id")
    ours: dict[str, Any] = {
        "id": id_ if isinstance(id_, str) and id_ else default_id(index),
        "input": _question(request) or json.dumps(request, ensure_ascii=False),
    }
    if isinstance(request, dict) and isinstance(request.get("messages"), list):
        ours["messages"] = request["messages"]
    elif isinstance(request, dict) and isinstance(request.get("history"), list):
        ours["context"] = {"history": request["history"]}
    ours |= {CARRIED[key]: row[key] for key in _UNCHANGED if row.get(key) is not None}
    if not all(ours.get("expected_facts", ())):
        del ours["expected_facts"]  # evalcontract allows no empty fact
    for key in CONTEXTS:
        if isinstance(row.get(key), list):
            ours[CARRIED[key]] = [with_renamed_key(part, "doc_uri", "id") for part in row[key]]
    return with_bundle(ours)


def to_theirs(row: dict[str, Any], index: int) -> dict[str, Any]:
    """Convert a row of evalcontract to an evaluation set, without a residual."""
    theirs: dict[str, Any] = {}
    if row.get("id") != default_id(index):
        theirs["request_id"] = row.get("id")
    theirs["request"] = _request(row)
    for key in _UNCHANGED:
        if (part := row.get(CARRIED[key])) is not None:
            theirs[key] = part
    for key in CONTEXTS:
        if isinstance(documents := row.get(CARRIED[key]), list):
            theirs[key] = [with_renamed_key(part, "id", "doc_uri") for part in documents]
    return theirs


def _question(request: Any) -> str | None:
    """Return the text of a request; None if it has none."""
    if isinstance(request, dict):
        messages = request.get("messages")
        request = last_question(messages) if isinstance(messages, list) else request.get("query")
    return request if isinstance(request, str) and request.strip() else None


def _request(row: dict[str, Any]) -> Any:
    if isinstance(row.get("messages"), list):
        return {"messages": row["messages"]}
    context = row.get("context")
    if isinstance(context, dict) and isinstance(context.get("history"), list):
        return {"query": row.get("input"), "history": context["history"]}
    return row.get("input")
