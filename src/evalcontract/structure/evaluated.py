"""The keywords `additionalProperties` and `unevaluatedProperties` for the exact engine.

`jsonschema` matches the keys of `patternProperties` with Python's `re`. These implementations ask
`search` instead, so that both engines agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jsonschema import ValidationError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.structure.native import Matches


def _own_keys(search: Matches, schema: dict[str, Any], instance: dict[str, Any]) -> Iterator[str]:
    """Yield the keys that `properties` and `patternProperties` of a schema apply to."""
    named, by_pattern = schema.get("properties", {}), schema.get("patternProperties", {})
    for key in instance:
        if key in named or any(search(pattern, key) for pattern in by_pattern):
            yield key


def additional_properties(
    search: Matches, validator: Any, subschema: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    """Check the keys that neither `properties` nor `patternProperties` apply to."""
    if not validator.is_type(instance, "object"):
        return
    own = set(_own_keys(search, schema, instance))
    extra = [key for key in instance if key not in own]
    if subschema is False and extra:
        listed = ", ".join(f"`{key}`" for key in extra)
        yield ValidationError(f"the keys {listed} are not allowed here")
    elif subschema is not False:
        for key in extra:
            yield from validator.descend(instance[key], subschema, path=key)


def unevaluated_properties(
    search: Matches, validator: Any, subschema: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    """Check the keys that no other schema for this value has evaluated."""
    if not validator.is_type(instance, "object"):
        return
    evaluated = _evaluated_keys(search, validator, schema, instance, skip="unevaluatedProperties")
    for key in instance:
        if key not in evaluated:
            if subschema is False:
                yield ValidationError("is not allowed here", path=[key])
            else:
                yield from validator.descend(instance[key], subschema, path=key)


def _evaluated_keys(
    search: Matches, validator: Any, schema: Any, instance: dict[str, Any], skip: str = ""
) -> set[str]:
    """Return the keys that a schema, or a subschema for the same value, evaluates."""
    if not isinstance(schema, dict):
        return set()
    keys = set(_own_keys(search, schema, instance))
    if "additionalProperties" in schema or ("unevaluatedProperties" in schema and not skip):
        return set(instance)
    for keyword in ("$ref", "$dynamicRef"):
        if keyword in schema:
            keys |= _evaluated_keys(search, *_target(validator, schema[keyword]), instance)
    for subschema in _in_place_subschemas(validator, schema, instance):
        if validator.evolve(schema=subschema).is_valid(instance):
            keys |= _evaluated_keys(search, validator, subschema, instance)
    return keys


def _in_place_subschemas(
    validator: Any, schema: dict[str, Any], instance: dict[str, Any]
) -> Iterator[Any]:
    """Yield the subschemas that a schema applies to the same value."""
    for keyword in ("allOf", "anyOf", "oneOf"):
        yield from schema.get(keyword, ())
    for key, subschema in schema.get("dependentSchemas", {}).items():
        if key in instance:
            yield subschema
    if "if" in schema:
        holds = validator.evolve(schema=schema["if"]).is_valid(instance)
        yield from ([schema["if"], schema.get("then", {})] if holds else [schema.get("else", {})])


def _target(validator: Any, reference: str) -> tuple[Any, Any]:
    resolved = validator._resolver.lookup(reference)  # noqa: SLF001 - there is no public way
    return validator.evolve(
        schema=resolved.contents, _resolver=resolved.resolver
    ), resolved.contents
