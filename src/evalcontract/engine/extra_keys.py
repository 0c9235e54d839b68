"""The keys of an author's own that are judged harmless once, and then known to the gate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.structure.gate import INSIDE
from evalcontract.structure.schemas import properties

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.structure.keys.bundle_fields import BundleFields
    from evalcontract.structure.schemas import Schema

#: The mappings of a row that are open, by their definition, and the way to them.
PLACES: dict[str, tuple[str, ...]] = {"row": (), "expected": ("expected",)}
# A dataset whose rows have ever new keys gains nothing by this, and must not grow the gate.
_MOST = 500


def _describe(bundle: Schema, row: Schema) -> BundleFields:
    from evalcontract.structure.keys.bundle_fields import BundleFields  # slow to import

    return BundleFields(bundle, row)


class ExtraKeys:
    """What was learned of the rows of one bundle, or of those without one.

    A key is harmless where no row at all could make a finding of it. That is asked of a mapping
    that holds nothing else: with every known key missing, any that it may stand for is a candidate.
    """

    def __init__(self, row: Schema, bundle: Schema | None) -> None:
        self._row = row
        self._bundle = bundle
        self._judged: set[tuple[str, str]] = set()
        self._described = _describe(bundle, row) if bundle else None
        self.harmless: dict[str, set[str]] = {name: set() for name in (*PLACES, INSIDE)}

    def learn(self, row: Any) -> bool:
        """Judge the unknown keys of a row; return whether any new one is harmless."""
        grew = False
        for name, key in self._unknown(row):
            if (name, key) not in self._judged and len(self._judged) < _MOST:
                self._judged.add((name, key))
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
        for key in self._described.unknown(row) if self._described else ():
            yield INSIDE, key

    def _is_harmless(self, name: str, key: str) -> bool:
        if name == INSIDE:
            return self._described is not None and self._described.is_harmless(key)
        path = PLACES[name]
        if not path and key in properties(self._bundle or {}):
            return False  # the bundle says what it may hold
        from evalcontract.structure.keys.mismatches import KeyMismatches  # slow to import

        near_misses = KeyMismatches(self._row, self._bundle)
        # Rows are as much as a value can tell of its key; a key without a value may hold it.
        parts: tuple[Any, ...] = ([{}], None)
        for part in parts:
            value: Any = {key: part}
            for step in reversed(path):
                value = {step: value}
            found = near_misses.of(value)
            if any(miss.path == path and miss.key == key for miss in found):
                return False
        return True
