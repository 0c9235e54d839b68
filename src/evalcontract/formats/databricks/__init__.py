"""Evaluation sets of Databricks agent evaluation, per its public documentation.

The verdicts of the real loader are unknown: its licence allows the package on Databricks only. What
the documentation requires is an error if it is missing; what it leaves open is at most a warning.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import predictions
from evalcontract.formats._format import Dialect, Format, RowLayout, codes_of_system, named_by
from evalcontract.formats._frames import first_row_of, frame_of, layout_of
from evalcontract.formats.databricks.checker import RequestChecker
from evalcontract.formats.databricks.conversion import RequestReader, RequestWriter
from evalcontract.formats.databricks.fields import FIELDS
from evalcontract.model.diagnostic import Problem
from evalcontract.model.nearest import nearest

if TYPE_CHECKING:
    from evalcontract.formats._format import GraderPrediction, SchemaChecker
    from evalcontract.source.external import ExternalFile

_APPLICATION, _OUTPUTS = "application", "outputs"
_DISTINCT = frozenset(
    {"request_id", "expected_response", "expected_retrieved_context", "retrieved_context"}
)
_REQUEST = frozenset({"request"})
# Keys that are those of other systems; traces that MLflow searched for have a request as well.
_FOREIGN = frozenset({"inputs", "input", "queries", "cases", "trace_metadata"})
_NO_ROWS = Problem(
    "databricks/undocumented", "there are no rows, so nothing is evaluated", (), "add a row"
)
_NO_LIST = Problem(
    "databricks/rejected", "an evaluation set is a list of rows", (), "write `[…]` around the row"
)


def _find_rows(read: ExternalFile, _variant: str | None, _schema: SchemaChecker) -> RowLayout:
    if read.document is None:
        return RowLayout()
    value = read.document.value
    if isinstance(value, list):
        return RowLayout(value, problems=() if value else (_NO_ROWS,))
    if frame := frame_of(value, _REQUEST):
        return layout_of(frame, "databricks")
    return RowLayout.without_rows(_NO_LIST)


def _recognise(value: dict[str, Any]) -> Dialect | None:
    """Detect a row by its request: a text, messages or a query.

    If the row has another key that only evaluation sets have, `request` may be misspelled.
    """
    first = first_row_of(value, _REQUEST)
    value = first if isinstance(first, dict) else value
    request_key = next((key for key in value if nearest(key, ("request",))), "request")
    if request_key != "request" and _DISTINCT.isdisjoint(value):
        return None
    request = value.get(request_key)
    is_request = isinstance(request, str) or (
        isinstance(request, dict) and not {"messages", "query"}.isdisjoint(request)
    )
    if not is_request or not _FOREIGN.isdisjoint(value):
        return None
    has_outputs = not {"response", "trace"}.isdisjoint(value)
    return Dialect(DATABRICKS, _OUTPUTS if has_outputs else _APPLICATION)


def _predict(row: Any, variant: str | None) -> Iterator[GraderPrediction]:
    facts = {"no_content": _has_no_content}
    return predictions("databricks", row, variant or _APPLICATION, facts)


def _has_no_content(row: dict[str, Any], _: str) -> bool:
    documents = row.get("retrieved_context") or ()
    return not row.get("trace") and not any(document.get("content") for document in documents)


DATABRICKS = Format(
    name="databricks",
    title="Databricks agent evaluation",
    variants=(_APPLICATION, _OUTPUTS),
    media=("json", "jsonl", "yaml", "parquet"),
    basis="per public documentation",
    find_rows=_find_rows,
    row_checker=lambda variant, schema: RequestChecker(schema, has_outputs=variant == _OUTPUTS),
    name_of=named_by("request_id"),
    recognise=_recognise,
    predict=_predict,
    reader=lambda _read, _variant: RequestReader(),
    writer=lambda _medium, variant: RequestWriter(has_outputs=variant == _OUTPUTS),
    codes=codes_of_system(
        "databricks",
        silently_accepted=("two-expectations",),
        guesses=("undocumented",),
        notes=("data-frame",),
    ),
    fields=FIELDS,
)
