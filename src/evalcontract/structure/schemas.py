"""The schemas of the contract, and what is derived from them."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from evalcontract.model.errors import InstallationError
from evalcontract.source import shipped

if TYPE_CHECKING:
    from collections.abc import Iterator

Schema = dict[str, Any]
SUFFIX = ".schema.json"
_OTHERS = "formats/"
#: Keywords that say nothing of a value: they are for people.
FOR_PEOPLE = frozenset({"title", "description", "examples", "default", "$comment", "deprecated"})
#: Keys with this prefix are the author's own, and never a near miss.
OWN_PREFIX = "x_"


def names() -> list[str]:
    """List the schemas by name, such as `dataset`.

    Raises:
        InstallationError: there is none.

    """
    return _names_in("")


def names_of_bundles() -> list[str]:
    """List the bundles that ship as examples, such as `bundles/rag`.

    Raises:
        InstallationError: there is none.

    """
    return _names_in("bundles/")


def names_of_others() -> list[str]:
    """List the schemas of other systems' datasets, such as `formats/northstar`.

    Raises:
        InstallationError: there is none.

    """
    return _names_in(_OTHERS)


def _names_in(below: str) -> list[str]:
    place = shipped.folder() / below if below else shipped.folder()
    try:
        found = [entry.name for entry in place.iterdir() if entry.name.endswith(SUFFIX)]
    except OSError:
        found = []
    if not found:
        raise InstallationError("the schemas of evalcontract are not installed")
    return sorted(f"{below}{name.removesuffix(SUFFIX)}" for name in found)


def text_of(name: str) -> str:
    """Return a schema's text.

    Raises:
        InstallationError: no such schema is installed.

    """
    return shipped.text_of(f"{name}{SUFFIX}")


@cache
def load(name: str) -> Schema:
    """Return a schema; the caller must not change it.

    That of rubrics knows the kinds of checks that other packages bring; those of their dialects
    are found, too.

    Raises:
        InstallationError: there is no such schema.
        PluginError: what another package brings has no schema that can be used.

    """
    try:
        schema: Schema = json.loads(text_of(name))
    except InstallationError:
        if not name.startswith(_OTHERS):
            raise
        from evalcontract.structure.foreign import schema_of_dialect  # rarely needed

        return schema_of_dialect(name.removeprefix(_OTHERS))
    if name != "rubric":
        return schema
    from evalcontract.structure.foreign import with_foreign_kinds  # only for rubrics

    return with_foreign_kinds(schema)


def definition(name: str, *, of: str) -> Schema:
    """Return one `$defs` entry of a schema as a schema of its own."""
    whole = load(of)
    return {
        "$schema": whole["$schema"],
        "$ref": f"#/$defs/{name}",
        "$defs": whole["$defs"],
    }


def follow(schema: Any, root: Schema) -> Schema:
    """Return what a schema's local `$ref` leads to, with what stands beside the `$ref` over it.

    A reference that is not `#/…` is not followed: only bundles have such, and what is derived
    from a schema (known keys, examples) can do without.
    """
    own = schema if isinstance(schema, dict) else {}
    seen: set[str] = set()  # in a circle nothing new is found
    while str(own.get("$ref", "")).startswith("#/") and own["$ref"] not in seen:
        seen.add(own["$ref"])
        target: Any = root
        for step in own["$ref"].removeprefix("#/").split("/"):
            target = target.get(step, {}) if isinstance(target, dict) else {}
        if not isinstance(target, dict):
            return own
        own = {**target, **{key: part for key, part in own.items() if key != "$ref"}}
    return own


def branches(schema: Schema, value: Any, root: Schema) -> Iterator[Schema]:
    """Yield a schema, and what its `if`/`then` on a constant adds for this very value.

    So the branch of a check's `kind` is found as the schema itself tells it.
    """
    yield schema
    for part in schema.get("allOf", ()):
        condition = part.get("if") if isinstance(part, dict) else None
        wanted = condition.get("properties") if isinstance(condition, dict) else None
        if wanted and isinstance(value, dict) and _agrees(wanted, value):
            yield from branches(follow(part.get("then", {}), root), value, root)


def _agrees(wanted: dict[str, Any], value: dict[str, Any]) -> bool:
    return all(
        isinstance(each, dict) and "const" in each and value.get(key) == each["const"]
        for key, each in wanted.items()
    )


def properties(schema: Schema) -> dict[str, Schema]:
    """Return the properties of a schema at its top, through its own `$ref`."""
    found = follow(schema, schema).get("properties", {})
    return found if isinstance(found, dict) else {}


def known_keys(schema: Schema, value: Any, root: Schema) -> dict[str, Schema]:
    """Return the keys that a schema describes for a mapping, each with its own schema."""
    known: dict[str, Schema] = {}
    for branch in branches(schema, value, root):
        for key, inner in branch.get("properties", {}).items():
            if key not in known or known[key] == {} or "enum" not in known[key]:
                known[key] = inner if isinstance(inner, dict) else {}
    return known


def described(schema: Schema, value: Any, path: tuple[str | int, ...]) -> dict[str, Schema]:
    """Return the keys that a schema describes for the mapping at a path of a value."""
    here, value = _at(schema, value, path)
    return known_keys(here, value, schema)


def alternatives(schema: Schema, value: Any, path: tuple[str | int, ...], key: str) -> set[str]:
    """Return the keys that spare the mapping at a path of a value a key: `jury` for a judge."""
    here, value = _at(schema, value, path)
    found: set[str] = set()
    for part in branches(here, value, schema):
        if key in part.get("else", {}).get("required", ()):
            found.update(part.get("if", {}).get("required", ()))
    return found


def _at(schema: Schema, value: Any, path: tuple[str | int, ...]) -> tuple[Schema, Any]:
    here = follow(schema, schema)
    for step in path:
        if isinstance(step, int):
            here = follow(here.get("items", {}), schema)
        else:
            here = follow(known_keys(here, value, schema).get(step, {}), schema)
        value = value[step]
    return here, value
