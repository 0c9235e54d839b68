"""Datasets of Evret, an evaluator of retrievers: three releases, and what each reads.

Measured on the published packages 0.0.1, 0.0.2 and 0.0.3, whose loaders read JSON and CSV.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._format import Dialect, Format, RowLayout
from evalcontract.formats._predictions import predictions
from evalcontract.formats.evret.checker import QueryChecker
from evalcontract.formats.evret.documents import rows_of_document
from evalcontract.formats.evret.reading import reader_of
from evalcontract.formats.evret.releases import (
    ANSWERS,
    NAMES,
    RELEASES,
    first_given,
    ids_key,
    parsed,
    release_of,
    text_of,
)
from evalcontract.formats.evret.table import rows_of_table
from evalcontract.formats.evret.writing import writer_of
from evalcontract.source.csv_table import CsvTable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats._conversion import Reader, Writer
    from evalcontract.formats._format import GraderPrediction, RowChecker, SchemaChecker
    from evalcontract.formats.evret.releases import Release
    from evalcontract.source.external import ExternalFile


def _find_rows(read: ExternalFile, variant: str | None, schema: SchemaChecker) -> RowLayout:
    release, source = _release(variant), read.source
    if isinstance(source, CsvTable):
        return rows_of_table(source, release, schema, has_mark=read.has_mark)
    value = read.document.value if read.document else None
    return rows_of_document(value, release, schema, has_mark=read.has_mark)


def _row_checker(variant: str | None, schema: SchemaChecker) -> RowChecker:
    return QueryChecker(_release(variant), schema)


def _name_of(row: Any) -> str | None:
    if not isinstance(row, dict):
        return None
    key = first_given(row, NAMES[0])
    return text_of(row[key]) or None if key else None


def _recognise(value: dict[str, Any]) -> Dialect | None:
    release = release_of(value)
    return Dialect(EVRET, release) if release else None


def _predict(row: Any, variant: str | None) -> Iterator[GraderPrediction]:
    release = _release(variant)
    query = parsed(row, release)
    read = ids_key(row, release) if query.ids else ANSWERS
    facts = {"by_ids": lambda query, _: bool(query["ids"])}
    for each in predictions("evret", query._asdict(), release.version, facts):
        yield each._replace(field=read) if each.field else each


def _reader(read: ExternalFile, variant: str | None) -> Reader:
    return reader_of(read, _release(variant))


def _writer(medium: str, variant: str | None) -> Writer:
    return writer_of(medium, _release(variant))


def _release(variant: str | None) -> Release:
    return RELEASES[variant or next(iter(RELEASES))]


EVRET = Format(
    name="evret",
    title="Evret",
    variants=tuple(RELEASES),
    media=("json", "csv"),
    basis="the loaders of Evret 0.0.1, 0.0.2 and 0.0.3, as they were run",
    find_rows=_find_rows,
    row_checker=_row_checker,
    name_of=_name_of,
    recognise=_recognise,
    predict=_predict,
    reader=_reader,
    writer=_writer,
)
