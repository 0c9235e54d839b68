"""What MLflow itself exports: `to_dict` of a dataset, and the data frames of `to_df`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._format import RowLayout
from evalcontract.formats._frames import first_row_of, frame_of, layout_of
from evalcontract.model.diagnostic import Problem

if TYPE_CHECKING:
    from evalcontract.source.external import ExternalFile

_RECORDS = "records"
# `to_dict` writes all of them beside the records.
_OF_DATASET = frozenset({"dataset_id", "digest", "profile"})
#: The columns of which a data frame has one.
COLUMNS = frozenset({"inputs", "trace"})
_EXPORT = Problem(
    "mlflow/export",
    "this is `to_dict` of a dataset: `EvaluationDataset.from_dict` reads it",
    (),
    f"`merge_records` takes its `{_RECORDS}`",
)


def is_export(value: Any) -> bool:
    """Whether a document is what `to_dict` of a dataset gives, with its records."""
    is_dataset = isinstance(value, dict) and not _OF_DATASET.isdisjoint(value)
    return is_dataset and isinstance(value.get(_RECORDS), list)


def exported_rows(value: Any) -> RowLayout | None:
    """Return the rows of an export; None if a document is none."""
    if is_export(value):
        return RowLayout(value[_RECORDS], (_RECORDS,), (_EXPORT,))
    frame = frame_of(value, COLUMNS)
    return layout_of(frame, "mlflow") if frame else None


def first_exported(value: dict[str, Any]) -> Any:
    """Return the first row of an export; None if a document is none."""
    if is_export(value):
        return next(iter(value[_RECORDS]), None)
    return first_row_of(value, COLUMNS)


def exported_root(read: ExternalFile) -> dict[str, Any]:
    """Return what an export says of the dataset, as the keys of evalcontract beside the rows."""
    value = read.document.value if read.document else None
    if not isinstance(value, dict) or not is_export(value):
        return {}
    root = {"label": value["name"]} if isinstance(value.get("name"), str) else {}
    tags = value.get("tags")
    return {**root, "metadata": {"tags": tags}} if isinstance(tags, dict) and tags else root
