"""Keys that the schema does not know but that cause no finding, so that gates can accept them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from evalcontract.structure.gate import INSIDE, is_closed
from evalcontract.structure.schemas import properties

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.structure.keys.bundle_fields import BundleFields
    from evalcontract.structure.keys.mismatches import KeyMismatches
    from evalcontract.structure.subschemas import Schema

#: The mappings of a row that allow extra keys: the name of the definition, and the path.
PLACES: dict[str, tuple[str, ...]] = {"row": (), "expected": ("expected",)}
# If every row has new keys, accepting them saves nothing; this limits the size of the gate.
_MAX_KEYS = 500


def _bundle_fields_of(bundle: Schema, row: Schema) -> BundleFields:
    from evalcontract.structure.keys.bundle_fields import BundleFields  # slow to import

    return BundleFields(bundle, row)


class ExtraKeys:
    """The extra keys of the rows of one bundle, or of rows without a bundle.

    `harmless` are the keys that cause no finding, each with those known keys of which one must be
    beside it; none for a key that never causes one. This is tested with a mapping that has only
    the required keys: since all others are missing, each of them may be the one that was meant. A
    known key that is present rules out some meanings, and never adds one.
    """

    def __init__(self, row: Schema, bundle: Schema | None) -> None:
        self._row = row
        self._bundle = bundle
        self._classified: set[tuple[str, str]] = set()
        self._bundle_fields = _bundle_fields_of(bundle, row) if bundle else None
        self.harmless: dict[str, dict[str, frozenset[str]]] = {
            name: {} for name in (*PLACES, INSIDE)
        }

    def learn(self, row: Any) -> bool:
        """Classify the unknown keys of a row; return whether a new one is harmless."""
        grew = False
        for name, key in self._unknown(row):
            if (name, key) not in self._classified and len(self._classified) < _MAX_KEYS:
                self._classified.add((name, key))
                conditions = self._conditions(name, key)
                if conditions is not None:
                    self.harmless[name][key] = conditions
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

    def _conditions(self, name: str, key: str) -> frozenset[str] | None:
        """Return the keys of which one makes a key harmless; None if it is not harmless."""
        if name == INSIDE:
            fields = self._bundle_fields
            return frozenset() if fields is not None and fields.is_harmless(key) else None
        if not PLACES[name] and (key in properties(self._bundle or {}) or self._is_closed):
            return None  # the bundle defines its value, or forbids it
        if not self._is_reported(name, key):
            return frozenset()
        known = self._row["$defs"][name]["properties"]
        return frozenset(k for k in known if not self._is_reported(name, key, beside=k)) or None

    def _is_reported(self, name: str, key: str, beside: str | None = None) -> bool:
        """Whether a key may be reported in a mapping with the required keys, and another."""
        path = PLACES[name]
        required = {} if path else dict.fromkeys(self._required)
        # A list of mappings is the value that suggests the most keys; null fits any key.
        candidates: tuple[Any, ...] = ([{}], None)
        for candidate in candidates:
            value: Any = {**required, **({beside: None} if beside else {}), key: candidate}
            for step in reversed(path):
                value = {step: value}
            for miss in self._mismatches.of(value):
                # The gate itself excludes the values of a word that is read elsewhere.
                is_word = miss.fault == "misplaced-key" and not miss.meant
                if miss.path == path and miss.key == key and not is_word:
                    return True
        return False

    @cached_property
    def _mismatches(self) -> KeyMismatches:
        from evalcontract.structure.keys.mismatches import KeyMismatches  # slow to import

        return KeyMismatches(self._row, self._bundle)

    @cached_property
    def _required(self) -> list[str]:
        return [*self._row["$defs"]["row"]["required"], *(self._bundle or {}).get("required", ())]

    @cached_property
    def _is_closed(self) -> bool:
        return is_closed(self._bundle or {})
