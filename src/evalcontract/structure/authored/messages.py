"""How a schema that breaks the rules of Draft 2020-12 is told, in an author's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jsonschema.exceptions import best_match

from evalcontract.model.nearest import nearest
from evalcontract.model.path import key_of
from evalcontract.structure.authored.fault import SchemaFault
from evalcontract.structure.exact import metaschema_errors
from evalcontract.structure.messages.types import type_name
from evalcontract.structure.messages.values import message_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.path import Path
    from evalcontract.structure.native import SchemaViolation

TYPES = ("string", "number", "integer", "object", "array", "boolean", "null")
#: What other languages call a type.
_CALLED = {
    **dict.fromkeys(("str", "text", "char", "date", "datetime", "uuid", "uri"), "string"),
    **dict.fromkeys(("int", "long"), "integer"),
    **dict.fromkeys(("float", "double", "decimal", "numeric"), "number"),
    **dict.fromkeys(("dict", "map", "mapping", "hash", "struct"), "object"),
    **dict.fromkeys(("list", "tuple", "set", "sequence"), "array"),
    **dict.fromkeys(("bool",), "boolean"),
    **dict.fromkeys(("none", "nil", "undefined"), "null"),
}
_SHAPES: dict[Any, str] = {
    "$id": "an address without `#…`; `$anchor` names a part",
    "$anchor": "letters, digits, `-`, `_` and `.`, with a letter first",
    "$dynamicAnchor": "letters, digits, `-`, `_` and `.`, with a letter first",
}
_MAPPINGS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")


def faults_of_form(schema: Any) -> Iterator[SchemaFault]:
    """Yield how a schema breaks the rules of Draft 2020-12, each mistake once."""
    seen: set[tuple[Path, str]] = set()
    for error in metaschema_errors(schema):
        fault = _fault(error)
        if (fault.path, fault.message) not in seen:
            seen.add((fault.path, fault.message))
            yield fault


def _fault(error: SchemaViolation) -> SchemaFault:  # noqa: PLR0911 - a table
    path = tuple(error.absolute_path)
    name = f"`{path[-1]}`" if path and isinstance(path[-1], str) else _item(path)
    if path[-1:] == ("type",) and error.validator == "anyOf":
        return _type(error.instance, path)
    if error.validator == "type" and set(error.validator_value) == {"object", "boolean"}:
        return _no_schema(error.instance, path, name)
    if path[-1:] == ("required",) and isinstance(error.instance, bool):
        owner = path[-2] if len(path) > 1 else "name"
        advice = f"list it in the mapping that has it: `required: [{owner}]` beside `properties`"
        return SchemaFault("`required` must be a list of names", path, advice)
    if str(path[-1:]).find("exclusiveM") >= 0 and isinstance(error.instance, bool):
        plain = str(path[-1])[9:].lower()
        advice = f"write the limit itself, and no `{plain}`: `{path[-1]}: 10`"
        return SchemaFault(f"{name} must be a number", path, advice)
    worst = best_match(error.context or ()) or error
    if worst.validator == "pattern":
        return SchemaFault(f"{name} cannot be `{worst.instance}`", path, _SHAPES.get(path[-1]))
    if worst.validator == "type" and worst.validator_value == "integer":
        message = f"{name} must be a whole number, not {_shown(worst.instance)}"
        return SchemaFault(message, path)
    said = message_for("bundle", worst, tuple(worst.absolute_path), None, "a schema")
    return SchemaFault(_named(said.message, path, name), said.path, said.help)


def _item(path: Path) -> str:
    key = next((step for step in reversed(path) if isinstance(step, str)), None)
    return f"an item of `{key}`" if key else "a schema"


def _named(message: str, path: Path, name: str) -> str:
    """Say the keyword alone, not the way to it: the frame shows where it stands."""
    way = f"`{key_of(path)}`"
    return message.replace(way, name, 1) if path else message


def _shown(value: Any) -> str:
    return f"{value}" if isinstance(value, float) else type_name(value)


def _type(value: Any, path: Path) -> SchemaFault:
    if isinstance(value, list):
        for index, each in enumerate(value):
            if each not in TYPES:
                return _one_type(each, (*path, index))
        if not value:
            return SchemaFault("`type` is an empty list", path, f"name one: {_listed(TYPES)}")
        twice = next(each for each in value if value.count(each) > 1)
        return SchemaFault(f"`{twice}` stands in `type` twice", path, "remove one")
    return _one_type(value, path)


def _one_type(value: Any, path: Path) -> SchemaFault:
    if value is None:
        return SchemaFault("`type` is empty", path, 'quote the name of a type: "null"')
    if not isinstance(value, str):
        message = "`type` must be the name of a type, or a list of names"
        return SchemaFault(message, path, f"one of {_listed(TYPES)}")
    folded = value.lower()
    meant = folded if folded in TYPES else _CALLED.get(folded) or nearest(folded, TYPES)
    if folded in ("any", "mixed"):
        return SchemaFault(f"`type` cannot be `{value}`", path, "leave `type` out for any value")
    advice = f"did you mean `{meant}`?" if meant else f"one of {_listed(TYPES)}"
    return SchemaFault(f"`type` cannot be `{value}`", path, advice)


def _no_schema(value: Any, path: Path, name: str) -> SchemaFault:
    if not path:
        return SchemaFault("a schema must be a mapping, or true or false", path)
    advice = None
    if path[-1] == "items" and isinstance(value, list):
        advice = "since Draft 2020-12 schemas for the items one by one stand below `prefixItems`"
    elif isinstance(value, str) and value.lower() in ("true", "false"):
        advice = f"remove the quotes: {value.lower()}"
    elif isinstance(value, str):
        meant = value.lower() if value.lower() in TYPES else _CALLED.get(value.lower())
        advice = f"write a schema: {{type: {meant}}}" if meant else "write a schema: {type: …}"
    elif value is None:
        advice = "write a schema, or `true` for any value"
    elif path[-1] in ("required", "type") and path[-2:-1] and path[-2] in _MAPPINGS:
        advice = f"`{path[-1]}` belongs beside `{path[-2]}`, not in it"
    return SchemaFault(f"{name} must be a schema: a mapping, or true or false", path, advice)


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(f"`{word}`" for word in words)
