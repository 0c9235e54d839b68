"""The gate: schemas closed and joined, and one native call that proves rows free of problems.

The gate is the row schema, closed over the known keys, with an enum of all pinned references that
resolve. A row that passes has no invalid value, no mismatched key and no reference to report. A
row that fails may still be valid: the exact engine decides. Free-form values must still have text
keys and limited nesting, because the fast readers do not check for that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from time import thread_time
from typing import Any

from evalcontract.source.installed import table
from evalcontract.structure.native import Matches, matches, native_for
from evalcontract.structure.parts import IN_PLACE_LISTS, IN_PLACE_MAPPINGS, Schema, subschemas
from evalcontract.structure.schemas import FOR_PEOPLE, OWN_PREFIX, load

#: A schema with so many alternatives is always quick.
FEW_ALTERNATIVES = 20
#: Maximum number of values times alternatives in one call; each takes up to a microsecond.
MAX_WORK = 2_000_000
#: Seconds of processor time for all calls, and for each value; beyond both, the engine is too slow.
MAX_SECONDS, SECONDS_PER_VALUE = 1.0, 20e-6


class TooMuchWork(Exception):
    """The native engine may take too long; `StepCounter` decides."""


class TimedValidator:
    """Checks values against the schema of a bundle.

    `whole` is the schema that they are checked against, if that of the bundle is a part of it.
    `search` tells whether a pattern matches in a text; `clock` returns the processor time in
    seconds.
    """

    def __init__(
        self,
        schema: Schema,
        search: Matches = matches,
        *,
        whole: Schema | None = None,
        clock: Callable[[], float] = thread_time,
    ) -> None:
        self._schema = schema
        self._search = search
        self._whole = whole if whole is not None else schema
        self._clock = clock
        self._seconds = 0.0
        self._values = 0

    def is_valid(self, value: Any) -> bool:
        """Whether a value is valid.

        Raises:
            TooMuchWork: this may take too long, or other values did.
            PatternLimitError: a pattern reaches the limit of its engine.
            ValueError, TypeError, RecursionError: it is not a JSON value.

        """
        if self._alternatives <= FEW_ALTERNATIVES:
            return bool(self.native.is_valid(value))
        if self._seconds > max(MAX_SECONDS, self._values * SECONDS_PER_VALUE):
            raise TooMuchWork
        many = number_of_values(value)
        if many * self._alternatives > MAX_WORK:
            raise TooMuchWork
        self._values += many
        native = self.native
        start = self._clock()
        try:
            return bool(native.is_valid(value))
        finally:
            self._seconds += self._clock() - start

    @cached_property
    def native(self) -> Any:
        """The native validator, without a limit."""
        return native_for(self._whole, self._search)

    @cached_property
    def _alternatives(self) -> int:
        return sum(_alternatives_of(subschema) for _, subschema in subschemas(self._schema))


def _alternatives_of(schema: Schema) -> int:
    """Return the number of schemas, patterns and values that a value is compared with in turn."""
    keywords = (*IN_PLACE_LISTS, *IN_PLACE_MAPPINGS, "patternProperties", "dependentRequired")
    values = schema.get("enum", ())
    # Values of one simple type are looked up.
    are_looked_up = len({type(value) for value in values}) <= 1 and not any(
        isinstance(value, dict | list) for value in values
    )
    lists = sum(len(schema.get(keyword, ())) for keyword in keywords)
    return lists + (0 if are_looked_up else len(values))


def number_of_values(value: Any) -> int:
    """Return the number of mappings, lists and scalars in a value."""
    number, pending = 0, [value]
    while pending:
        part = pending.pop()
        number += 1
        if isinstance(part, dict):
            pending.extend(part.values())
        elif isinstance(part, list):
            pending.extend(part)
    return number


# Keywords whose content must not be closed: instances, and conditions, which closing would change.
_NOT_CLOSED = frozenset({"enum", "examples", "default", "const", "if", "then", "else", "not"})
_INSTANCES = frozenset({"enum", "const"})
_KEYED_BY_NAME = frozenset(
    {"properties", "patternProperties", "dependentSchemas", "dependentRequired", "$defs"}
)
_FREE = frozenset({"metadata", "arguments", "context"})
# A URI with a path, so that a relative `$id` of a bundle can be resolved against it.
_BASE = "https://evalcontract.example/gate/"

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
    open_: Iterable[str] = (),
    inside: Iterable[str] = (),
) -> Schema:
    """Return the schema of a list of rows with only known keys and resolving references.

    `extra` are the schemas of bundles, whose keys are known too. `demand` is a schema with further
    requirements, such as those of the checks in a rubric. `open_` are the definitions (`row`,
    `expected`) whose extra keys the caller judges by their names: the schema accepts them all, and
    rejects values of words that are misplaced. `inside` are the extra keys that are accepted in the
    mappings that a bundle describes. Each bundle
    is embedded under its own `$id`, so that its local references stay local, together with a
    schema that closes those mappings.
    """
    own: dict[str, Schema] = row["$defs"]
    is_ours = own is load("dataset")["$defs"]  # closed, they ship: they are the same at every start
    definitions = dict(table("closed")["gate"] if is_ours else gate_definitions(own))
    of_bundles = {key: _PLAIN for bundle in extra for key in bundle.get("properties", {})}
    known = {**of_bundles, **definitions["row"]["properties"]}
    resolving = sorted(references)
    known["rubric_ref"] = {"enum": resolving} if resolving else False
    definitions["row"] = {**definitions["row"], "properties": known}
    for name in open_:
        opened = {**definitions[name], "additionalProperties": _PLAIN}
        if name == "row":
            opened["properties"] = {**_misplaced(), **opened["properties"]}
        definitions[name] = opened
    row_keys = own["row"]["properties"]
    embedded = {
        f"bundle_{n}": {"$id": f"{_BASE}bundle/{n}/", **_with_keys(bundle, row_keys)}
        for n, bundle in enumerate(extra)
    }
    embedded |= {
        f"described_{n}": {"$id": f"{_BASE}described/{n}/", **_closed_fields(bundle, row, inside)}
        for n, bundle in enumerate(extra)
    }
    references_to_bundles = [{"$ref": schema["$id"]} for schema in embedded.values()]
    definitions["row"] = joined(definitions["row"], demand or {})
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


def gate_definitions(definitions: dict[str, Schema]) -> dict[str, Schema]:
    """Return definitions of which every open mapping is closed over its known keys."""
    closed_ones: dict[str, Schema] = copied(definitions, is_names=True)
    for mapping in _open_mappings(closed_ones):
        mapping["additionalProperties"] = False
        mapping["patternProperties"] = {f"^{OWN_PREFIX}": _PLAIN}
        for key in _FREE.intersection(mapping["properties"]):
            mapping["properties"][key] = {"allOf": [mapping["properties"][key], _PLAIN]}
    return closed_ones


def _misplaced() -> dict[str, Schema]:
    """Return schemas of the values for which a word is not reported that others read elsewhere."""
    from evalcontract.structure.keys.mismatches import misplaced_words  # slow to import

    return {
        key: {"allOf": [_PLAIN, {"not": word.shape}]} for key, word in misplaced_words().items()
    }


def _plain_levels() -> dict[str, Schema]:
    levels: dict[str, Schema] = {"plain_0": {"type": _SCALARS}}
    for level in range(_LEVELS):
        below = {"$ref": f"#/$defs/plain_{level}"}
        levels[f"plain_{level + 1}"] = {"additionalProperties": below, "items": below}
    return levels


def _closed_fields(bundle: Schema, row: Schema, harmless: Iterable[str]) -> Schema:
    from evalcontract.structure.keys.bundle_fields import BundleFields  # slow to import

    return BundleFields(bundle, row).closed(harmless)


def _with_keys(bundle: Schema, keys: Iterable[str]) -> Schema:
    """Return a bundle that knows the keys of every row, if its top level is closed."""
    # The exact engine knows them, because it reads both schemas. If the bundle describes the values
    # of all other keys, theirs are among them, and nothing is left that it does not know.
    if not is_closed(bundle) or isinstance(bundle.get("additionalProperties"), dict):
        return bundle
    return {**bundle, "properties": {**dict.fromkeys(keys, True), **bundle.get("properties", {})}}


def is_closed(bundle: Schema) -> bool:
    """Whether the top level of a bundle forbids keys that it does not know."""
    return False in (bundle.get("additionalProperties"), bundle.get("unevaluatedProperties"))


def closed_row() -> Schema:
    """Return the schema of a row of the contract, closed as by `closed`; it ships."""
    schema: Schema = table("closed")["row"]
    return schema


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
