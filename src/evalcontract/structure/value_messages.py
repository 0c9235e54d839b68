"""Messages and fixes for values, by the keyword that they violate; the help is the correct form."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from evalcontract.model.diagnostic import Fix, Path, Problem, Scalar, Write, key_of
from evalcontract.model.nearest import suggestions
from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import clipped, hashable, integer
from evalcontract.source.yaml.writing import flow
from evalcontract.structure.key_messages import (
    VALUES,
    Message,
    listed,
    malformed,
    pattern_advice,
    quoted_version,
    samples,
    short,
    unknown_value,
)
from evalcontract.structure.keys.names import VALUE_ALIASES, canonical_of
from evalcontract.structure.keys.spelling import key_names, split_key_value
from evalcontract.structure.native import SchemaViolation, surely_fits

#: Replacement values, the most likely first, each with whether it is certain.
Candidates = Iterator[tuple[Scalar, bool]]

_PLAIN_NUMBER = lazy_pattern(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_MAX_DIGITS = 15
_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
# Keywords that a replacement value must satisfy.
_SCALAR_KEYWORDS = (
    "type", "enum", "const", "pattern", "minLength", "maxLength", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
)  # fmt: skip


def fix_of_value(violation: SchemaViolation, path: Path, written: str | None) -> Fix | None:
    """Return the fix for an invalid scalar; None if the intended value is unclear.

    `written` is the scalar as written in the file, if known.
    """
    propose = _PROPOSALS.get(violation.keyword)
    if propose is None or not path:
        return None
    # A value that is proposed for an `enum` is in it; compiling a long one takes a while.
    schema = {
        keyword: violation.schema[keyword]
        for keyword in _SCALAR_KEYWORDS
        if keyword in violation.schema and not keyword == "enum" == violation.keyword
    }
    for value, safe in propose(violation, str(path[-1]), written):
        if surely_fits(value, schema):
            return Fix(path, Write(value), safe)
    return None


def _for_type(violation: SchemaViolation, key: str, written: str | None) -> Candidates:
    allowed, value = violation.keyword_value, violation.instance
    types = [allowed] if isinstance(allowed, str) else allowed
    if "string" in types and isinstance(value, bool | int | float):
        yield from _as_text(value, key, written)
    elif isinstance(value, str):
        word = value.strip().lower()
        if "boolean" in types and word in _BOOLEANS:
            yield _BOOLEANS[word], True
        if {"number", "integer"} & set(types) and _is_number(word):
            yield json.loads(word), True


def _is_number(text: str) -> bool:
    return len(text) <= _MAX_DIGITS and _PLAIN_NUMBER.fullmatch(text) is not None


def _as_text(value: float, key: str, written: str | None) -> Candidates:
    """Yield an unquoted number or boolean as text."""
    if written is None and isinstance(value, float):
        return  # 1.1 may have been written as 1.10
    text = json.dumps(value) if written is None else written
    yield text, True
    if key.endswith("version") and (version := quoted_version(text)):
        yield version, True


def _for_enum(violation: SchemaViolation, _key: str, _written: str | None) -> Candidates:
    value = violation.instance
    if not isinstance(value, str):
        return
    allowed = tuple(violation.keyword_value)
    if set(map(type, allowed)) != {str}:
        allowed = tuple(option for option in allowed if isinstance(option, str))
    if meant := suggestions(allowed).nearest(value):
        yield meant, key_names(allowed).is_certain(value, meant, is_closed=True)
    elif name := canonical_of(value, VALUE_ALIASES, allowed):
        yield name, False


def _for_pattern(violation: SchemaViolation, key: str, _written: str | None) -> Candidates:
    if key.endswith("version") and (version := quoted_version(str(violation.instance))):
        yield version, True


_PROPOSALS: dict[str, Callable[[SchemaViolation, str, str | None], Candidates]] = {
    "type": _for_type,
    "enum": _for_enum,
    "pattern": _for_pattern,
}


#: What has a limit by a keyword such as `minLength` or `maxItems`.
_PARTS = {"Length": "character", "Items": "item", "Properties": "key"}


def _with_noun(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _size(violation: SchemaViolation, name: str) -> Message:
    bound, part = violation.keyword[:3], violation.keyword[3:]
    limit = f"the {'minimum' if bound == 'min' else 'maximum'} is {violation.keyword_value}"
    return f"{name} has {_with_noun(len(violation.instance), _PARTS[part])}; {limit}", None


def _multiple(violation: SchemaViolation, name: str) -> Message:
    factor, value = violation.keyword_value, violation.instance
    return f"{name} must be a multiple of {factor}, not {value}", None


def _contains(violation: SchemaViolation, name: str) -> Message:
    least, most = violation.schema.get("minContains", 1), violation.schema.get("maxContains")
    count = f"at least {least}" if most is None else f"{least} to {most}"
    return f"the number of items in {name} that match `contains` must be {count}", _about(violation)


def _dependent(violation: SchemaViolation, name: str) -> Message:
    for key, required in violation.keyword_value.items():
        if key in violation.instance:
            for other in required:
                if other not in violation.instance:
                    return f"`{other}` is missing: `{key}` requires it", f"add `{other}`"
    return f"{name} lacks a key that another key requires", None


def _never(violation: SchemaViolation, name: str) -> Message:
    return f"{name} is not allowed here", "remove it"


def _extra_items(violation: SchemaViolation, name: str) -> Message:
    return f"{name} has items that its schema does not allow", "remove the extra items"


def _one_of(violation: SchemaViolation, name: str) -> Message:
    if not violation.forms:
        return f"{name} matches more than one form of `oneOf`", _about(violation)
    return f"{name} matches none of its allowed forms", _about(violation)


def _about(violation: SchemaViolation) -> str | None:
    """Return the first sentence of the description of the schema."""
    schema = violation.schema if isinstance(violation.schema, dict) else {}
    description = schema.get("description")
    return description.split(". ")[0] if isinstance(description, str) else None


def types_of(violation: SchemaViolation) -> list[Any] | None:
    """Return the types that `anyOf` or `oneOf` allows, if its forms differ only by type."""
    forms = violation.forms
    if not forms or any(form.keyword != "type" or form.path != violation.path for form in forms):
        return None
    types: list[Any] = []
    for form in forms:
        allowed = form.keyword_value
        types += [allowed] if isinstance(allowed, str) else allowed
    return list(dict.fromkeys(types))


#: The fault, which is the second half of the code, by the keyword that failed.
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
_LIMITS = {
    "minimum": "{} or more",
    "exclusiveMinimum": "above {}",
    "maximum": "{} or less",
    "exclusiveMaximum": "below {}",
}


def message_for(
    kind: str,
    violation: SchemaViolation,
    path: Path,
    written: str | None,
    subject: str,
    fits: Callable[[Any], bool] = lambda _: True,
) -> Problem:
    """Return the problem for a violation.

    `written` is a scalar as written in the file, if known. `subject` is the noun for the whole
    value, such as `a row`. `fits` returns whether another value is valid in its place.
    """
    code = f"{kind}/{FAULTS.get(violation.keyword, 'invalid-value')}"
    name = f"`{key_of(path)}`" if path else subject
    if _is_in_property_names(violation):
        key = violation.instance
        message = f"`{key}` cannot be a key of {name}"
        return Problem(code, message, (*path, str(key)), pattern_advice(violation), True)
    if violation.keyword in ("anyOf", "oneOf"):
        types = types_of(violation)
        if types is not None:
            message, advice = wrong_type(violation, name, written, fits=fits, among=types)
            return Problem(f"{kind}/wrong-type", message, path, advice)
        if violation.keyword == "anyOf" and kind == "dataset" and not _requires_keys(violation):
            code = "dataset/invalid-value"
    if pair := split_key_value(path[-1] if path else None, violation.instance):
        message = f"`{path[-1]}` is a key without a value"
        return Problem(code, message, path, f"write `{pair[0]}: {pair[1]}`", on_key=True)
    if violation.keyword == "type":
        message, advice = wrong_type(violation, name, written, fits=fits)
    else:
        message, advice = _RENDERERS.get(violation.keyword, _other)(violation, name)
    on_key = violation.keyword in ("not", None)
    fix = fix_of_value(violation, path, written)
    return Problem(code, message, path, advice, on_key=on_key, fix=fix)


def _is_in_property_names(violation: SchemaViolation) -> bool:
    """Whether a key itself is invalid: `propertyNames` applies to keys, not to their values."""
    return "propertyNames" in violation.schema_path[-2:-1]


def _requires_keys(violation: SchemaViolation) -> bool:
    alternatives = violation.keyword_value
    return all(isinstance(schema, dict) and "required" in schema for schema in alternatives)


def _const(violation: SchemaViolation, name: str) -> Message:
    return f"{name} must be `{short(violation.keyword_value)}`", None


def _too_short(violation: SchemaViolation, name: str) -> Message:
    return _size(violation, name) if violation.instance else (f"{name} is empty", "enter a value")


def _too_few(violation: SchemaViolation, name: str) -> Message:
    if violation.instance:
        return _size(violation, name)
    return f"{name} is an empty list", f"add at least {_with_noun(violation.keyword_value, 'item')}"


def _unique(violation: SchemaViolation, name: str) -> Message:
    seen = set()
    for item in violation.instance:
        if hashable(item) in seen:
            return f"duplicate item `{short(item)}` in {name}", "remove one"
        seen.add(hashable(item))
    return f"duplicate item in {name}", "remove one"


def _range(violation: SchemaViolation, name: str) -> Message:
    schema, value = violation.schema, violation.instance
    limits = [word.format(schema[key]) for key, word in _LIMITS.items() if key in schema]
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        allowed = f"between {low} and {high}"
    else:
        allowed = " and ".join(limits)
    advice = None
    if high == 1 and 1 < value <= _PERCENT:
        fraction = value / (_PERCENT if value > _TEN else _TEN)
        advice = f"a fraction between 0 and 1, such as {fraction:g}"
    return f"{name} must be {allowed}, not {value}", advice


def _forbidden(violation: SchemaViolation, name: str) -> Message:
    return f"{name} is not allowed here", violation.schema.get("description", "remove it")


def _any_of(violation: SchemaViolation, name: str) -> Message:
    alternatives = [schema.get("required", []) for schema in violation.keyword_value]
    keys = [key for required in alternatives for key in required]
    if keys and all(len(required) == 1 for required in alternatives):
        return f"{name} sets no parameter", f"set at least one of {listed(keys, VALUES)}"
    return f"{name} matches none of its allowed forms", None


def _other(violation: SchemaViolation, name: str) -> Message:
    return f"{name} violates the keyword `{violation.keyword}`", None


_RENDERERS: Mapping[Any, Callable[[SchemaViolation, str], Message]] = {
    "enum": unknown_value,
    "const": _const,
    "pattern": malformed,
    "minLength": _too_short,
    "maxLength": _size,
    "minItems": _too_few,
    "maxItems": _size,
    "minProperties": _size,
    "maxProperties": _size,
    "uniqueItems": _unique,
    "minimum": _range,
    "maximum": _range,
    "exclusiveMinimum": _range,
    "exclusiveMaximum": _range,
    "multipleOf": _multiple,
    "not": _forbidden,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "contains": _contains,
    "dependentRequired": _dependent,
    "unevaluatedItems": _extra_items,
    "items": _extra_items,
    None: _never,
}


_NUMBER = lazy_pattern(
    r"(?P<number>-?(?:(?P<grouped>[1-9]\d{0,2}(?:[,_]\d{3})+)|(?:0|[1-9]\d*)(?:[.,]\d+)?))"
    r"(?P<unit>\s*(?:[A-Za-z]+|%)?)"
)
# The number of letters from which on a unit is clear: `k` and `m` may also be numbers.
_CLEAR = 3
_KEYWORDS = (
    "type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
)  # fmt: skip


def number_advice(value: Any, schema: dict[str, Any], noun: str, key: str) -> str:
    """Return the advice to write a number; with the number itself only if it is certain.

    `noun` is the noun for the number that the schema of the key requires.
    """
    is_fraction = schema.get("maximum") == 1
    general = f"write {noun}{', such as 0.8' if is_fraction else ''}"
    text = value.strip() if isinstance(value, str) else ""
    match = _NUMBER.fullmatch(text)
    number = _without_commas(match, noun) if match else None
    if match is None or number is None:
        return general
    unit = match["unit"].strip()
    if unit == "%" and is_fraction:
        return f"write {float(number) / _PERCENT:g}"
    if unit and not _is_unit_of(unit, key):
        return f"{general}, without a unit"
    return _exact(text, number, match["number"]) if _is_valid(number, schema) else general


def _exact(text: str, number: str, written: str) -> str:
    if number == text:
        return f"remove the quotes: {number}"
    is_decimal = "," in written and "." in number
    return (
        f"write {number}, with a decimal point"
        if is_decimal
        else f"write only the number: {number}"
    )


def _without_commas(match: re.Match[str], noun: str) -> str | None:
    """Return a number as JSON has it; None if it is unclear what a comma separates."""
    if not match["grouped"]:
        return match["number"].replace(",", ".")
    if "," in match["number"] and noun == "a number":
        return None  # 1,500 is 1.5 in some languages
    return match["number"].replace(",", "").replace("_", "")


def _is_unit_of(unit: str, key: str) -> bool:
    """Whether a unit is the one that a key names: `s` and `sec` for `timeout_seconds`."""
    *_, last_word = key.split("_")
    if len(unit) < _CLEAR:
        return (unit, last_word) == ("s", "seconds")
    return last_word.startswith(unit.lower())


def _is_valid(number: str, schema: dict[str, Any]) -> bool:
    keywords = {keyword: schema[keyword] for keyword in _KEYWORDS if keyword in schema}
    value = float(number) if "." in number else integer(number)
    return value is not None and surely_fits(value, keywords)


#: Whether a value is valid where another one is not.
Fits = Callable[[Any], bool]

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
_BULLET = lazy_pattern(r"^\s*(?:[-*\u2022]\s+)?")
_MAX_LENGTH = 60
_DATE = lazy_pattern(r"((?:19|20)\d\d)(0[1-9]|1[0-2])([0-2]\d|3[01])")
# Advice for values that belong under another key, by the last key of the path.
_KEY_ADVICE: dict[tuple[str, type], str] = {
    ("input", list): "write plain text; earlier messages go into `context`",
    ("input", dict): "write plain text; anything else goes into `context`",
    ("criteria", list): "write plain text, or list facts in `expected_facts`",
    (
        "expected",
        str,
    ): "for an answer in words, use `criteria` (prose) or `expected_facts` (a list)",
    ("expected", list): "for a list of facts in the answer, use `expected_facts`",
    ("schema", str): "write the schema itself, or use `schema_ref` to refer to a file",
}


def wrong_type(
    violation: SchemaViolation,
    name: str,
    written: str | None,
    fits: Fits,
    among: list[str] | None = None,
) -> tuple[str, str | None]:
    """Return the message and the advice for a value of the wrong type.

    `written` is a scalar as written in the file, if known. `fits` returns whether another value is
    valid in its place. `among` overrides the allowed types.
    """
    allowed = among or violation.keyword_value
    types = [allowed] if isinstance(allowed, str) else allowed
    value = violation.instance
    actual = type_name(value)
    if isinstance(value, float) and not {"string", "boolean"} & set(types):
        actual = f"`{written or flow(value)}`"
    message = f"{name} must be {' or '.join(_TYPES[type_] for type_ in types)}, not {actual}"
    if "string" in types and isinstance(value, bool | int | float):
        return _unquote(
            violation, name, message, text=written if written is not None else flow(value)
        )
    key = violation.path[-1] if violation.path else None
    advice = _KEY_ADVICE.get((key, type(value))) if isinstance(key, str) else None
    return message, advice or _advice(types, violation, fits)


def type_name(value: Any) -> str:
    """Return the noun for the type of a value; true and false themselves."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, str):
        return "text"
    if isinstance(value, int | float):
        return "a number"
    return "a mapping" if isinstance(value, dict) else "a list"


def _unquote(
    violation: SchemaViolation, name: str, message: str, text: str
) -> tuple[str, str | None]:
    """Return the message for a string without quotes, which YAML reads as a number or boolean."""
    if name.endswith("version`") and not isinstance(violation.instance, bool):
        message = f"{name} must be quoted: `{text}` is a number, not text"
        return message, f'quote it: "{quoted_version(text) or text}"'
    if "pattern" not in violation.schema:
        return message, f'quote it: "{text}"'
    if date := _DATE.fullmatch(text):
        return message, f'write "{"-".join(date.groups())}"'
    examples = violation.schema.get("examples", ())
    return message, f'such as "{examples[0]}"' if examples else None


def _advice(types: list[str], violation: SchemaViolation, fits: Fits) -> str | None:
    value = violation.instance
    if value is None:
        return "fill it in, or remove it"
    if "boolean" in types:
        return _boolean(value)
    if "number" in types or "integer" in types:
        noun = "a number" if "number" in types else "a whole number"
        key = str(violation.path[-1]) if violation.path else ""
        return number_advice(value, violation.schema, noun, key=key)
    if "array" in types:
        return _list(value, violation.schema, fits)
    if "object" in types:
        return _mapping(value, violation.schema, fits)
    return _text(value, violation.schema, fits)


def _text(value: Any, schema: dict[str, Any], fits: Fits) -> str:
    if isinstance(value, dict) and len(value) == 1 and "pattern" not in schema:
        ((key, part),) = value.items()
        if isinstance(part, str | int | float) and "\n" not in str(part):
            # `- warranty: 2 years` is a mapping in YAML.
            text = part if isinstance(part, str) else flow(part)
            return f"quote it: {json.dumps(f'{key}: {text}', ensure_ascii=False)}"
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str) and fits(value[0]):
        return f"write it without the brackets: {clipped(flow(value[0], inside=False))}"
    examples = schema.get("examples", ()) if "pattern" in schema else ()
    if examples:
        return f'write plain text, such as "{clipped(str(examples[0]))}"'
    return "write plain text, in quotes if it begins with `[` or `{`"


def _boolean(value: Any) -> str:
    word = str(value).strip().lower()
    if word in _TRUE + _FALSE:
        meant = "true" if word in _TRUE else "false"
        return f"write {meant}, without quotes" if word == meant else f"write {meant}"
    return "write true or false, without quotes"


def _list(value: Any, schema: dict[str, Any], fits: Fits) -> str:
    if isinstance(value, dict):
        return "write a list: begin each item with `- `"
    if isinstance(value, str) and "\n" in value.strip():
        items = [_BULLET.sub("", line) for line in value.splitlines() if line.strip()]
        is_short = len(flow(items)) <= _MAX_LENGTH
        general = "write each line as an item of a list"
        return f"write a list: {flow(items)}" if is_short and fits(items) else general
    if isinstance(value, str):
        parts = [part.strip() for part in value.split(",")] if "," in value else [value]
        options = _mapping_or_empty(schema.get("items")).get("enum", ())
        if value and value not in options and all(letter in options for letter in value):
            parts = list(value)  # `ix` are the flags i and x
        candidates: list[list[Any]] = [[part for part in parts if part]]
    else:
        candidates = [[value], [flow(value)]]
    for candidate in candidates:
        if fits(candidate):
            return f"write a list: {clipped(flow(candidate))}"
    example = next(filter(fits, schema.get("examples", ())), None)
    return f"write a list, such as {clipped(flow(example))}" if example else "write a list"


def _mapping_or_empty(schema: Any) -> dict[str, Any]:
    """Return a subschema; an empty one for `true` and `false`."""
    return schema if isinstance(schema, dict) else {}


def _mapping(value: Any, schema: dict[str, Any], fits: Fits) -> str:
    """Return the advice to write a mapping; with the value under the only required key."""
    properties = schema.get("properties", {})
    required = schema.get("required", ["name"])
    if len(required) == 1:
        key = required[0]
        options = _mapping_or_empty(properties.get(key)).get("enum", (value,))
        if key == "judges" and isinstance(value, list):
            return f"write a mapping: {{{key}: […]}}"
        if key in properties and value in options and fits({key: value}):
            return f"write a mapping: {{{key}: {clipped(flow(value))}}}"
    example = next(filter(fits, samples(schema, schema)), None)
    if isinstance(example, dict) and example:
        return f"write a mapping, such as {clipped(flow(example))}"
    is_list = isinstance(value, list)
    return "write `key: value`, without `- `" if is_list else "write `key: value` below it"
