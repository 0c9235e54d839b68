"""The two engines of JSON Schema, made to give one verdict: ECMA-262's reading of a schema.

`jsonschema` says exactly what is wrong; `jsonschema_rs` says, a hundred times faster, that
nothing is. Measured differences are settled here: patterns, which Python reads by rules of its own,
and infinity and NaN, which are no JSON numbers.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jsonschema_rs import Draft202012Validator as NativeValidator
    from jsonschema_rs import ValidationError as NativeError

    from evalcontract.structure.schemas import Schema

_PLAIN = frozenset(
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
    """Return the fast engine for a schema (`jsonschema_rs`); its verdict is the same."""
    import jsonschema_rs  # slow to import

    return jsonschema_rs.Draft202012Validator(schema, retriever=_refuse)


def _refuse(uri: str) -> Any:
    raise LookupError(f"`{uri}` is elsewhere, and nothing is ever fetched")


@cache
def _metaschema() -> NativeValidator:
    return native_for({"$ref": "https://json-schema.org/draft/2020-12/schema"})


def is_schema(value: Any) -> bool:
    """Whether a value keeps the rules of Draft 2020-12; its patterns and references aside."""
    try:
        return bool(_metaschema().is_valid(value))
    except (ValueError, TypeError, RecursionError):
        return False


@cache
def _pattern(pattern: str) -> NativeValidator:
    return native_for({"pattern": pattern})


def reads_pattern(pattern: str) -> bool:
    """Whether a pattern is a regular expression, as ECMA-262 has them."""
    try:
        _pattern(pattern)
    except ValueError:
        return False
    return True


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern matches anywhere in a text. The fast engine alone decides, for both.

    It reads most patterns without backtracking and gives up on the rest in time, so that no
    text makes it hang.
    """
    try:
        return bool(_pattern(pattern).is_valid(text))
    except ValueError:  # a lone surrogate, which is no text
        return bool(_pattern(pattern).is_valid(text.encode("utf-8", "replace").decode()))


class SchemaViolation(Protocol):
    """A keyword that a value breaks, as `jsonschema` tells it."""

    @property
    def validator(self) -> Any:
        """The keyword."""
        ...

    @property
    def validator_value(self) -> Any:
        """What stands at the keyword in the schema."""
        ...

    @property
    def instance(self) -> Any:
        """The part of the value that breaks it."""
        ...

    @property
    def schema(self) -> Any:
        """The schema that holds the keyword."""
        ...

    @property
    def absolute_path(self) -> Sequence[Any]:
        """Where the part stands in the value."""
        ...

    @property
    def absolute_schema_path(self) -> Sequence[Any]:
        """Where the keyword stands in the schema."""
        ...

    @property
    def context(self) -> Any:
        """What breaks each of its alternatives."""
        ...


class NativeViolation(NamedTuple):
    """A `SchemaViolation` keyword that has no alternatives."""

    validator: str
    validator_value: Any
    instance: Any
    schema: Schema
    absolute_path: tuple[str | int, ...]
    absolute_schema_path: tuple[str | int, ...]
    context: tuple[()] = ()


def from_native(error: NativeError, value: Any, schema: Any) -> NativeViolation | None:
    """Return what the fast engine tells of a value; None where only the exact one can say it.

    The exact engine takes long to import, and as long again for each value as all else that is
    done with it. Where one keyword fails that looks at nothing but its own value, it says nothing
    more.
    """
    where, way = tuple(error.instance_path), tuple(error.schema_path)
    if not way or way[-1] not in _PLAIN or "propertyNames" in way:
        return None
    part, holder = value, schema
    try:
        for step in where:
            part = part[step]
        for step in way[:-1]:
            holder = holder[step]
        wanted = holder[way[-1]]
    except (KeyError, IndexError, TypeError):
        return None
    return NativeViolation(str(way[-1]), wanted, part, holder, where, way)
