"""Kinds of checks that other packages bring, in the rubric schema.

A kind is an entry point of `evalcontract.checks` whose `schema` describes a check of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from evalcontract.model.errors import PluginError
from evalcontract.source.plugins import entry_points
from evalcontract.structure.engine import is_schema

if TYPE_CHECKING:
    from evalcontract.structure.schemas import Schema

_NAME = re.compile("[a-z][a-z0-9_]*")
# What every check may have, whatever its kind; the built-in ones say it likewise.
_OF_EVERY = ("id", "label", "description", "metadata")


def with_foreign_kinds(rubric: Schema) -> Schema:
    """Return the rubric schema with the kinds of other packages; the same where there are none.

    Raises:
        PluginError: a kind has no schema that can be used, or a name that none can have.

    """
    others = entry_points("checks")
    if not others:
        return rubric
    definitions = dict(rubric["$defs"])
    check = dict(definitions["check"])
    kinds = check["properties"]["kind"]
    names = [name for name in others if name not in kinds["enum"]]
    check["properties"] = {"kind": {**kinds, "enum": [*kinds["enum"], *names]}}
    check["allOf"] = [*check["allOf"], *map(_branch, names)]
    branches = {f"check_{name}": _described(name, others[name]) for name in names}
    return {**rubric, "$defs": {**definitions, **branches, "check": check}}


def _branch(name: str) -> Schema:
    kind = {"type": "object", "required": ["kind"], "properties": {"kind": {"const": name}}}
    return {"if": kind, "then": {"$ref": f"#/$defs/check_{name}"}}


def _described(name: str, kind: Any) -> Schema:
    schema = getattr(kind, "schema", None)
    if not _NAME.fullmatch(name):
        raise PluginError(f"`{name}` of evalcontract.checks: a kind is named in snake_case")
    if not isinstance(schema, dict) or not is_schema(schema):
        raise PluginError(f"`{name}` of evalcontract.checks has no JSON Schema as its `schema`")
    common = {key: {"$ref": f"#/$defs/check_{key}"} for key in _OF_EVERY}
    own = schema.get("properties", {})
    required = [key for key in schema.get("required", ()) if key != "kind"]
    return {
        **schema,
        "type": "object",
        "required": ["kind", *required],
        "properties": {**common, **own, "kind": {"const": name}},
        "additionalProperties": False,
    }
