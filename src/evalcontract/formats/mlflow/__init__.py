"""MLflow's evaluation datasets: of the open-source store, of Databricks, and for `evaluate`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.formats._format import Dialect, Format, RowLayout, codes_of_system, named_by
from evalcontract.formats.mlflow.conversion import MlflowReader, MlflowWriter
from evalcontract.formats.mlflow.evaluate import EvaluateChecker, ManagedChecker
from evalcontract.formats.mlflow.fields import FIELDS
from evalcontract.formats.mlflow.inputs import scorers
from evalcontract.formats.mlflow.oss import StoreChecker
from evalcontract.formats.mlflow.sources import (
    EVALUATE,
    MANAGED,
    OSS,
    exported_root,
    exported_rows,
    perhaps_recognised,
    recognised,
)
from evalcontract.model.diagnostic import Problem

if TYPE_CHECKING:
    from evalcontract.formats._format import SchemaChecker
    from evalcontract.formats.mlflow.records import MlflowChecker
    from evalcontract.source.external import ExternalFile

_CHECKERS: dict[str, type[MlflowChecker]] = {
    OSS: StoreChecker,
    MANAGED: ManagedChecker,
    EVALUATE: EvaluateChecker,
}
_LOADERS = {OSS: "`merge_records`", MANAGED: "a dataset", EVALUATE: "`evaluate`"}


def _find_rows(read: ExternalFile, variant: str | None, _schema: SchemaChecker) -> RowLayout:
    if read.document is None:
        return RowLayout()
    value = read.document.value
    if isinstance(value, list):
        return RowLayout(value)
    if layout := exported_rows(value):
        return layout
    variant = variant or OSS
    if variant == OSS and value in ({}, ""):
        return RowLayout([])
    advice = None
    if isinstance(value, dict):
        lists = [key for key, part in value.items() if isinstance(part, list)]
        if "inputs" in value:
            advice = "write `[` and `]` around the record"
        elif lists:
            advice = f"remove everything but the list of `{lists[0]}`"
    basis = ", per public documentation" if variant == MANAGED else ""
    message = f"{_LOADERS[variant]} takes a list of records, not another value{basis}"
    return RowLayout.without_rows(Problem("mlflow/rejected", message, (), advice))


def _dialect(variant: str | None) -> Dialect | None:
    return Dialect(MLFLOW, variant) if variant else None


MLFLOW = Format(
    name="mlflow",
    title="MLflow",
    variants=(OSS, MANAGED, EVALUATE),
    media=("json", "jsonl", "yaml", "parquet"),
    basis=(
        "MLflow 3.18.0, run on a SQLite store; 3.17.2 also rejects empty `tags` that are not a "
        "mapping, such as null. Of a trace, only the top-level keys that its parser needs are "
        "checked; a lone surrogate or an unusual `request_id` may change the verdict of "
        "`evaluate`. `managed`: per public documentation of Databricks, never run."
    ),
    find_rows=_find_rows,
    row_checker=lambda variant, schema: _CHECKERS[variant or OSS](schema),
    name_of=named_by("dataset_record_id", "request_id", "id"),
    recognise=lambda value: _dialect(recognised(value)),
    may_recognise=lambda value: _dialect(perhaps_recognised(value)),
    predict=lambda row, variant: scorers(row, variant or OSS),
    reader=lambda read, variant: MlflowReader(variant or OSS, exported_root(read)),
    writer=lambda _medium, variant: MlflowWriter(variant or OSS),
    codes=codes_of_system(
        "mlflow",
        rejected=(
            "unknown-key",
            "malformed-value",
            "mixed-goal",
            "mixed-granularity",
            "empty-inputs",
            "mixed-outputs",
            "mixed-traces",
            "documented-source",
            "open-source-source",
            "several-sources",
            "no-rows",
        ),
        silently_accepted=(
            "equal-inputs",
            "facts-and-response",
            "no-list-of-texts",
            "unreadable-tool-call",
            "no-expectations",
            "empty-tags",
        ),
        guesses=("misplaced-key", "reserved-goal"),
        notes=("data-frame", "export"),
    ),
    fields=FIELDS,
)
