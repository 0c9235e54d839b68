"""What a row preserves of a record, and a record of a row.

A row has it under `metadata: {mlflow: …}`, a record under `tags: {evalcontract: …}`.
"""

from __future__ import annotations

from typing import Any

from evalcontract.formats._conversion import OURS
from evalcontract.formats._residual import Form, Residual, ResidualPlace
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import json_equal

#: Mappings of a record that are compared key by key.
NESTED: dict[str, Any] = {"expectations": {}, "tags": {}}
#: Mappings of a row that are compared key by key.
NESTED_OURS: dict[str, Any] = {"expected": {}}
_IN_ROW = ResidualPlace("metadata", "mlflow", "_metadata")
_IN_RECORD = ResidualPlace("tags", OURS, "tags")
_FORM = Form("set", "absent", has_paths=True)
_TEXTS = frozenset({"input_key", "input_form", "criteria_from", "expects", "variant"})


class Kept(NamedTuple):
    """What a row preserves of a record.

    `residual` is what the row cannot represent, `hints` how the record was written (see
    `mapping`), `variant` the dialect of the record.
    """

    residual: Residual
    hints: dict[str, Any]
    variant: str = "oss"


def split_row(row: dict[str, Any]) -> tuple[dict[str, Any], Kept]:
    """Split a row from what it preserves; a mapping of another form belongs to the author."""
    bare, written = _IN_ROW.split(row, _is_of_record)
    written = written or {}
    residual = _FORM.read(written) or Residual({}, [])
    hints = {k: v for k, v in written.items() if k not in ("set", "absent", "variant")}
    return bare, Kept(residual, hints, written.get("variant", "oss"))


def join_row(row: dict[str, Any], kept: Kept) -> dict[str, Any]:
    """Add what a row preserves; the inverse of `split_row`."""
    written = {**_FORM.written(kept.residual), **kept.hints}
    if written and kept.variant != "oss":
        written["variant"] = kept.variant
    return _IN_ROW.joined(row, written)


def split_record(record: dict[str, Any], variant: str) -> tuple[dict[str, Any], Residual | None]:
    """Split a record from what it preserves of a row; None if it preserves nothing.

    Only what a conversion to the same dialect can have written counts.
    """
    bare, written = _IN_RECORD.split(record, lambda kept: _is_of_row(kept, variant))
    return bare, None if written is None else _FORM.read(written)


def join_record(record: dict[str, Any], residual: Residual) -> dict[str, Any]:
    """Add what a record preserves of a row; the inverse of `split_record`."""
    return _IN_RECORD.joined(record, _FORM.written(residual))


def _is_of_record(kept: dict[str, Any]) -> bool:
    """Whether `join_row` can have written a mapping."""
    is_known = kept.keys() <= {"set", "absent", "trace", _IN_ROW.was, *_TEXTS}
    are_texts = all(isinstance(kept[key], str) for key in _TEXTS & kept.keys())
    is_valid = bool(kept) and is_known and are_texts and json_equal(kept.get("trace", True), True)
    return is_valid and _FORM.fits(kept)


def _is_of_row(kept: dict[str, Any], variant: str) -> bool:
    """Whether `join_record` can have written a mapping."""
    tags = kept.get("tags", {})
    # Only the open-source store accepts any empty value.
    is_accepted = isinstance(tags, dict) or tags is None or (variant == "oss" and not tags)
    is_known = kept.keys() <= {"set", "absent", "tags"} and bool(kept.keys() & {"set", "absent"})
    return is_accepted and is_known and _FORM.fits(kept)
