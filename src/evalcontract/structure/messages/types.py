"""How it is said that a value is of a wrong type, and what to type instead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from evalcontract.source.yaml_text import flow
from evalcontract.structure.messages.keys import samples
from evalcontract.structure.messages.texts import clipped, quoted_version

if TYPE_CHECKING:
    from evalcontract.structure.native import SchemaViolation

_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "object": "a mapping",
    "array": "a list",
    "boolean": "true or false",
    "null": "null",
}
_TRUE, _FALSE = ("yes", "y", "on", "true", "1"), ("no", "n", "off", "false", "0")
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?")
_DAY = re.compile(r"((?:19|20)\d\d)(0[1-9]|1[0-2])([0-2]\d|3[01])")
_PERCENT = 100
# What is asked for under another form, by the last key of the path.
_FORMS: dict[tuple[str, type], str] = {
    ("input", list): "write one text; what was said before it goes into `context`",
    ("input", dict): "write one text; what stands around it goes into `context`",
    ("criteria", list): "write one text, or list facts in `expected_facts`",
    ("expected", str): "an answer in words is `criteria` (prose) or `expected_facts` (a list)",
    ("expected", list): "a list of what the answer says is `expected_facts`",
    ("schema", str): "write the schema itself; a file is named with `schema_ref`",
}


def wrong_type(
    error: SchemaViolation, name: str, written: str | None, among: list[str] | None = None
) -> tuple[str, str | None]:
    """Say it. `written` is a scalar as its author wrote it, if known; `among` are the types."""
    types = among or error.validator_value
    wanted = [types] if isinstance(types, str) else types
    value = error.instance
    has = named(value)
    if isinstance(value, float) and not {"string", "boolean"} & set(wanted):
        has = f"`{written or flow(value)}`"
    message = f"{name} must be {' or '.join(_TYPES[each] for each in wanted)}, not {has}"
    if "string" in wanted and isinstance(value, bool | int | float):
        return _unquoted(error, name, message, written if written is not None else flow(value))
    key = error.absolute_path[-1] if error.absolute_path else None
    form = _FORMS.get((key, type(value))) if isinstance(key, str) else None
    return message, form or _instead(wanted, error)


def named(value: Any) -> str:
    """Return the word for what a value is."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, str):
        return "text"
    if isinstance(value, int | float):
        return "a number"
    return "a mapping" if isinstance(value, dict) else "a list"


def _unquoted(error: SchemaViolation, name: str, message: str, text: str) -> tuple[str, str | None]:
    """Say of a text that it lost its quotes, and so became a number, or true or false."""
    if name.endswith("version`") and not isinstance(error.instance, bool):
        message = f"{name} must be quoted: `{text}` is a number in YAML, not text"
        return message, f'quote it: "{quoted_version(text) or text}"'
    if "pattern" not in error.schema:
        return message, f'quote it: "{text}"'
    if day := _DAY.fullmatch(text):
        return message, f'write "{"-".join(day.groups())}"'
    examples = error.schema.get("examples", ())
    return message, f'such as "{examples[0]}"' if examples else None


def _instead(wanted: list[str], error: SchemaViolation) -> str | None:
    value = error.instance
    if value is None:
        return "fill it in, or remove it"
    if "boolean" in wanted:
        return _truth(value)
    if "number" in wanted or "integer" in wanted:
        whole = "number" not in wanted
        return _number(value, error.schema, "a whole number" if whole else "a number")
    if "array" in wanted:
        return _list(value, error.schema)
    if "object" in wanted:
        return _mapping(value, error.schema)
    return _text(value, error.schema)


def _text(value: Any, schema: dict[str, Any]) -> str:
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        return f"write it without the brackets: {clipped(flow(value[0], inside=False))}"
    examples = schema.get("examples", ()) if "pattern" in schema else ()
    if examples:
        return f'write one text, such as "{clipped(str(examples[0]))}"'
    return "write one text, in quotes if it begins with `[` or `{`"


def _truth(value: Any) -> str:
    word = str(value).strip().lower()
    if word in _TRUE + _FALSE:
        meant = "true" if word in _TRUE else "false"
        return f"write {meant}, without quotes" if word == meant else f"write {meant}"
    return "write true or false, without quotes"


def _number(text: Any, schema: dict[str, Any], what: str) -> str:
    found = _NUMBER.search(text.replace("_", "")) if isinstance(text, str) else None
    if found is None:
        return f"write {what}{', such as 0.8' if schema.get('maximum') == 1 else ''}"
    number = found[0].replace(",", ".")
    if text.strip() == found[0] == number:
        return f"remove the quotes: {number}"
    if text.strip() == f"{found[0]}%" and schema.get("maximum") == 1:
        return f"write {float(number) / _PERCENT:g}"
    if text.strip() == found[0]:
        return f"write {number}, with a point"
    return f"write the number alone: {number}"


def _list(value: Any, schema: dict[str, Any]) -> str:
    if isinstance(value, str):
        parts = [part.strip() for part in value.split(",")] if "," in value else [value]
        letters = schema.get("items", {}).get("enum", ())
        if value and value not in letters and all(each in letters for each in value):
            parts = list(value)  # `ix` are the flags i and x
        return f"write a list: {clipped(flow([part for part in parts if part]))}"
    if isinstance(value, dict):
        return "write a list: begin each item with `- `"
    of_texts = schema.get("items", {}).get("type") == "string"
    return f"write a list: {flow([flow(value) if of_texts else value])}"


def _mapping(value: Any, schema: dict[str, Any]) -> str:
    """Show the mapping that a bare value is meant as: below the one key that it is the value of."""
    properties = schema.get("properties", {})
    required = schema.get("required", ["name"] if "name" in properties else [])
    if len(required) == 1:
        key = required[0]
        kinds = properties.get(key, {}).get("enum", (value,))
        if key in properties and value in kinds and isinstance(value, list) is (key == "judges"):
            inner = "[…]" if isinstance(value, list) else flow(value)
            return f"write a mapping: {{{key}: {clipped(inner)}}}"
    example = next(samples(schema, schema), None)
    if isinstance(example, dict) and example:
        return f"write a mapping, such as {clipped(flow(example))}"
    listed = isinstance(value, list)
    return "write `key: value`, without `- ` before it" if listed else "write `key: value` below it"
