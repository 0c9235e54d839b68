"""The keys that a schema knows for a mapping, and the parent keys that other keys belong below."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

from evalcontract.structure.keys.spelling import key_names
from evalcontract.structure.schemas import load, properties
from evalcontract.structure.subschemas import follow

if TYPE_CHECKING:
    from evalcontract.structure.keys.spelling import KeyNames
    from evalcontract.structure.subschemas import Schema

# Keys with free content.
_FREE = frozenset({"metadata"})
# Maximum number of nested lists to follow.
_MAX_DEPTH = 4
# Nested keys that are common words elsewhere.
_GENERIC = frozenset({"name", "provider", "reference"})


class KnownKeys:
    """The known keys of a mapping: all of them (`keys`), and those of its own schema (`own`).

    With `rejects_words`, the keys of the contract that belong elsewhere are reported: see the
    module `elsewhere`.
    """

    def __init__(
        self,
        keys: dict[str, Schema],
        own: dict[str, Schema],
        required: tuple[str, ...],
        is_open: bool,  # noqa: FBT001 - a field
        root: Schema,
        *,
        rejects_words: bool = False,
    ) -> None:
        self.keys = keys
        self.own = own
        self.required = required
        self.is_open = is_open
        self.root = root
        self.rejects_words = rejects_words

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of all known keys."""
        return frozenset(self.keys)

    @cached_property
    def spelling(self) -> KeyNames:
        """The known keys, for the search of the one that an unknown key was meant to be."""
        return key_names(tuple(self.keys), self.required)

    @cached_property
    def nested(self) -> list[tuple[str, Schema]]:
        """The keys whose values may have known keys in turn, each with its subschema."""
        return [
            (key, subschema)
            for key, subschema in self.own.items()
            if key not in _FREE and _may_have_keys(subschema, self.root)
        ]

    @cached_property
    def parent_keys(self) -> dict[str, list[str]]:
        """The keys that are unknown here but known one level down, each with its parent keys."""
        parents = _parents_of_keys(self.own, self.root)
        return {key: names for key, names in parents.items() if key not in self.keys}

    def child_schema(self, parent: str, key: str) -> Schema | None:
        """Return the subschema of a key below a known key; None if the latter holds a list."""
        schema = follow(self.keys[parent], self.root)
        child = None if "items" in schema else schema.get("properties", {}).get(key)
        return child if isinstance(child, dict) else None


def _may_have_keys(schema: Schema, root: Schema, depth: int = _MAX_DEPTH) -> bool:
    """Whether values of a schema may contain mappings with known keys."""
    target = follow(schema, root)
    if "properties" in target or "allOf" in target or not depth:
        return True
    return "items" in target and _may_have_keys(target["items"], root, depth - 1)


def _parents_of_keys(known: dict[str, Schema], root: Schema) -> dict[str, list[str]]:
    """Return the keys that belong below known keys, each with its parent keys.

    Of the keys of list items, only compound ones count: `tags` next to `questions` is too common
    a word.
    """
    parents: dict[str, list[str]] = {}
    for name, schema in known.items():
        target = follow(schema, root)
        items = follow(target.get("items", {}), root) if name not in _FREE else {}
        for key in (
            *target.get("properties", {}),
            *filter(is_compound, items.get("properties", {})),
        ):
            if key not in known and key not in generic_keys():
                parents.setdefault(key, []).append(name)
    return parents


def is_compound(key: str) -> bool:
    """Whether a key consists of several words, so that it is unlikely to be a custom key."""
    return "_" in key


@cache
def generic_keys() -> frozenset[str]:
    """Return the keys that do not identify a location: top-level keys of several schemas."""
    roots = [properties(load(name)) for name in ("dataset", "rubric", "judge", "target")]
    keys = [key for root in roots for key in root]
    return frozenset([key for key in keys if keys.count(key) > 1]) | _GENERIC
