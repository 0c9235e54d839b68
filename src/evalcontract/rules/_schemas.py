"""The JSON Schemas of a rubric's checks, those that can be used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.structure.schema_faults import schema_faults

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.path import Path
    from evalcontract.rules._rule import Context, Subject


def schemas_of(subject: Subject, context: Context) -> Iterator[tuple[Path, Any]]:
    """Yield each valid schema, with the path of the key that gives it."""
    for path, check in subject.checks:
        if check["kind"] != "json_schema":
            continue
        key = "schema" if "schema" in check else "schema_ref"
        try:
            schema = check[key] if key == "schema" else context.read_json(check[key])
        except LookupError:
            continue  # `rubric/invalid-json-schema` says so
        if not schema_faults(schema):
            yield (*path, key), schema
