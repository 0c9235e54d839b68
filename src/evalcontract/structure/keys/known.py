"""What a schema knows of the keys of a mapping, and where keys belong."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

from evalcontract.structure.schemas import follow, load, properties

if TYPE_CHECKING:
    from evalcontract.structure.schemas import Schema

# Below these an author writes what they like.
_FREE = frozenset({"metadata"})
# Lists in lists are followed no further than this.
_DEEPEST = 4
# Keys below a known one that are ordinary words elsewhere.
_GENERIC = frozenset({"name", "provider"})


class KnownKeys:
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
    def homes(self) -> dict[str, list[str]]:
        """The keys that belong below a known key, each with such keys; the first one is told."""
        found = _parents_of_keys(self.ours, self.root)
        return {key: homes for key, homes in found.items() if key not in self.keys}

    def below(self, home: str, key: str) -> Schema | None:
        """Return what a schema says of a key below a known one; None where that is a list."""
        inner = follow(self.keys[home], self.root)
        found = None if "items" in inner else inner.get("properties", {}).get(key)
        return found if isinstance(found, dict) else None


def _describes(schema: Schema, root: Schema, depth: int = _DEEPEST) -> bool:
    """Whether a schema may know of keys in what it describes."""
    whole = follow(schema, root)
    if "properties" in whole or "allOf" in whole or not depth:
        return True
    return "items" in whole and _describes(whole["items"], root, depth - 1)


def _parents_of_keys(known: dict[str, Schema], root: Schema) -> dict[str, list[str]]:
    """Return the keys that belong below known keys, each with those.

    Through a list only keys of several words count: `tags` beside `questions` is anybody's.
    """
    homes: dict[str, list[str]] = {}
    for name, schema in known.items():
        inner = follow(schema, root)
        items = follow(inner.get("items", {}), root) if name not in _FREE else {}
        for key in (
            *inner.get("properties", {}),
            *filter(is_compound, items.get("properties", {})),
        ):
            if key not in known and key not in generic_keys():
                homes.setdefault(key, []).append(name)
    return homes


def is_compound(key: str) -> bool:
    """Whether a key has several words; such a one is hardly anything else's."""
    return "_" in key


@cache
def generic_keys() -> frozenset[str]:
    """Return the keys that tell nothing of their place: those at the top of several schemas."""
    roots = [properties(load(name)) for name in ("dataset", "rubric", "judge", "target")]
    every = [key for root in roots for key in root]
    return frozenset(key for key in every if every.count(key) > 1) | _GENERIC
