"""Words of a valid JSON Schema that a validator passes over, though hardly on purpose.

JSON Schema lets an author add words of their own, so only what comes close to a keyword, with a
value that would do for it, is told; and what was a keyword in an older draft or is one in OpenAPI.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evalcontract.model.fix import Fix, Rename, Write
from evalcontract.model.nearest import nearest
from evalcontract.structure.keys.spelling import is_certain, meant_key
from evalcontract.structure.subschemas import subschemas

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from evalcontract.model.path import Path

_TYPES = frozenset(("string", "number", "integer", "object", "array", "boolean", "null"))


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
    return set(map(str, value if _is_list(value) else [value])) <= _TYPES


def _is_schemas(value: Any) -> bool:
    return _is_list(value) and bool(value) and all(map(_is_schema, value))


#: Every keyword of Draft 2020-12 that a misspelling of matters, and what its value looks like.
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
#: Keywords that only tell something; a misspelling of them changes nothing.
_TELLING = frozenset(
    ("$schema", "$id", "$comment", "$vocabulary", "contentEncoding", "contentMediaType",
     "default", "definitions", "deprecated", "examples", "readOnly", "writeOnly")
)  # fmt: skip
#: Words of other tools, and ordinary ones, that only look like a misspelling.
_ORDINARY = frozenset(
    ("anchor", "container", "content", "contents", "context", "cost", "definition", "example",
     "formats", "note", "notes", "subtitle", "titles", "when")
)  # fmt: skip
_CALLED = {
    "property": "properties",
    "props": "properties",
    "additionalProperty": "additionalProperties",
    "patternProperty": "patternProperties",
}


@dataclass(frozen=True, slots=True)
class Remark:
    """A word that hardly does what it is there for; `fault` is the second half of its code.

    `fix` is the edit that mends it, where that is clear.
    """

    fault: str
    message: str
    path: Path
    help: str
    on_key: bool = True
    fix: Fix | None = None


def remarks(schema: Any, declared: Iterable[str] = ()) -> Iterator[Remark]:
    """Yield such words of a valid schema. `declared` are property names that are known besides."""
    every = list(subschemas(schema))
    names = {*declared, *(name for _, each in every for name in each.get("properties", {}))}
    for path, each in every:
        yield from _keywords(each, path)
        yield from _required(each, path, names)


def _keywords(schema: dict[str, Any], path: Path) -> Iterator[Remark]:
    for key, value in schema.items():
        if key in _OUTDATED and _OUTDATED[key][0](value):
            instead = _OUTDATED[key][1](schema, value)
            message = f"`{key}` is passed over: it is no keyword of Draft 2020-12"
            yield Remark("outdated-keyword", message, (*path, key), instead)
        elif key not in _KEYWORDS and key not in _TELLING:
            meant = _meant(key, value, schema)
            if meant:
                message = f"`{key}` is no keyword of JSON Schema, and is passed over"
                advice = f"did you mean `{meant}`?"
                where = (*path, key)
                fix = Fix(where, Rename(meant), is_certain(key, meant, _KEYWORDS))
                yield Remark("near-miss-keyword", message, where, advice, fix=fix)


def _meant(key: str, value: Any, schema: dict[str, Any]) -> str | None:
    if key.lower().startswith("x-") or key.lower() in _ORDINARY:
        return None
    absent = [each for each in _KEYWORDS if each not in schema and _KEYWORDS[each](value)]
    meant = _CALLED.get(key) or nearest(key, absent)
    if meant in absent:
        return meant
    return None


def _required(schema: dict[str, Any], path: Path, names: set[str]) -> Iterator[Remark]:
    known = schema.get("properties", {})
    required = schema.get("required", [])
    for index, name in enumerate(required):
        if not known or name in names:
            continue
        meant = meant_key(name, known, dict.fromkeys(required), ())
        if meant and meant not in required:  # that is asked for too
            message = f"`{name}` is required, and nothing describes it"
            where = (*path, "required", index)
            advice = f"did you mean `{meant}`?"
            fix = Fix(where, Write(meant), is_certain(name, meant, known))
            yield Remark("near-miss-required", message, where, advice, on_key=False, fix=fix)


# Keywords of older drafts, and of OpenAPI


def _instead(text: str) -> Callable[[dict[str, Any], Any], str]:
    return lambda schema, value: text  # noqa: ARG005 - the same for every schema


def _of_dependencies(schema: dict[str, Any], value: Any) -> str:  # noqa: ARG001
    lists = [_is_list(each) for each in value.values()]
    if all(lists):
        return "write `dependentRequired`"
    if not any(lists):
        return "write `dependentSchemas`"
    return "write `dependentRequired` for the lists, `dependentSchemas` for the schemas"


def _of_nullable(schema: dict[str, Any], value: Any) -> str:  # noqa: ARG001
    type_ = schema.get("type")
    return f'write `type: [{type_}, "null"]`' if _is_text(type_) else "write `anyOf` with null"


_OUTDATED: dict[str, tuple[Callable[[Any], bool], Callable[[dict[str, Any], Any], str]]] = {
    "dependencies": (_is_mapping, _of_dependencies),
    "additionalItems": (_is_schema, _instead("write `items`, beside `prefixItems`")),
    "$recursiveRef": (_is_text, _instead("write `$dynamicRef`")),
    "$recursiveAnchor": (lambda value: value is True, _instead("write `$dynamicAnchor`")),
    "divisibleBy": (_is_number, _instead("write `multipleOf`")),
    "disallow": (lambda value: not _is_number(value), _instead("write `not`, with a schema")),
    "nullable": (lambda value: value is True, _of_nullable),
}
