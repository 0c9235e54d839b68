"""Keys that a schema leaves open, and that are hardly the author's own.

A near miss looks like a known key; a misplaced one is known elsewhere; a foreign one is what
another tool calls one of ours. All that is known is derived from the schemas, except for the
names of other tools, and the ordinary words that only look like a near miss.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.structure.schemas import (
    OWN_PREFIX,
    branches,
    follow,
    known_keys,
    load,
    properties,
)
from evalcontract.structure.spelling import glued, meant_key
from evalcontract.structure.words import our_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.path import Path
    from evalcontract.structure.schemas import Schema

# Below these an author writes what they like.
_FREE = frozenset({"metadata"})
_NESTED = (dict, list)
# Lists in lists are followed no further than this.
_DEEPEST = 4
# Keys below a known one that are ordinary words elsewhere.
_ANYBODYS = frozenset({"name", "provider"})


class Miss(NamedTuple):
    """A key of the mapping at `path` that is hardly the author's own.

    `meant` is the known key that it stands for, or that it belongs below; `fault` is the second
    half of its code. The higher its `rank`, the more it is a guess.
    """

    path: Path
    key: str
    meant: str
    fault: str
    advice: str
    rank: int = 0


class _Known:
    """What a schema knows of the keys of a mapping: `keys`, and `ours` of them by itself."""

    def __init__(
        self,
        keys: dict[str, Schema],
        ours: dict[str, Schema],
        required: tuple[str, ...],
        is_open: bool,  # noqa: FBT001 - a field
        root: Schema,
    ) -> None:
        self.keys = keys
        self.ours = ours
        self.required = required
        self.is_open = is_open
        self.root = root

    @cached_property
    def names(self) -> frozenset[str]:
        """All keys that are known."""
        return frozenset(self.keys)

    @cached_property
    def described(self) -> list[tuple[str, Schema]]:
        """The keys below which something is described, each with its schema."""
        every = [pair for pair in self.ours.items() if pair[0] not in _FREE]
        return [(key, inner) for key, inner in every if _describes(inner, self.root)]

    @cached_property
    def homes(self) -> dict[str, str]:
        """The keys that belong below a known key, each with that key."""
        found = _homes(self.ours, self.root)
        return {key: home for key, home in found.items() if key not in self.keys}


class NearMisses:
    """Finds such keys in a value and in all that its schema describes below it.

    `also` is a second schema of the value itself. Only mappings that the schema leaves open are
    looked at: in a closed one an unknown key is a fault of structure already, and in a free one
    (`additionalProperties: true`) none. What a schema knows is worked out once for each part of it
    that does not depend on the value.
    """

    def __init__(self, schema: Schema, also: Schema | None = None) -> None:
        self._root = schema
        self._also = also or {}
        self._known: dict[tuple[int, bool], _Known] = {}

    def of(self, value: Any) -> Iterator[Miss]:
        """Yield the keys of a value that are near misses."""
        return self._below(value, self._root, self._also, (), frozenset())

    def _below(
        self, value: Any, schema: Any, also: Schema, path: Path, outer: frozenset[str]
    ) -> Iterator[Miss]:
        """Yield those at a path; `outer` are the keys known one mapping further out."""
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
            looker = _Looker(value, known.keys, missing, known.homes, outer, path)
            yield from _told_once([miss for key in unknown for miss in looker.look(key)])
        for key, inner in known.described:
            if isinstance(value.get(key), _NESTED):
                yield from self._below(value[key], inner, {}, (*path, key), names)

    def _known_by(self, schema: Any, also: Schema, value: dict[str, Any]) -> _Known:
        key = (id(schema), bool(also))
        found = self._known.get(key)
        if found is None:
            whole = follow(schema, self._root)
            found = self._work_out(whole, also, value)
            # What is kept is known by a part of the root, which lives as long.
            if schema and "allOf" not in whole:
                self._known[key] = found
        return found

    def _work_out(self, schema: Schema, also: Schema, value: dict[str, Any]) -> _Known:
        ours = known_keys(schema, value, self._root)
        keys = {**{key: {} for key in properties(also)}, **ours}
        parts = list(branches(schema, value, self._root))
        required = [key for part in (*parts, also) for key in part.get("required", ())]
        is_open = not any(isinstance(part.get("additionalProperties"), bool) for part in parts)
        return _Known(keys, ours, tuple(required), is_open and bool(keys), self._root)


def meant_paths(value: Any, schema: Schema) -> frozenset[Path]:
    """Return where the keys should stand that are in a value under another name or elsewhere.

    What is asked for at one of these is not missing: that its key is wrong is told already.
    """
    found: set[Path] = set()
    for miss in NearMisses(schema).of(value):
        found.add((*miss.path, miss.meant))
        if miss.fault == "misplaced-key":
            home = miss.path[:-1] if miss.meant == miss.key else (*miss.path, miss.meant)
            found.add((*home, miss.key))
    return frozenset(found)


def _told_once(misses: list[Miss]) -> Iterator[Miss]:
    """Leave out a guess where a surer key, or an earlier one, stands for the same."""
    told: set[str] = set()
    kept: set[str] = set()
    for miss in sorted(misses, key=lambda each: each.rank):
        if not miss.rank or miss.meant not in told:
            told.add(miss.meant)
            kept.add(miss.key)
    yield from (miss for miss in misses if miss.key in kept)


class _Looker(NamedTuple):
    value: dict[str, Any]
    known: dict[str, Schema]
    missing: list[str]
    homes: dict[str, str]
    outer: frozenset[str]
    path: Path

    def look(self, key: str) -> Iterator[Miss]:
        apart = glued(key, self.value[key])
        if apart and apart[0] in self.known and apart[0] not in self.value:
            advice = f"write `{apart[0]}: {apart[1]}`"
            yield Miss(self.path, key, apart[0], "near-miss-key", advice)
            return
        home = self.homes.get(key)
        meant = meant_key(key, self.known, self.value, self.missing)
        if home is not None and home != meant:
            advice = f"it belongs below `{home}`: `{home}: {{{key}: …}}`"
            if "items" in self.known[home]:
                advice = f"it belongs into each of `{home}`"
            yield Miss(self.path, key, home, "misplaced-key", advice)
        elif meant:
            beside = " It is there too: keep one of them" if meant in self.value else ""
            advice = f"did you mean `{meant}`?{beside}"
            yield Miss(self.path, key, meant, "near-miss-key", advice)
        elif key in self.outer and _is_telling(key):
            advice = f"it belongs one level up, beside `{self.path[-1]}`"
            yield Miss(self.path, key, key, "misplaced-key", advice)
        elif ours := our_key(key, self.known, self.value, self.missing):
            yield Miss(self.path, key, ours.key, "foreign-key", ours.advice, ours.rank)


def _describes(schema: Schema, root: Schema, depth: int = _DEEPEST) -> bool:
    """Whether a schema may know of keys in what it describes."""
    whole = follow(schema, root)
    if "properties" in whole or "allOf" in whole or not depth:
        return True
    return "items" in whole and _describes(whole["items"], root, depth - 1)


def _homes(known: dict[str, Schema], root: Schema) -> dict[str, str]:
    """Return the keys that belong below a known key, each with that key.

    Through a list only keys of several words count: `tags` beside `questions` is anybody's.
    """
    homes: dict[str, str] = {}
    for name, schema in known.items():
        inner = follow(schema, root)
        items = follow(inner.get("items", {}), root) if name not in _FREE else {}
        for key in (
            *inner.get("properties", {}),
            *filter(_is_telling, items.get("properties", {})),
        ):
            if key not in known and key not in generic_keys():
                homes.setdefault(key, name)
    return homes


def _is_telling(key: str) -> bool:
    return "_" in key


@cache
def generic_keys() -> frozenset[str]:
    """Return the keys that tell nothing of their place: those at the top of several schemas."""
    roots = [properties(load(name)) for name in ("dataset", "rubric", "judge", "target")]
    every = [key for root in roots for key in root]
    return frozenset(key for key in every if every.count(key) > 1) | _ANYBODYS
