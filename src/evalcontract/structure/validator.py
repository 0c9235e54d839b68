"""A value against its schema: every mistake once, in words for an author.

`check` is a way in one direction: `violations` finds what breaks the schemas, `keys` the keys that
stand for others, `explain` decides what to tell of both, and `messages` words it.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from evalcontract.structure.gate import closed
from evalcontract.structure.native import native_for
from evalcontract.structure.schemas import load
from evalcontract.structure.violations import SchemaPair

if TYPE_CHECKING:
    from collections.abc import Callable

    from jsonschema_rs import Draft202012Validator as NativeValidator

    from evalcontract.model.diagnostic import Problem
    from evalcontract.model.path import Path
    from evalcontract.structure.keys.bundle_fields import BundleFields
    from evalcontract.structure.keys.mismatches import KeyMismatch, KeyMismatches
    from evalcontract.structure.schemas import Schema


class SchemaValidator:
    """Validates values of a kind, the first word of its codes.

    `bundle_schema` is a second schema for the same value. A key that either knows is known, and
    nothing is reported twice.
    """

    def __init__(self, kind: str, schema: Schema, bundle_schema: Schema | None = None) -> None:
        self.schema = schema
        self._pair = SchemaPair(kind, schema, bundle_schema)

    def is_clean(self, value: Any) -> bool:
        """Whether one native call can say that there is nothing to find; never with a bundle."""
        if self._pair.bundle_schema:
            return False
        try:
            return self._closed.is_valid(value)
        except (ValueError, TypeError, RecursionError):
            return False  # no JSON value: look closely

    def check(
        self, value: Any, prefix: Path = (), raw: Callable[[Path], str | None] | None = None
    ) -> list[Problem]:
        """Return the problems of a value and its near-miss keys, one for each mistake.

        `raw(path)` gives a scalar as its author wrote it, where the text is at hand: `1.10` is
        the number 1.1 by then, and the help must show what stands in the file.
        """
        if self.is_clean(value):
            return []
        from evalcontract.structure.explain import explain  # slow to import

        violations, unfinished = self._pair.violations(value)
        problems = explain(self._pair, value, self.mismatches(value), violations, prefix, raw)
        return [*problems, *unfinished]

    def mismatches(self, value: Any) -> list[KeyMismatch]:
        """Return the keys of a value that stand for others, or stand in the wrong place."""
        own = list(self._mismatches.of(value))
        return [*own, *self.bundle_fields.mismatches(value)] if self._pair.bundle_schema else own

    def missing_keys(self, value: Any) -> set[tuple[Path, str]]:
        """Return the required keys that a value lacks, each with the path of its mapping."""
        return {
            (tuple(violation.absolute_path), key)
            for _, violations in self._pair.violations(value)[0]
            for violation in violations
            if violation.validator == "required"
            for key in violation.validator_value
            if key not in violation.instance
        }

    @cached_property
    def bundle_fields(self) -> BundleFields:
        """What the schema of the bundle describes below the keys at its top."""
        from evalcontract.structure.keys.bundle_fields import BundleFields  # slow to import

        return BundleFields(self._pair.bundle_schema, self.schema)

    @cached_property
    def _closed(self) -> NativeValidator:
        return native_for(closed(self.schema))

    @cached_property
    def _mismatches(self) -> KeyMismatches:
        from evalcontract.structure.keys.mismatches import KeyMismatches  # slow to import

        return KeyMismatches(self.schema, self._pair.bundle_schema)


@cache
def structure_of(name: str) -> SchemaValidator:
    """Return the validator of one of the contract's own schemas, compiled once."""
    return SchemaValidator(name, load(name))
