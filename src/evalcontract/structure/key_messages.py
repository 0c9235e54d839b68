"""Messages for keys: missing, unknown, mismatched or malformed ones, and references."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from evalcontract.model.diagnostic import Fix, Path, Problem, key_of
from evalcontract.model.nearest import normalise, suggestions
from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import SHOWN, clipped, integer
from evalcontract.model.values import listed as plainly
from evalcontract.source.yaml.writing import flow
from evalcontract.structure.keys.mismatches import KeyInMapping, KeyMismatch
from evalcontract.structure.keys.names import advice_for_value
from evalcontract.structure.keys.spelling import split_key_value
from evalcontract.structure.native import SchemaViolation, surely_fits
from evalcontract.structure.parts import Schema, follow

#: A message and its help.
Message = tuple[str, str | None]

_MAX_LENGTH = 60
#: Maximum number of allowed values to list: all of the contract's enums, some of a bundle's.
VALUES = 12
_MISMATCHES = {
    "near-miss-key": "unknown key `{}`",
    "misplaced-key": "`{}` is not allowed at this level",
    "foreign-key": "`{}` is not an evalcontract key",
}


def near_miss(kind: str, mismatch: KeyMismatch) -> Problem:
    """Return the problem for a mismatched key of an open mapping."""
    message = _MISMATCHES[mismatch.fault].format(mismatch.key)
    path = (*mismatch.path, mismatch.key)
    code = f"{kind}/{mismatch.fault}"
    return Problem(code, message, path, mismatch.advice, on_key=True, fix=mismatch.fix)


def missing_key(
    kind: str, key: str, path: Path, value: dict[str, Any], known: dict[str, Schema], root: Schema
) -> Problem:
    """Return the problem for a missing required key; `known` are the known keys of the mapping."""
    where = f" in `{key_of(path)}`" if path else ""
    schema = follow(known.get(key, {}), root)
    # Thousands of keys may be missing, and the mapping may have as many others.
    options = {name for name in schema.get("enum", ()) if isinstance(name, str) and name in value}
    option = next((name for name in value if name in options), None) if options else None
    advice = f"write `{key}: {option}`, beside the keys it requires" if option else None
    message = f"`{key}` is missing{where}"
    return Problem(f"{kind}/missing-key", message, path, advice or _example(key, schema, root))


def unknown_key(
    kind: str,
    entry: KeyInMapping,
    meant: str | None,
    known: Container[str],
    absent: Sequence[str],
    missing: Container[str],
    fix: Fix | None = None,
) -> Problem:
    """Return the problem for an unknown key of a closed mapping.

    `meant` is the known key that was meant, if any; `absent` are the known keys that the mapping
    lacks, and `missing` those of them that are required.
    """
    path, key, value = entry
    of = value.get("kind")
    owner = f" for kind `{of}`" if isinstance(of, str) else f" in `{key_of(path)}`" if path else ""
    if key == "weight" and "kind" in known:
        advice = "set the weights of checks below `scoring`: `weights: {…}`"
    elif (pair := split_key_value(key, value[key])) and pair[0] == meant:
        advice = f"write `{meant}: {pair[1]}`"
    elif meant in missing:
        advice = f"did you mean `{meant}`? It is missing"
    elif meant in value:
        advice = f"did you mean `{meant}`? Both are present: keep one"
    elif meant:
        advice = f"did you mean `{meant}`?"
    elif absent:
        # Reversed: schemas list the keys shared by many mappings, such as `id` and `label`, first.
        advice = f"allowed keys: {listed(absent[::-1])}"
    else:
        advice = "all allowed keys are already present"
    message = f"unknown key `{key}`{owner}"
    return Problem(f"{kind}/unknown-key", message, (*path, key), advice, on_key=True, fix=fix)


def listed(words: Iterable[Any], most: int = SHOWN) -> str:
    """Join words in backticks by commas; of a long list, the first ones and a count."""
    items = list(words)
    return plainly([*(f"`{word}`" for word in items[: most + 1]), *items[most + 1 :]], most)


def _example(key: str, schema: Schema, root: Schema) -> str | None:
    if "enum" in schema:
        return f"one of {listed(schema['enum'], VALUES)}"
    for example in samples(schema, root):
        if isinstance(example, str):
            text = f'"{example}"' if key == "version" else flow(example, inside=False)
        else:
            text = flow(example)
        if len(text) <= _MAX_LENGTH:
            return f"such as `{key}: {text}`"
    description = schema.get("description")
    return str(description).split(". ")[0].rstrip(".") if description else None


def samples(schema: Schema, root: Schema) -> Iterator[Any]:
    """Yield valid values of a schema, taken from its examples and enums."""
    schema = follow(schema, root)
    yield from schema.get("examples", ())
    yield from schema.get("enum", ())
    required = schema.get("required", ())
    if schema.get("type") == "object" and required:
        properties = schema.get("properties", {})
        parts = {key: next(samples(properties.get(key, {}), root), None) for key in required}
        if None not in parts.values():
            yield parts


_VERSION = lazy_pattern(r"v?(\d+)(?:\.(\d+))?(?:\.(\d+))?")
# The folder and suffix in a file name that was written in place of an id.
_FOLDER_OR_SUFFIX = lazy_pattern(r"^.*/|(?:\.schema)?\.(?:json|ya?ml)$")
_SOME_PATH = "folder/file.yaml"
_REFERENCE = lazy_pattern(
    r"(?:(?:rubric|judge)s?/)?(?P<id>[a-z][a-z0-9_]*?)(?:@(?P<version>[^/]*?))?(?:\.ya?ml|\.json)?"
)
_CURLY = frozenset("\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f")
# What to call a value in a message, if the title in its schema names the key instead.
_NOUNS = {
    "validated at": "a date",
    "identifier": "an id in snake_case",
    "check id": "an id in snake_case",
}


def short(value: Any) -> str:
    """Return a value as one truncated line."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return clipped(text.split("\n", 1)[0])


def quoted_version(text: str) -> str | None:
    """Return a version completed to three parts; None if the text is not a version."""
    match = _VERSION.fullmatch(text.strip())
    numbers = [integer(part or "0") for part in match.groups()] if match else [None]
    return None if None in numbers else ".".join(map(str, numbers))


def malformed(violation: SchemaViolation, name: str) -> Message:
    """Return the message for a string that does not match its pattern."""
    text = str(violation.instance)
    title = str(violation.schema.get("title", "")).lower()
    examples = violation.schema.get("examples", [])
    example = f"such as {listed(short(value) for value in examples[:2])}" if examples else None
    if not text.strip():
        return f"{name} is empty", example or "enter a value"
    pattern = str(violation.schema.get("pattern", ""))
    odd = odd_character(text, pattern)
    advice = _correct(text, pattern) or example or pattern_advice(violation)
    if not title:
        return f"{name} cannot be `{short(text)}`{odd}", advice
    return f"`{short(text)}` is not {noun_of(title)}{odd}", advice


def noun_of(title: str) -> str:
    """Return what to call a text, by the title in its schema, in small letters."""
    article = "an" if title[:1] in set("aeiou") else "a"
    return _NOUNS.get(title) or f"{article} {title}"


def odd_character(text: str, pattern: str) -> str:
    """Return what to add to a message about a character that looks like another one, or "".

    `pattern` is the form of the text; only ASCII forms exclude all such characters.
    """
    if not pattern.isascii() or text.isascii():
        return ""
    import unicodedata  # slow to import

    for char in text:
        if char in _CURLY:
            return f": the quotation mark `{char}` is a part of it"
        if not char.isascii():
            return f": `{char}` is the character {unicodedata.name(char, f'U+{ord(char):04X}')}"
    return ""


def pattern_advice(violation: SchemaViolation) -> str | None:
    """Return the advice for a failed `pattern`; None for any other keyword."""
    if violation.keyword != "pattern":
        return None
    return f"it must match `{clipped(str(violation.keyword_value))}`"


def _correct(text: str, pattern: str) -> str | None:
    """Return the advice with the correct form of a text; None if it is not certain."""
    text = text.strip("".join(_CURLY))
    kind = next((kind for kind in ("rubric", "judge") if pattern.startswith(f"^{kind}/")), None)
    if kind is not None:
        return _corrected_reference(kind, text)
    path = text.replace("\\", "/").lstrip("/")
    is_path = bool(pattern) and surely_fits(_SOME_PATH, {"pattern": pattern})
    name = path if is_path else normalise(_FOLDER_OR_SUFFIX.sub("", text))
    for form in (quoted_version(text), name):
        if form and pattern and surely_fits(form, {"pattern": pattern}):
            return f'write "{form}"' if form[0].isdigit() else f"write `{form}`"
    return None


def _corrected_reference(kind: str, text: str) -> str | None:
    other = "judge" if kind == "rubric" else "rubric"
    if text.startswith(f"{other}/"):
        return f"expected a reference to a {kind}, not a {other}: `{kind}/ID@VERSION`"
    match = _REFERENCE.fullmatch(text.strip())
    if match is None:
        return None
    if match["version"] is None:
        return f"write `{kind}/{match['id']}@` followed by the version"
    version = quoted_version(match["version"])
    if version is None:
        return f"use an exact version, such as `{kind}/{match['id']}@1.0.0`"
    return f"write `{kind}/{match['id']}@{version}`"


def _short_texts(options: list[Any]) -> tuple[str, ...]:
    """Return the options of an `enum` as lines; those of a long list of texts are cached."""
    if set(map(type, options)) == {str}:
        return _lines(tuple(options))
    return tuple(map(short, options))


@lru_cache(maxsize=8)
def _lines(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(short, texts))


def unknown_value(violation: SchemaViolation, name: str) -> Message:
    """Return the message for a value that is not in its `enum`."""
    value = violation.instance
    allowed = _short_texts(violation.keyword_value)
    nested = "a list" if isinstance(value, list) else "a mapping"
    shown = f"`{short(value)}`" if not isinstance(value, dict | list) else nested
    message = f"{name} is empty" if value == "" else f"{name} cannot be {shown}"
    if isinstance(value, str):
        if meant := suggestions(allowed).nearest(value):
            return message, f"did you mean `{meant}`?"
        if advice := advice_for_value(value, allowed):
            return message, advice
    return message, f"one of {listed(allowed, VALUES)}"
