"""Datasets of Inspect, as `json_dataset` and `csv_dataset` of the package `inspect_ai` read them.

A task may read other keys, by a `FieldSpec` or a function; the file does not say so. Measured on
`inspect_ai` 0.3.285.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import predictions
from evalcontract.formats._format import Dialect, Format, codes_of_system
from evalcontract.formats.inspect.checker import InspectChecker, find_rows
from evalcontract.formats.inspect.fields import FIELDS
from evalcontract.formats.inspect.reading import choices_of, has_other_choice, targets_of
from evalcontract.model.nearest import nearest

if TYPE_CHECKING:
    from evalcontract.formats._conversion import Reader, Writer
    from evalcontract.formats._format import GraderPrediction, RowChecker, SchemaChecker
    from evalcontract.source.external import ExternalFile

# Keys of other systems, whose rows have `input` and `target`, too.
_OTHERS = frozenset({"expected_output", "ideal", "inputs", "queries", "cases", "assert", "vars"})
FACTS = {
    "no_targets": lambda row, _: not targets_of(row),
    "empty_target": lambda row, _: not all(targets_of(row)),
    "only_empty_targets": lambda row, _: not any(targets_of(row)),
    "no_choices": lambda row, _: not choices_of(row),
    "other_choice": lambda row, _: has_other_choice(row),
    "nothing_to_compare": lambda row, _: not any(targets_of(row)),
}


def _name_of(row: Any) -> str | None:
    id_ = row.get("id") if isinstance(row, dict) else None
    return str(id_) if isinstance(id_, str | int) and str(id_) else None


def _recognise(value: dict[str, Any]) -> Dialect | None:
    """Detect a record by its input and its target, one of which may be misspelled."""
    if not _OTHERS.isdisjoint(value):
        return None
    meant = {nearest(key, ("input", "target")) for key in value}
    has_both = meant >= {"input", "target"} and not value.keys().isdisjoint(("input", "target"))
    return Dialect(INSPECT, None) if has_both else None


def _predict(row: Any, _variant: str | None) -> Iterator[GraderPrediction]:
    return predictions("inspect", row, None, FACTS)


def _checker(_variant: str | None, schema: SchemaChecker) -> RowChecker:
    return InspectChecker(schema)


def _reader(_read: ExternalFile, _variant: str | None) -> Reader:
    from evalcontract.formats.inspect.conversion import RecordReader  # a check does not need it

    return RecordReader()


def _writer(medium: str, _variant: str | None) -> Writer:
    from evalcontract.formats.inspect.conversion import RecordWriter  # a check does not need it

    return RecordWriter(is_table=medium == "csv")


INSPECT = Format(
    name="inspect",
    title="Inspect",
    variants=(),
    media=("json", "jsonl", "csv"),
    basis="`json_dataset` and `csv_dataset` of inspect_ai 0.3.285, run",
    find_rows=find_rows,
    row_checker=_checker,
    name_of=_name_of,
    recognise=_recognise,
    predict=_predict,
    reader=_reader,
    writer=_writer,
    codes=codes_of_system(
        "inspect",
        rejected=("ragged-row", "malformed-value", "unknown-value"),
        silently_accepted=("no-target", "text-of-value", "split-choices", "empty-item", "no-rows"),
        guesses=("choice-target", "null-text"),
    ),
    fields=FIELDS,
)
