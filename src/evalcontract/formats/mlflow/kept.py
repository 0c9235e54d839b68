"""What a row keeps of a record, and a record of a row, where the other has no place for it.

A row of ours has it below `metadata: {mlflow: …}`, a record below `tags: {evalcontract: …}`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from evalcontract.formats._conversion import OURS
from evalcontract.formats.mlflow import changes
from evalcontract.formats.mlflow.changes import Change
from evalcontract.model.same import same

#: Mappings of a record that are compared key by key.
NESTED = frozenset({"expectations", "tags"})
_MLFLOW = "mlflow"
_TEXTS = frozenset({"input_key", "input_form", "criteria_from", "variant"})
_FREE = Change({}, [])


class Kept(NamedTuple):
    """What a row keeps of a record.

    `change` is what the record has that the row does not tell, `hints` how the record says what
    the row tells too, `variant` which MLflow the record was for.
    """

    change: Change = _FREE
    hints: dict[str, Any] = {}  # noqa: RUF012 - never changed
    variant: str = "oss"


def taken_from_row(row: dict[str, Any]) -> tuple[dict[str, Any], Kept]:
    """Part a row from what it keeps of a record; what has another form is the author's own."""
    metadata = row.get("metadata")
    written = metadata.get(_MLFLOW) if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or not isinstance(written, dict) or not _is_of_row(written):
        return row, Kept()
    left = {key: part for key, part in metadata.items() if key != _MLFLOW}
    bare = {key: part for key, part in row.items() if key != "metadata"}
    bare |= {"metadata": left} if left else {}
    hints = {key: written[key] for key in written if key not in ("set", "absent", "variant")}
    return bare, Kept(changes.read(written), hints, written.get("variant", "oss"))


def given_to_row(row: dict[str, Any], kept: Kept) -> dict[str, Any]:
    """Return a row with what it keeps; the inverse of `taken_from_row`."""
    written = {**changes.written(kept.change), **kept.hints}
    if not written:
        return row
    if kept.variant != "oss":
        written["variant"] = kept.variant
    return {**row, "metadata": {**row.get("metadata", {}), _MLFLOW: written}}


def taken_from_record(record: dict[str, Any], variant: str) -> tuple[dict[str, Any], Change | None]:
    """Part a record from what it keeps of a row; None where it keeps nothing.

    That is what a conversion for the same MLflow can have written there, and nothing else.
    """
    tags = record.get("tags")
    written = tags.get(OURS) if isinstance(tags, dict) else None
    if not isinstance(tags, dict) or not isinstance(written, dict):
        return record, None
    if not _is_of_record(written, variant):
        return record, None
    left = {key: part for key, part in tags.items() if key != OURS}
    bare = {key: part for key, part in record.items() if key != "tags"}
    if "tags" in written:
        bare["tags"] = {**(written["tags"] or {}), **left} if left else written["tags"]
    elif left:
        bare["tags"] = left
    return bare, changes.read(written)


def given_to_record(record: dict[str, Any], change: Change) -> dict[str, Any]:
    """Return a record that keeps what a row has besides; the inverse of `taken_from_record`."""
    if not change:
        return record
    tags = record.get("tags")
    written = changes.written(change)
    if "tags" in record and (not tags or OURS in tags):
        return {**record, "tags": {OURS: {**written, "tags": tags}}}
    return {**record, "tags": {**(tags or {}), OURS: written}}


def _is_of_row(value: dict[str, Any]) -> bool:
    if not value or not changes.is_change(value):
        return False
    known = value.keys() <= {"set", "absent", "trace", *_TEXTS}
    texts = all(isinstance(value[key], str) for key in _TEXTS if key in value)
    return known and texts and same(value.get("trace", True), True)


def _is_of_record(value: dict[str, Any], variant: str) -> bool:
    if value.keys().isdisjoint(("set", "absent")) or not changes.is_change(value):
        return False
    tags = value.get("tags", {})
    # The store of the open source alone takes whatever is empty.
    fits = isinstance(tags, dict) or tags is None or (variant == "oss" and not tags)
    return fits and value.keys() <= {"set", "absent", "tags"}
