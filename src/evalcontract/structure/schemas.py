"""The schemas that ship, their names and editions, and lookups in them; those of other packages."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterator
from copy import deepcopy
from functools import cache
from typing import Any

from evalcontract.model.errors import InstallationError, PluginError
from evalcontract.model.reference import IDENTIFIER
from evalcontract.source import SCHEMA_SUFFIX
from evalcontract.source import installed as shipped
from evalcontract.source.installed import entry_points, packages
from evalcontract.structure.native import is_schema
from evalcontract.structure.parts import Schema, follow

_FORMATS = "formats/"
_EDITIONS = "editor/"
#: Annotation keywords, which do not affect validation.
FOR_PEOPLE = frozenset({"title", "description", "examples", "default", "$comment", "deprecated"})
#: The prefix of custom keys, which are never reported.
OWN_PREFIX = "x_"


def names(folder: str = "") -> list[str]:
    """List the schemas in a folder by name, such as `dataset`.

    The folders are `bundles/` (examples), `formats/` (datasets of other systems), `editor/` and
    `editor/formats/` (for editors; `docs/editors.md` describes them).

    Raises:
        InstallationError: no schemas are installed there.

    """
    try:
        files = [entry.name for entry in (shipped.folder() / folder).iterdir()]
    except OSError:
        files = []
    schema_names = [
        name.removesuffix(SCHEMA_SUFFIX) for name in files if name.endswith(SCHEMA_SUFFIX)
    ]
    if not schema_names:
        raise InstallationError("the schemas of evalcontract are not installed")
    return sorted(f"{folder}{name}" for name in schema_names)


def names_of_editions() -> list[str]:
    """List the schemas for editors, such as `editor/rubric`; raises as `names` does."""
    return [*names(_EDITIONS), *names(f"{_EDITIONS}{_FORMATS}")]


def every_name() -> list[str]:
    """List all schemas that ship, by name; raises as `names` does."""
    return [*names(), *names("bundles/"), *names(_FORMATS), *names_of_editions()]


def edition_of(name: str) -> str | None:
    """Return the name of the edition of a schema for editors; None if it has none."""
    edition = f"{_EDITIONS}{name}"
    return edition if edition in names_of_editions() else None


def text_of(name: str) -> str:
    """Return the text of a schema.

    Raises:
        InstallationError: no such schema is installed.

    """
    return shipped.text_of(f"{name}{SCHEMA_SUFFIX}")


@cache
def load(name: str) -> Schema:
    """Return a schema; the caller must not change it.

    The rubric schema includes the check kinds of other packages. Schemas of the dialects of other
    packages are found, too.

    Raises:
        InstallationError: there is no such schema.
        PluginError: a plugin has no usable schema.

    """
    try:
        schema: Schema = json.loads(text_of(name))
    except InstallationError:
        if not name.startswith(_FORMATS):
            raise

        return schema_of_dialect(name.removeprefix(_FORMATS))
    if name != "rubric":
        return schema

    return with_foreign_kinds(schema)


def definition(name: str, *, of: str) -> Schema:
    """Return one `$defs` entry of a schema as a standalone schema."""
    root = load(of)
    return {"$schema": root["$schema"], "$ref": f"#/$defs/{name}", "$defs": root["$defs"]}


def branches(schema: Schema, value: Any, root: Schema) -> Iterator[Schema]:
    """Yield a schema, and each `then` whose `if` compares constants that this value has.

    This selects the branch of a check by its `kind`.
    """
    yield schema
    for part in schema.get("allOf", ()):
        condition = part.get("if") if isinstance(part, dict) else None
        expected = condition.get("properties") if isinstance(condition, dict) else None
        if expected and isinstance(value, dict) and _has_constants(value, expected):
            yield from branches(follow(part.get("then", {}), root), value, root)


def _has_constants(value: dict[str, Any], expected: dict[str, Any]) -> bool:
    return all(
        isinstance(schema, dict) and "const" in schema and value.get(key) == schema["const"]
        for key, schema in expected.items()
    )


def properties(schema: Schema) -> dict[str, Schema]:
    """Return the top-level properties of a schema, after resolving its own `$ref`."""
    described_keys = follow(schema, schema).get("properties", {})
    return described_keys if isinstance(described_keys, dict) else {}


def known_keys(schema: Schema, value: Any, root: Schema) -> dict[str, Schema]:
    """Return the keys that a schema describes for a mapping, each with its subschema."""
    known: dict[str, Schema] = {}
    for branch in branches(schema, value, root):
        for key, subschema in branch.get("properties", {}).items():
            if "enum" not in known.get(key, {}):
                known[key] = subschema if isinstance(subschema, dict) else {}
    return known


def described(schema: Schema, value: Any, path: tuple[str | int, ...]) -> dict[str, Schema]:
    """Return the keys that a schema describes for the mapping at a path of a value."""
    return known_keys(*part_at(schema, value, path), schema)


def alternatives(schema: Schema, value: Any, path: tuple[str | int, ...], key: str) -> set[str]:
    """Return the keys that make a required key unnecessary: `jury` instead of a judge."""
    subschema, part = part_at(schema, value, path)
    keys: set[str] = set()
    for branch in branches(subschema, part, schema):
        condition, otherwise = branch.get("if"), branch.get("else")
        if not isinstance(condition, dict) or not isinstance(otherwise, dict):
            continue  # missing, true or false
        if key in otherwise.get("required", ()):
            keys.update(condition.get("required", ()))
    return keys


def part_at(schema: Schema, value: Any, path: tuple[str | int, ...]) -> tuple[Schema, Any]:
    """Return the subschema and the part of the value at a path.

    Raises:
        LookupError, TypeError: the value has no such path.

    """
    subschema = follow(schema, schema)
    for step in path:
        if isinstance(step, int):
            subschema = follow(subschema.get("items", {}), schema)
        else:
            subschema = follow(known_keys(subschema, value, schema).get(step, {}), schema)
        value = value[step]
    return subschema, value


def with_defaults(check: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a check in which missing parameters have the defaults of the schema."""
    root = load("rubric")
    filled: dict[str, Any] = _fill(check, root["$defs"]["check"], root)
    return filled


def _fill(value: Any, schema: Schema, root: Schema) -> Any:
    schema = follow(schema, root)
    if isinstance(value, list):
        return [_fill(part, schema.get("items", {}), root) for part in value]
    if not isinstance(value, dict):
        return value
    known = known_keys(schema, value, root)
    filled = {key: _fill(part, known.get(key, {}), root) for key, part in value.items()}
    for key, subschema in known.items():
        followed = follow(subschema, root)
        if key not in filled and "default" in followed:
            filled[key] = deepcopy(followed["default"])
    return filled


DRAFT = "https://json-schema.org/draft/2020-12/schema"
_EXECUTOR_SUFFIX = "_grader"
#: The kinds that the graders of ai_eval run, by their plugin id; other ids are the kind's name.
_KINDS_OF_GRADERS = {
    "accuracy_grader": "llm_judge",
    "fact_match_grader": "fact_match",
    "format_grader": "format",
    "structured_match_grader": "json_schema",
    "tool_usage_grader": "tool_usage",
}
#: Keys that a check of any kind may have, as in the schemas of the built-in kinds.
SHARED_KEYS = ("id", "label", "description", "metadata")


def with_foreign_kinds(rubric: Schema) -> Schema:
    """Return the rubric schema, extended by the check kinds of other packages.

    Raises:
        PluginError: a kind has no usable schema, or its name is taken or malformed.

    """
    definitions = dict(rubric["$defs"])
    check = dict(definitions["check"])
    kind = check["properties"]["kind"]
    foreign = foreign_kinds(lambda name, entry: _fault_of(name, entry, kind["enum"]))
    if not foreign:
        return rubric
    check["properties"] = {"kind": {**kind, "enum": [*kind["enum"], *foreign]}}
    check["allOf"] = [*check["allOf"], *map(_branch, foreign)]
    branches = {
        f"check_{name}": _check_schema(name, entry.schema) for name, entry in foreign.items()
    }
    return {**rubric, "$defs": {**definitions, **branches, "check": check}}


def foreign_kinds(fault_of: Callable[[str, Any], str | None]) -> dict[str, Any]:
    """Return the entry points of `evalcontract.checks` by the name of their kind.

    `fault_of` takes that name and the object, and returns why it cannot be used, or None.

    Raises:
        PluginError: one does not load or cannot be used, or two are of one kind.

    """
    points = entry_points("checks", lambda name, entry: fault_of(kind_name(name, entry), entry))
    kinds: dict[str, Any] = {}
    for name, entry in points.items():
        kind = kind_name(name, entry)
        if kind in kinds:
            raise PluginError(f"two entry points of evalcontract.checks are of the kind `{kind}`")
        kinds[kind] = entry
    return kinds


def packages_of_kinds() -> dict[str, tuple[str, str]]:
    """Return the name and the version of the package of each kind that another package runs."""
    owners = packages("checks")
    entries = entry_points("checks")
    return {
        kind_name(name, entry): owners[name] for name, entry in entries.items() if name in owners
    }


def kind_name(name: str, entry: Any) -> str:
    """Return the kind of an entry point: its `check_kind`, or what its name implies."""
    declared = getattr(entry, "check_kind", None)
    if isinstance(declared, str):
        return declared
    return _KINDS_OF_GRADERS.get(name) or name.removesuffix(_EXECUTOR_SUFFIX)


def _fault_of(name: str, kind: Any, built_in: Container[str]) -> str | None:
    """Return why a kind cannot be used; `checks` validates everything but name and schema."""
    if name in built_in:
        return "has the name of a built-in kind"
    if not IDENTIFIER.fullmatch(name):
        return "does not have a name in snake_case"
    schema = getattr(kind, "schema", None)
    if not isinstance(schema, dict) or not is_schema(schema):
        return "has no valid JSON Schema as its `schema`"
    return None


def schema_of_dialect(name: str) -> Schema:
    """Return the schema of a dialect of another package, such as `acme-2`.

    Raises:
        InstallationError: no such dialect is installed.
        PluginError: the schema is invalid or has no `$defs/row`.

    """
    for format_ in entry_points("dialects").values():
        for variant, schema in format_.schemas.items():
            if name == f"{format_.name}-{variant}".removesuffix("-"):
                if not is_schema(schema) or "row" not in schema.get("$defs", {}):
                    message = (
                        f"`{name}` of evalcontract.dialects has no JSON Schema with `$defs/row`"
                    )
                    raise PluginError(message)
                return {"$schema": DRAFT, **schema}
    raise InstallationError(f"the schema `formats/{name}` is not installed")


def _branch(name: str) -> Schema:
    kind = {"type": "object", "required": ["kind"], "properties": {"kind": {"const": name}}}
    return {"if": kind, "then": {"$ref": f"#/$defs/check_{name}"}}


def _check_schema(name: str, schema: Schema) -> Schema:
    """Return the closed schema of the checks of a kind, including the keys shared by all kinds."""
    shared = {key: {"$ref": f"#/$defs/check_{key}"} for key in SHARED_KEYS}
    own = schema.get("properties", {})
    required = [key for key in schema.get("required", ()) if key != "kind"]
    return {
        **schema,
        "type": "object",
        "required": ["kind", *required],
        "properties": {**shared, **own, "kind": {"const": name}},
        "additionalProperties": False,
    }
