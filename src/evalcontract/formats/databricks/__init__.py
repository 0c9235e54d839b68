"""Evaluation sets of Databricks agent evaluation, per its public documentation.

No verdict of the real loader is known: its package may be used on Databricks alone. What the
documentation asks for is an error where it is missing, what it leaves open is at most a warning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._format import Dialect, RowLayout
from evalcontract.formats._predictions import predictions
from evalcontract.formats.databricks.checker import RequestChecker
from evalcontract.formats.databricks.conversion import RowReader, RowWriter
from evalcontract.model.diagnostic import Problem
from evalcontract.model.nearest import nearest
from evalcontract.source.document import Document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats._conversion import Reader, Writer
    from evalcontract.formats._format import Format, GraderPrediction, RowChecker, SchemaChecker
    from evalcontract.source.foreign import Foreign

_OUTPUTS = "outputs"
_DISTINCT = frozenset(
    {"request_id", "expected_response", "expected_retrieved_context", "retrieved_context"}
)


class _Databricks:
    name = "databricks"
    title = "Databricks agent evaluation"
    variants: tuple[str, ...] = ("application", _OUTPUTS)
    media: tuple[str, ...] = ("json", "jsonl", "yaml", "parquet")
    basis = "per public documentation"

    def find_rows(self, read: Foreign, variant: str | None, schema: SchemaChecker) -> RowLayout:
        """Find the rows: a list, or one a line."""
        del variant, schema
        if not isinstance(read.source, Document):
            return RowLayout()
        value = read.source.value
        if isinstance(value, list):
            return RowLayout(value, problems=_empty(value))
        message = "an evaluation set is a list of rows"
        found = Problem("databricks/rejected", message, (), "write `[…]` around the row")
        return RowLayout(problems=(found,), is_lost=True)

    def row_checker(self, variant: str | None, schema: SchemaChecker) -> RowChecker:
        """Begin a pass over rows."""
        return RequestChecker(schema, has_outputs=variant == _OUTPUTS)

    def name_of(self, row: Any) -> str | None:
        """Return the request id of a row."""
        id_ = row.get("request_id") if isinstance(row, dict) else None
        return id_ if isinstance(id_, str) else None

    def recognise(self, value: dict[str, Any]) -> Dialect | None:
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
        return Dialect(self, _OUTPUTS if has_outputs else "application")

    def predict(self, row: Any, variant: str | None) -> Iterator[GraderPrediction]:
        """Yield what will become of each metric on a row."""
        variant = variant or self.variants[0]
        return predictions(self.name, row, variant, {"no_content": _has_no_content})

    def reader(self, read: Foreign, variant: str | None) -> Reader:
        """Begin to convert rows into ours."""
        del read, variant
        return RowReader()

    def writer(self, medium: str, variant: str | None) -> Writer:
        """Begin to convert rows of ours."""
        del medium
        return RowWriter(has_outputs=variant == _OUTPUTS)


def _empty(rows: list[Any]) -> tuple[Problem, ...]:
    if rows:
        return ()
    message = "there are no rows: nothing is evaluated"
    return (Problem("databricks/undocumented", message, (), "add one"),)


def _has_no_content(row: dict[str, Any], _: str) -> bool:
    parts = row.get("retrieved_context") or ()
    return not row.get("trace") and not any(part.get("content") for part in parts)


DATABRICKS: Format = _Databricks()
