"""What a row keeps of a record, and a record of a row, where the other has no place for it.

A row of ours has it below `metadata: {mlflow: …}`, a record below `tags: {evalcontract: …}`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from evalcontract.formats._conversion import OURS
from evalcontract.formats._residual import Form, Residual, ResidualPlace
from evalcontract.model.equality import json_equal

#: Mappings of a record that are compared key by key.
NESTED: dict[str, Any] = {"expectations": {}, "tags": {}}
_IN_ROW = ResidualPlace("metadata", "mlflow", "_metadata")
_IN_RECORD = ResidualPlace("tags", OURS, "tags")
_FORM = Form("set", "absent", has_ways=True)
_TEXTS = frozenset({"input_key", "input_form", "criteria_from", "variant"})


class Kept(NamedTuple):
    """What a row keeps of a record.

    `residual` is what the record has that the row does not tell, `hints` how the record says what
    the row tells too, `variant` which MLflow the record was for.
    """

    residual: Residual
    hints: dict[str, Any]
    variant: str = "oss"


def split_row(row: dict[str, Any]) -> tuple[dict[str, Any], Kept]:
    """Part a row from what it keeps of a record; what has another form is the author's own."""
    bare, written = _IN_ROW.split(row, _is_of_record)
    residual = _FORM.read(written or {}) or Residual({}, [])
    hints = {k: v for k, v in (written or {}).items() if k not in ("set", "absent", "variant")}
    return bare, Kept(residual, hints, (written or {}).get("variant", "oss"))


def join_row(row: dict[str, Any], kept: Kept) -> dict[str, Any]:
    """Return a row with what it keeps; the inverse of `split_row`."""
    written = {**_FORM.written(kept.residual), **kept.hints}
    if written and kept.variant != "oss":
        written["variant"] = kept.variant
    return _IN_ROW.joined(row, written)


def split_record(record: dict[str, Any], variant: str) -> tuple[dict[str, Any], Residual | None]:
    """Part a record from what it keeps of a row; None where it keeps nothing.

    That is what a conversion for the same MLflow can have written there, and nothing else.
    """
    bare, written = _IN_RECORD.split(record, lambda kept: _is_of_row(kept, variant))
    return bare, None if written is None else _FORM.read(written)


def join_record(record: dict[str, Any], residual: Residual) -> dict[str, Any]:
    """Return a record that keeps what a row has besides; the inverse of `split_record`."""
    return _IN_RECORD.joined(record, _FORM.written(residual))


def _is_of_record(kept: dict[str, Any]) -> bool:
    """Whether a mapping has the form of what a row keeps of a record."""
    is_known = kept.keys() <= {"set", "absent", "trace", _IN_ROW.was, *_TEXTS}
    are_texts = all(isinstance(kept[key], str) for key in _TEXTS & kept.keys())
    is_sound = bool(kept) and is_known and are_texts and json_equal(kept.get("trace", True), True)
    return is_sound and _FORM.fits(kept)


def _is_of_row(kept: dict[str, Any], variant: str) -> bool:
    """Whether a mapping has the form of what a record keeps of a row."""
    tags = kept.get("tags", {})
    # The store of the open source alone takes whatever is empty.
    is_taken = isinstance(tags, dict) or tags is None or (variant == "oss" and not tags)
    is_known = kept.keys() <= {"set", "absent", "tags"} and bool(kept.keys() & {"set", "absent"})
    return is_taken and is_known and _FORM.fits(kept)
