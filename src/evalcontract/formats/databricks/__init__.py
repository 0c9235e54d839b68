"""Evaluation sets of Databricks agent evaluation, per its public documentation.

No verdict of the real loader is known: its package may be used on Databricks alone. What the
documentation asks for is an error where it is missing, what it leaves open is at most a warning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._format import Dialect, Format, RowLayout
from evalcontract.formats._predictions import predictions
from evalcontract.formats.databricks.checker import RequestChecker
from evalcontract.formats.databricks.conversion import RequestReader, RequestWriter
from evalcontract.model.diagnostic import Problem
from evalcontract.model.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats._conversion import Reader, Writer
    from evalcontract.formats._format import GraderPrediction, RowChecker, SchemaChecker
    from evalcontract.source.external import ExternalFile

_OUTPUTS = "outputs"
_DISTINCT = frozenset(
    {"request_id", "expected_response", "expected_retrieved_context", "retrieved_context"}
)


def _find_rows(read: ExternalFile, _variant: str | None, _schema: SchemaChecker) -> RowLayout:
    if read.document is None:
        return RowLayout()
    value = read.document.value
    if isinstance(value, list):
        return RowLayout(value, problems=_empty(value))
    message = "an evaluation set is a list of rows"
    found = Problem("databricks/rejected", message, (), "write `[…]` around the row")
    return RowLayout(problems=(found,), is_lost=True)


def _row_checker(variant: str | None, schema: SchemaChecker) -> RowChecker:
    return RequestChecker(schema, has_outputs=variant == _OUTPUTS)


def _name_of(row: Any) -> str | None:
    id_ = row.get("request_id") if isinstance(row, dict) else None
    return id_ if isinstance(id_, str) else None


def _recognise(value: dict[str, Any]) -> Dialect | None:
    """Return the dialect of a row with a request that is text, messages or a query.

    Beside what else only an evaluation set has, `request` may be misspelled.
    """
    meant = next((key for key in value if nearest(key, ("request",))), "request")
    if meant != "request" and _DISTINCT.isdisjoint(value):
        return None
    request = value.get(meant)
    is_request = isinstance(request, str) or (
        isinstance(request, dict) and not {"messages", "query"}.isdisjoint(request)
    )
    if not is_request or not {"inputs", "input", "queries", "cases"}.isdisjoint(value):
        return None
    has_outputs = not {"response", "trace"}.isdisjoint(value)
    return Dialect(DATABRICKS, _OUTPUTS if has_outputs else "application")


def _predict(row: Any, variant: str | None) -> Iterator[GraderPrediction]:
    variant = variant or "application"
    return predictions("databricks", row, variant, {"no_content": _has_no_content})


def _reader(_read: ExternalFile, _variant: str | None) -> Reader:
    return RequestReader()


def _writer(_medium: str, variant: str | None) -> Writer:
    return RequestWriter(has_outputs=variant == _OUTPUTS)


def _empty(rows: list[Any]) -> tuple[Problem, ...]:
    if rows:
        return ()
    message = "there are no rows: nothing is evaluated"
    return (Problem("databricks/undocumented", message, (), "add one"),)


def _has_no_content(row: dict[str, Any], _: str) -> bool:
    parts = row.get("retrieved_context") or ()
    return not row.get("trace") and not any(part.get("content") for part in parts)


DATABRICKS = Format(
    name="databricks",
    title="Databricks agent evaluation",
    variants=("application", _OUTPUTS),
    media=("json", "jsonl", "yaml", "parquet"),
    basis="per public documentation",
    find_rows=_find_rows,
    row_checker=_row_checker,
    name_of=_name_of,
    recognise=_recognise,
    predict=_predict,
    reader=_reader,
    writer=_writer,
)
