"""The mappings that a bundle describes inside of a row, and misspelled keys in them.

Such a mapping is mostly left open, as rows are, so the schema lets a misspelled key pass. What the
bundle leaves free on purpose (`additionalProperties`, `patternProperties`) is not looked at, nor is
a key that it names anywhere.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from evalcontract.structure.fits import Fits
from evalcontract.structure.keys.fixes import Held, respelled, without_rivals
from evalcontract.structure.keys.mismatches import KeyMismatch
from evalcontract.structure.keys.spelling import meant_key
from evalcontract.structure.schemas import OWN_PREFIX, follow, properties
from evalcontract.structure.subschemas import subschemas

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.model.path import Path
    from evalcontract.structure.schemas import Schema

_FREE = ("additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames")
#: Keys of every row that the contract says nothing about, so that a bundle may.
_UNSAID = frozenset({"context"})


class BundleFields:
    """What one bundle describes below the keys at the top of a row."""

    def __init__(self, bundle: Schema, row: Schema) -> None:
        self._bundle = bundle
        self._fits = Fits(bundle)
        ours = properties(row)
        self._top = {
            key: inner
            for key, inner in properties(bundle).items()
            if key in _UNSAID or key not in ours
        }
        self._nodes: dict[int, Schema] = {}
        for inner in self._top.values():
            self._collect(inner)

    def _collect(self, schema: Any) -> None:
        """Learn of a schema, and of all that it leads to; circles end at what is known."""
        waiting = [schema]
        while waiting:
            each = waiting.pop()
            if not isinstance(each, dict) or id(each) in self._nodes:
                continue
            self._nodes[id(each)] = followed = follow(each, self._bundle)
            waiting += [inner for _, inner in _below(followed)]

    @cached_property
    def _names(self) -> frozenset[str]:
        every = subschemas(self._bundle)
        return frozenset(name for _, each in every for name in each.get("properties", {}))

    def mismatches(self, row: Any) -> list[KeyMismatch]:
        """Return the keys of a row, inside of what is described, that stand for another."""
        return without_rivals(self._mismatches(row))

    def _mismatches(self, row: Any) -> Iterator[KeyMismatch]:
        for path, mapping, schema in self._mappings(row):
            known = schema["properties"]
            for key in mapping:
                if isinstance(key, str) and not self._is_known(key, known):
                    missing = [each for each in schema.get("required", ()) if each not in mapping]
                    meant = meant_key(key, known, mapping, missing)
                    if meant:
                        advice = f"did you mean `{meant}`?"
                        fix = respelled(Held(path, key, mapping), meant, known, self._fits)
                        yield KeyMismatch(path, key, meant, "near-miss-key", advice, 0, fix)

    def unknown(self, row: Any) -> Iterator[str]:
        """Yield the keys of a row, inside of what is described, that are not."""
        for _, mapping, schema in self._mappings(row):
            for key in mapping:
                if isinstance(key, str) and key not in schema["properties"]:
                    yield key

    def is_harmless(self, key: str) -> bool:
        """Whether a key is told in no mapping that is described, whatever else stands there."""
        open_ = [schema for schema in self._nodes.values() if _is_open(schema)]
        return key in self._names or not any(
            meant_key(key, schema["properties"], {}, schema.get("required", ())) for schema in open_
        )

    def _is_known(self, key: str, known: dict[str, Any]) -> bool:
        return key in known or key in self._names or key.startswith(OWN_PREFIX)

    def _mappings(self, row: Any) -> Iterator[tuple[Path, dict[str, Any], Schema]]:
        for key, inner in self._top.items():
            if isinstance(row, dict) and key in row:
                yield from self._inside(row[key], inner, (key,))

    def _inside(
        self, value: Any, schema: Any, path: Path
    ) -> Iterator[tuple[Path, dict[str, Any], Schema]]:
        node = self._nodes.get(id(schema))
        if node is None:
            return
        if isinstance(value, dict) and _is_open(node):
            yield path, value, node
        for key, inner in _below(node):
            if key is None and isinstance(value, list):
                for index, part in enumerate(value):
                    yield from self._inside(part, inner, (*path, index))
            elif key is not None and isinstance(value, dict) and key in value:
                yield from self._inside(value[key], inner, (*path, key))

    def closed(self, harmless: Iterable[str]) -> Schema:
        """Return a schema that only rows pass in which nothing is to be told.

        It says nothing else: what a value must be, the bundle itself says.
        """
        extra = dict.fromkeys(harmless, True)
        shapes = {f"shape_{number}": self._shape(number, extra) for number in self._nodes}
        top = {key: self._to(inner) for key, inner in self._top.items()}
        return {"properties": top, "$defs": shapes}

    def _shape(self, number: int, extra: dict[str, bool]) -> Schema:
        node = self._nodes[number]
        shape: Schema = {}
        below = dict(_below(node))
        if None in below:
            shape["items"] = self._to(below.pop(None))
        known = {str(key): self._to(inner) for key, inner in below.items()}
        if _is_open(node):
            every = dict.fromkeys(node["properties"], True)
            shape |= {
                "properties": {**extra, **every, **known},
                "patternProperties": {f"^{OWN_PREFIX}": True},
                "additionalProperties": False,
            }
        else:
            shape["properties"] = known
        return shape

    def _to(self, schema: Any) -> Schema | bool:
        return {"$ref": f"#/$defs/shape_{id(schema)}"} if id(schema) in self._nodes else True


def _is_open(schema: Schema) -> bool:
    return bool(schema.get("properties")) and not any(key in schema for key in _FREE)


def _below(schema: Schema) -> Iterator[tuple[str | None, Any]]:
    """Yield what a schema describes inside of a value: by key, and None for the items."""
    if "items" in schema and "prefixItems" not in schema:
        yield None, schema["items"]
    for key, inner in schema.get("properties", {}).items():
        if key != "metadata" and isinstance(inner, dict):
            yield key, inner
