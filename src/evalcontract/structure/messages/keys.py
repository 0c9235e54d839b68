"""How it is said that a key is missing, or that it is one too many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem
from evalcontract.model.listing import SHOWN
from evalcontract.model.listing import listed as plainly
from evalcontract.model.path import key_of
from evalcontract.source.yaml_text import flow
from evalcontract.structure.keys.spelling import split_key_value
from evalcontract.structure.schemas import follow

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from evalcontract.model.fix import Fix
    from evalcontract.model.path import Path
    from evalcontract.structure.keys.mismatches import KeyMismatch
    from evalcontract.structure.schemas import Schema

#: What is said of a fault, and what to type instead.
Message = tuple[str, str | None]

_MOST = 60
#: Words of a vocabulary that are listed: all of ours, and not the five hundred of some bundle.
VALUES = 12
_OPEN = {
    "near-miss-key": "unknown key `{}`",
    "misplaced-key": "`{}` is not allowed at this level",
    "foreign-key": "`{}` is not an evalcontract key",
}


def near_miss(kind: str, miss: KeyMismatch) -> Problem:
    """Say that a key of an open mapping is hardly the author's own."""
    message = _OPEN[miss.fault].format(miss.key)
    path = (*miss.path, miss.key)
    code = f"{kind}/{miss.fault}"
    return Problem(code, message, path, miss.advice, on_key=True, fix=miss.fix)


def missing_key(
    kind: str, key: str, path: Path, value: dict[str, Any], known: dict[str, Schema], root: Schema
) -> Problem:
    """Say that a required key is not there. `known` are the keys that the mapping may have."""
    where = f" in `{key_of(path)}`" if path else ""
    inner = follow(known.get(key, {}), root)
    named = next((each for each in value if each in inner.get("enum", ())), None)
    advice = f"write `{key}: {named}`, with what it needs beside it" if named else None
    return Problem(
        f"{kind}/missing-key",
        f"`{key}` is missing{where}",
        path,
        advice or _example(key, inner, root),
    )


def unknown_key(
    kind: str,
    key: str,
    meant: str | None,
    known: dict[str, Schema],
    path: Path,
    value: dict[str, Any],
    missing: Container[str],
    fix: Fix | None = None,
) -> Problem:
    """Say that a closed mapping has a key that it cannot have. `missing` are keys that it lacks."""
    of = value.get("kind")
    owner = f" for kind `{of}`" if isinstance(of, str) else f" in `{key_of(path)}`" if path else ""
    free = [each for each in known if each not in value]
    # What is particular to a mapping stands after what many have: an id, a label.
    advice = (
        f"allowed keys: {listed(reversed(free))}"
        if free
        else "all allowed keys are already present"
    )
    if key == "weight" and "kind" in known:
        advice = "the weights of checks stand below `scoring`: `weights: {…}`"
    elif (apart := split_key_value(key, value[key])) and apart[0] == meant:
        advice = f"write `{meant}: {apart[1]}`"
    elif meant in missing:
        advice = f"did you mean `{meant}`? It is missing"
    elif meant in value:
        advice = f"did you mean `{meant}`? It is there too: keep one of them"
    elif meant:
        advice = f"did you mean `{meant}`?"
    message = f"unknown key `{key}`{owner}"
    return Problem(f"{kind}/unknown-key", message, (*path, key), advice, on_key=True, fix=fix)


def listed(words: Iterable[Any], most: int = SHOWN) -> str:
    """Write words one after another, each as code; of many the first ones, and a count."""
    return plainly((f"`{word}`" for word in words), most)


def _example(key: str, schema: Schema, root: Schema) -> str | None:
    if "enum" in schema:
        return f"one of {listed(schema['enum'], VALUES)}"
    for example in samples(schema, root):
        if isinstance(example, str):
            text = f'"{example}"' if key == "version" else example.split("\n")[0]
        else:
            text = flow(example)
        if len(text) <= _MOST:
            return f"such as `{key}: {text}`"
    description = schema.get("description")
    return str(description).split(". ")[0].rstrip(".") if description else None


def samples(schema: Schema, root: Schema) -> Iterator[Any]:
    """Yield values that fit a schema, as its examples and enums show them."""
    schema = follow(schema, root)
    yield from schema.get("examples", ())
    yield from schema.get("enum", ())
    required = schema.get("required", ())
    if schema.get("type") == "object" and required:
        properties = schema.get("properties", {})
        parts = {key: next(samples(properties.get(key, {}), root), None) for key in required}
        if None not in parts.values():
            yield parts
