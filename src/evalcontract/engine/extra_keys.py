"""Keys that the schema does not know but that cause no finding, so that gates can accept them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.structure.gate import INSIDE
from evalcontract.structure.schemas import properties

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.structure.keys.bundle_fields import BundleFields
    from evalcontract.structure.schemas import Schema

#: The mappings of a row that allow extra keys: the name of the definition, and the path.
PLACES: dict[str, tuple[str, ...]] = {"row": (), "expected": ("expected",)}
# If every row has new keys, accepting them saves nothing; this limits the size of the gate.
_MAX_KEYS = 500


def _bundle_fields_of(bundle: Schema, row: Schema) -> BundleFields:
    from evalcontract.structure.keys.bundle_fields import BundleFields  # slow to import

    return BundleFields(bundle, row)


class ExtraKeys:
    """The extra keys of the rows of one bundle, or of rows without a bundle.

    A key is harmless if it causes no finding in any row. This is tested with a mapping that has no
    other key: since all known keys are missing, each of them may be the one that was meant.
    """

    def __init__(self, row: Schema, bundle: Schema | None) -> None:
        self._row = row
        self._bundle = bundle
        self._classified: set[tuple[str, str]] = set()
        self._bundle_fields = _bundle_fields_of(bundle, row) if bundle else None
        self.harmless: dict[str, set[str]] = {name: set() for name in (*PLACES, INSIDE)}

    def learn(self, row: Any) -> bool:
        """Classify the unknown keys of a row; return whether a new one is harmless."""
        grew = False
        for name, key in self._unknown(row):
            if (name, key) not in self._classified and len(self._classified) < _MAX_KEYS:
                self._classified.add((name, key))
                if self._is_harmless(name, key):
                    self.harmless[name].add(key)
                    grew = True
        return grew

    def _unknown(self, row: Any) -> Iterator[tuple[str, str]]:
        for name, path in PLACES.items():
            mapping = row
            for step in path:
                mapping = mapping.get(step) if isinstance(mapping, dict) else None
            known = self._row["$defs"][name]["properties"]
            for key in mapping if isinstance(mapping, dict) else ():
                if key not in known and isinstance(key, str):
                    yield name, key
        for key in self._bundle_fields.unknown(row) if self._bundle_fields else ():
            yield INSIDE, key

    def _is_harmless(self, name: str, key: str) -> bool:
        if name == INSIDE:
            return self._bundle_fields is not None and self._bundle_fields.is_harmless(key)
        path = PLACES[name]
        if not path and key in properties(self._bundle or {}):
            return False  # the bundle defines its value
        from evalcontract.structure.keys.mismatches import KeyMismatches  # slow to import

        near_misses = KeyMismatches(self._row, self._bundle)
        # A list of mappings is the value that suggests the most keys; null fits any key.
        candidates: tuple[Any, ...] = ([{}], None)
        for candidate in candidates:
            value: Any = {key: candidate}
            for step in reversed(path):
                value = {step: value}
            if any(miss.path == path and miss.key == key for miss in near_misses.of(value)):
                return False
        return True
