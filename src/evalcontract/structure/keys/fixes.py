"""Fixes for keys that are misspelled, misplaced or named as in another tool."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Fix, Move, Rename
from evalcontract.model.startup import NamedTuple
from evalcontract.structure.keys.aliases import is_safe_closed_rename
from evalcontract.structure.keys.spelling import split_key_value

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from evalcontract.model.diagnostic import Path
    from evalcontract.structure.fits import Fits
    from evalcontract.structure.keys.mismatches import KeyMismatch
    from evalcontract.structure.keys.spelling import KeyNames
    from evalcontract.structure.subschemas import Schema


# `id` is one edit away from common words.
_SHORT = 2


class KeyInMapping(NamedTuple):
    """A key of the mapping at a path."""

    path: Path
    key: str
    mapping: Mapping[str, Any]

    @property
    def value(self) -> Any:
        """The value of the key."""
        return self.mapping[self.key]

    @property
    def key_path(self) -> Path:
        """The path of the key."""
        return (*self.path, self.key)


def rename_misspelled(
    entry: KeyInMapping,
    meant: str,
    known: Mapping[str, Schema],
    names: KeyNames,
    fits: Fits,
    missing: Collection[str] = (),
) -> Fix | None:
    """Rename a misspelled key, if its value has the shape that the known key requires.

    `known` are the known keys of the mapping, `names` the same for the search by spelling, and
    `missing` its missing required keys, which `known` may not describe.
    """
    if meant in entry.mapping or not fits.same_shape(entry.value, known.get(meant, {})):
        return None
    is_missing = meant in missing and len(meant) > _SHORT
    safe = names.is_certain(entry.key, meant, is_closed=is_missing)
    return Fix(entry.key_path, Rename(meant), safe)


def rename_alias(
    entry: KeyInMapping, canonical: str, schema: Schema, fits: Fits, *, safe: bool
) -> Fix | None:
    """Rename the key of another tool, if its value is valid for the canonical key."""
    if canonical in entry.mapping or not fits.fits(entry.value, schema):
        return None
    return Fix(entry.key_path, Rename(canonical), safe)


def move_key(
    entry: KeyInMapping, target_path: Path, target: Any, schema: Schema, fits: Fits
) -> Fix | None:
    """Move a key into the mapping `target` at `target_path`; None stands for a missing mapping.

    The value must be valid for `schema`; a schema that accepts any string makes the fix unsafe.
    """
    is_free = target is None or (isinstance(target, dict) and entry.key not in target)
    if not is_free or not fits.fits(entry.value, schema):
        return None
    return Fix(entry.key_path, Move((*target_path, entry.key)), not fits.is_any_text(schema))


def rename_unknown(
    entry: KeyInMapping,
    meant: str | None,
    known: Mapping[str, Schema],
    names: KeyNames,
    missing: Collection[str],
    fits: Fits,
) -> Fix | None:
    """Rename an unknown key of a closed mapping; the arguments are as for `rename_misspelled`."""
    if meant is None or meant not in known or meant in entry.mapping:
        return None
    if split_key_value(entry.key, entry.value):
        return None
    if names.is_certain(entry.key, meant, is_closed=True):
        misspelled = rename_misspelled(entry, meant, known, names, fits)
        return misspelled and Fix(entry.key_path, Rename(meant))
    is_safe = is_safe_closed_rename(entry.key, meant)
    if is_safe is None:
        return None
    return rename_alias(entry, meant, known[meant], fits, safe=is_safe and meant in missing)


def drop_conflicting_fixes(mismatches: Iterable[KeyMismatch]) -> list[KeyMismatch]:
    """Remove the fixes that would give two keys of one mapping the same name."""
    every = list(mismatches)
    edits = Counter((mismatch.path, mismatch.fix.edit) for mismatch in every if mismatch.fix)
    return [
        mismatch._replace(fix=None)
        if mismatch.fix and edits[mismatch.path, mismatch.fix.edit] > 1
        else mismatch
        for mismatch in every
    ]
