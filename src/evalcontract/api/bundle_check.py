"""The schema of a bundle: whether rows can be checked against it, and what it hardly means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem, Related
from evalcontract.structure.schema_faults import schema_faults
from evalcontract.structure.subschemas import plain

if TYPE_CHECKING:
    from collections.abc import Iterator


def usable_bundles(bundles: dict[str, Any]) -> dict[str, Any]:
    """Return the bundles that rows can be checked against; the others are reported as such."""
    return {name: plain(schema) for name, schema in bundles.items() if not schema_faults(schema)}


def check_bundle(schema: Any) -> Iterator[Problem]:
    """Yield what is wrong with the schema of a bundle."""
    for fault in schema_faults(schema):
        related = tuple(Related(*each) for each in fault.also)
        yield Problem(
            "bundle/invalid-schema",
            f"the schema is invalid: {fault.message}",
            fault.path,
            fault.help,
            fault.on_key,
            related=related,
        )
