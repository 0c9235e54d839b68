"""What a fault of structure is called and how it is said, keyword by keyword."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem
from evalcontract.model.listing import SHOWN, listed
from evalcontract.model.nearest import nearest
from evalcontract.model.path import key_of
from evalcontract.structure.schemas import follow, known_keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from jsonschema import ValidationError

    from evalcontract.model.path import Path
    from evalcontract.structure.schemas import Schema

#: The fault of a code, by the keyword that fails.
FAULTS = {
    "required": "missing-key",
    "anyOf": "missing-key",
    "additionalProperties": "unknown-key",
    "type": "wrong-type",
    "enum": "unknown-value",
    "const": "unknown-value",
    "pattern": "malformed-value",
    "minLength": "empty-value",
    "minItems": "too-few-items",
    "uniqueItems": "repeated-item",
    "minimum": "out-of-range",
    "maximum": "out-of-range",
    "exclusiveMinimum": "out-of-range",
    "exclusiveMaximum": "out-of-range",
    "not": "conflicting-key",
}
_PERCENT, _TEN = 100, 10
#: Words of a vocabulary that are listed: all of ours, and not the five hundred of some bundle.
_VALUES = 12
_LIMITS = {
    "minimum": "{} or more",
    "exclusiveMinimum": "above {}",
    "maximum": "{} or less",
    "exclusiveMaximum": "below {}",
}
_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "object": "a mapping",
    "array": "a list",
    "boolean": "true or false",
    "null": "null",
}


def sentence_for(
    kind: str, error: ValidationError, path: Path, written: str | None, what: str
) -> Problem:
    """Say one error of the engine.

    `written` is a scalar as its author wrote it, if known; `what` is the word for the whole
    value, such as `a row`.
    """
    code = f"{kind}/{FAULTS.get(error.validator, 'invalid-value')}"
    say = _SAYINGS.get(error.validator, _other)
    message, advice = say(error, f"`{key_of(path)}`" if path else what, written)
    on_key = error.validator == "not"
    return Problem(code, message, path, advice, on_key=on_key)


def missing_key(kind: str, key: str, path: Path, error: ValidationError, root: Schema) -> Problem:
    """Say that a required key is not there."""
    where = f" in {_the(path)}" if path else ""
    inner = known_keys(error.schema, error.instance, root).get(key, {})
    code = f"{kind}/missing-key"
    return Problem(code, f"`{key}` is missing{where}", path, _example(key, inner, root))


def unknown_key(
    kind: str, key: str, meant: str | None, known: dict[str, Schema], path: Path, error: Any
) -> Problem:
    """Say that a closed mapping has a key that it cannot have."""
    of = error.instance.get("kind")
    owner = f" for kind `{of}`" if isinstance(of, str) else f" in {_the(path)}" if path else ""
    free = [each for each in known if each not in error.instance]
    # What is particular to a mapping stands after what many have: an id, a label.
    may = f"it may have: {_listed(reversed(free))}" if free else "it has all that it may have"
    advice = f"did you mean `{meant}`?" if meant else may
    return Problem(f"{kind}/unknown-key", f"unknown key `{key}`{owner}", (*path, key), advice, True)


def _the(path: Path) -> str:
    return f"`{key_of(path)}`"


def _listed(words: Any, most: int = SHOWN) -> str:
    return listed((f"`{word}`" for word in words), most)


def _example(key: str, schema: Schema, root: Schema) -> str | None:
    schema = follow(schema, root)
    if "enum" in schema:
        return f"one of {_listed(schema['enum'], _VALUES)}"
    example = next(iter(schema.get("examples", ())), None)
    if isinstance(example, str):
        quote = '"' if key == "version" else ""
        return f"such as `{key}: {quote}{_short(example)}{quote}`"
    return str(schema["description"]).split(". ")[0] if "description" in schema else None


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = text.split("\n")[0]
    return _clipped(text, 60)


def _clipped(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _named(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, str):
        return "text"
    if isinstance(value, int | float):
        return "a number"
    return "a mapping" if isinstance(value, dict) else "a list"


def _shown(value: Any) -> str:
    return f"`{_short(value)}`" if not isinstance(value, dict | list) else _named(value)


Said = tuple[str, str | None]


def _type(error: ValidationError, name: str, written: str | None) -> Said:
    types = error.validator_value
    wanted = [types] if isinstance(types, str) else types
    words = " or ".join(_TYPES[each] for each in wanted)
    value = error.instance
    message = f"{name} must be {words}, not {_named(value)}"
    if "string" in wanted and isinstance(value, bool | int | float):
        text = written if written is not None else _short(value)
        if not isinstance(value, bool) and name.endswith("version`"):
            message = f"{name} must be quoted: `{text}` is a number in YAML, not text"
        return message, f'quote it: "{text}"'
    return message, _type_advice(wanted, value)


def _type_advice(wanted: list[str], value: Any) -> str | None:
    if value is None:
        return "fill it in, or remove it"
    if not isinstance(value, str):
        return None
    if "array" in wanted:
        return f"write a list: [{_short(value)}]"
    if "boolean" in wanted:
        return "write true or false, without quotes"
    if {"number", "integer"} & set(wanted) and value.strip().replace(".", "", 1).isdigit():
        return f"remove the quotes: {value}"
    return None


def _enum(error: ValidationError, name: str, written: str | None) -> Said:
    value, allowed = error.instance, [str(each) for each in error.validator_value]
    meant = nearest(value, allowed) if isinstance(value, str) else None
    one_of = f"one of {_listed(allowed, _VALUES)}"
    message = f"{name} cannot be {_shown(value)}"
    return message, f"did you mean `{meant}`?" if meant else one_of


def _const(error: ValidationError, name: str, written: str | None) -> Said:
    return f"{name} must be `{_short(error.validator_value)}`", None


def _pattern(error: ValidationError, name: str, written: str | None) -> Said:
    title = str(error.schema.get("title", "")).lower()
    examples = error.schema.get("examples")
    what = f"{'an' if title[:1] in 'aeiou' else 'a'} {title}" if title else f"fit for {name}"
    shape = f"such as {_listed(_short(each) for each in examples[:2])}" if examples else None
    return f"{_shown(error.instance)} is not {what}", shape


def _empty(error: ValidationError, name: str, written: str | None) -> Said:
    return f"{name} is empty", "write something"


def _few(error: ValidationError, name: str, written: str | None) -> Said:
    least = error.validator_value
    has = len(error.instance)
    if has == 0:
        return f"{name} is an empty list", f"it needs at least {least}"
    return f"{name} has {has} of at least {least} items", None


def _unique(error: ValidationError, name: str, written: str | None) -> Said:
    seen: list[Any] = []
    for value in error.instance:
        if value in seen:
            return f"{_shown(value)} stands in {name} twice", "remove one"
        seen.append(value)
    return f"{name} holds the same item twice", "remove one"


def _range(error: ValidationError, name: str, written: str | None) -> Said:
    limits = [(word, error.schema[key]) for key, word in _LIMITS.items() if key in error.schema]
    low, high = error.schema.get("minimum"), error.schema.get("maximum")
    if low is not None and high is not None:
        wanted = f"between {low} and {high}"
    else:
        wanted = " and ".join(word.format(limit) for word, limit in limits)
    advice = None
    if high == 1 and 1 < error.instance <= _PERCENT:
        share = error.instance / (_PERCENT if error.instance > _TEN else _TEN)
        advice = f"a share between 0 and 1, such as {share:g}"
    return f"{name} must be {wanted}, not {error.instance}", advice


def _forbidden(error: ValidationError, name: str, written: str | None) -> Said:
    return f"{name} cannot stand here", error.schema.get("description", "remove it")


def _any_of(error: ValidationError, name: str, written: str | None) -> Said:
    options = [each.get("required", []) for each in error.validator_value]
    keys = [key for each in options for key in each]
    if keys and all(len(each) == 1 for each in options):
        return f"{name} asks for nothing", f"give it at least one of {_listed(keys, _VALUES)}"
    return f"{name} fits none of the forms that it may have", None


def _other(error: ValidationError, name: str, written: str | None) -> Said:
    text = _clipped(error.message, 200)
    return f"{name}: {text}", None


_SAYINGS: dict[str, Callable[[ValidationError, str, str | None], Said]] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "pattern": _pattern,
    "minLength": _empty,
    "minItems": _few,
    "uniqueItems": _unique,
    "minimum": _range,
    "maximum": _range,
    "exclusiveMinimum": _range,
    "exclusiveMaximum": _range,
    "not": _forbidden,
    "anyOf": _any_of,
}
