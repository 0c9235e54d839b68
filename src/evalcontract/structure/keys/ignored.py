"""Unknown keys that a loader silently ignores.

If the schema of a mapping has `properties` but no `additionalProperties`, the loader reads the
named keys and drops the others. With `additionalProperties: true`, every key is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.structure.schemas import OWN_PREFIX, branches, follow, known_keys

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.path import Path
    from evalcontract.structure.schemas import Schema


def ignored_keys(value: Any, schema: Schema, root: Schema, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of ignored keys in a value, including nested mappings and lists.

    Custom keys, which begin with `x_`, are left out.
    """
    schema = follow(schema, root)
    if isinstance(value, list):
        for index, part in enumerate(value):
            if isinstance(part, dict | list):
                yield from ignored_keys(part, schema.get("items", {}), root, (*path, index))
    if not isinstance(value, dict):
        return
    known = known_keys(schema, value, root)
    if known and not any("additionalProperties" in part for part in branches(schema, value, root)):
        unknown = (key for key in value if key not in known)
        yield from ((*path, key) for key in unknown if not key.startswith(OWN_PREFIX))
    for key, subschema in known.items():
        if isinstance(value.get(key), dict | list):
            yield from ignored_keys(value[key], subschema, root, (*path, key))
