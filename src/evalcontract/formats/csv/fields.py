"""The columns of plain CSV tables, and the fields of evalcontract that mean the same."""

from __future__ import annotations

from evalcontract.formats._fields import Field
from evalcontract.formats.csv.columns import LISTS, known_columns

NO_COLUMN = "a plain table has no column for it"
NOT_TEXT = "a cell is a text, and is read back as one"

_ALSO = "also `{}`"
_LIST = "items between `;`, or a JSON list"


def _note(key: str, names: list[str]) -> str:
    others = [name for name in names[1:] if name != key]
    notes = [_LIST] if key in LISTS else []
    return "; ".join([*notes, *([_ALSO.format("`, `".join(others))] if others else [])])


FIELDS = (
    *(Field(names[0], key, _note(key, names)) for key, names in known_columns().items()),
    Field("expected.*", "expected.*"),
    Field("context.*", "context.*"),
    Field("metadata.*", "metadata.*"),
    Field("*", "metadata.*", "every other column"),
    Field(None, "*", NO_COLUMN),
)
