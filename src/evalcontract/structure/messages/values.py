"""The fault and the message for a schema violation, by the keyword that failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem, key_of
from evalcontract.model.values import hashable
from evalcontract.structure.keys.spelling import split_key_value
from evalcontract.structure.messages.fixes import fix_of_value
from evalcontract.structure.messages.keys import VALUES, Message, listed
from evalcontract.structure.messages.rare import RARE, counted, types_of
from evalcontract.structure.messages.texts import (
    malformed,
    pattern_advice,
    short,
    unknown_value,
)
from evalcontract.structure.messages.types import wrong_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.model.diagnostic import Path
    from evalcontract.structure.native_errors import SchemaViolation

#: The fault, which is the second half of the code, by the keyword that failed.
FAULTS = {
    "required": "missing-key",
    "anyOf": "missing-key",
    "additionalProperties": "unknown-key",
    "type": "wrong-type",
    "enum": "unknown-value",
    "const": "unknown-value",
    "pattern": "malformed-value",
    "minLength": "empty-value",
    "minItems": "too-few-items",
    "uniqueItems": "repeated-item",
    "minimum": "out-of-range",
    "maximum": "out-of-range",
    "exclusiveMinimum": "out-of-range",
    "exclusiveMaximum": "out-of-range",
    "not": "conflicting-key",
}
_PERCENT, _TEN = 100, 10
_LIMITS = {
    "minimum": "{} or more",
    "exclusiveMinimum": "above {}",
    "maximum": "{} or less",
    "exclusiveMaximum": "below {}",
}


def message_for(
    kind: str,
    violation: SchemaViolation,
    path: Path,
    written: str | None,
    subject: str,
    fits: Callable[[Any], bool] = lambda _: True,
) -> Problem:
    """Return the problem for a violation.

    `written` is a scalar as written in the file, if known. `subject` is the noun for the whole
    value, such as `a row`. `fits` returns whether another value is valid in its place.
    """
    code = f"{kind}/{FAULTS.get(violation.validator, 'invalid-value')}"
    name = f"`{key_of(path)}`" if path else subject
    if _is_in_property_names(violation):
        key = violation.instance
        message = f"`{key}` cannot be a key of {name}"
        return Problem(code, message, (*path, str(key)), pattern_advice(violation), True)
    if violation.validator in ("anyOf", "oneOf"):
        types = types_of(violation)
        if types is not None:
            message, advice = wrong_type(violation, name, written, fits, types)
            return Problem(f"{kind}/wrong-type", message, path, advice)
        if violation.validator == "anyOf" and kind == "dataset" and not _requires_keys(violation):
            code = "dataset/invalid-value"
    if pair := split_key_value(path[-1] if path else None, violation.instance):
        message = f"`{path[-1]}` is a key without a value"
        return Problem(code, message, path, f"write `{pair[0]}: {pair[1]}`", on_key=True)
    if violation.validator == "type":
        message, advice = wrong_type(violation, name, written, fits)
    else:
        render = _RENDERERS.get(violation.validator, _other)
        message, advice = render(violation, name, written)
    on_key = violation.validator in ("not", None)
    fix = fix_of_value(violation, path, written)
    return Problem(code, message, path, advice, on_key=on_key, fix=fix)


def _is_in_property_names(violation: SchemaViolation) -> bool:
    """Whether a key itself is invalid: `propertyNames` applies to keys, not to their values."""
    return "propertyNames" in list(violation.absolute_schema_path)[-2:-1]


def _requires_keys(violation: SchemaViolation) -> bool:
    alternatives = violation.validator_value
    return all(isinstance(schema, dict) and "required" in schema for schema in alternatives)


def _const(violation: SchemaViolation, name: str, written: str | None) -> Message:
    return f"{name} must be `{short(violation.validator_value)}`", None


def _too_short(violation: SchemaViolation, name: str, written: str | None) -> Message:
    if not violation.instance:
        return f"{name} is empty", "enter a value"
    has = counted(len(violation.instance), "character", "characters")
    return f"{name} has {has}; the minimum is {violation.validator_value}", None


def _too_few(violation: SchemaViolation, name: str, written: str | None) -> Message:
    least = violation.validator_value
    if not violation.instance:
        return f"{name} is an empty list", f"add at least {counted(least, 'item', 'items')}"
    has = counted(len(violation.instance), "item", "items")
    return f"{name} has {has}; the minimum is {least}", None


def _unique(violation: SchemaViolation, name: str, written: str | None) -> Message:
    seen = set()
    for item in violation.instance:
        if hashable(item) in seen:
            return f"duplicate item `{short(item)}` in {name}", "remove one"
        seen.add(hashable(item))
    return f"duplicate item in {name}", "remove one"


def _range(violation: SchemaViolation, name: str, written: str | None) -> Message:
    schema, value = violation.schema, violation.instance
    limits = [word.format(schema[key]) for key, word in _LIMITS.items() if key in schema]
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        allowed = f"between {low} and {high}"
    else:
        allowed = " and ".join(limits)
    advice = None
    if high == 1 and 1 < value <= _PERCENT:
        fraction = value / (_PERCENT if value > _TEN else _TEN)
        advice = f"a fraction between 0 and 1, such as {fraction:g}"
    return f"{name} must be {allowed}, not {value}", advice


def _forbidden(violation: SchemaViolation, name: str, written: str | None) -> Message:
    return f"{name} is not allowed here", violation.schema.get("description", "remove it")


def _any_of(violation: SchemaViolation, name: str, written: str | None) -> Message:
    alternatives = [schema.get("required", []) for schema in violation.validator_value]
    keys = [key for required in alternatives for key in required]
    if keys and all(len(required) == 1 for required in alternatives):
        return f"{name} sets no parameter", f"set at least one of {listed(keys, VALUES)}"
    return f"{name} matches none of its allowed forms", None


def _other(violation: SchemaViolation, name: str, written: str | None) -> Message:
    rare = RARE.get(violation.validator)
    if rare:
        return rare(violation, name)
    return f"{name} violates the keyword `{violation.validator}`", None


_RENDERERS: dict[str, Callable[[SchemaViolation, str, str | None], Message]] = {
    "enum": unknown_value,
    "const": _const,
    "pattern": malformed,
    "minLength": _too_short,
    "minItems": _too_few,
    "uniqueItems": _unique,
    "minimum": _range,
    "maximum": _range,
    "exclusiveMinimum": _range,
    "exclusiveMaximum": _range,
    "not": _forbidden,
    "anyOf": _any_of,
}
