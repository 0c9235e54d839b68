"""Violations that the native engine can describe without the exact one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jsonschema_rs import ValidationError as NativeError

    from evalcontract.structure.subschemas import Schema

#: Maximum number of violations of one value that are described; each takes about 5 KB of memory.
MAX_VIOLATIONS = 10_000

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
