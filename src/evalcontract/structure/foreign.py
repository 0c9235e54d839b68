"""Schemas that other packages bring: of kinds of checks, and of dialects.

A kind is an entry point of `evalcontract.checks` whose `schema` describes a check of it, a dialect
one of `evalcontract.dialects`, with `schemas` by variant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.errors import InstallationError, PluginError
from evalcontract.model.reference import IDENTIFIER
from evalcontract.source.plugins import entry_points
from evalcontract.structure.native import is_schema

if TYPE_CHECKING:
    from collections.abc import Container

    from evalcontract.structure.schemas import Schema

DRAFT = "https://json-schema.org/draft/2020-12/schema"
# What every check may have, whatever its kind; the built-in ones say it likewise.
_OF_EVERY = ("id", "label", "description", "metadata")


def with_foreign_kinds(rubric: Schema) -> Schema:
    """Return the rubric schema with the kinds of other packages; the same where there are none.

    Raises:
        PluginError: a kind has no schema that can be used, or a name that is taken or malformed.

    """
    definitions = dict(rubric["$defs"])
    check = dict(definitions["check"])
    kind = check["properties"]["kind"]
    others = entry_points("checks", lambda name, found: _fault_of(name, found, kind["enum"]))
    if not others:
        return rubric
    check["properties"] = {"kind": {**kind, "enum": [*kind["enum"], *others]}}
    check["allOf"] = [*check["allOf"], *map(_branch, others)]
    branches = {f"check_{name}": _described(name, other.schema) for name, other in others.items()}
    return {**rubric, "$defs": {**definitions, **branches, "check": check}}


def _fault_of(name: str, kind: Any, built_in: Container[str]) -> str | None:
    """Return why the schema of a kind cannot be used; `checks` looks at the rest of it."""
    if name in built_in:
        return "has a name that is taken: the kind is built in"
    if not IDENTIFIER.fullmatch(name):
        return "is not named in snake_case"
    schema = getattr(kind, "schema", None)
    if not isinstance(schema, dict) or not is_schema(schema):
        return "has no JSON Schema as its `schema`"
    return None


def schema_of_dialect(name: str) -> Schema:
    """Return the schema of a dialect such as `acme-2`, of another package.

    Raises:
        InstallationError: there is none.
        PluginError: it has no rows, or is no schema.

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


def _described(name: str, schema: Schema) -> Schema:
    """Return the closed schema of the checks of a kind, with the keys of every check."""
    shared = {key: {"$ref": f"#/$defs/check_{key}"} for key in _OF_EVERY}
    own = schema.get("properties", {})
    required = [key for key in schema.get("required", ()) if key != "kind"]
    return {
        **schema,
        "type": "object",
        "required": ["kind", *required],
        "properties": {**shared, **own, "kind": {"const": name}},
        "additionalProperties": False,
    }
