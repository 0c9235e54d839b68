"""The reference of the files: a page for each schema, with all keys of all its parts."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import yaml
from staging import SCHEMAS, schema_link

from evalcontract.structure.schemas import load

if TYPE_CHECKING:
    from collections.abc import Iterator

_TYPES = {
    "string": "text",
    "object": "mapping",
    "array": "list",
    "boolean": "true or false",
    "null": "null",
    "integer": "integer",
    "number": "number",
}


def schema_pages(names: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of the page of each schema, such as `rubric`."""
    for name in names:
        yield f"reference/{name}.md", "\n".join(_page(name, load(name)))


def _page(name: str, schema: dict[str, Any]) -> Iterator[str]:
    file = f"{name}.schema.json"
    yield f"# {schema['title']} file\n" if name != "configuration" else "# Configuration file\n"
    yield f"{schema['description']}\n"
    link = schema_link(file, f"reference/{name}.md", f"`{file}`")
    yield f"The schema is {link}, published as `/{SCHEMAS}/{file}`.\n"
    yield from _part(schema, schema)
    for key, part in schema.get("$defs", {}).items():
        if part.get("properties") or part.get("enum"):
            yield f"({name}-{key})=\n"
            yield f"## {_heading(key, part)}\n"
            yield f"{part.get('description', '')}\n"
            yield from _part(part, schema)


def _heading(key: str, part: dict[str, Any]) -> str:
    kind = part.get("properties", {}).get("kind", {}).get("const")
    title = str(part.get("title", key))
    return f"`{kind}`: {title}" if kind else title


def _part(part: dict[str, Any], schema: dict[str, Any]) -> Iterator[str]:
    """Yield the keys of a mapping, or the values of an enum, and the examples."""
    required = part.get("required", [])
    for key, value in part.get("properties", {}).items():
        yield from _key(key, value, schema, required=key in required)
    if part.get("properties"):
        closed = part.get("additionalProperties") is False
        yield f"Other keys {'are errors' if closed else 'are allowed'}.\n"
    elif "enum" in part:
        yield f"One of {_values(part['enum'])}.\n"
    for example in part.get("examples", []):
        if isinstance(example, dict):
            text = yaml.safe_dump(example, sort_keys=False, allow_unicode=True, width=88)
            yield f"An example:\n\n```yaml\n{text}```\n"


def _key(
    key: str, part: dict[str, Any], schema: dict[str, Any], *, required: bool
) -> Iterator[str]:
    target = _target(part, schema)
    whole = {**target, **part}
    facts = [_type(part, schema), "required" if required else "optional"]
    if "default" in whole:
        facts.append(f"default `{_json(whole['default'])}`")
    facts += [f"{text} {whole[word]}" for word, text in _BOUNDS.items() if word in whole]
    # Found first by a search, and listed in the index.
    yield f"```{{index}} ! {key}\n```\n"
    yield f"`{key}`\n: *{', '.join(facts)}*\n"
    yield f"  {whole.get('description', '')}\n"
    examples = [] if "const" in whole else [_json(each) for each in whole.get("examples", [])]
    if short := [each for each in examples if len(each) <= _SHORT]:
        yield f"  Example: {', '.join(f'`{each}`' for each in short[:3])}\n"


_SHORT = 90
_BOUNDS = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "exclusiveMaximum": "below",
    "minLength": "characters at least",
    "minItems": "number of items at least",
    "maxItems": "number of items at most",
}


def _type(part: dict[str, Any], schema: dict[str, Any]) -> str:
    """Return what a value may be, in words; parts with keys of their own are links."""
    if "$ref" in part:
        name = part["$ref"].rpartition("/")[2]
        target = _target(part, schema)
        if target.get("properties"):
            page = re.sub(r".*/|\.schema\.json$", "", schema["$id"])
            return f"[{target.get('title', name).lower()}](#{page}-{name})"
        return _type({key: value for key, value in target.items() if key != "$id"}, schema)
    if "enum" in part or "const" in part:
        few = part.get("enum", [part.get("const")])
        return f"{'one of' if 'enum' in part else 'always'} {_values(few)}"
    for word in ("oneOf", "anyOf"):
        if word in part:
            each = dict.fromkeys(_type(choice, schema) for choice in part[word])
            return " or ".join(each)
    types = part.get("type", [])
    names = [types] if isinstance(types, str) else types
    if names == ["array"] and isinstance(part.get("items"), dict):
        return f"list of {_type(part['items'], schema)}"
    return " or ".join(_TYPES[name] for name in names) or "anything"


def _target(part: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in part:
        return part
    if part["$ref"] == "#":
        return schema
    found: dict[str, Any] = schema["$defs"][part["$ref"].rpartition("/")[2]]
    return _target(found, schema) | found


def _values(values: list[Any]) -> str:
    return ", ".join(f"`{_json(value)}`" if value != "" else "an empty text" for value in values)


def _json(value: Any) -> str:
    """Return a value as YAML and JSON have it; a text without its quotes."""
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
