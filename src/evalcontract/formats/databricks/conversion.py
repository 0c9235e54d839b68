"""Rows of evaluation sets and of evalcontract: how they correspond."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

from evalcontract.formats._conversion import (
    Loss,
    answers_of,
    conversation_of,
    last_question,
    own_expectations,
)
from evalcontract.formats._lens import At, Lens
from evalcontract.formats._residual import Form, Row
from evalcontract.formats.databricks import OUTPUTS
from evalcontract.model.diagnostic import Path, Problem

_NO_PLACE = "a row has the question of a request, and the conversation before it"


class RequestLens(Lens):
    """Keeps everything else of a row in `metadata.databricks`, and of ours in its metadata."""

    form = Form(None, "_unset")
    nested_theirs = MappingProxyType({"custom_expected": {}})
    quiet = frozenset({"request", "request_id"})
    run = "an evaluation set has the question and the answer; the run between them is a trace"
    beside = "its correctness judge takes facts or a response, not both"

    def to_ours(self, row: Row, at: At) -> Row:
        request = row.get("request")
        ours: Row = {"input": _question(request) or json.dumps(request, ensure_ascii=False)}
        if isinstance(request, dict) and isinstance(request.get("messages"), list):
            ours["messages"] = request["messages"]
        elif isinstance(request, dict) and isinstance(request.get("history"), list):
            ours["context"] = {"history": request["history"]}
        if expected := _expected(row):
            ours["expected"] = expected
        if row.get("response") is not None:
            ours["recorded_output"] = row["response"]
        return ours

    def to_theirs(self, row: Row, at: At) -> Row:
        theirs: Row = {"request": _request(row), **answers_of(row)}
        if custom := own_expectations(row):
            theirs["custom_expected"] = custom
        answer = row.get("recorded_output", conversation_of(row).answer)
        if answer is not None:
            theirs["response"] = answer
        return theirs

    def lost(self, row: Row, at: At) -> Iterator[Loss]:
        """Yield the keys of a request beside its question and the conversation before it."""
        for key in _beside_question(row.get("request")):
            yield Loss(("request", key), _NO_PLACE, is_kept=True)

    def says(self, path: Path, row: Row, at: At) -> bool:
        """Whether a value is no loss: a reference beside facts is written without them."""
        is_beside = path == ("expected_response",) and bool(row.get("expected_facts"))
        return (is_beside and bool(row["expected_response"].strip())) or super().says(path, row, at)

    def problems(self, theirs: Row, at: At) -> Iterator[Problem]:
        is_recorded = theirs.get("response") is not None or theirs.get("trace") is not None
        if self.variant == OUTPUTS and not is_recorded:
            message = "a row of recorded outputs needs a `response` or a `trace`"
            advice = "write `recorded_output`, or convert to `databricks:application`"
            yield Problem("databricks/missing-key", message, (), advice)


def _expected(row: Row) -> Row:
    """Return the reference answer and the author's own expectations."""
    custom = row.get("custom_expected")
    expected = own_expectations({"expected": custom})
    response = row.get("expected_response")
    is_text = isinstance(response, str) and response.strip()
    return {"reference": response, **expected} if is_text else expected


def _question(request: Any) -> str | None:
    """Return the text of a request; None if it has none."""
    if isinstance(request, dict):
        messages = request.get("messages")
        request = last_question(messages) if isinstance(messages, list) else request.get("query")
    return request if isinstance(request, str) and request.strip() else None


def _beside_question(request: Any) -> list[str]:
    """Return the keys of a request that no row has; a request without a question is the input."""
    if not isinstance(request, dict) or _question(request) is None:
        return []
    has_messages = isinstance(request.get("messages"), list)
    read = ["messages"] if has_messages else ["query"]
    if not has_messages and isinstance(request.get("history"), list):
        read.append("history")
    return [key for key, part in request.items() if key not in read and part is not None]


def _request(row: dict[str, Any]) -> Any:
    if asked := conversation_of(row).asked:
        return {"messages": asked}
    context = row.get("context")
    if isinstance(context, dict) and isinstance(context.get("history"), list):
        return {"query": row.get("input"), "history": context["history"]}
    return row.get("input")
