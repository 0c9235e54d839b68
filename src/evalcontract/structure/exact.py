"""The exact JSON Schema engine: `jsonschema` with the patterns and numbers of ECMA-262.

The import is slow: it takes longer than checking a small valid file, which does without it.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import jsonschema
from jsonschema import ValidationError, validators
from jsonschema.exceptions import best_match
from referencing import Registry

from evalcontract.model.diagnostic import format_path
from evalcontract.model.values import clipped, hashable
from evalcontract.structure.gate import TimedValidator, TooMuchWork, number_of_values
from evalcontract.structure.native import (
    MAX_VIOLATIONS,
    Matches,
    PatternLimitError,
    SchemaViolation,
    first_error,
    from_native,
    matches,
)
from evalcontract.structure.parts import Schema

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

#: Maximum number of steps of the exact engine for one value.
MAX_STEPS = 150_000
#: Of a value with more parts than this, the first violation is not described.
MAX_PARTS = 50_000
_MAX_CHARACTERS = 300


class UndecidedError(Exception):
    """The limits were reached before it was decided whether a value is valid."""


class AuthoredSchema:
    """A schema without faults that an author wrote, for many values.

    `search` tells whether a pattern matches in a text.
    """

    def __init__(self, schema: Any, search: Matches = matches) -> None:
        self._schema = schema
        self._search = search
        self._native: TimedValidator | None = None
        self._exact: StepCounter | None = None

    def first_violation(self, value: Any) -> str | None:
        """Return why a value is invalid, by its first violation and its path; None if it is valid.

        Raises:
            UndecidedError: it takes too much work, reaches the limit of a pattern, or is nested
                too deeply.

        """
        if isinstance(self._schema, bool):
            return None if self._schema else "no value is valid by its schema"
        self._native = self._native or TimedValidator(self._schema, self._search)
        try:
            return None if self._native.is_valid(value) else self._describe(self._native, value)
        except (TooMuchWork, ValueError, TypeError, RecursionError):
            # Also a number beyond 64 bits, or a limit of a pattern: the exact engine decides.
            return self._by_steps(value)

    def _describe(self, validator: TimedValidator, value: Any) -> str:
        from evalcontract.structure.value_messages import message_for  # slow to import

        is_described = number_of_values(value) <= MAX_PARTS
        error = first_error(validator.native, value) if is_described else None
        if error is None:
            return "it is invalid by the schema"
        violation = from_native(error, value, self._schema)
        path = tuple(error.instance_path)
        if violation is None:
            return _at(path, error.message)
        subject = f"`{format_path(path)}`" if path else "the JSON value"
        if violation.keyword == "required":
            missing = [key for key in violation.keyword_value if key not in violation.instance]
            return clipped(f"{subject} has no key `{missing[0]}`", _MAX_CHARACTERS)
        message = message_for("output", violation, (), written=None, subject=subject).message
        return clipped(message, _MAX_CHARACTERS)

    def _by_steps(self, value: Any) -> str | None:
        self._exact = self._exact or StepCounter(self._schema, self._search)
        try:
            errors = self._exact.errors(value, MAX_STEPS)
        except StepLimitExceeded:
            message = f"checking it against the schema takes over {MAX_STEPS:,} steps"
            raise UndecidedError(message) from None
        except PatternLimitError as error:
            raise UndecidedError(str(error)) from None
        except RecursionError:
            raise UndecidedError("it is nested too deeply to be checked") from None
        if not errors:
            return None
        return _at(tuple(errors[0].absolute_path), errors[0].message)


def _at(path: tuple[str | int, ...], message: str) -> str:
    return clipped(f"{format_path(path)}: {message}" if path else message, _MAX_CHARACTERS)


def _own_keys(search: Matches, schema: dict[str, Any], instance: dict[str, Any]) -> Iterator[str]:
    properties, by_pattern = schema.get("properties", {}), schema.get("patternProperties", {})
    for key in instance:
        if key in properties or any(search(pattern, key) for pattern in by_pattern):
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
    evaluated = _evaluated_keys(
        search, validator, schema, instance=instance, skip="unevaluatedProperties"
    )
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
            keys |= _evaluated_keys(search, validator, subschema, instance=instance)
    return keys


def _in_place_subschemas(
    validator: Any, schema: dict[str, Any], instance: dict[str, Any]
) -> Iterator[Any]:
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


def violation_of(error: ValidationError) -> SchemaViolation:
    """Return a violation as the exact engine describes it."""
    return SchemaViolation(
        keyword=error.validator,
        keyword_value=error.validator_value,
        instance=error.instance,
        schema=error.schema,
        path=tuple(error.absolute_path),
        schema_path=tuple(error.absolute_schema_path),
        forms=tuple(map(violation_of, error.context or ())),
    )


def metaschema_violations(schema: Any) -> Iterator[tuple[SchemaViolation, SchemaViolation]]:
    """Yield the violations of a schema against the Draft 2020-12 metaschema.

    Each has that of the form that was probably meant; itself, if it has no forms. The format of
    patterns is not checked, because Python's regular expressions differ.
    """
    for error in DetailValidator(DetailValidator.META_SCHEMA).iter_errors(schema):
        yield violation_of(error), violation_of(best_match(error.context or ()) or error)


#: The number of keys or values that cost one step, for keywords that only compare them.
_COMPARED_PER_STEP = 10
# To compare a value that is no text counts as so many: `jsonschema` asks for its type first.
_COMPARED_AS = 5
_COMPARING = frozenset({"enum", "required", "properties"})


class StepLimitExceeded(Exception):
    """The check of a value exceeds the maximum number of steps."""


class StepCounter:
    """Checks values against an untrusted schema; `steps` is what the last check took.

    A step is a keyword that is applied to a part of the value. `search` tells whether a pattern
    matches in a text.
    """

    def __init__(self, schema: Any, search: Matches = matches) -> None:
        self.steps = 0
        self._search = search
        self._counting = _counting()
        self._validator = self._counting.validator(schema, registry=NOTHING_TO_FETCH)

    def errors(self, value: Any, limit: int) -> list[ValidationError]:
        """Return the violations of a value, no more than one beyond `MAX_VIOLATIONS`.

        Raises:
            StepLimitExceeded: the check takes more than `limit` steps.
            PatternLimitError: it depends on a pattern whose search reached a limit.
            RecursionError: the value is nested too deeply.

        """
        count = self._counting.count
        count.steps, count.limit, count.search = 0, limit, self._search
        try:
            return list(islice(self._validator.iter_errors(value), MAX_VIOLATIONS + 1))
        except BaseException as error:
            # What `referencing` keeps its schemas in panics where Python's stack is at its end.
            if type(error).__name__ == "PanicException":
                raise RecursionError from error
            raise
        finally:
            self.steps = count.steps


class _StepCount(threading.local):
    """The steps of the check that goes on in a thread, and their limit."""

    steps = 0
    limit = 0
    search: Matches = staticmethod(matches)


class _CountingValidator:
    """A validator class that counts its steps; making such a class takes milliseconds."""

    def __init__(self) -> None:
        self.count = _StepCount()

        def search(pattern: str, text: str) -> bool:
            return self.count.search(pattern, text)

        keywords = {
            name: self._count_steps(name, keyword)
            for name, keyword in {**DetailValidator.VALIDATORS, **pattern_keywords(search)}.items()
        }
        self.validator = validators.extend(DetailValidator, keywords)

    def _count_steps(self, name: str, keyword: Any) -> Callable[..., Any]:
        def apply(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
            count = self.count
            count.steps += (
                1 + _comparisons(name, value, instance, schema=schema) // _COMPARED_PER_STEP
            )
            if count.steps > count.limit:
                raise StepLimitExceeded
            return keyword(validator, value, instance, schema)

        return apply


@cache
def _counting() -> _CountingValidator:
    return _CountingValidator()


def _comparisons(name: str, value: Any, instance: Any, schema: Any) -> int:
    if name in _COMPARING:
        is_slow = name == "enum" and not isinstance(instance, str)
        return len(value) * (_COMPARED_AS if is_slow else 1)
    if name == "uniqueItems" and isinstance(instance, list):
        return len(instance)
    if isinstance(instance, dict):
        if name == "patternProperties":
            return len(value) * len(instance)
        if name in ("additionalProperties", "unevaluatedProperties"):
            return (1 + len(schema.get("patternProperties", ()))) * len(instance)
    return 0
