"""The native JSON Schema engine, `jsonschema_rs`, and violations that it can describe.

The native engine is a hundred times faster than the exact engine, `jsonschema`, which describes
violations in full. Both must give the same verdict. The known differences are patterns, which
follow ECMA-262 in both, and infinity and NaN, which are not JSON numbers.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jsonschema_rs import Draft202012Validator as NativeValidator
    from jsonschema_rs import ValidationError as NativeError

    from evalcontract.structure.schemas import Schema

# Keywords that depend only on their own value and the instance.
_SIMPLE_KEYWORDS = frozenset(
    {
        "type",
        "enum",
        "const",
        "required",
        "pattern",
        "minLength",
        "minItems",
        "uniqueItems",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
    }
)


def native_for(schema: Schema) -> NativeValidator:
    """Return the native validator (`jsonschema_rs`) for a schema."""
    import jsonschema_rs  # slow to import

    return jsonschema_rs.Draft202012Validator(schema, retriever=_refuse)


def _refuse(uri: str) -> Any:
    raise LookupError(f"`{uri}` is an external schema, which is never fetched")


@cache
def _metaschema() -> NativeValidator:
    return native_for({"$ref": "https://json-schema.org/draft/2020-12/schema"})


def is_schema(value: Any) -> bool:
    """Whether a value is a valid Draft 2020-12 schema; patterns and references are not checked."""
    try:
        return bool(_metaschema().is_valid(value))
    except (ValueError, TypeError, RecursionError):
        return False


@lru_cache(maxsize=256)  # a compiled pattern may take a megabyte
def _pattern(pattern: str) -> NativeValidator:
    return native_for({"pattern": pattern})


def reads_pattern(pattern: str) -> bool:
    """Whether a pattern is a valid regular expression of ECMA-262."""
    try:
        _pattern(pattern)
    except ValueError:
        return False
    return True


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern matches anywhere in a text. Both engines use this function.

    The native engine matches most patterns without backtracking and limits it for the others, so
    that no text makes it hang.
    """
    try:
        return bool(_pattern(pattern).is_valid(text))
    except ValueError:  # a lone surrogate, which is not valid Unicode
        return bool(_pattern(pattern).is_valid(text.encode("utf-8", "replace").decode()))


class SchemaViolation(Protocol):
    """A keyword that a value violates, with the attributes of `jsonschema.ValidationError`."""

    @property
    def validator(self) -> Any:
        """The keyword."""
        ...

    @property
    def validator_value(self) -> Any:
        """The value of the keyword in the schema."""
        ...

    @property
    def instance(self) -> Any:
        """The part of the value that violates it."""
        ...

    @property
    def schema(self) -> Any:
        """The schema that has the keyword."""
        ...

    @property
    def absolute_path(self) -> Sequence[Any]:
        """The path of the part in the value."""
        ...

    @property
    def absolute_schema_path(self) -> Sequence[Any]:
        """The path of the keyword in the schema."""
        ...

    @property
    def context(self) -> Any:
        """The violations of the alternatives of `anyOf` and `oneOf`."""
        ...


class NativeViolation(NamedTuple):
    """A `SchemaViolation` of a keyword without alternatives."""

    validator: str
    validator_value: Any
    instance: Any
    schema: Schema
    absolute_path: tuple[str | int, ...]
    absolute_schema_path: tuple[str | int, ...]
    context: tuple[()] = ()


def from_native(error: NativeError, value: Any, schema: Any) -> NativeViolation | None:
    """Convert an error of the native engine; None if only the exact engine can describe it.

    The exact engine is slow to import and doubles the time per value. It adds nothing if the
    only failed keyword is a simple one.
    """
    path, schema_path = tuple(error.instance_path), tuple(error.schema_path)
    if not schema_path or schema_path[-1] not in _SIMPLE_KEYWORDS or "propertyNames" in schema_path:
        return None
    instance, subschema = value, schema
    try:
        for step in path:
            instance = instance[step]
        for step in schema_path[:-1]:
            subschema = subschema[step]
        keyword_value = subschema[schema_path[-1]]
    except (KeyError, IndexError, TypeError):
        return None
    keyword = str(schema_path[-1])
    return NativeViolation(keyword, keyword_value, instance, subschema, path, schema_path)
