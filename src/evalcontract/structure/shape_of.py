"""What rows look like, from some that a schema accepts: a shape that only such rows have.

The shape is narrower than the schema: it has the keys that were seen, and the kinds of values that
were seen for them. Whatever fits must be valid, so each keyword that applies to a kind that was
seen has to be said by the shape. A keyword that cannot be said so makes the rows unfit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Union

from evalcontract.structure.applied import (
    ELSEWHERE,
    LISTS,
    MAPPINGS,
    OF_LIST,
    OF_MAPPING,
    OF_NUMBER,
    OF_TEXT,
    Applied,
    UnfitError,
    flat,
    say_all,
    unfit,
)
from evalcontract.structure.shape import Field, Listed, Mapped, OneOf, Record, Scalar
from evalcontract.structure.shape_of_text import Parts, lengths, text_shape
from evalcontract.structure.shape_types import limited

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.structure.schemas import Schema
    from evalcontract.structure.shape import Shape

_MOST_FIELDS = 100
_MOST_STEPS = 30
_INT64 = 2**63
_NULL = type(None)


def record_of(schema: Schema, rows: list[Any]) -> Record:
    """Return the shape of rows, which the schema accepts; what fits the shape it accepts too.

    Raises:
        UnfitError: the schema asks for something, of values as these, that no shape can say.

    """
    shape = _shape_of([Applied(schema, schema)], rows, _MOST_STEPS)
    if not isinstance(shape, Record):
        raise UnfitError
    return shape


def _shape_of(applied: list[Applied], values: list[Any], steps: int) -> Shape:
    if not steps:
        raise UnfitError
    parts = [part for each in applied for part in flat(each, steps)]
    by_class: dict[type, list[Any]] = {}
    for value in values:
        by_class.setdefault(value.__class__, []).append(value)
    plain = [part for part, _ in parts]
    found = [
        (class_, _of_class(class_, plain, parts, column, steps))
        for class_, column in by_class.items()
    ]
    if not found:
        raise UnfitError
    if len(found) == 1:
        return found[0][1]
    types = tuple(shape.type for _, shape in found)
    shapes = [
        (shape.type if isinstance(shape, Record) else class_, shape) for class_, shape in found
    ]
    return OneOf(Union[types], tuple(shapes))  # noqa: UP007


def _of_class(
    class_: type, plain: Parts, parts: list[tuple[Schema, Schema]], column: list[Any], steps: int
) -> Shape:
    if class_ is str:
        return text_shape(plain, column)
    if class_ in (int, float):
        return _number(class_, plain)
    if class_ in (bool, _NULL):
        return _constant(class_, plain)
    if class_ is list:
        return _list(parts, column, steps)
    if class_ is dict:
        return _mapping(parts, column, steps)
    raise UnfitError


def _number(class_: type, parts: Parts) -> Shape:
    say_all(parts, OF_NUMBER, {*OF_TEXT} | ELSEWHERE)
    if class_ is float and any(_asks_integer(part) for part in parts):
        raise UnfitError  # 1.0 is an integer, and 1.5 is none
    limits: dict[str, Any] = {"ge": -_INT64, "le": _INT64 - 1} if class_ is int else {}
    for part in parts:
        for keyword, name in OF_NUMBER.items():
            if keyword not in part:
                continue
            bound = part[keyword]
            if bound.__class__ is not int or abs(bound) >= 2**53:
                raise UnfitError
            choose = max if name in ("ge", "gt") else min
            limits[name] = choose(limits.get(name, bound), bound)
    # Only one of `ge` and `gt` may be said: of whole numbers, `gt` is `ge` of the next.
    if "gt" in limits and "ge" in limits:
        limits["ge"] = max(limits["ge"], limits.pop("gt") + 1) if class_ is int else unfit()
    if "lt" in limits and "le" in limits:
        limits["le"] = min(limits["le"], limits.pop("lt") - 1) if class_ is int else unfit()
    return Scalar(limited(class_, limits))


def _asks_integer(part: Schema) -> bool:
    types = part.get("type", ())
    types = [types] if isinstance(types, str) else types
    return "integer" in types and "number" not in types


def _constant(class_: type, parts: Parts) -> Shape:
    says = {"enum", "const"} if class_ is _NULL else set()
    say_all(parts, says, {*OF_TEXT, *OF_NUMBER, "multipleOf"} | ELSEWHERE)
    return Scalar(None if class_ is _NULL else class_)


def _list(parts: list[tuple[Schema, Schema]], column: list[list[Any]], steps: int) -> Shape:
    plain = [part for part, _ in parts]
    say_all(plain, OF_LIST, {*OF_TEXT, *OF_NUMBER, "multipleOf"} | MAPPINGS)
    limits = lengths(plain, "minItems", "maxItems")
    is_unique = any(part.get("uniqueItems") for part in plain)
    items = [item for each in column for item in each]
    if not items:
        return Listed(limited(list[None], {"max_length": 0}), Scalar(None))
    below = [Applied(part["items"], root) for part, root in parts if "items" in part]
    shape = _shape_of(below, items, steps - 1)
    if is_unique and not (isinstance(shape, Scalar) and shape.is_text):
        raise UnfitError  # 1 and true are two values of JSON, and one of Python
    return Listed(limited(list[shape.type], limits), shape, is_unique)  # type: ignore[name-defined]


def _mapping(parts: list[tuple[Schema, Schema]], column: list[dict[str, Any]], steps: int) -> Shape:
    plain = [part for part, _ in parts]
    say_all(plain, OF_MAPPING, {*OF_TEXT, *OF_NUMBER, "multipleOf"} | LISTS)
    keys = dict.fromkeys(key for each in column for key in each)
    always = {key for key in keys if all(key in each for each in column)}
    if len(keys) > _MOST_FIELDS:
        return _mapped(plain, column, steps)
    for part in plain:
        _check_sizes(part, always, keys)
    fields = []
    for number, key in enumerate(keys):
        values = [each[key] for each in column if key in each]
        shape = _shape_of(list(_below(key, parts)), values, steps - 1)
        fields.append((key, Field(f"f{number}", shape, key not in always)))
    return Record(tuple(fields))


def _check_sizes(part: Schema, always: set[str], keys: Iterable[str]) -> None:
    """Check what a schema says of the keys that must be there: the shape promises `always`."""
    if part.get("minProperties", 0) > len(always):
        raise UnfitError
    if "maxProperties" in part and part["maxProperties"] < len(list(keys)):
        raise UnfitError
    if "anyOf" in part:
        simple = [
            way for way in part["anyOf"] if isinstance(way, dict) and set(way) == {"required"}
        ]
        if not any(always >= set(way["required"]) for way in simple):
            raise UnfitError


def _below(key: str, parts: list[tuple[Schema, Schema]]) -> Iterator[Applied]:
    """Yield the schemas of what stands at a key."""
    for part, root in parts:
        patterns = part.get("patternProperties", {})
        rest = part.get("additionalProperties", True)
        if any(below is not True for below in patterns.values()):
            raise UnfitError
        if key in part.get("properties", {}):
            yield Applied(part["properties"][key], root)
        elif not patterns:
            yield Applied(rest, root)
        elif not isinstance(rest, bool):  # it depends on the pattern whether this applies
            raise UnfitError


def _mapped(plain: Parts, column: list[dict[str, Any]], steps: int) -> Shape:
    """Return the shape of mappings of too many keys, of which nothing is asked."""
    if any(key in part for part in plain for key in OF_MAPPING):
        raise UnfitError
    values = [value for each in column for value in each.values()]
    shape = _shape_of([], values, steps - 1)
    return Mapped(dict[str, shape.type], shape)  # type: ignore[name-defined]
