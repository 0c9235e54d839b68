"""Which edit mends a value that the schema does not take, where what was meant is clear."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from evalcontract.model.fix import Fix, Write
from evalcontract.model.nearest import nearest
from evalcontract.structure.keys.spelling import is_certain
from evalcontract.structure.keys.value_aliases import our_name
from evalcontract.structure.messages.texts import quoted_version
from evalcontract.structure.native import native_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evalcontract.model.fix import Scalar
    from evalcontract.model.path import Path
    from evalcontract.structure.native import SchemaViolation

    #: What may be written instead, the likeliest first, with whether it is certain.
    Candidates = Iterator[tuple[Scalar, bool]]

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_MOST_DIGITS = 15
_TRUTHS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
# What a text has to keep besides its type.
_OF_SCALARS = (
    "type", "enum", "const", "pattern", "minLength", "maxLength", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
)  # fmt: skip


def fix_of_value(error: SchemaViolation, path: Path, written: str | None) -> Fix | None:
    """Return the edit of a scalar that breaks a keyword; None where it is not clear.

    `written` is the scalar as its author wrote it, where the text is at hand.
    """
    propose = _PROPOSALS.get(error.validator)
    if propose is None or not path:
        return None
    schema = {key: error.schema[key] for key in _OF_SCALARS if key in error.schema}
    for value, safe in propose(error, str(path[-1]), written):
        if native_for(schema).is_valid(value):
            return Fix(path, Write(value), safe)
    return None


def _of_type(error: SchemaViolation, key: str, written: str | None) -> Candidates:
    types, value = error.validator_value, error.instance
    wanted = [types] if isinstance(types, str) else types
    if "string" in wanted and isinstance(value, bool | int | float):
        yield from _as_text(value, key, written)
    elif isinstance(value, str):
        word = value.strip().lower()
        if "boolean" in wanted and word in _TRUTHS:
            yield _TRUTHS[word], True
        if {"number", "integer"} & set(wanted) and _is_number(word):
            yield json.loads(word), True


def _is_number(text: str) -> bool:
    return len(text) <= _MOST_DIGITS and _NUMBER.fullmatch(text) is not None


def _as_text(value: float, key: str, written: str | None) -> Candidates:
    """Yield a number, or true or false, as the text that its author wrote without quotes."""
    if written is None and isinstance(value, float):
        return  # 1.1 may have been 1.10
    text = json.dumps(value) if written is None else written
    yield text, True
    if key.endswith("version") and (version := quoted_version(text)):
        yield version, True


def _of_enum(error: SchemaViolation, _key: str, _written: str | None) -> Candidates:
    value, allowed = (
        error.instance,
        [each for each in error.validator_value if isinstance(each, str)],
    )
    if not isinstance(value, str):
        return
    if meant := nearest(value, allowed):
        yield meant, is_certain(value, meant, allowed, is_closed=True)
    elif ours := our_name(value, allowed):
        yield ours, False


def _of_pattern(error: SchemaViolation, key: str, _written: str | None) -> Candidates:
    if key.endswith("version") and (version := quoted_version(str(error.instance))):
        yield version, True


_PROPOSALS: dict[str, Callable[[SchemaViolation, str, str | None], Candidates]] = {
    "type": _of_type,
    "enum": _of_enum,
    "pattern": _of_pattern,
}
