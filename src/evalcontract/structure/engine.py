"""The two engines of JSON Schema, made to give one verdict: ECMA-262's reading of a schema.

`jsonschema` says exactly what is wrong; `jsonschema_rs` says, a hundred times faster, that
nothing is. Measured differences are settled here: Python's `$` before a trailing newline, and
infinity and NaN, which are no JSON numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema.protocols import Validator
    from jsonschema_rs import Draft202012Validator as NativeValidator

    from evalcontract.structure.schemas import Schema


def validator_for(schema: Schema) -> Validator:
    """Return the exact engine for a schema (`jsonschema`)."""
    from evalcontract.structure.exact import NOTHING_TO_FETCH, Exact  # slow to import

    exact: Validator = Exact(schema, registry=NOTHING_TO_FETCH)
    return exact


def native_for(schema: Schema) -> NativeValidator:
    """Return the fast engine for a schema (`jsonschema_rs`); its verdict is the same."""
    import jsonschema_rs  # slow to import

    return jsonschema_rs.Draft202012Validator(schema, retriever=_refuse)


def _refuse(uri: str) -> Any:
    raise LookupError(f"`{uri}` is elsewhere, and nothing is ever fetched")


def schema_fault(schema: Any) -> tuple[str, tuple[str | int, ...]] | None:
    """Say what is wrong with a JSON Schema (Draft 2020-12), and where in it; None if it is one."""
    from evalcontract.structure.exact import metaschema_fault  # slow to import

    fault = metaschema_fault(schema)
    if fault is not None:
        return fault
    try:
        native_for(schema)  # resolves every reference, which the other does when it meets one
    except ValueError as error:
        return str(error).split("\n")[0], ()
    return None
