"""The gate: one native call that proves that a batch of rows has no problems.

The gate is the row schema, closed over the known keys, with an enum of all pinned references that
resolve. A row that passes has no invalid value, no mismatched key and no reference to report. A
row that fails may still be valid: the exact engine decides. Free-form values must still have text
keys and limited nesting, because the fast readers do not check for that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.structure.native import matches
from evalcontract.structure.schemas import FOR_PEOPLE, OWN_PREFIX
from evalcontract.structure.timed import TimedValidator, TooMuchWork

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from evalcontract.structure.native import Matches
    from evalcontract.structure.subschemas import Schema

# Keywords whose content must not be closed: instances, and conditions, which closing would change.
_NOT_CLOSED = frozenset({"enum", "examples", "default", "const", "if", "then", "else", "not"})
_INSTANCES = frozenset({"enum", "const"})
_KEYED_BY_NAME = frozenset(
    {"properties", "patternProperties", "dependentSchemas", "dependentRequired", "$defs"}
)
_FREE = frozenset({"metadata", "arguments", "context"})
# A URI with a path, so that a relative `$id` of a bundle can be resolved against it.
_BASE = "https://evalcontract.example/gate/"
#: The entry of `harmless` for the mappings that a bundle describes.
INSIDE = "inside"

# Keywords whose meaning does not depend on adjacent keywords.
_INDEPENDENT = frozenset(
    {
        "type", "enum", "const", "not", "anyOf", "required", "pattern", "minLength", "maxLength",
        "minItems", "maxItems", "uniqueItems", "minProperties",
    }
)  # fmt: skip
# Maximum nesting of free-form values; every reader allows far more.
_LEVELS = 90
_SCALARS = ["null", "boolean", "number", "string"]
_PLAIN: dict[str, Any] = {"$ref": f"#/$defs/plain_{_LEVELS}"}


class Gate:
    """A compiled gate; `schema` describes a list of rows, see `gate_schema`.

    `bundle` is the schema of a bundle that is part of it, whose work is limited. `search` tells
    whether one of its patterns matches in a text.
    """

    def __init__(
        self, schema: Schema, bundle: Schema | None = None, search: Matches = matches
    ) -> None:
        self._rows = TimedValidator(bundle or {}, search, whole=schema)

    def passes(self, rows: list[Any]) -> bool:
        """Whether all rows are proved to have no problems."""
        try:
            return self._rows.is_valid(rows)
        except TooMuchWork:
            middle = len(rows) // 2
            return bool(middle) and self.passes(rows[:middle]) and self.passes(rows[middle:])
        except (ValueError, TypeError, RecursionError):
            # Not JSON: a date, a lone surrogate, a key that is not text. The exact engine decides.
            return False


def gate_schema(
    row: Schema,
    references: Iterable[str],
    extra: list[Schema],
    demand: Schema | None = None,
    harmless: Mapping[str, Mapping[str, Iterable[str]]] | None = None,
) -> Schema:
    """Return the schema of a list of rows with only known keys and resolving references.

    `extra` are the schemas of bundles, whose keys are known too. `demand` is a schema with further
    requirements, such as those of the checks in a rubric. `harmless` are the accepted custom keys,
    by the definition (`row`, `expected`) of their mapping, or `INSIDE` for the mappings that a
    bundle describes; each with the known keys of which one must be beside it, if any. Each bundle
    is embedded under its own `$id`, so that its local references stay local, together with a
    schema that closes those mappings.
    """
    definitions = copied(row["$defs"])
    row_definition = definitions["row"]
    for bundle in extra:
        for key in bundle.get("properties", {}):
            row_definition["properties"].setdefault(key, _PLAIN)
    for mapping in _open_mappings(definitions):
        mapping["additionalProperties"] = False
        mapping["patternProperties"] = {f"^{OWN_PREFIX}": _PLAIN}
        for key in _FREE.intersection(mapping["properties"]):
            mapping["properties"][key] = {"allOf": [mapping["properties"][key], _PLAIN]}
    row_definition["properties"]["rubric_ref"] = _one_of(sorted(references))
    accepted = dict(harmless or {})
    inside = accepted.pop(INSIDE, {})
    for name, keys in accepted.items():
        definitions[name]["properties"].update({key: _custom(key, name) for key in keys})
        definitions[name]["dependentSchemas"] = {
            key: {"anyOf": [{"required": [known]} for known in sorted(beside)]}
            for key, beside in keys.items()
            if beside
        }
    row_keys = row["$defs"]["row"]["properties"]
    embedded = {
        f"bundle_{n}": {"$id": f"{_BASE}bundle/{n}/", **_with_keys(bundle, row_keys)}
        for n, bundle in enumerate(extra)
    }
    embedded |= {
        f"described_{n}": {"$id": f"{_BASE}described/{n}/", **_closed_fields(bundle, row, inside)}
        for n, bundle in enumerate(extra)
    }
    references_to_bundles = [{"$ref": schema["$id"]} for schema in embedded.values()]
    definitions["row"] = joined(row_definition, demand or {})
    return {
        "$schema": row["$schema"],
        "$id": _BASE,
        "type": "array",
        "items": {"allOf": [{"$ref": "#/$defs/row"}, *references_to_bundles]},
        "$defs": {**definitions, **embedded, **_plain_levels()},
    }


def joined(schema: Any, other: Any) -> Schema:
    """Return one schema that accepts what both schemas accept; it is twice as fast as two.

    Keys that only `other` defines stay in a subschema, because `schema` may be closed.
    """
    if not isinstance(schema, dict) or not isinstance(other, dict):
        return {"allOf": [schema, other]}
    merged, separate = dict(schema), {}
    for keyword, part in other.items():
        if keyword == "properties" and keyword in merged:
            known = merged[keyword]
            both = {key: joined(known[key], value) for key, value in part.items() if key in known}
            merged[keyword] = {**known, **both}
            if unknown := {key: value for key, value in part.items() if key not in known}:
                separate[keyword] = unknown
        elif keyword == "items" and keyword in merged:
            merged[keyword] = joined(merged[keyword], part)
        elif keyword == "allOf":
            for subschema in part:
                merged = joined(merged, subschema)
        elif keyword in _INDEPENDENT and keyword not in merged:
            merged[keyword] = part
        elif merged.get(keyword) != part:
            separate[keyword] = part
    return {**merged, "allOf": [*merged.get("allOf", ()), separate]} if separate else merged


def _custom(key: str, definition: str) -> Schema:
    """Return the schema of the values of a custom key for which it is not reported."""
    from evalcontract.structure.keys.elsewhere import misplaced_words  # slow to import

    word = misplaced_words().get(key) if definition == "row" else None
    return {"allOf": [_PLAIN, {"not": word.shape}]} if word else _PLAIN


def _plain_levels() -> dict[str, Schema]:
    """Return definitions of free-form values with text keys, one for each level of nesting."""
    levels: dict[str, Schema] = {"plain_0": {"type": _SCALARS}}
    for level in range(_LEVELS):
        below = {"$ref": f"#/$defs/plain_{level}"}
        levels[f"plain_{level + 1}"] = {"additionalProperties": below, "items": below}
    return levels


def _closed_fields(bundle: Schema, row: Schema, harmless: Iterable[str]) -> Schema:
    from evalcontract.structure.keys.bundle_fields import BundleFields  # slow to import

    return BundleFields(bundle, row).closed(harmless)


def _one_of(texts: list[str]) -> Schema | bool:
    return {"enum": texts} if texts else False


def _with_keys(bundle: Schema, keys: Iterable[str]) -> Schema:
    """Return a bundle that knows the keys of every row, if its top level is closed.

    The exact engine knows them, because it reads both schemas.
    """
    if not is_closed(bundle):
        return bundle
    return {**bundle, "properties": {**dict.fromkeys(keys, True), **bundle.get("properties", {})}}


def is_closed(bundle: Schema) -> bool:
    """Whether the top level of a bundle forbids keys that it does not know."""
    return False in (bundle.get("additionalProperties"), bundle.get("unevaluatedProperties"))


def closed(schema: Schema) -> Schema:
    """Return a schema that accepts only values without any problem, including unknown keys.

    Every open mapping is closed over its known keys.
    """
    copy: Schema = copied(schema)
    for mapping in _open_mappings(copy):
        mapping["additionalProperties"] = False
        mapping["patternProperties"] = {f"^{OWN_PREFIX}": True}
    return copy


def copied(schema: Any, *, is_names: bool = False) -> Any:
    """Return a copy of a schema without annotations, whose subschemas may be changed.

    Instances (`const`, `enum`) are shared. With `is_names`, the keys are names, not keywords.
    """
    if isinstance(schema, list):
        return [copied(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: part
        if key in _INSTANCES and not is_names
        else copied(part, is_names=key in _KEYED_BY_NAME and not is_names)
        for key, part in schema.items()
        if is_names or key not in FOR_PEOPLE
    }


def _is_dispatch(schema: Schema) -> bool:
    """Whether a schema delegates to branches, as the schema of checks does by `kind`."""
    return any("$ref" in part.get("then", {}) for part in schema.get("allOf", ()))


def _open_mappings(schema: Any, key: str = "") -> Iterable[Schema]:
    """Yield the schemas of open mappings in a schema; `key` is the property it describes."""
    if isinstance(schema, list):
        for part in schema:
            yield from _open_mappings(part)
    if not isinstance(schema, dict):
        return
    is_open = "properties" in schema and "additionalProperties" not in schema
    if is_open and key not in _FREE and not _is_dispatch(schema):
        yield schema
    for keyword, part in schema.items():
        if keyword == "properties":
            for name, subschema in part.items():
                yield from _open_mappings(subschema, name)
        elif isinstance(part, dict | list) and keyword not in _NOT_CLOSED:
            yield from _open_mappings(part)
