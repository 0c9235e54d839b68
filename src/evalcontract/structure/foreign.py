"""The schemas that other packages bring: of kinds of checks, and of dialects."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

from evalcontract.model.errors import InstallationError, PluginError
from evalcontract.model.reference import IDENTIFIER
from evalcontract.source.installed import entry_points, packages
from evalcontract.structure.native import is_schema
from evalcontract.structure.parts import Schema

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
