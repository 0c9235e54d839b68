"""Detect the dataset format of another system by the keys of a row or a document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.structure.schemas import definition, properties

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from evalcontract.formats import Dialect

# A row or document with one of these keys is in evalcontract's format.
_NATIVE_KEYS = frozenset(
    {"questions", "criteria", "rubric_ref", "must_contain_any", "must_not_contain"}
)


def detect(first: dict[str, Any]) -> Dialect | None:
    """Return the only dialect that a whole document or a first row can be in."""
    if not _NATIVE_KEYS.isdisjoint(first) or first.keys() <= _keys_of_rows():
        return None
    from evalcontract.formats import formats_in_use  # slow to import

    candidates = (format_.recognise(first) for format_ in formats_in_use())
    dialects = [dialect for dialect in candidates if dialect]
    return dialects[0] if len(dialects) == 1 else None


def _keys_of_rows() -> AbstractSet[str]:
    """Return the keys of evalcontract rows; every other format requires a key not among them."""
    return properties(definition("row", of="dataset")).keys()
