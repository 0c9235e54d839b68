"""Fill in the defaults of the rubric schema, so that no runner has to repeat them."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from evalcontract.structure.schemas import known_keys, load
from evalcontract.structure.subschemas import follow

if TYPE_CHECKING:
    from evalcontract.structure.subschemas import Schema


def with_defaults(check: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a check in which missing parameters have the defaults of the schema."""
    root = load("rubric")
    filled: dict[str, Any] = _fill(check, root["$defs"]["check"], root)
    return filled


def _fill(value: Any, schema: Schema, root: Schema) -> Any:
    schema = follow(schema, root)
    if isinstance(value, list):
        return [_fill(part, schema.get("items", {}), root) for part in value]
    if not isinstance(value, dict):
        return value
    known = known_keys(schema, value, root)
    filled = {key: _fill(part, known.get(key, {}), root) for key, part in value.items()}
    for key, subschema in known.items():
        followed = follow(subschema, root)
        if key not in filled and "default" in followed:
            filled[key] = deepcopy(followed["default"])
    return filled
