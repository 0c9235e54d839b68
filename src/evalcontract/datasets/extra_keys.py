"""Keys that the schema does not know but that cause no finding, so that gates can accept them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from evalcontract.structure.gate import is_closed
from evalcontract.structure.schemas import OWN_PREFIX, properties

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.structure.keys.bundle_fields import BundleFields
    from evalcontract.structure.keys.mismatches import KeyMismatches
    from evalcontract.structure.parts import Schema

#: The mappings of a row that allow extra keys: the name of the definition, and the path.
PLACES: dict[str, tuple[str, ...]] = {"row": (), "expected": ("expected",)}
# So many keys inside of a bundle's mappings are accepted, each of which makes another gate.
_MAX_KEYS = 500
# So many other keys are remembered: every row may have one of its own.
_REMEMBERED = 20_000


def _bundle_fields_of(bundle: Schema, row: Schema) -> BundleFields:
    from evalcontract.structure.keys.bundle_fields import BundleFields  # slow to import

    return BundleFields(bundle, row)


class ExtraKeys:
    """The extra keys of the rows of one bundle, or of rows without a bundle.

    A key is harmless if it causes no finding, alone or beside one of some known keys. This is
    tested with a mapping that has only the required keys: since all others are missing, each of
    them may be the one that was meant. A known key that is present rules out some meanings, and
    never adds one. `inside` are the harmless keys of the mappings that the bundle describes;
    `has_accepted` says whether any extra key of a row was accepted.

    A key that is reported beside the required keys alone is tested with each other known key, which
    takes long, only when a second mapping has it: most such keys are slips of one row. `mismatches`
    returns what tests keys; by default, one is made.
    """

    def __init__(
        self,
        row: Schema,
        bundle: Schema | None,
        mismatches: Callable[[], KeyMismatches] | None = None,
    ) -> None:
        self._row = row
        self._bundle = bundle
        self._classified: set[str] = set()
        self._mismatches_of = mismatches
        # The identity of the first mapping that has a key which is reported alone.
        self._reported: dict[tuple[str, str], int] = {}
        self._bundle_fields = _bundle_fields_of(bundle, row) if bundle else None
        self._free = {name: set(row["$defs"][name]["properties"]) for name in PLACES}
        self._free["row"].update(properties(bundle or {}))  # the bundle itself decides on these
        self._known_conditions: dict[tuple[str, str], frozenset[str] | None] = {}
        self._has_learned = False
        self._tests = True
        self.has_accepted = False
        self.inside: set[str] = set()

    def accept_all(self, rows: list[dict[str, Any]]) -> bool:
        """Whether no extra key of rows, or of their `expected`, causes a finding by its name.

        A key of a single row is not tested: checking the row takes no longer.
        """
        self._has_learned = False
        self._tests = len(rows) > 1
        # All are looked at: a later row may tell what a key of an earlier one may stand beside.
        accepted = all([self._accepts_row(row) for row in rows])  # noqa: C419
        return accepted or (self._has_learned and all(map(self._accepts_row, rows)))

    def _accepts_row(self, row: dict[str, Any]) -> bool:
        of_row, of_expected = (self._free[name] for name in PLACES)
        if not of_row.issuperset(row) and not self._accepts("row", row):
            return False
        expected = row.get("expected")
        return (
            not isinstance(expected, dict)
            or of_expected.issuperset(expected)
            or self._accepts("expected", expected)
        )

    def learn(self, row: Any) -> bool:
        """Classify the unknown keys that a bundle describes; return whether one is harmless."""
        fields, grew = self._bundle_fields, False
        for key in fields.unknown(row) if fields else ():
            if key not in self._classified and len(self._classified) < _MAX_KEYS:
                self._classified.add(key)
                if fields is not None and fields.is_harmless(key):
                    self.inside.add(key)
                    grew = True
        return grew

    def _accepts(self, name: str, mapping: dict[str, Any]) -> bool:
        free = self._free[name]
        for key in mapping:
            if key in free or (isinstance(key, str) and key.startswith(OWN_PREFIX)):
                continue
            if not isinstance(key, str):
                return False
            conditions = self._remembered_conditions(name, key, mapping)
            if conditions is None or (conditions and conditions.isdisjoint(mapping)):
                return False
            self.has_accepted = True
        return True

    def _remembered_conditions(
        self, name: str, key: str, mapping: dict[str, Any]
    ) -> frozenset[str] | None:
        """Return the keys of which one makes a key harmless; None if it is not known to be."""
        known = self._known_conditions
        if (name, key) in known:
            return known[name, key]
        if not self._tests:
            return None
        first = self._reported.get((name, key))
        if first == id(mapping):
            return None
        if first is not None:
            del self._reported[name, key]
            conditions = self._beside(name, key)
            self._has_learned |= conditions is not None
        elif not PLACES[name] and self._is_closed:
            conditions = None  # the bundle forbids it
        elif self._is_reported(name, key):
            if len(self._reported) < _REMEMBERED:
                self._reported[name, key] = id(mapping)
            return None
        else:
            if len(self._free[name]) < _REMEMBERED:
                self._free[name].add(key)
            return frozenset()
        if len(known) < _REMEMBERED:
            known[name, key] = conditions
        return conditions

    def _beside(self, name: str, key: str) -> frozenset[str] | None:
        """Return the known keys of which one makes a key harmless; None if there is none."""
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
        if self._mismatches_of is not None:
            return self._mismatches_of()
        from evalcontract.structure.keys.mismatches import KeyMismatches  # slow to import

        return KeyMismatches(self._row, self._bundle)

    @cached_property
    def _required(self) -> list[str]:
        return [*self._row["$defs"]["row"]["required"], *(self._bundle or {}).get("required", ())]

    @cached_property
    def _is_closed(self) -> bool:
        return is_closed(self._bundle or {})
