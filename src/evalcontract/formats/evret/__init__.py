"""Datasets of Evret, an evaluator of retrievers, in the JSON and CSV of three releases.

Measured on the published packages 0.0.1, 0.0.2 and 0.0.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

from evalcontract.formats._conversion import Field
from evalcontract.formats._format import (
    Format,
    RowChecker,
    RowLayout,
    SchemaChecker,
    codes_of_system,
)
from evalcontract.formats.evret.checker import QueryChecker, rows_of_document
from evalcontract.formats.evret.releases import (
    ANSWERS,
    RELEASES,
    ids_key,
    name_of,
    parsed,
    release_of,
)
from evalcontract.formats.evret.table import rows_of_table
from evalcontract.source.tables.delimited import CsvTable

if TYPE_CHECKING:
    from evalcontract.formats._graders import GraderPrediction
    from evalcontract.formats._lens import Lens
    from evalcontract.formats.evret.releases import Release
    from evalcontract.source.external import ExternalFile

_NO_ANSWERS = "Evret scores retrieval, not answers"
_WITH_IDS = ("0.0.3", "0.0.1")

FIELDS = (
    Field("query_id", "id", "or `id`"),
    Field("query_text", "input", "or `query`"),
    Field("expected_doc_ids", "expected_documents", "in JSON with their texts", ("0.0.3",)),
    Field("relevant_doc_ids", "expected_documents", "in JSON with their texts", _WITH_IDS),
    Field("relevant_docs", "expected_documents", "if nothing else is expected", ("0.0.1",)),
    Field("expected_answers", "expected_facts", "what the retrieved texts should state"),
    Field("metadata", "metadata"),
    Field("*", None, "Evret does not read it, and rows have no key for it"),
    Field(None, "expected_documents", "Evret 0.0.2 reads no document ids", ("0.0.2",)),
    Field(None, "rubric_ref", "Evret scores retrieval, and has no rubrics"),
    Field(None, "criteria", _NO_ANSWERS),
    Field(None, "expected", _NO_ANSWERS),
    Field(None, "expected_tools", "Evret scores retrieval, and has no tools"),
    Field(None, "must_contain_any", _NO_ANSWERS),
    Field(None, "must_not_contain", _NO_ANSWERS),
    Field(None, "recorded_output", _NO_ANSWERS),
    Field(None, "retrieved_documents", "Evret runs the retriever itself"),
    Field(None, "*", "Evret has no place for it"),
)


FACTS = {"by_ids": lambda query, _: bool(query["ids"])}


class Evret(Format):
    """Queries of one release."""

    name = "evret"
    title = "Evret"
    variants = tuple(RELEASES)
    media = ("json", "csv")
    basis = "the loaders of Evret 0.0.1, 0.0.2 and 0.0.3, run"
    codes = codes_of_system(
        "evret",
        rejected=("empty-value", "malformed-cell", "short-row"),
        silently_accepted=(
            "blank-item",
            "duplicate-column",
            "duplicate-document",
            "extra-cell",
            "hidden-column",
            "ignored-answers",
            "no-queries",
            "not-text",
            "nothing-expected",
            "other-release",
            "repeated-item",
            "taken-for-absent",
            "unknown-document",
        ),
        guesses=("cut-cell", "python-list", "shadowed-key", "misplaced-key"),
        notes=("split-answer",),
    )
    fields = FIELDS
    facts = FACTS

    @classmethod
    def recognise(cls, value: dict[str, Any]) -> Self | None:
        """Detect the release of a document or a first row."""
        release = release_of(value)
        return cls(release) if release else None

    @property
    def _release(self) -> Release:
        return RELEASES[self.variant]

    def rows(self, file: ExternalFile, schema: SchemaChecker) -> RowLayout:
        if isinstance(file.source, CsvTable):
            return rows_of_table(file.source, self._release, schema, has_mark=file.has_mark)
        value = file.document.value if file.document else None
        return rows_of_document(value, self._release, schema, has_mark=file.has_mark)

    def checker(self, schema: SchemaChecker) -> RowChecker:
        return QueryChecker(self._release, schema)

    def name_of(self, row: Any) -> str | None:
        return name_of(row)

    def predict(self, row: Any, file: ExternalFile | None = None) -> Iterator[GraderPrediction]:
        query = parsed(row, self._release)
        field = ids_key(row, self._release) if query.ids else ANSWERS
        for prediction in super().predict(query._asdict(), file):
            yield prediction._replace(field=field) if prediction.field else prediction

    def lens_class(self) -> type[Lens]:
        from evalcontract.formats.evret.conversion import QueryLens  # a check needs it not

        return QueryLens
