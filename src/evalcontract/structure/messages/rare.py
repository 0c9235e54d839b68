"""How the keywords are said that only the schema of a bundle uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evalcontract.structure.native import SchemaViolation


Message = tuple[str, str | None]


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _long(error: SchemaViolation, name: str) -> Message:
    has = _count(len(error.instance), "character", "characters")
    return f"{name} has {has}, and may have {error.validator_value} at the most", None


def _many(error: SchemaViolation, name: str) -> Message:
    has = _count(len(error.instance), "item", "items")
    return f"{name} has {has}, and may have {error.validator_value} at the most", None


def _keys(error: SchemaViolation, name: str) -> Message:
    has = _count(len(error.instance), "key", "keys")
    bound = "at the most" if error.validator == "maxProperties" else "at least"
    verb = "may have" if error.validator == "maxProperties" else "needs"
    return f"{name} has {has}, and {verb} {error.validator_value} {bound}", None


def _multiple(error: SchemaViolation, name: str) -> Message:
    return f"{name} must be a multiple of {error.validator_value}, not {error.instance}", None


def _contains(error: SchemaViolation, name: str) -> Message:
    least, most = error.schema.get("minContains", 1), error.schema.get("maxContains")
    wanted = f"{least}" if most is None else f"{least} to {most}"
    return f"{name} must hold {wanted} of a certain sort of item, and does not", _about(error)


def _dependent(error: SchemaViolation, name: str) -> Message:
    for key, needs in error.validator_value.items():
        if key in error.instance:
            for need in needs:
                if need not in error.instance:
                    return f"`{need}` is missing: `{key}` needs it", f"add `{need}`"
    return f"{name} lacks a key that another one needs", None


def _never(error: SchemaViolation, name: str) -> Message:  # noqa: ARG001
    return f"{name} is not allowed here", "remove it"


def _too_many(error: SchemaViolation, name: str) -> Message:  # noqa: ARG001
    return f"{name} has items that its schema does not know", "remove what is too much"


def _one_of(error: SchemaViolation, name: str) -> Message:
    if not error.context:
        return f"{name} fits more than one of its forms, and may fit only one", _about(error)
    return f"{name} fits none of the forms that it may have", _about(error)


def _about(error: SchemaViolation) -> str | None:
    schema = error.schema if isinstance(error.schema, dict) else {}
    about = schema.get("description")
    return about.split(". ")[0] if isinstance(about, str) else None


def types_of(error: SchemaViolation) -> list[Any] | None:
    """Return the types of the forms of `anyOf` or `oneOf` where a type alone decides."""
    inner = error.context or []
    at_top = [each for each in inner if not each.relative_path]
    if not inner or any(each.validator != "type" for each in inner) or len(at_top) != len(inner):
        return None
    found: list[Any] = []
    for each in at_top:
        value = each.validator_value
        found += [value] if isinstance(value, str) else value
    return list(dict.fromkeys(found))


RARE: Mapping[Any, Callable[[Any, str], Message]] = {
    "maxLength": _long,
    "maxItems": _many,
    "minProperties": _keys,
    "maxProperties": _keys,
    "multipleOf": _multiple,
    "contains": _contains,
    "dependentRequired": _dependent,
    "unevaluatedItems": _too_many,
    "items": _too_many,
    "oneOf": _one_of,
    None: _never,
}
