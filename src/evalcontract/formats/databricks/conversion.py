"""Rows of evaluation sets become ours, and ours become theirs; no row loses anything."""

from __future__ import annotations

import json
from typing import Any

from evalcontract.formats._conversion import (
    OURS,
    Loss,
    OurRow,
    TheirRow,
    default_id,
    last_said,
    renamed,
    with_bundle,
)
from evalcontract.formats._residual import Form, ResidualPlace, applied, difference, is_row
from evalcontract.model.diagnostic import Problem

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


def ours_of(row: dict[str, Any], index: int) -> dict[str, Any]:
    """Return a row of ours, as far as one has places for what theirs says."""
    request = row.get("request")
    id_ = row.get("request_id")
    ours: dict[str, Any] = {
        "id": id_ if isinstance(id_, str) and id_ else default_id(index),
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
    return with_bundle(ours)


def theirs_of(row: dict[str, Any], index: int) -> dict[str, Any]:
    """Return a row of theirs, as far as one has places for what ours says."""
    theirs: dict[str, Any] = {}
    if row.get("id") != default_id(index):
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
        request = last_said(messages) if isinstance(messages, list) else request.get("query")
    return request if isinstance(request, str) and request.strip() else None


def _request(row: dict[str, Any]) -> Any:
    if isinstance(row.get("messages"), list):
        return {"messages": row["messages"]}
    context = row.get("context")
    if isinstance(context, dict) and isinstance(context.get("history"), list):
        return {"query": row.get("input"), "history": context["history"]}
    return row.get("input")


def _renamed(documents: list[Any], old: str, new: str) -> list[Any]:
    return [
        renamed(each, old, new) if isinstance(each, dict) and new not in each else each
        for each in documents
    ]


_OURS_HAS_NO = "a row of ours has no place for it"
_THEIRS_HAS_NO = "an evaluation set has no place for it"
_RUBRIC = "an evaluation set has no rubrics; judges are chosen when the evaluation is run"
_FORM = Form(None, "_unset")
_KEEPS_OURS = ResidualPlace("metadata", OURS, "_metadata")
_KEEPS_THEIRS = ResidualPlace("metadata", "databricks", "_metadata")


def _restored(row: dict[str, Any], kept: dict[str, Any] | None) -> dict[str, Any]:
    residual = _FORM.read(kept or {})
    return applied(row, residual) if residual else row


class RequestReader:
    """Makes rows of ours. What these have no place for is kept below `metadata.databricks`."""

    def __init__(self) -> None:
        self.root: dict[str, Any] = {}
        self.losses: tuple[Loss, ...] = ()

    def read(self, row: dict[str, Any], index: int) -> OurRow:
        """Turn a sound row into ours; what somebody else wrote in our place is data as any."""
        lost = [key for key in row if key not in CARRIED and key != "metadata"]
        losses = tuple(Loss((key,), _OURS_HAS_NO, is_kept=True) for key in lost)
        bare, kept = _KEEPS_OURS.split(row, _FORM.fits)
        ours = _restored(ours_of(bare, index), kept)
        if not is_row(ours):
            bare, ours = row, ours_of(row, index)
        theirs = difference(theirs_of(ours, index), bare)
        return OurRow(_KEEPS_THEIRS.joined(ours, _FORM.written(theirs)), None, losses)


class RequestWriter:
    """Makes rows of an evaluation set. What has no column is kept below `metadata`."""

    says_rubrics = False

    def __init__(self, *, has_outputs: bool) -> None:
        self._has_outputs = has_outputs

    def write(self, row: dict[str, Any], rubric: dict[str, Any] | None, index: int) -> TheirRow:
        """Turn a row."""
        bare, kept = _KEEPS_THEIRS.split(row, _FORM.fits)
        theirs = _restored(theirs_of(bare, index), kept)
        ours = difference(ours_of(theirs, index), bare)
        known = {*CARRIED.values(), *DERIVED, "metadata", "rubric_ref"}
        losses = [Loss((key,), _THEIRS_HAS_NO, is_kept=True) for key in row if key not in known]
        if rubric is not None or "rubric_ref" in row:
            losses.append(Loss(("rubric_ref",), _RUBRIC, is_kept=True))
        whole = _KEEPS_OURS.joined(theirs, _FORM.written(ours))
        return TheirRow(whole, tuple(losses), tuple(self._problems(whole)))

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, tuple[Loss, ...]]:
        """Return the list of rows; what stands beside ours has no place there."""
        lost = tuple(Loss((key,), _THEIRS_HAS_NO, is_kept=False) for key in root)
        return rows, lost

    def _problems(self, row: dict[str, Any]) -> list[Problem]:
        if self._has_outputs and row.get("response") is None and row.get("trace") is None:
            message = "a row of recorded outputs needs a `response` or a `trace`, and has none"
            advice = "write `recorded_output`, or convert for `databricks:application`"
            return [Problem("databricks/missing-key", message, (), advice)]
        return []
