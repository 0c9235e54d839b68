"""The parts of a JSON Schema (Draft 2020-12): which keyword holds a schema, and which a pattern.

Whatever is walked may be wrong: a keyword whose value is not of its shape is passed over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.path import Path

#: Keywords that apply a schema to the very value that they stand for, not to a part of it.
IN_PLACE_SCHEMA = ("not", "if", "then", "else")
IN_PLACE_LISTS = ("allOf", "anyOf", "oneOf")
IN_PLACE_MAPPINGS = ("dependentSchemas",)

_SCHEMAS = frozenset(
    (*IN_PLACE_SCHEMA, "additionalProperties", "contains", "contentSchema", "items",
     "propertyNames", "unevaluatedItems", "unevaluatedProperties")
)  # fmt: skip
_LISTS = frozenset((*IN_PLACE_LISTS, "prefixItems"))
_MAPPINGS = frozenset(
    (*IN_PLACE_MAPPINGS, "$defs", "definitions", "patternProperties", "properties")
)
#: Keywords of older drafts. One engine still follows them and the other does not.
_OTHER_DRAFTS = frozenset({"$schema", "dependencies", "$recursiveRef", "$recursiveAnchor"})


def parts(schema: Any) -> Iterator[tuple[Path, Any]]:
    """Yield each schema that stands directly in a schema, with the way to it."""
    if not isinstance(schema, dict):
        return
    for key, value in schema.items():
        if key in _SCHEMAS:
            yield (key,), value
        elif key in _LISTS and isinstance(value, list):
            yield from (((key, index), part) for index, part in enumerate(value))
        elif key in _MAPPINGS and isinstance(value, dict):
            yield from (((key, name), part) for name, part in value.items())


def subschemas(schema: Any, path: Path = ()) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield a schema and every one below it that is a mapping, in the order of the text."""
    if isinstance(schema, dict):
        yield path, schema
        for way, part in parts(schema):
            yield from subschemas(part, (*path, *way))


def patterns(schema: Any) -> Iterator[tuple[Path, str, bool]]:
    """Yield every pattern of a schema with its path, and whether it is the key at the end of it."""
    for path, each in subschemas(schema):
        if isinstance(each.get("pattern"), str):
            yield (*path, "pattern"), each["pattern"], False
        by_pattern = each.get("patternProperties")
        for pattern in by_pattern if isinstance(by_pattern, dict) else ():
            yield (*path, "patternProperties", pattern), pattern, True


def plain(schema: Any) -> Any:
    """Return a valid schema without the words by which the engines would read it as another draft.

    What is left means the same to both; that a word was there, the rules say.
    """
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _SCHEMAS:
            kept[key] = plain(value)
        elif key in _LISTS:
            kept[key] = [_placed(part) for part in value]
        elif key in _MAPPINGS:
            kept[key] = {name: _placed(part) for name, part in value.items()}
        elif key not in _OTHER_DRAFTS:
            kept[key] = value
    return kept


def _placed(schema: Any) -> Any:
    """Return a plain schema; `false` as one with a keyword, since the engine loses its place."""
    return {"not": {}} if schema is False else plain(schema)
