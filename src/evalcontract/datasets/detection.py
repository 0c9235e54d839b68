"""Detect the dataset format of another system by the keys of its rows or of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.startup import NamedTuple
from evalcontract.structure.schemas import definition, properties

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from evalcontract.formats import Dialect

# A row or document with one of these keys is in evalcontract's format.
_NATIVE_KEYS = frozenset(
    {"questions", "criteria", "rubric_ref", "must_contain_any", "must_not_contain"}
)
# Later rows may show what the first one does not.
_EXAMINED_ROWS = 20
_EXAMINED_KEYS = 50


class Detected(NamedTuple):
    """A dialect that a dataset can be in, and the keys that show it."""

    dialect: Dialect
    keys: tuple[str, ...] = ()


def detect(value: Any) -> Detected | None:
    """Return the only dialect that a document, its rows or a row can be in."""
    found = candidates(value)
    return found[0] if len(found) == 1 else None


def candidates(value: Any) -> list[Detected]:
    """Return the dialects that a document, a list of rows or a row can be in.

    All formats are asked. Those that recognise a row for sure go before those to which it may
    belong.
    """
    rows = value[:_EXAMINED_ROWS] if isinstance(value, list) else [value]
    mappings = [row for row in rows if isinstance(row, dict)]
    if not mappings or _is_native(mappings[0]):
        return []
    for is_sure in (True, False):
        for row in mappings:
            found = [] if _is_native(row) else _ask(row, is_sure=is_sure)
            if found:
                return [Detected(each, _keys_of(each, row, is_sure=is_sure)) for each in found]
    return []


def _is_native(row: dict[str, Any]) -> bool:
    return not _NATIVE_KEYS.isdisjoint(row) or row.keys() <= _keys_of_rows()


def _ask(row: dict[str, Any], *, is_sure: bool) -> list[Dialect]:
    """Ask each format for the dialect of a row; one that is complete as ours is ours."""
    if not is_sure and isinstance(row.get("id"), str) and isinstance(row.get("input"), str):
        return []
    from evalcontract.formats import formats_in_use  # slow to import

    asked = (form.recognise if is_sure else form.may_recognise for form in formats_in_use())
    answers = (ask(row) for ask in asked if ask is not None)
    return [dialect for dialect in answers if dialect]


def _keys_of(dialect: Dialect, row: dict[str, Any], *, is_sure: bool) -> tuple[str, ...]:
    """Return the keys of a row without which it would not be taken for one of a dialect."""
    form = dialect.format
    ask = form.recognise if is_sure else form.may_recognise
    if ask is None or len(row) > _EXAMINED_KEYS:
        return ()
    others = {key: {name: part for name, part in row.items() if name != key} for key in row}
    return tuple(key for key, rest in others.items() if ask(rest) != dialect)


def _keys_of_rows() -> AbstractSet[str]:
    """Return the keys of evalcontract rows; every other format requires a key not among them."""
    return properties(definition("row", of="dataset")).keys()
