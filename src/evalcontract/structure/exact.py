"""The exact engine, `jsonschema`, made to read a schema as ECMA-262 does.

Importing it takes longer than all else that a small clean file needs: see `engine`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import jsonschema
from jsonschema import validators
from referencing import Registry

from evalcontract.structure.evaluated import additional_properties, unevaluated_properties
from evalcontract.structure.native import matches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jsonschema.protocols import Validator

    from evalcontract.structure.schemas import Schema

# The engines' own registries would go to the network for a `$ref` that they do not know.
NOTHING_TO_FETCH: Registry[Any] = Registry()


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[Any]:
    if validator.is_type(instance, "string") and not matches(pattern, instance):
        yield jsonschema.ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if not validator.is_type(instance, "object"):
        return
    for pattern, subschema in value.items():
        for key, part in instance.items():
            if matches(pattern, key):
                yield from validator.descend(part, subschema, path=key, schema_path=pattern)


def _is_number(checker: Any, instance: Any) -> bool:
    if isinstance(instance, bool) or not isinstance(instance, int | float):
        return False
    return isinstance(instance, int) or math.isfinite(instance)


DetailValidator: Any = validators.extend(
    jsonschema.Draft202012Validator,
    {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": additional_properties,
        "unevaluatedProperties": unevaluated_properties,
    },
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine("number", _is_number),
)


def validator_for(schema: Schema) -> Validator:
    """Return the exact engine for a schema."""
    exact: Validator = DetailValidator(schema, registry=NOTHING_TO_FETCH)
    return exact


class StepLimitExceeded(Exception):
    """A value takes too many steps to be checked."""


def with_step_limit(schema: Any, most: int) -> Callable[[Any], list[jsonschema.ValidationError]]:
    """Return the exact engine for an author's own schema.

    A value for which more than `most` keywords are applied raises StepsExceededError: by a schema
    that leads twice to itself, every level of the value doubles them.
    """
    taken = 0

    def counted(keyword: Any) -> Any:
        def apply(*args: Any) -> Any:
            nonlocal taken
            taken += 1
            if taken > most:
                raise StepLimitExceeded
            return keyword(*args)

        return apply

    every = {name: counted(keyword) for name, keyword in DetailValidator.VALIDATORS.items()}
    engine = validators.extend(DetailValidator, every)(schema, registry=NOTHING_TO_FETCH)

    def errors(value: Any) -> list[jsonschema.ValidationError]:
        nonlocal taken
        taken = 0
        return list(engine.iter_errors(value))

    return errors


def metaschema_errors(schema: Any) -> Iterator[jsonschema.ValidationError]:
    """Yield how a schema breaks the rules of Draft 2020-12.

    The patterns in it are not looked at: Python reads other ones.
    """
    errors: Iterator[jsonschema.ValidationError] = DetailValidator(
        DetailValidator.META_SCHEMA
    ).iter_errors(schema)
    return errors
