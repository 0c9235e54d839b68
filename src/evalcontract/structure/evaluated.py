"""Keys that no schema beside a keyword has looked at: `additionalProperties` and its like.

The exact engine searches for the keys of `patternProperties` with Python's own patterns; here it
is the patterns that both engines read alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jsonschema import ValidationError

from evalcontract.structure.native import matches

if TYPE_CHECKING:
    from collections.abc import Iterator


def _own_keys(schema: dict[str, Any], instance: dict[str, Any]) -> Iterator[str]:
    """Yield the keys that `properties` and `patternProperties` of a schema look at."""
    named, by_pattern = schema.get("properties", {}), schema.get("patternProperties", {})
    for key in instance:
        if key in named or any(matches(pattern, key) for pattern in by_pattern):
            yield key


def additional_properties(
    validator: Any, inner: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    """Check the keys that neither `properties` nor `patternProperties` look at."""
    if not validator.is_type(instance, "object"):
        return
    own = set(_own_keys(schema, instance))
    extra = [key for key in instance if key not in own]
    if inner is False and extra:
        listed = ", ".join(f"`{key}`" for key in extra)
        yield ValidationError(f"the keys {listed} cannot stand here")
    elif inner is not False:
        for key in extra:
            yield from validator.descend(instance[key], inner, path=key)


def unevaluated_properties(
    validator: Any, inner: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    """Check the keys that no schema for this value has looked at."""
    if not validator.is_type(instance, "object"):
        return
    seen = _seen_keys(validator, schema, instance, skip="unevaluatedProperties")
    for key in instance:
        if key not in seen:
            if inner is False:
                yield ValidationError("cannot stand here", path=[key])
            else:
                yield from validator.descend(instance[key], inner, path=key)


def _seen_keys(validator: Any, schema: Any, instance: dict[str, Any], skip: str = "") -> set[str]:
    """Return the keys that a schema, and all that it applies to the same value, looks at."""
    if not isinstance(schema, dict):
        return set()
    seen = set(_own_keys(schema, instance))
    if "additionalProperties" in schema or ("unevaluatedProperties" in schema and not skip):
        return set(instance)
    for keyword in ("$ref", "$dynamicRef"):
        if keyword in schema:
            seen |= _seen_keys(*_target(validator, schema[keyword]), instance)
    for part in _applied(validator, schema, instance):
        if validator.evolve(schema=part).is_valid(instance):
            seen |= _seen_keys(validator, part, instance)
    return seen


def _applied(validator: Any, schema: dict[str, Any], instance: dict[str, Any]) -> Iterator[Any]:
    for keyword in ("allOf", "anyOf", "oneOf"):
        yield from schema.get(keyword, ())
    for key, part in schema.get("dependentSchemas", {}).items():
        if key in instance:
            yield part
    if "if" in schema:
        holds = validator.evolve(schema=schema["if"]).is_valid(instance)
        yield from ([schema["if"], schema.get("then", {})] if holds else [schema.get("else", {})])


def _target(validator: Any, reference: str) -> tuple[Any, Any]:
    resolved = validator._resolver.lookup(reference)  # noqa: SLF001 - nothing public leads there
    return validator.evolve(
        schema=resolved.contents, _resolver=resolved.resolver
    ), resolved.contents
