"""The schema of a bundle: whether rows can be checked against it, and what it hardly means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.analysis.schema_sense import refusal
from evalcontract.engine.grading import row_schema
from evalcontract.model.diagnostic import Problem, Related
from evalcontract.rules._schemas import slow_patterns
from evalcontract.structure.authored.faults import schema_faults
from evalcontract.structure.authored.keywords import remarks
from evalcontract.structure.schemas import properties

if TYPE_CHECKING:
    from collections.abc import Iterator


def check_bundle(schema: Any) -> Iterator[Problem]:
    """Yield what is wrong with the schema of a bundle; of one that cannot be used nothing else."""
    faults = schema_faults(schema)
    for fault in faults:
        related = tuple(Related(*each) for each in fault.also)
        message = f"the schema is invalid: {fault.message}"
        yield Problem(
            "bundle/invalid-schema", message, fault.path, fault.help, fault.on_key, related=related
        )
    if not faults:
        refused = list(_unsatisfiable(schema))
        yield from refused
        yield from _slow(schema)
        for each in remarks(schema, properties(row_schema())):
            if each.path not in [problem.path for problem in refused]:
                code = f"bundle/{each.fault}"
                yield Problem(code, each.message, each.path, each.help, each.on_key, fix=each.fix)


def _unsatisfiable(schema: Any) -> Iterator[Problem]:
    """Yield that no row is valid: none at all, or because every row is a mapping."""
    code = "bundle/unsatisfiable-schema"
    if not isinstance(schema, dict):
        if schema is False:
            advice = "describe the keys that its rows have, or write `true`"
            yield Problem(code, "no row is valid by this schema", (), advice)
        return
    type_ = schema.get("type", "object")
    if "object" not in (type_ if isinstance(type_, list) else [type_]):
        advice = "a bundle describes one row, which is a mapping: `type: object`"
        yield Problem(code, "no row is valid by this schema", ("type",), advice)
        return
    # A bundle need not name the keys that every row has.
    known = {**dict.fromkeys(properties(row_schema()), True), **schema.get("properties", {})}
    place = refusal({**schema, "type": "object", "properties": known})
    if place is not None:
        advice = "no row can satisfy this"
        yield Problem(code, "no row is valid by this schema", place, advice)


def _slow(schema: Any) -> Iterator[Problem]:
    for path, attack, on_key in slow_patterns(schema):
        message = f"the pattern backtracks exponentially on {attack.told()}"
        advice = "let every text be read in one way only: `a+` for `(a+)+`"
        yield Problem("bundle/slow-regex", message, path, advice, on_key)
