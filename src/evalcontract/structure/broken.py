"""What breaks a schema, told by the fast engine alone where it is a single plain keyword.

The exact engine takes long to import, and as long again for each value as all else that is done
with it. Where one keyword fails that looks at nothing but its own value, it says nothing more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

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


class Broken(Protocol):
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


class PlainBroken(NamedTuple):
    """A `Broken` keyword that has no alternatives."""

    validator: str
    validator_value: Any
    instance: Any
    schema: Schema
    absolute_path: tuple[str | int, ...]
    absolute_schema_path: tuple[str | int, ...]
    context: tuple[()] = ()


def plain_broken(error: NativeError, value: Any, schema: Any) -> PlainBroken | None:
    """Return what the fast engine tells of a value; None where only the exact one can say it."""
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
    return PlainBroken(str(way[-1]), wanted, part, holder, where, way)
