"""Keys that a loader passes over: unknown ones that its schema neither refuses nor frees.

A mapping whose schema has `properties` and says nothing of `additionalProperties` is read by
name: what has another name is dropped. With `additionalProperties: true` anything belongs there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.structure.schemas import OWN_PREFIX, branches, follow, known_keys

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.path import Path
    from evalcontract.structure.schemas import Schema


def ignored_keys(value: Any, schema: Schema, root: Schema, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of such keys in a value and in all that its schema describes below it.

    Keys of the author's own, which begin with `x_`, are left out.
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
        strangers = (key for key in value if key not in known)
        yield from ((*path, key) for key in strangers if not key.startswith(OWN_PREFIX))
    for key, inner in known.items():
        if isinstance(value.get(key), dict | list):
            yield from ignored_keys(value[key], inner, root, (*path, key))
