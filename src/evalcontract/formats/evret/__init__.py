"""Datasets of Evret, an evaluator of retrievers, in the JSON and CSV of three releases.

Measured on the published packages 0.0.1, 0.0.2 and 0.0.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import predictions
from evalcontract.formats._format import Dialect, Format, RowLayout, codes_of_system
from evalcontract.formats.evret.checker import QueryChecker, rows_of_document
from evalcontract.formats.evret.conversion import reader_of, writer_of
from evalcontract.formats.evret.mapping import FIELDS
from evalcontract.formats.evret.releases import (
    ANSWERS,
    RELEASES,
    ids_key,
    name_of,
    parsed,
    release_of,
)
from evalcontract.formats.evret.table import rows_of_table
from evalcontract.source.tables import CsvTable

if TYPE_CHECKING:
    from evalcontract.formats._format import GraderPrediction, SchemaChecker
    from evalcontract.formats.evret.releases import Release
    from evalcontract.source.external import ExternalFile


def _find_rows(read: ExternalFile, variant: str | None, schema: SchemaChecker) -> RowLayout:
    release, source = _release(variant), read.source
    if isinstance(source, CsvTable):
        return rows_of_table(source, release, schema, has_mark=read.has_mark)
    value = read.document.value if read.document else None
    return rows_of_document(value, release, schema, has_mark=read.has_mark)


def _recognise(value: dict[str, Any]) -> Dialect | None:
    release = release_of(value)
    return Dialect(EVRET, release) if release else None


def _predict(row: Any, variant: str | None) -> Iterator[GraderPrediction]:
    release = _release(variant)
    query = parsed(row, release)
    field = ids_key(row, release) if query.ids else ANSWERS
    facts = {"by_ids": lambda query, _: bool(query["ids"])}
    for prediction in predictions("evret", query._asdict(), release.version, facts):
        yield prediction._replace(field=field) if prediction.field else prediction


def _release(variant: str | None) -> Release:
    return RELEASES[variant or next(iter(RELEASES))]


EVRET = Format(
    name="evret",
    title="Evret",
    variants=tuple(RELEASES),
    media=("json", "csv"),
    basis="the loaders of Evret 0.0.1, 0.0.2 and 0.0.3, run",
    find_rows=_find_rows,
    row_checker=lambda variant, schema: QueryChecker(_release(variant), schema),
    name_of=name_of,
    recognise=_recognise,
    predict=_predict,
    reader=lambda read, variant: reader_of(read, _release(variant)),
    writer=lambda medium, variant: writer_of(medium, _release(variant)),
    codes=codes_of_system(
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
        guesses=("cut-cell", "python-list", "shadowed-key"),
        notes=("split-answer",),
    ),
    fields=FIELDS,
)
