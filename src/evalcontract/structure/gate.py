"""The gate: one native call that says "nothing can be found in these rows".

It is the row's schema, closed over the keys that are known, with every reference that resolves
and is pinned as an enum. A row that passes has no fault of structure, no near-miss key and no
reference to report; one that fails may still be fine, and takes the exact way. What an author may
write freely must be plain all the same: keys are text, and nothing is nested too deep. Readers that
are trusted for a yes do not look.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from evalcontract.structure.native import native_for
from evalcontract.structure.schemas import FOR_PEOPLE, OWN_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from jsonschema_rs import Draft202012Validator as NativeValidator

    from evalcontract.structure.schemas import Schema

# Below these stand no whole shapes: instances, and conditions, which closing would change.
_NO_SHAPES = frozenset({"enum", "examples", "default", "const", "if", "then", "else", "not"})
_INSTANCES = frozenset({"enum", "const"})
_NAMED = frozenset(
    {"properties", "patternProperties", "dependentSchemas", "dependentRequired", "$defs"}
)
_FREE = frozenset({"metadata", "arguments", "context"})
# An address with a path, so that a relative `$id` of a bundle can be read against it.
_BASE = "https://evalcontract.example/gate/"
#: The name of harmless keys inside of what a bundle describes.
INSIDE = "inside"

# Keywords that mean the same whatever stands beside them.
_ALONE = frozenset(
    {
        "type", "enum", "const", "not", "anyOf", "required", "pattern", "minLength", "maxLength",
        "minItems", "maxItems", "uniqueItems", "minProperties",
    }
)  # fmt: skip
# Levels that a value below a row may have, by far fewer than any reader allows.
_LEVELS = 90
_SCALARS = ["null", "boolean", "number", "string"]
_PLAIN: dict[str, Any] = {"$ref": f"#/$defs/plain_{_LEVELS}"}


class Gate:
    """A compiled gate; `schema` is that of a list of rows, see `gate_schema`."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    @cached_property
    def _rows(self) -> NativeValidator:
        return native_for(self._schema)

    def passes(self, rows: list[Any]) -> bool:
        """Whether nothing can be found in any of these rows."""
        try:
            return bool(self._rows.is_valid(rows))
        except (ValueError, TypeError, RecursionError):
            # No JSON: a date, a lone surrogate, a key that is no text. It takes the exact way.
            return False


def gate_schema(
    row: Schema,
    references: Iterable[str],
    extra: list[Schema],
    demand: Schema | None = None,
    harmless: Mapping[str, Iterable[str]] | None = None,
) -> Schema:
    """Return the schema of a list of rows: known keys only, resolving references only.

    `extra` are the schemas of bundles; their keys are known too. `demand` is a schema for what
    else a row must be like, such as what the checks of its rubric need. `harmless` are keys of
    the author's own, by the definition (`row`, `expected`) that they stand in, or `INSIDE` for the
    mappings that a bundle describes. A bundle is embedded whole, under an id, so that its local
    references stay local; beside it stands what closes those mappings.
    """
    definitions = copied(row["$defs"])
    definition = definitions["row"]
    for bundle in extra:
        for key in bundle.get("properties", {}):
            definition["properties"].setdefault(key, _PLAIN)
    for each in _open_mappings(definitions):
        each["additionalProperties"] = False
        each["patternProperties"] = {f"^{OWN_PREFIX}": _PLAIN}
        for key in _FREE.intersection(each["properties"]):
            each["properties"][key] = {"allOf": [each["properties"][key], _PLAIN]}
    definition["properties"]["rubric_ref"] = _one_of(sorted(references))
    known = dict(harmless or {})
    inside = known.pop(INSIDE, ())
    for name, keys in known.items():
        definitions[name]["properties"].update(dict.fromkeys(keys, _PLAIN))
    embedded = {
        f"bundle_{n}": {"$id": f"{_BASE}bundle/{n}/", **_knowing(each, definition["properties"])}
        for n, each in enumerate(extra)
    }
    embedded |= {
        f"described_{n}": {"$id": f"{_BASE}described/{n}/", **_describing(each, row, inside)}
        for n, each in enumerate(extra)
    }
    bundles = [{"$ref": each["$id"]} for each in embedded.values()]
    definitions["row"] = joined(definition, demand or {})
    every = [{"$ref": "#/$defs/row"}, *bundles]
    return {
        "$schema": row["$schema"],
        "$id": _BASE,
        "type": "array",
        "items": {"allOf": every},
        "$defs": {**definitions, **embedded, **_plain_levels()},
    }


def joined(schema: Any, more: Any) -> Schema:
    """Return one schema of what two accept together: it is half the work of one after the other.

    Keys that only `more` names stay apart from the others, which may be all that are allowed.
    """
    if not isinstance(schema, dict) or not isinstance(more, dict):
        return {"allOf": [schema, more]}
    whole, apart = dict(schema), {}
    for keyword, part in more.items():
        if keyword == "properties" and keyword in whole:
            known = whole[keyword]
            both = {key: joined(known[key], inner) for key, inner in part.items() if key in known}
            whole[keyword] = {**known, **both}
            if rest := {key: inner for key, inner in part.items() if key not in known}:
                apart[keyword] = rest
        elif keyword == "items" and keyword in whole:
            whole[keyword] = joined(whole[keyword], part)
        elif keyword == "allOf":
            for each in part:
                whole = joined(whole, each)
        elif keyword in _ALONE and keyword not in whole:
            whole[keyword] = part
        elif whole.get(keyword) != part:
            apart[keyword] = part
    return {**whole, "allOf": [*whole.get("allOf", ()), apart]} if apart else whole


def _plain_levels() -> dict[str, Schema]:
    """Return definitions of plain values of so many levels; the engine refuses keys not of text."""
    levels: dict[str, Schema] = {"plain_0": {"type": _SCALARS}}
    for level in range(_LEVELS):
        below = {"$ref": f"#/$defs/plain_{level}"}
        levels[f"plain_{level + 1}"] = {"additionalProperties": below, "items": below}
    return levels


def _describing(bundle: Schema, row: Schema, harmless: Iterable[str]) -> Schema:
    from evalcontract.structure.keys.bundle_fields import BundleFields  # slow to import

    return BundleFields(bundle, row).closed(harmless)


def _one_of(texts: list[str]) -> Schema | bool:
    return {"enum": texts} if texts else False


def _knowing(bundle: Schema, keys: Iterable[str]) -> Schema:
    """Return a bundle that is closed at its top as one that knows the keys of every row.

    They are known to the exact way, which has both schemas at hand.
    """
    if False not in (bundle.get("additionalProperties"), bundle.get("unevaluatedProperties")):
        return bundle
    return {**bundle, "properties": {**dict.fromkeys(keys, True), **bundle.get("properties", {})}}


def closed(schema: Schema) -> Schema:
    """Return a schema that accepts only what nothing at all can be said of.

    Every mapping that it leaves open is closed over the keys that it knows.
    """
    whole: Schema = copied(schema)
    for each in _open_mappings(whole):
        each["additionalProperties"] = False
        each["patternProperties"] = {f"^{OWN_PREFIX}": True}
    return whole


def copied(schema: Any, *, is_names: bool = False) -> Any:
    """Return a copy of a schema without what it says to people, whose parts may be changed.

    Instances in it (`const`, `enum`) are shared. `is_names` says that its keys are no keywords.
    """
    if isinstance(schema, list):
        return [copied(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: part
        if key in _INSTANCES and not is_names
        else copied(part, is_names=key in _NAMED and not is_names)
        for key, part in schema.items()
        if is_names or key not in FOR_PEOPLE
    }


def _is_dispatch(schema: Schema) -> bool:
    """Whether a schema leaves the rest to branches of its own, as a check does to its kind."""
    return any("$ref" in part.get("then", {}) for part in schema.get("allOf", ()))


def _open_mappings(schema: Any, key: str = "") -> Iterable[Schema]:
    if isinstance(schema, list):
        for part in schema:
            yield from _open_mappings(part)
    if not isinstance(schema, dict):
        return
    is_open = "properties" in schema and "additionalProperties" not in schema
    if is_open and key not in _FREE and not _is_dispatch(schema):
        yield schema
    for name, part in schema.items():
        if name == "properties":
            for inner, value in part.items():
                yield from _open_mappings(value, inner)
        elif isinstance(part, dict | list) and name not in _NO_SHAPES:
            yield from _open_mappings(part)
