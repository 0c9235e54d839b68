"""Messages for missing, unknown and mismatched keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem, key_of
from evalcontract.model.values import SHOWN
from evalcontract.model.values import listed as plainly
from evalcontract.source.yaml.writing import flow
from evalcontract.structure.keys.spelling import split_key_value
from evalcontract.structure.subschemas import follow

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from evalcontract.model.diagnostic import Fix, Path
    from evalcontract.structure.keys.fixes import KeyInMapping
    from evalcontract.structure.keys.mismatches import KeyMismatch
    from evalcontract.structure.subschemas import Schema

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
    return Problem(
        f"{kind}/missing-key",
        f"`{key}` is missing{where}",
        path,
        advice or _example(key, schema, root),
    )


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
