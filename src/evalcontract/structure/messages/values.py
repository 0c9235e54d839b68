"""What a fault of structure is called and how it is said, keyword by keyword."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem
from evalcontract.model.path import key_of
from evalcontract.structure.keys.spelling import split_key_value
from evalcontract.structure.messages.fixes import fix_of_value
from evalcontract.structure.messages.keys import VALUES, Message, listed
from evalcontract.structure.messages.rare import RARE, types_of
from evalcontract.structure.messages.texts import (
    malformed,
    pattern_of,
    short,
    unknown_value,
)
from evalcontract.structure.messages.types import wrong_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.model.path import Path
    from evalcontract.structure.native import SchemaViolation

#: The fault of a code, by the keyword that fails.
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
    kind: str, error: SchemaViolation, path: Path, written: str | None, what: str
) -> Problem:
    """Say one error of the engine.

    `written` is a scalar as its author wrote it, if known; `what` is the word for the whole
    value, such as `a row`.
    """
    code = f"{kind}/{FAULTS.get(error.validator, 'invalid-value')}"
    name = f"`{key_of(path)}`" if path else what
    if _is_of_a_key(error):
        message = f"`{error.instance}` cannot be a key of {name}"
        return Problem(code, message, (*path, str(error.instance)), pattern_of(error), True)
    if error.validator in ("anyOf", "oneOf"):
        types = types_of(error)
        if types is not None:
            message, advice = wrong_type(error, name, written, types)
            return Problem(f"{kind}/wrong-type", message, path, advice)
        if error.validator == "anyOf" and kind == "dataset" and not _asks_for_keys(error):
            code = "dataset/invalid-value"
    if apart := split_key_value(path[-1] if path else None, error.instance):
        message = f"`{path[-1]}` is a key without a value"
        return Problem(code, message, path, f"write `{apart[0]}: {apart[1]}`", on_key=True)
    say = _RENDERERS.get(error.validator, _other)
    message, advice = say(error, name, written)
    on_key = error.validator in ("not", None)
    fix = fix_of_value(error, path, written)
    return Problem(code, message, path, advice, on_key=on_key, fix=fix)


def _is_of_a_key(error: SchemaViolation) -> bool:
    """Whether a key is at fault by itself: `propertyNames` is checked on it, not on its value."""
    return "propertyNames" in list(error.absolute_schema_path)[-2:-1]


def _asks_for_keys(error: SchemaViolation) -> bool:
    return all(isinstance(each, dict) and "required" in each for each in error.validator_value)


def _const(error: SchemaViolation, name: str, written: str | None) -> Message:
    return f"{name} must be `{short(error.validator_value)}`", None


def _empty(error: SchemaViolation, name: str, written: str | None) -> Message:
    if not error.instance:
        return f"{name} is empty", "write something"
    least = error.validator_value
    return f"{name} has {len(error.instance)} of at least {least} characters", None


def _few(error: SchemaViolation, name: str, written: str | None) -> Message:
    least = error.validator_value
    has = len(error.instance)
    if has == 0:
        return f"{name} is an empty list", f"it needs at least {least}"
    return f"{name} has {has} of at least {least} items", None


def _unique(error: SchemaViolation, name: str, written: str | None) -> Message:
    seen: list[Any] = []
    for value in error.instance:
        if value in seen:
            return f"`{short(value)}` stands in {name} twice", "remove one"
        seen.append(value)
    return f"{name} holds the same item twice", "remove one"


def _range(error: SchemaViolation, name: str, written: str | None) -> Message:
    limits = [(word, error.schema[key]) for key, word in _LIMITS.items() if key in error.schema]
    low, high = error.schema.get("minimum"), error.schema.get("maximum")
    if low is not None and high is not None:
        wanted = f"between {low} and {high}"
    else:
        wanted = " and ".join(word.format(limit) for word, limit in limits)
    advice = None
    if high == 1 and 1 < error.instance <= _PERCENT:
        share = error.instance / (_PERCENT if error.instance > _TEN else _TEN)
        advice = f"a fraction between 0 and 1, such as {share:g}"
    return f"{name} must be {wanted}, not {error.instance}", advice


def _forbidden(error: SchemaViolation, name: str, written: str | None) -> Message:
    return f"{name} is not allowed here", error.schema.get("description", "remove it")


def _any_of(error: SchemaViolation, name: str, written: str | None) -> Message:
    options = [each.get("required", []) for each in error.validator_value]
    keys = [key for each in options for key in each]
    if keys and all(len(each) == 1 for each in options):
        return f"{name} sets no parameter", f"give it at least one of {listed(keys, VALUES)}"
    return f"{name} fits none of the forms that it may have", None


def _other(error: SchemaViolation, name: str, written: str | None) -> Message:
    rare = RARE.get(error.validator)
    return rare(error, name) if rare else (f"{name} breaks the rule `{error.validator}`", None)


_RENDERERS: dict[str, Callable[[SchemaViolation, str, str | None], Message]] = {
    "type": wrong_type,
    "enum": unknown_value,
    "const": _const,
    "pattern": malformed,
    "minLength": _empty,
    "minItems": _few,
    "uniqueItems": _unique,
    "minimum": _range,
    "maximum": _range,
    "exclusiveMinimum": _range,
    "exclusiveMaximum": _range,
    "not": _forbidden,
    "anyOf": _any_of,
}
