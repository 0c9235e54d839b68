"""Fixes for invalid values, where the intended value is clear."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from evalcontract.model.diagnostic import Fix, Write
from evalcontract.model.nearest import suggestions
from evalcontract.model.startup import lazy_pattern
from evalcontract.structure.keys.spelling import key_names
from evalcontract.structure.keys.value_aliases import canonical_value
from evalcontract.structure.messages.texts import quoted_version
from evalcontract.structure.native import surely_fits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evalcontract.model.diagnostic import Path, Scalar
    from evalcontract.structure.native_errors import SchemaViolation

    #: Replacement values, the most likely first, each with whether it is certain.
    Candidates = Iterator[tuple[Scalar, bool]]

_NUMBER = lazy_pattern(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_MAX_DIGITS = 15
_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
# Keywords that a replacement value must satisfy.
_SCALAR_KEYWORDS = (
    "type", "enum", "const", "pattern", "minLength", "maxLength", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
)  # fmt: skip


def fix_of_value(violation: SchemaViolation, path: Path, written: str | None) -> Fix | None:
    """Return the fix for an invalid scalar; None if the intended value is unclear.

    `written` is the scalar as written in the file, if known.
    """
    propose = _PROPOSALS.get(violation.validator)
    if propose is None or not path:
        return None
    # A value that is proposed for an `enum` is in it; compiling a long one takes a while.
    schema = {
        keyword: violation.schema[keyword]
        for keyword in _SCALAR_KEYWORDS
        if keyword in violation.schema and not keyword == "enum" == violation.validator
    }
    for value, safe in propose(violation, str(path[-1]), written):
        if surely_fits(value, schema):
            return Fix(path, Write(value), safe)
    return None


def _for_type(violation: SchemaViolation, key: str, written: str | None) -> Candidates:
    allowed, value = violation.validator_value, violation.instance
    types = [allowed] if isinstance(allowed, str) else allowed
    if "string" in types and isinstance(value, bool | int | float):
        yield from _as_text(value, key, written)
    elif isinstance(value, str):
        word = value.strip().lower()
        if "boolean" in types and word in _BOOLEANS:
            yield _BOOLEANS[word], True
        if {"number", "integer"} & set(types) and _is_number(word):
            yield json.loads(word), True


def _is_number(text: str) -> bool:
    return len(text) <= _MAX_DIGITS and _NUMBER.fullmatch(text) is not None


def _as_text(value: float, key: str, written: str | None) -> Candidates:
    """Yield an unquoted number or boolean as text."""
    if written is None and isinstance(value, float):
        return  # 1.1 may have been written as 1.10
    text = json.dumps(value) if written is None else written
    yield text, True
    if key.endswith("version") and (version := quoted_version(text)):
        yield version, True


def _for_enum(violation: SchemaViolation, _key: str, _written: str | None) -> Candidates:
    value = violation.instance
    if not isinstance(value, str):
        return
    allowed = tuple(violation.validator_value)
    if set(map(type, allowed)) != {str}:
        allowed = tuple(option for option in allowed if isinstance(option, str))
    if meant := suggestions(allowed).nearest(value):
        yield meant, key_names(allowed).is_certain(value, meant, is_closed=True)
    elif name := canonical_value(value, allowed):
        yield name, False


def _for_pattern(violation: SchemaViolation, key: str, _written: str | None) -> Candidates:
    if key.endswith("version") and (version := quoted_version(str(violation.instance))):
        yield version, True


_PROPOSALS: dict[str, Callable[[SchemaViolation, str, str | None], Candidates]] = {
    "type": _for_type,
    "enum": _for_enum,
    "pattern": _for_pattern,
}
