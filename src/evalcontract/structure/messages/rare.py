"""Messages for violations of the keywords that only bundle schemas use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evalcontract.structure.native_errors import SchemaViolation


Message = tuple[str, str | None]


def counted(number: int, singular: str, plural: str) -> str:
    """Return a number with its noun: `1 item`, `2 items`."""
    return f"{number} {singular if number == 1 else plural}"


def _max_length(violation: SchemaViolation, name: str) -> Message:
    has = counted(len(violation.instance), "character", "characters")
    return f"{name} has {has}; the maximum is {violation.validator_value}", None


def _max_items(violation: SchemaViolation, name: str) -> Message:
    has = counted(len(violation.instance), "item", "items")
    return f"{name} has {has}; the maximum is {violation.validator_value}", None


def _key_count(violation: SchemaViolation, name: str) -> Message:
    has = counted(len(violation.instance), "key", "keys")
    bound = "maximum" if violation.validator == "maxProperties" else "minimum"
    return f"{name} has {has}; the {bound} is {violation.validator_value}", None


def _multiple(violation: SchemaViolation, name: str) -> Message:
    factor, value = violation.validator_value, violation.instance
    return f"{name} must be a multiple of {factor}, not {value}", None


def _contains(violation: SchemaViolation, name: str) -> Message:
    least, most = violation.schema.get("minContains", 1), violation.schema.get("maxContains")
    count = f"at least {least}" if most is None else f"{least} to {most}"
    return f"the number of items in {name} that match `contains` must be {count}", _about(violation)


def _dependent(violation: SchemaViolation, name: str) -> Message:
    for key, required in violation.validator_value.items():
        if key in violation.instance:
            for other in required:
                if other not in violation.instance:
                    return f"`{other}` is missing: `{key}` requires it", f"add `{other}`"
    return f"{name} lacks a key that another key requires", None


def _never(violation: SchemaViolation, name: str) -> Message:  # noqa: ARG001
    return f"{name} is not allowed here", "remove it"


def _extra_items(violation: SchemaViolation, name: str) -> Message:  # noqa: ARG001
    return f"{name} has items that its schema does not allow", "remove the extra items"


def _one_of(violation: SchemaViolation, name: str) -> Message:
    if not violation.context:
        return f"{name} matches more than one form of `oneOf`", _about(violation)
    return f"{name} matches none of its allowed forms", _about(violation)


def _about(violation: SchemaViolation) -> str | None:
    """Return the first sentence of the description of the schema."""
    schema = violation.schema if isinstance(violation.schema, dict) else {}
    description = schema.get("description")
    return description.split(". ")[0] if isinstance(description, str) else None


def types_of(violation: SchemaViolation) -> list[Any] | None:
    """Return the types that `anyOf` or `oneOf` allows, if its forms differ only by type."""
    failed = violation.context or []
    if not failed or any(form.validator != "type" or form.relative_path for form in failed):
        return None
    types: list[Any] = []
    for form in failed:
        allowed = form.validator_value
        types += [allowed] if isinstance(allowed, str) else allowed
    return list(dict.fromkeys(types))


RARE: Mapping[Any, Callable[[Any, str], Message]] = {
    "maxLength": _max_length,
    "maxItems": _max_items,
    "minProperties": _key_count,
    "maxProperties": _key_count,
    "multipleOf": _multiple,
    "contains": _contains,
    "dependentRequired": _dependent,
    "unevaluatedItems": _extra_items,
    "items": _extra_items,
    "oneOf": _one_of,
    None: _never,
}
