"""MLflow's evaluation datasets: of the open-source store, of Databricks, and for `evaluate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._format import Dialect, Format, RowLayout
from evalcontract.formats.mlflow.conversion import MlflowReader, MlflowWriter
from evalcontract.formats.mlflow.evaluate import EvaluateChecker
from evalcontract.formats.mlflow.managed import ManagedChecker
from evalcontract.formats.mlflow.oss import StoreChecker
from evalcontract.formats.mlflow.predictions import scorers
from evalcontract.formats.mlflow.sources import is_documented
from evalcontract.model.diagnostic import Problem
from evalcontract.model.nearest import nearest
from evalcontract.source.shipped import table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats._conversion import Reader, Writer
    from evalcontract.formats._format import GraderPrediction, RowChecker, SchemaChecker
    from evalcontract.formats.mlflow.records import RecordChecker
    from evalcontract.source.external import ExternalFile

OSS, MANAGED, EVALUATE = "oss", "managed", "evaluate"
_CHECKERS: dict[str, type[RecordChecker]] = {
    OSS: StoreChecker,
    MANAGED: ManagedChecker,
    EVALUATE: EvaluateChecker,
}
_LOADERS = {OSS: "`merge_records`", MANAGED: "a dataset", EVALUATE: "`evaluate`"}
_NAMES = ("dataset_record_id", "request_id", "id")


def _find_rows(read: ExternalFile, variant: str | None, _schema: SchemaChecker) -> RowLayout:
    if read.document is None:
        return RowLayout()
    value = read.document.value
    if isinstance(value, list):
        return RowLayout(rows=value)
    variant = variant or OSS
    if variant == OSS and value in ({}, ""):
        return RowLayout(rows=[])
    is_row = isinstance(value, dict) and "inputs" in value
    inside = isinstance(value, dict) and next(
        (key for key, part in value.items() if isinstance(part, list)), None
    )
    advice = "write `[` and `]` around the record" if is_row else None
    if inside and not is_row:
        advice = f"leave the list below `{inside}` alone in the file"
    because = ", per public documentation" if variant == MANAGED else ""
    message = f"{_LOADERS[variant]} takes a list of records, and this is none{because}"
    return RowLayout(problems=(Problem("mlflow/rejected", message, (), advice),), is_lost=True)


def _row_checker(variant: str | None, schema: SchemaChecker) -> RowChecker:
    return _CHECKERS[variant or OSS](schema)


def _name_of(row: Any) -> str | None:
    if not isinstance(row, dict):
        return None
    return next((row[key] for key in _NAMES if isinstance(row.get(key), str)), None)


def _recognise(value: dict[str, Any]) -> Dialect | None:
    """Return the dialect of a record: `inputs` is a mapping, and `expectations` stands beside.

    That may be misspelled: what is to be found by the check must not hide whose file it is.
    """
    beside = [key for key in value if nearest(key, ("expectations",))]
    inputs = value.get("inputs")
    if not isinstance(inputs, dict) or not any(isinstance(value[k], dict) for k in beside):
        return None
    is_managed = is_documented(value.get("source")) or any(
        column in value for column in table("formats/mlflow.columns")["of_databricks"]
    )
    return Dialect(MLFLOW, MANAGED if is_managed else OSS)


def _predict(row: Any, variant: str | None) -> Iterator[GraderPrediction]:
    return scorers(row, variant or OSS)


def _reader(_read: ExternalFile, variant: str | None) -> Reader:
    return MlflowReader(variant or OSS)


def _writer(_medium: str, variant: str | None) -> Writer:
    return MlflowWriter(variant or OSS)


MLFLOW = Format(
    name="mlflow",
    title="MLflow",
    variants=(OSS, MANAGED, EVALUATE),
    media=("json", "jsonl", "yaml", "parquet"),
    basis=(
        "MLflow 3.18.0, run on a SQLite store; 3.17.2 differs in empty `tags` that are no mapping, "
        "such as null, which it refuses. Of a trace only what its reading needs at the top is "
        "checked, and half a character or an odd `request_id` may make `evaluate` say otherwise. "
        "`managed`: per public documentation of Databricks alone, never run."
    ),
    find_rows=_find_rows,
    row_checker=_row_checker,
    name_of=_name_of,
    recognise=_recognise,
    predict=_predict,
    reader=_reader,
    writer=_writer,
)
