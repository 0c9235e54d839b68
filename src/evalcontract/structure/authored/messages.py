"""Messages for schemas that violate the Draft 2020-12 metaschema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jsonschema.exceptions import best_match

from evalcontract.model.diagnostic import key_of
from evalcontract.model.nearest import nearest
from evalcontract.structure.authored.fault import SchemaFault
from evalcontract.structure.exact import metaschema_errors
from evalcontract.structure.messages.types import type_name
from evalcontract.structure.messages.values import message_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Path
    from evalcontract.structure.native_errors import SchemaViolation

TYPES = ("string", "number", "integer", "object", "array", "boolean", "null")
#: Type names of other languages.
_TYPE_ALIASES = {
    **dict.fromkeys(("str", "text", "char", "date", "datetime", "uuid", "uri"), "string"),
    **dict.fromkeys(("int", "long"), "integer"),
    **dict.fromkeys(("float", "double", "decimal", "numeric"), "number"),
    **dict.fromkeys(("dict", "map", "mapping", "hash", "struct"), "object"),
    **dict.fromkeys(("list", "tuple", "set", "sequence"), "array"),
    **dict.fromkeys(("bool",), "boolean"),
    **dict.fromkeys(("none", "nil", "undefined"), "null"),
}
_ANCHOR = "use letters, digits, `-`, `_` and `.`, with a letter first"
_PATTERN_ADVICE: dict[Any, str] = {
    "$id": "use a URI without `#…`; `$anchor` names a subschema",
    "$anchor": _ANCHOR,
    "$dynamicAnchor": _ANCHOR,
}
_MAPPINGS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")


def metaschema_faults(schema: Any) -> Iterator[SchemaFault]:
    """Yield the violations of the Draft 2020-12 metaschema in a schema, each mistake once."""
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
        advice = f"list the key in its parent schema: `required: [{owner}]` beside `properties`"
        return SchemaFault("`required` must be a list of names", path, advice)
    if str(path[-1:]).find("exclusiveM") >= 0 and isinstance(error.instance, bool):
        inclusive = str(path[-1])[9:].lower()
        advice = f"write the limit itself and remove `{inclusive}`: `{path[-1]}: 10`"
        return SchemaFault(f"{name} must be a number", path, advice)
    violation = best_match(error.context or ()) or error
    if violation.validator == "pattern":
        message = f"{name} cannot be `{violation.instance}`"
        return SchemaFault(message, path, _PATTERN_ADVICE.get(path[-1]))
    if violation.validator == "type" and violation.validator_value == "integer":
        message = f"{name} must be a whole number, not {_shown(violation.instance)}"
        return SchemaFault(message, path)
    problem = message_for("bundle", violation, tuple(violation.absolute_path), None, "a schema")
    return SchemaFault(_with_name(problem.message, path, name), problem.path, problem.help)


def _item(path: Path) -> str:
    key = next((step for step in reversed(path) if isinstance(step, str)), None)
    return f"an item of `{key}`" if key else "a schema"


def _with_name(message: str, path: Path, name: str) -> str:
    """Replace the path in a message by the name of the keyword: the report shows the location."""
    shown_path = f"`{key_of(path)}`"
    return message.replace(shown_path, name, 1) if path else message


def _shown(value: Any) -> str:
    return f"{value}" if isinstance(value, float) else type_name(value)


def _type(value: Any, path: Path) -> SchemaFault:
    if isinstance(value, list):
        for index, item in enumerate(value):
            if item not in TYPES:
                return _one_type(item, (*path, index))
        if not value:
            return SchemaFault("`type` is an empty list", path, f"add one of {_listed(TYPES)}")
        duplicate = next(item for item in value if value.count(item) > 1)
        return SchemaFault(f"duplicate item `{duplicate}` in `type`", path, "remove one")
    return _one_type(value, path)


def _one_type(value: Any, path: Path) -> SchemaFault:
    if value is None:
        return SchemaFault("`type` is empty", path, 'quote the name of a type: "null"')
    if not isinstance(value, str):
        message = "`type` must be the name of a type, or a list of names"
        return SchemaFault(message, path, f"one of {_listed(TYPES)}")
    folded = value.lower()
    meant = folded if folded in TYPES else _TYPE_ALIASES.get(folded) or nearest(folded, TYPES)
    if folded in ("any", "mixed"):
        return SchemaFault(f"`type` cannot be `{value}`", path, "omit `type` to allow any value")
    advice = f"did you mean `{meant}`?" if meant else f"one of {_listed(TYPES)}"
    return SchemaFault(f"`type` cannot be `{value}`", path, advice)


def _no_schema(value: Any, path: Path, name: str) -> SchemaFault:
    if not path:
        return SchemaFault("a schema must be a mapping, true or false", path)
    advice = None
    if path[-1] == "items" and isinstance(value, list):
        advice = "in Draft 2020-12, schemas for individual items belong below `prefixItems`"
    elif isinstance(value, str) and value.lower() in ("true", "false"):
        advice = f"remove the quotes: {value.lower()}"
    elif isinstance(value, str):
        meant = value.lower() if value.lower() in TYPES else _TYPE_ALIASES.get(value.lower())
        advice = f"write a schema: {{type: {meant}}}" if meant else "write a schema: {type: …}"
    elif value is None:
        advice = "write a schema, or `true` for any value"
    elif path[-1] in ("required", "type") and path[-2:-1] and path[-2] in _MAPPINGS:
        advice = f"`{path[-1]}` belongs beside `{path[-2]}`, not in it"
    return SchemaFault(f"{name} must be a schema: a mapping, true or false", path, advice)


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(f"`{word}`" for word in words)
