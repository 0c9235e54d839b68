"""Unknown keys that a loader silently ignores.

If the schema of a mapping has `properties` but no `additionalProperties`, the loader reads the
named keys and drops the others. With `additionalProperties: true`, every key is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.startup import NamedTuple
from evalcontract.structure.other_names import other_name
from evalcontract.structure.schemas import OWN_PREFIX, branches, known_keys
from evalcontract.structure.subschemas import follow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Path
    from evalcontract.structure.fits import Fits
    from evalcontract.structure.subschemas import Schema


class IgnoredKey(NamedTuple):
    """The path of an ignored key, and the key that the loader reads for it, if there is one."""

    path: Path
    meant: str | None


def ignored_keys(
    value: Any, schema: Schema, root: Schema, fits: Fits, path: Path = ()
) -> Iterator[IgnoredKey]:
    """Yield the ignored keys in a value, including nested mappings and lists.

    Custom keys, which begin with `x_`, are left out.
    """
    schema = follow(schema, root)
    if isinstance(value, list):
        for index, part in enumerate(value):
            if isinstance(part, dict | list):
                yield from ignored_keys(part, schema.get("items", {}), root, fits, (*path, index))
    if not isinstance(value, dict):
        return
    known = known_keys(schema, value, root)
    if known and not any("additionalProperties" in part for part in branches(schema, value, root)):
        for key in value:
            if key not in known and not key.startswith(OWN_PREFIX):
                yield IgnoredKey((*path, key), other_name(key, value, known, fits))
    for key, subschema in known.items():
        if isinstance(value.get(key), dict | list):
            yield from ignored_keys(value[key], subschema, root, fits, (*path, key))
