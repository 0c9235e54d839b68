"""The exact JSON Schema engine: `jsonschema` with the patterns and numbers of ECMA-262.

The import is slow: it takes longer than checking a small valid file, which does without it.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import jsonschema
from jsonschema import validators
from referencing import Registry

from evalcontract.model.values import hashable
from evalcontract.structure.evaluated import additional_properties, unevaluated_properties
from evalcontract.structure.native import matches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jsonschema.protocols import Validator

    from evalcontract.structure.native import Matches
    from evalcontract.structure.subschemas import Schema

# The default registry would fetch an unknown `$ref` from the network.
NOTHING_TO_FETCH: Registry[Any] = Registry()


def _pattern(
    search: Matches, validator: Any, pattern: str, instance: Any, schema: Any
) -> Iterator[Any]:
    if validator.is_type(instance, "string") and not search(pattern, instance):
        yield jsonschema.ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(
    search: Matches, validator: Any, value: Any, instance: Any, schema: Any
) -> Iterator[Any]:
    if not validator.is_type(instance, "object"):
        return
    for pattern, subschema in value.items():
        for key, part in instance.items():
            if search(pattern, key):
                yield from validator.descend(part, subschema, path=key, schema_path=pattern)


def _unique_items(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
    """Hash each item once; `jsonschema` compares mappings and lists pairwise."""
    if not value or not validator.is_type(instance, "array"):
        return
    if len(set(map(hashable, instance))) < len(instance):
        yield jsonschema.ValidationError("has equal items")


def _is_number(checker: Any, instance: Any) -> bool:
    if isinstance(instance, bool) or not isinstance(instance, int | float):
        return False
    return isinstance(instance, int) or math.isfinite(instance)


def pattern_keywords(search: Matches) -> dict[str, Any]:
    """Return the keywords that match patterns, which ask `search`."""
    return {
        "pattern": partial(_pattern, search),
        "patternProperties": partial(_pattern_properties, search),
        "additionalProperties": partial(additional_properties, search),
        "unevaluatedProperties": partial(unevaluated_properties, search),
    }


DetailValidator: Any = validators.extend(
    jsonschema.Draft202012Validator,
    {"uniqueItems": _unique_items, **pattern_keywords(matches)},
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine("number", _is_number),
)


def validator_for(schema: Schema) -> Validator:
    """Return the exact validator for a schema."""
    exact: Validator = DetailValidator(schema, registry=NOTHING_TO_FETCH)
    return exact


def metaschema_errors(schema: Any) -> Iterator[jsonschema.ValidationError]:
    """Yield the violations of a schema against the Draft 2020-12 metaschema.

    The format of patterns is not checked, because Python's regular expressions differ.
    """
    errors: Iterator[jsonschema.ValidationError] = DetailValidator(
        DetailValidator.META_SCHEMA
    ).iter_errors(schema)
    return errors
