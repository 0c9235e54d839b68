"""The keywords of schemas that authors write: those that validators ignore, and what others prove.

JSON Schema permits custom keys. Reported are misspelled keywords whose value is valid for the
keyword, and keywords of older drafts and of OpenAPI. Of the keywords of Draft 2020-12 it may be
proved that they accept every value, or none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from evalcontract.model.diagnostic import Fix, Path, Rename, Write
from evalcontract.model.nearest import nearest
from evalcontract.structure.parts import TYPES, subschemas


def _is_schema(value: Any) -> bool:
    return isinstance(value, dict | bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_mapping(value: Any) -> bool:
    return isinstance(value, dict)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_names(value: Any) -> bool:
    return value is True or (_is_list(value) and all(map(_is_text, value)))


def _is_type(value: Any) -> bool:
    return set(map(str, value if _is_list(value) else [value])) <= {*TYPES}


def _is_schemas(value: Any) -> bool:
    return _is_list(value) and bool(value) and all(map(_is_schema, value))


#: The keywords of Draft 2020-12 that affect validation, each with a check of its value.
_KEYWORDS: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("additionalProperties", "contains", "contentSchema", "else", "if", "items",
                     "not", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"),
                    _is_schema),
    **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), _is_schemas),
    **dict.fromkeys(("properties", "patternProperties", "dependentSchemas", "dependentRequired",
                     "$defs"), _is_mapping),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
                     "minLength", "maxLength", "minItems", "maxItems", "minProperties",
                     "maxProperties", "minContains", "maxContains"), _is_number),
    **dict.fromkeys(("pattern", "format", "description", "title", "$ref", "$dynamicRef",
                     "$anchor", "$dynamicAnchor"), _is_text),
    "uniqueItems": lambda value: isinstance(value, bool),
    "required": _is_names,
    "enum": _is_list,
    "const": lambda value: True,  # noqa: ARG005 - anything
    "type": _is_type,
}  # fmt: skip
#: Keywords without effect on validation, whose misspellings are harmless.
_ANNOTATIONS = frozenset(
    ("$schema", "$id", "$comment", "$vocabulary", "contentEncoding", "contentMediaType",
     "default", "definitions", "deprecated", "examples", "readOnly", "writeOnly")
)  # fmt: skip
#: Common words, and words of other tools, that only look like misspellings.
_EVERYDAY_WORDS = frozenset(
    ("anchor", "container", "content", "contents", "context", "cost", "definition", "example",
     "formats", "note", "notes", "subtitle", "titles", "when")
)  # fmt: skip
_ALIASES = {
    "property": "properties",
    "props": "properties",
    "additionalProperty": "additionalProperties",
    "patternProperty": "patternProperties",
}


@dataclass(frozen=True, slots=True)
class KeywordRemark:
    """A key that has no effect, although it was probably meant as a keyword.

    `fault` is the second half of the code. `fix` is None if there is no clear fix.
    """

    fault: str
    message: str
    path: Path
    help: str
    on_key: bool = True
    fix: Fix | None = None


def remarks(schema: Any, declared: Iterable[str] = ()) -> Iterator[KeywordRemark]:
    """Yield the remarks on a valid schema. `declared` are additional known property names."""
    every = list(subschemas(schema))
    names = {*declared, *(name for _, part in every for name in part.get("properties", {}))}
    for path, subschema in every:
        yield from _keywords(subschema, path)
        yield from _required(subschema, path, names)


def _keywords(schema: dict[str, Any], path: Path) -> Iterator[KeywordRemark]:
    from evalcontract.structure.keys.spelling import key_names  # slow to import

    for key, value in schema.items():
        if key in _OUTDATED and _OUTDATED[key][0](value):
            advice = _OUTDATED[key][1](schema, value)
            message = f"`{key}` is ignored: it is not a keyword of Draft 2020-12"
            yield KeywordRemark("outdated-keyword", message, (*path, key), advice)
        elif key not in _KEYWORDS and key not in _ANNOTATIONS:
            meant = _meant_keyword(key, value, schema)
            if meant:
                message = f"`{key}` is ignored: it is not a keyword of JSON Schema"
                advice = f"did you mean `{meant}`?"
                key_path = (*path, key)
                is_certain = key_names(tuple(_KEYWORDS)).is_certain(key, meant)
                fix = Fix(key_path, Rename(meant), is_certain)
                yield KeywordRemark("near-miss-keyword", message, key_path, advice, fix=fix)


def _meant_keyword(key: str, value: Any, schema: dict[str, Any]) -> str | None:
    """Return the keyword that an unknown key was probably meant to be; None for a custom key."""
    if key.lower().startswith("x-") or key.lower() in _EVERYDAY_WORDS:
        return None
    candidates = [
        keyword
        for keyword, accepts in _KEYWORDS.items()
        if keyword not in schema and accepts(value)
    ]
    meant = _ALIASES.get(key) or nearest(key, candidates)
    if meant in candidates:
        return meant
    return None


def _required(schema: dict[str, Any], path: Path, names: set[str]) -> Iterator[KeywordRemark]:
    known = schema.get("properties", {})
    required = schema.get("required", [])
    if not known or names.issuperset(required):
        return
    from evalcontract.structure.keys.spelling import key_names  # slow to import

    spelling, given = key_names(tuple(known)), frozenset(required)
    for index, name in enumerate(required):
        meant = spelling.meant(name, given, ()) if name not in names else None
        if meant and meant not in given:  # otherwise both names are required on purpose
            message = f"`{name}` is required, but `properties` does not describe it"
            item_path = (*path, "required", index)
            advice = f"did you mean `{meant}`?"
            fix = Fix(item_path, Write(meant), spelling.is_certain(name, meant))
            yield KeywordRemark(
                "near-miss-required", message, item_path, advice, on_key=False, fix=fix
            )


# Keywords of older drafts and of OpenAPI


def _constant(advice: str) -> Callable[[dict[str, Any], Any], str]:
    return lambda schema, value: advice  # noqa: ARG005 - the same for every schema


def _dependencies_advice(schema: dict[str, Any], value: Any) -> str:  # noqa: ARG001
    are_lists = [_is_list(dependency) for dependency in value.values()]
    if all(are_lists):
        return "write `dependentRequired`"
    if not any(are_lists):
        return "write `dependentSchemas`"
    return "write `dependentRequired` for the lists, `dependentSchemas` for the schemas"


def _nullable_advice(schema: dict[str, Any], value: Any) -> str:  # noqa: ARG001
    type_ = schema.get("type")
    return f'write `type: [{type_}, "null"]`' if _is_text(type_) else "write `anyOf` with null"


_OUTDATED: dict[str, tuple[Callable[[Any], bool], Callable[[dict[str, Any], Any], str]]] = {
    "dependencies": (_is_mapping, _dependencies_advice),
    "additionalItems": (_is_schema, _constant("write `items`, beside `prefixItems`")),
    "$recursiveRef": (_is_text, _constant("write `$dynamicRef`")),
    "$recursiveAnchor": (lambda value: value is True, _constant("write `$dynamicAnchor`")),
    "divisibleBy": (_is_number, _constant("write `multipleOf`")),
    "disallow": (lambda value: not _is_number(value), _constant("write `not`, with a schema")),
    "nullable": (lambda value: value is True, _nullable_advice),
}


# Proofs that a schema accepts every value, or none

_JSON_TYPES = ("object", "array", "string", "number", "boolean", "null")

# Keywords that do not restrict values.
_NOT_REJECTING = frozenset(
    ("$schema", "$id", "$comment", "$anchor", "$dynamicAnchor", "$vocabulary", "$defs",
     "definitions", "title", "description", "default", "examples", "deprecated", "readOnly",
     "writeOnly", "contentEncoding", "contentMediaType", "contentSchema")
)  # fmt: skip

_IF_EMPTY: Callable[[Any], bool] = lambda value: not value  # noqa: E731 - a row of the table
_IF_ALL_VALUES: Callable[[Any], bool] = lambda value: all(map(accepts_everything, value.values()))  # noqa: E731
_IF_ITSELF: Callable[[Any], bool] = lambda value: accepts_everything(value)  # noqa: E731, PLW0108

#: The keywords that can reject a value, each with a test of whether its value rejects nothing.
_REJECTING: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(
        ("$ref", "$dynamicRef", "$recursiveRef", "enum", "const", "pattern", "format", "maximum",
         "exclusiveMaximum", "minimum", "exclusiveMinimum", "multipleOf", "maxLength", "maxItems",
         "maxProperties", "contains", "not", "oneOf", "if", "then", "else", "dependencies",
         "additionalItems"),
        lambda value: False,  # noqa: ARG005
    ),
    **dict.fromkeys(("required", "dependentRequired", "minLength", "minItems"), _IF_EMPTY),
    **dict.fromkeys(("minProperties", "uniqueItems"), _IF_EMPTY),
    **dict.fromkeys(("properties", "patternProperties", "dependentSchemas"), _IF_ALL_VALUES),
    **dict.fromkeys(("items", "additionalProperties", "propertyNames"), _IF_ITSELF),
    **dict.fromkeys(("unevaluatedItems", "unevaluatedProperties"), _IF_ITSELF),
    "type": lambda value: set(value) >= set(_JSON_TYPES) if isinstance(value, list) else False,
    "allOf": lambda value: all(map(accepts_everything, value)),
    "prefixItems": lambda value: all(map(accepts_everything, value)),
    "anyOf": lambda value: any(map(accepts_everything, value)),
    "minContains": lambda value: True,  # noqa: ARG005 - `contains` decides
    "maxContains": lambda value: True,  # noqa: ARG005
}  # fmt: skip


def accepts_everything(schema: Any) -> bool:
    """Whether a valid schema provably accepts every JSON value."""
    if not isinstance(schema, dict):
        return schema is True
    return all(
        key not in _REJECTING or key in _NOT_REJECTING or _REJECTING[key](value)
        for key, value in schema.items()
    )


def unknown_keywords(schema: Any) -> list[str]:
    """Return the keys of a schema that are not keywords; validators ignore them."""
    return [key for key in schema if key not in _REJECTING and key not in _NOT_REJECTING]


def refusal(schema: Any) -> Path | None:
    """Return the path that provably makes a valid schema reject every JSON value, or None."""
    if not isinstance(schema, dict):
        return () if schema is False else None
    for place in _unsatisfiable_parts(schema):
        return place
    types = _types_of(schema)
    for index, part in enumerate(schema.get("allOf", ())):
        types = _shared_types(
            types, _types_of(part) if isinstance(part, dict) else list(_JSON_TYPES)
        )
        if not types:
            return ("allOf", index)
    for key in ("enum", "const"):
        values = schema.get("enum", []) if key == "enum" else [schema.get("const")]
        if key in schema and not any(_is(value, types) for value in values):
            return (key,)
    places = [_impossible(schema, type_) for type_ in types]
    return places[0] if places and None not in places else None


def _unsatisfiable_parts(schema: dict[str, Any]) -> Iterator[Path]:
    """Yield the paths of subschemas that by themselves reject everything."""
    for index, part in enumerate(schema.get("allOf", ())):
        place = refusal(part)
        if place is not None:
            yield ("allOf", index, *place)
    for key in ("anyOf", "oneOf"):
        if key in schema and all(refusal(part) is not None for part in schema[key]):
            yield (key,)
    if "not" in schema and accepts_everything(schema["not"]):
        yield ("not",)


def _types_of(schema: dict[str, Any]) -> list[str]:
    """Return the types that a schema allows."""
    types_in_schema = schema.get("type", _JSON_TYPES)
    return [types_in_schema] if isinstance(types_in_schema, str) else list(types_in_schema)


def _shared_types(types: list[str], others: list[str]) -> list[str]:
    """Return the types that two lists share; `number` includes `integer`."""
    shared = [type_ for type_ in types if type_ in others]
    is_numeric = all({"number", "integer"} & set(names) for names in (types, others))
    return (
        [*shared, "integer"] if is_numeric and not {"number", "integer"} & set(shared) else shared
    )


def _is(value: Any, types: list[str]) -> bool:
    if value is None or isinstance(value, bool):
        return ("null" if value is None else "boolean") in types
    if isinstance(value, int | float):
        is_whole = isinstance(value, int) or value.is_integer()  # infinity is not
        return "number" in types or ("integer" in types and is_whole)
    name = "object" if isinstance(value, dict) else "array" if isinstance(value, list) else "string"
    return name in types


def _impossible(schema: dict[str, Any], type_: str) -> Path | None:
    """Return the path of a keyword that rejects every value of a type, or None."""
    match type_:
        case "object":
            return _no_object(schema)
        case "array":
            return _no_array(schema)
        case "string":
            return _crossed(schema, ("minLength",), ("maxLength",))
        case "number" | "integer":
            lows, highs = ("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")
            return _crossed(schema, lows, highs)
    return None


def _crossed(schema: dict[str, Any], lows: tuple[str, ...], highs: tuple[str, ...]) -> Path | None:
    for low in lows:
        for high in highs:
            if low in schema and high in schema:
                is_open = low.startswith("exclusive") or high.startswith("exclusive")
                if schema[low] > schema[high] or (is_open and schema[low] == schema[high]):
                    return (low,)
    return None


def _no_array(schema: dict[str, Any]) -> Path | None:
    first = schema.get("prefixItems", [])
    least = schema.get("minItems", 0)
    if "items" in schema and least > len(first) and refusal(schema["items"]) is not None:
        return ("minItems",)
    for index, part in enumerate(first[: int(least)]):
        place = refusal(part)
        if place is not None:
            return ("prefixItems", index, *place)
    return _crossed(schema, ("minItems",), ("maxItems",))


def _no_object(schema: dict[str, Any]) -> Path | None:
    properties, required = schema.get("properties", {}), schema.get("required", [])
    closed = schema.get("additionalProperties") is False and not schema.get("patternProperties")
    for index, key in enumerate(required):
        if key in properties:
            place = refusal(properties[key])
            if place is not None:
                return ("properties", key, *place)
        elif closed:
            return ("required", index)
    if len(set(required)) > schema.get("maxProperties", len(required)):
        return ("maxProperties",)
    return _crossed(schema, ("minProperties",), ("maxProperties",))
