"""
The schema of a `json_schema` check is not valid JSON Schema (Draft 2020-12), or cannot be found.

Why: An output cannot be checked against an invalid schema; some validators then accept
everything.

Bad:
    id: structured
    version: "1.0.0"
    checks:
      - {id: shape, kind: json_schema, schema: {type: objekt}}
    scoring: {combine: all_pass}

Good:
    id: structured
    version: "1.0.0"
    checks:
      - {id: shape, kind: json_schema, schema: {type: object}}
    scoring: {combine: all_pass}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Path, Problem, Related, format_path
from evalcontract.model.reference import Kind
from evalcontract.rules._rule import Context, Subject, rule

CODE = Code("rubric/invalid-json-schema", page=__doc__)


@rule(CODE, Kind.RUBRIC)
def RULE(subject: Subject, context: Context) -> Iterator[Problem]:
    for path, check in subject.checks:
        if check["kind"] != "json_schema":
            continue
        if "schema" in check:
            yield from _inline(check["schema"], (*path, "schema"), context)
        else:
            yield from _file(check["schema_ref"], (*path, "schema_ref"), context)


def _inline(schema: Any, path: Path, context: Context) -> Iterator[Problem]:
    for fault in context.schemas.faults(schema):
        related = tuple(Related(text, (*path, *place)) for text, place in fault.also)
        yield Problem(
            CODE,
            f"the schema is invalid: {fault.message}",
            (*path, *fault.path),
            fault.help,
            fault.on_key,
            related=related,
        )


def _file(name: str, path: Path, context: Context) -> Iterator[Problem]:
    try:
        schema = context.read_json(name)
    except LookupError as error:
        advice = "paths are relative to the workspace root"
        yield Problem(CODE, f"the schema `{name}` {error}", path, advice)
        return
    for fault in context.schemas.faults(schema):
        where = f" at {format_path(fault.path)}" if fault.path else ""
        message = f"the schema `{name}` is invalid{where}: {fault.message}"
        yield Problem(CODE, message, path, fault.help)
