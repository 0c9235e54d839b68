"""The bundles of a workspace that rows can be checked against."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.structure.authored.faults import schema_faults
from evalcontract.structure.subschemas import plain

if TYPE_CHECKING:
    from collections.abc import Mapping


def usable_schemas(bundles: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schemas of the bundles that are valid; `check_bundle` reports the others."""
    return {name: plain(schema) for name, schema in bundles.items() if not schema_faults(schema)}
