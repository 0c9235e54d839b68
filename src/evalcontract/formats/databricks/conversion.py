"""Convert rows of evaluation sets to evalcontract and back; no row loses anything."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from evalcontract.formats._conversion import (
    OURS,
    Loss,
    OurRow,
    Reader,
    TheirRow,
    Writer,
    conversation_of,
    criteria_of,
    default_id,
    guidelines_of,
    last_question,
    losses_of,
    own_expectations,
    reference_of,
    with_bundle,
    with_renamed_key,
)
from evalcontract.formats._fields import reason_against, reason_for
from evalcontract.formats._residual import (
    Form,
    Residual,
    ResidualPlace,
    difference,
    is_row,
    restored,
)
from evalcontract.formats.databricks.fields import FIELDS, RUBRIC
from evalcontract.model.diagnostic import Path, Problem

_UNCHANGED = {"expected_facts": "expected_facts", "response": "recorded_output", "trace": "trace"}
_DOCUMENTS = {
    "expected_retrieved_context": "expected_documents",
    "retrieved_context": "retrieved_documents",
}
#: The columns that hold documents.
CONTEXTS = tuple(_DOCUMENTS)
_BESIDE = "its correctness judge takes facts or a response, not both"
_RUN = "an evaluation set has the question and the answer; the run between them is a trace"
# The mappings of a row that are compared key by key.
_NESTED: dict[str, Any] = {"expected": {}, "context": {}}
_NESTED_THEIRS: dict[str, Any] = {"custom_expected": {}}
_FORM = Form(None, "_unset")
_IN_THEIRS = ResidualPlace("metadata", OURS, "_metadata")
_IN_OURS = ResidualPlace("metadata", "databricks", "_metadata")


class RequestReader(Reader):
    """Converts rows to evalcontract; preserves everything else in `metadata.databricks`."""

    def read(self, row: dict[str, Any], index: int) -> OurRow:
        """Convert a valid row; a foreign value in place of the residual is ordinary data."""
        bare, kept = _IN_THEIRS.split(row, _FORM.fits)
        ours = _FORM.applied(to_ours(bare, index), kept, _NESTED)
        if not is_row(ours):
            bare, ours = row, to_ours(row, index)
        residual = difference(to_theirs(ours, index), bare, _NESTED_THEIRS)
        losses = tuple(
            Loss(path, reason_for(FIELDS, path), is_kept=True) for path in _lost(residual, bare)
        )
        return OurRow(_IN_OURS.joined(ours, _FORM.written(residual)), None, losses)


def _lost(residual: Residual, row: dict[str, Any]) -> Iterator[Path]:
    """Yield what a row of evalcontract does not hold of a row."""
    for key, part in residual.set.items():
        if key in ("metadata", "request", "request_id") or row.get(key) in (None, [], {}):
            continue
        if key == "expected_response" and row.get("expected_facts") and part.strip():
            continue  # it is the reference, which is written without facts alone
        if key == "custom_expected" and isinstance(part, dict):
            yield from ((key, name) for name in part)
        else:
            yield (key,)


class RequestWriter(Writer):
    """Converts rows to an evaluation set; preserves everything else in `metadata.evalcontract`."""

    def __init__(self, *, has_outputs: bool) -> None:
        self._has_outputs = has_outputs

    def write(self, row: dict[str, Any], rubric: dict[str, Any] | None, index: int) -> TheirRow:
        """Convert a row."""
        bare, kept = _IN_OURS.split(row, _FORM.fits)
        theirs = to_theirs(bare, index)
        if preserved := _FORM.read(kept or {}):
            theirs = restored(
                theirs, preserved, _NESTED_THEIRS, bare, lambda each: to_ours(each, index)
            )
        residual = difference(to_ours(theirs, index), bare, _NESTED)
        own = Residual({k: v for k, v in residual.set.items() if k != "metadata"}, [])
        losses = [*losses_of(own, bare, _reason, _BESIDE, _RUN)]
        if rubric is not None and "rubric_ref" not in row:
            losses.append(Loss(("rubric_ref",), RUBRIC, is_kept=True))
        whole = _IN_THEIRS.joined(theirs, _FORM.written(residual))
        return TheirRow(whole, tuple(losses), tuple(self._problems(whole)))

    def _problems(self, row: dict[str, Any]) -> list[Problem]:
        if self._has_outputs and row.get("response") is None and row.get("trace") is None:
            message = "a row of recorded outputs needs a `response` or a `trace`"
            advice = "write `recorded_output`, or convert to `databricks:application`"
            return [Problem("databricks/missing-key", message, (), advice)]
        return []


def _reason(path: Path) -> str:
    return reason_against(FIELDS, path)


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
    if criteria := criteria_of(row.get("guidelines")):
        ours["criteria"] = criteria
    if expected := _expected(row):
        ours["expected"] = expected
    ours |= {own: row[key] for key, own in _UNCHANGED.items() if row.get(key) is not None}
    if not all(ours.get("expected_facts", ())):
        del ours["expected_facts"]  # evalcontract allows no empty fact
    for key, own in _DOCUMENTS.items():
        if isinstance(row.get(key), list):
            ours[own] = [with_renamed_key(part, "doc_uri", "id") for part in row[key]]
    return with_bundle(ours)


def _expected(row: dict[str, Any]) -> dict[str, Any]:
    """Return the reference answer and the author's own expectations."""
    custom = row.get("custom_expected")
    expected = own_expectations({"expected": custom})
    response = row.get("expected_response")
    is_text = isinstance(response, str) and response.strip()
    return {"reference": response, **expected} if is_text else expected


def to_theirs(row: dict[str, Any], index: int) -> dict[str, Any]:
    """Convert a row of evalcontract to an evaluation set, without a residual."""
    theirs: dict[str, Any] = {}
    if row.get("id") != default_id(index):
        theirs["request_id"] = row.get("id")
    theirs["request"] = _request(row)
    reference, facts = reference_of(row), row.get("expected_facts")
    if reference and (not facts or facts == [reference]):
        theirs["expected_response"] = reference
    elif facts is not None:
        theirs["expected_facts"] = facts
    criteria = row.get("criteria")
    if isinstance(criteria, str) and criteria.strip():
        theirs["guidelines"] = guidelines_of(criteria)
    if custom := own_expectations(row):
        theirs["custom_expected"] = custom
    answer = row.get("recorded_output", conversation_of(row).answer)
    if answer is not None:
        theirs["response"] = answer
    if row.get("trace") is not None:
        theirs["trace"] = row["trace"]
    for key, own in _DOCUMENTS.items():
        if isinstance(documents := row.get(own), list):
            theirs[key] = [with_renamed_key(part, "id", "doc_uri") for part in documents]
    return theirs


def _question(request: Any) -> str | None:
    """Return the text of a request; None if it has none."""
    if isinstance(request, dict):
        messages = request.get("messages")
        request = last_question(messages) if isinstance(messages, list) else request.get("query")
    return request if isinstance(request, str) and request.strip() else None


def _request(row: dict[str, Any]) -> Any:
    if asked := conversation_of(row).asked:
        return {"messages": asked}
    context = row.get("context")
    if isinstance(context, dict) and isinstance(context.get("history"), list):
        return {"query": row.get("input"), "history": context["history"]}
    return row.get("input")
