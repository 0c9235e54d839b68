"""`json_schema`: vacuous if its schema accepts every value."""

from __future__ import annotations

from evalcontract.analysis.schema_sense import accepts_everything
from evalcontract.checks._kind import (
    Check,
    CheckKind,
    EvalContext,
    Needs,
    State,
    never_runs,
    reads_nothing,
)


def _needs(check: Check, context: EvalContext) -> Needs:
    if "schema" in check:
        schema = check["schema"]
    else:
        try:
            schema = context.read_json(check["schema_ref"])
        except LookupError as error:
            return never_runs(State.UNAVAILABLE, f"the schema `{check['schema_ref']}` {error}")
    if context.schemas.faults(schema):
        return never_runs(State.UNAVAILABLE, "its schema is invalid")
    if accepts_everything(schema):
        return never_runs(State.VACUOUS, "its schema accepts every JSON value")
    return Needs()


KIND = CheckKind("json_schema", reads_nothing, _needs)
