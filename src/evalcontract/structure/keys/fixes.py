"""Which edit mends a key that is misspelled, misplaced or another tool's."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.model.fix import Fix, Move, Rename
from evalcontract.structure.keys.aliases import closed_renaming
from evalcontract.structure.keys.spelling import is_certain, split_key_value

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from evalcontract.model.path import Path
    from evalcontract.structure.fits import Fits
    from evalcontract.structure.keys.mismatches import KeyMismatch
    from evalcontract.structure.schemas import Schema


# `id` is one letter away from ordinary words.
_SHORT = 2


class Held(NamedTuple):
    """A key of the mapping `value` at a path."""

    path: Path
    key: str
    value: Mapping[str, Any]

    @property
    def part(self) -> Any:
        """What stands below the key."""
        return self.value[self.key]

    @property
    def here(self) -> Path:
        """The path of the key."""
        return (*self.path, self.key)


def respelled(
    held: Held, meant: str, known: Mapping[str, Schema], fits: Fits, missing: Collection[str] = ()
) -> Fix | None:
    """Rename a misspelled key, if its value is of the sort that the known key has.

    `missing` are keys that the mapping must have: it lacks one of these for the misspelled one.
    """
    if meant in held.value or not fits.alike(held.part, known[meant]):
        return None
    is_lacking = meant in missing and len(meant) > _SHORT
    return Fix(held.here, Rename(meant), is_certain(held.key, meant, known, is_closed=is_lacking))


def renamed(held: Held, ours: str, schema: Schema, fits: Fits, *, safe: bool) -> Fix | None:
    """Rename another tool's key, if its value is what ours takes."""
    if ours in held.value or not fits.fits(held.part, schema):
        return None
    return Fix(held.here, Rename(ours), safe)


def moved(held: Held, home: Path, there: Any, schema: Schema, fits: Fits) -> Fix | None:
    """Move a key into the mapping `there` at `home`, which may be missing (None).

    Its value has to be right in its new place; a text that may be any shows nothing by that.
    """
    is_free = there is None or (isinstance(there, dict) and held.key not in there)
    if not is_free or not fits.fits(held.part, schema):
        return None
    return Fix(held.here, Move((*home, held.key)), not fits.is_any_text(schema))


def unknown(
    held: Held,
    meant: str | None,
    all_meant: Iterable[str | None],
    known: Mapping[str, Schema],
    missing: Collection[str],
    fits: Fits,
) -> Fix | None:
    """Rename an unknown key of a closed mapping; no two are renamed to the same."""
    if meant is None or meant not in known or meant in held.value:
        return None
    if list(all_meant).count(meant) > 1 or split_key_value(held.key, held.part):
        return None
    if is_certain(held.key, meant, known, is_closed=True):
        return respelled(held, meant, known, fits) and Fix(held.here, Rename(meant))
    renaming = closed_renaming(held.key, meant)
    if renaming is None:
        return None
    return renamed(held, meant, known[meant], fits, safe=renaming and meant in missing)


def without_rivals(mismatches: Iterable[KeyMismatch]) -> list[KeyMismatch]:
    """Take their fixes from keys of one mapping that would become the same key."""
    every = list(mismatches)
    edits = Counter((each.path, each.fix.edit) for each in every if each.fix)
    return [
        each._replace(fix=None) if each.fix and edits[each.path, each.fix.edit] > 1 else each
        for each in every
    ]
