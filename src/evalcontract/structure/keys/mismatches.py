"""Keys that a schema leaves open, and that are hardly the author's own.

A near miss looks like a known key; a misplaced one is known elsewhere; a foreign one is what
another tool calls one of ours. All that is known is derived from the schemas, except for the
names of other tools, and the ordinary words that only look like a near miss.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.structure.fits import Fits
from evalcontract.structure.keys.aliases import canonical_key
from evalcontract.structure.keys.fixes import (
    Held,
    moved,
    renamed,
    respelled,
    without_rivals,
)
from evalcontract.structure.keys.known import KnownKeys, is_compound
from evalcontract.structure.keys.spelling import meant_key, split_key_value
from evalcontract.structure.schemas import (
    OWN_PREFIX,
    branches,
    follow,
    known_keys,
    properties,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.fix import Fix
    from evalcontract.model.path import Path
    from evalcontract.structure.keys.aliases import AliasMatch
    from evalcontract.structure.schemas import Schema

_NESTED = (dict, list)


class KeyMismatch(NamedTuple):
    """A key of the mapping at `path` that is hardly the author's own.

    `meant` is the known key that it stands for, or that it belongs below; `fault` is the second
    half of its code. The higher its `rank`, the more it is a guess. `fix` is the edit that mends
    it, where that is clear.
    """

    path: Path
    key: str
    meant: str
    fault: str
    advice: str
    rank: int = 0
    fix: Fix | None = None


class KeyMismatches:
    """Finds such keys in a value and in all that its schema describes below it.

    `also` is a second schema of the value itself. Only mappings that the schema leaves open are
    looked at: in a closed one an unknown key is a fault of structure already, and in a free one
    (`additionalProperties: true`) none. What a schema knows is worked out once for each part of it
    that does not depend on the value.
    """

    def __init__(self, schema: Schema, also: Schema | None = None) -> None:
        self._root = schema
        self._also = also or {}
        self._known: dict[tuple[int, bool], KnownKeys] = {}
        self._fits = Fits(schema)

    def of(self, value: Any) -> Iterator[KeyMismatch]:
        """Yield the keys of a value that are near misses."""
        return self._below(value, self._root, self._also, (), None)

    def _below(
        self, value: Any, schema: Any, also: Schema, path: Path, outer: _Parent | None
    ) -> Iterator[KeyMismatch]:
        """Yield those at a path; `outer` is the mapping one further out."""
        if isinstance(value, list):
            parts = [each for each in enumerate(value) if isinstance(each[1], _NESTED)]
            items = follow(schema, self._root).get("items", {}) if parts else {}
            for index, part in parts:
                yield from self._below(part, items, {}, (*path, index), outer)
        if not isinstance(value, dict):
            return
        known = self._known_by(schema, also, value)
        names = known.names
        if known.is_open and not names.issuperset(value):
            unknown = [key for key in value if key not in names and not key.startswith(OWN_PREFIX)]
            missing = [key for key in known.required if key not in value]
            looker = _KeyClassifier(value, known, missing, outer, path, self._fits)
            found = [miss for key in unknown for miss in looker.look(key)]
            yield from without_rivals(_dedupe(found))
        for key, inner in known.described:
            if isinstance(value.get(key), _NESTED):
                around = _Parent(value, known)
                yield from self._below(value[key], inner, {}, (*path, key), around)

    def _known_by(self, schema: Any, also: Schema, value: dict[str, Any]) -> KnownKeys:
        key = (id(schema), bool(also))
        found = self._known.get(key)
        if found is None:
            whole = follow(schema, self._root)
            found = self._work_out(whole, also, value)
            # What is kept is known by a part of the root, which lives as long.
            if schema and "allOf" not in whole:
                self._known[key] = found
        return found

    def _work_out(self, schema: Schema, also: Schema, value: dict[str, Any]) -> KnownKeys:
        ours = known_keys(schema, value, self._root)
        keys = {**{key: {} for key in properties(also)}, **ours}
        parts = list(branches(schema, value, self._root))
        required = [key for part in (*parts, also) for key in part.get("required", ())]
        is_open = not any(isinstance(part.get("additionalProperties"), bool) for part in parts)
        return KnownKeys(keys, ours, tuple(required), is_open and bool(keys), self._root)


def meant_paths(value: Any, schema: Schema) -> frozenset[Path]:
    """Return where the keys should stand that are in a value under another name or elsewhere.

    What is asked for at one of these is not missing: that its key is wrong is told already.
    """
    found: set[Path] = set()
    for miss in KeyMismatches(schema).of(value):
        found.add((*miss.path, miss.meant))
        if miss.fault == "misplaced-key":
            home = miss.path[:-1] if miss.meant == miss.key else (*miss.path, miss.meant)
            found.add((*home, miss.key))
    return frozenset(found)


def _dedupe(mismatches: list[KeyMismatch]) -> Iterator[KeyMismatch]:
    """Leave out a guess where a surer key, or an earlier one, stands for the same."""
    told: set[str] = set()
    kept: set[str] = set()
    for miss in sorted(mismatches, key=lambda each: each.rank):
        if not miss.rank or miss.meant not in told:
            told.add(miss.meant)
            kept.add(miss.key)
    yield from (miss for miss in mismatches if miss.key in kept)


class _Parent(NamedTuple):
    """A mapping around another one, and what is known of it."""

    value: dict[str, Any]
    known: KnownKeys


class _KeyClassifier(NamedTuple):
    value: dict[str, Any]
    known: KnownKeys
    missing: list[str]
    outer: _Parent | None
    path: Path
    fits: Fits

    def look(self, key: str) -> Iterator[KeyMismatch]:
        known = self.known.keys
        apart = split_key_value(key, self.value[key])
        if apart and apart[0] in known and apart[0] not in self.value:
            advice = f"write `{apart[0]}: {apart[1]}`"
            yield KeyMismatch(self.path, key, apart[0], "near-miss-key", advice)
            return
        homes = self.known.homes.get(key)
        meant = meant_key(key, known, self.value, self.missing)
        if homes is not None and homes[0] != meant:
            yield self._misplaced(key, homes)
        elif meant:
            beside = " It is there too: keep one of them" if meant in self.value else ""
            advice = f"did you mean `{meant}`?{beside}"
            fix = respelled(self._held(key), meant, known, self.fits, self.missing)
            yield KeyMismatch(self.path, key, meant, "near-miss-key", advice, 0, fix)
        elif self.outer and key in self.outer.known.names and is_compound(key):
            advice = f"it belongs one level up, beside `{self.path[-1]}`"
            yield KeyMismatch(
                self.path, key, key, "misplaced-key", advice, 0, self._up(key, self.outer)
            )
        elif ours := canonical_key(key, known, self.value, self.missing):
            advice, rank, fix = ours.advice, ours.rank, self._ours(key, ours)
            yield KeyMismatch(self.path, key, ours.key, "foreign-key", advice, rank, fix)

    def _held(self, key: str) -> Held:
        return Held(self.path, key, self.value)

    def _misplaced(self, key: str, homes: list[str]) -> KeyMismatch:
        home = homes[0]
        advice = f"it belongs below `{home}`: `{home}: {{{key}: …}}`"
        if "items" in self.known.keys[home]:
            advice = f"it belongs into each of `{home}`"
        schema = self.known.below(home, key) if len(homes) == 1 else None
        there, above = self.value.get(home), (*self.path, home)
        is_null = home in self.value and there is None
        fix = None
        if schema is not None and not is_null:
            fix = moved(self._held(key), above, there, schema, self.fits)
        return KeyMismatch(self.path, key, home, "misplaced-key", advice, 0, fix)

    def _up(self, key: str, outer: _Parent) -> Fix | None:
        """Move a key one level up; an item of a list has no such level of its own."""
        if isinstance(self.path[-1], int):
            return None
        schema, above = outer.known.keys[key], self.path[:-1]
        return moved(self._held(key), above, outer.value, schema, self.fits)

    def _ours(self, key: str, ours: AliasMatch) -> Fix | None:
        if ours.renaming is None:
            return None
        schema, safe = self.known.keys[ours.key], ours.renaming
        return renamed(self._held(key), ours.key, schema, self.fits, safe=safe)
