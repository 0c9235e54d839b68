"""Analyses of authored schemas: keys that validators ignore but that were meant as keywords.

JSON Schema permits custom keys. Reported are misspelled keywords whose value is valid for the
keyword, and keywords of older drafts and of OpenAPI.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from evalcontract.model.diagnostic import Fix, Path, Rename, Write
from evalcontract.model.nearest import nearest
from evalcontract.structure.keys.spelling import key_names
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
