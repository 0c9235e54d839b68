"""A value against its schema: every fault once, said for an author."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem
from evalcontract.structure.engine import native_for, plain_broken
from evalcontract.structure.gate import closed
from evalcontract.structure.schemas import follow, known_keys, load, properties

if TYPE_CHECKING:
    from collections.abc import Callable

    from jsonschema.protocols import Validator
    from jsonschema_rs import Draft202012Validator as NativeValidator

    from evalcontract.model.path import Path
    from evalcontract.structure.described import BundleFields
    from evalcontract.structure.engine import SchemaViolation
    from evalcontract.structure.fits import Fits
    from evalcontract.structure.keys import KeyMismatch, NearMisses
    from evalcontract.structure.schemas import Schema


_ABOUT = frozenset({"$schema", "$defs", "$ref", "title", "description", "examples"})
#: Keywords that may be applied to one row by the schema of its bundle; ten seconds, about.
MOST_STEPS = 2_000_000


class SchemaValidator:
    """The structure stage for one schema. `kind` is the first word of its codes.

    `also` is a second schema for the same value: that of a bundle. A key that either knows is
    known, and nothing is reported twice.
    """

    def __init__(self, kind: str, schema: Schema, also: Schema | None = None) -> None:
        self.kind = kind
        self.schema = schema
        self.also = also or {}

    @cached_property
    def _exact(self) -> Validator:
        from evalcontract.structure.exact import validator_for  # slow to import

        return validator_for(self.schema)

    @cached_property
    def _native(self) -> NativeValidator:
        return native_for(self.schema)

    @cached_property
    def _simple(self) -> frozenset[str] | None:
        """The required keys, where each other key is judged by itself alone; None elsewhere."""
        root = follow(self.schema, self.schema)
        if set(root) - _ABOUT - {"type", "properties", "required"}:
            return None
        return frozenset(root.get("required", ()))

    @cached_property
    def _exact_also(self) -> Callable[[Any], list[SchemaViolation]]:
        from evalcontract.structure.exact import bounded  # slow to import

        return bounded(self.also, MOST_STEPS)

    @cached_property
    def described(self) -> BundleFields:
        """What the second schema describes below the keys at its top."""
        from evalcontract.structure.described import BundleFields  # slow to import

        return BundleFields(self.also, self.schema)

    @cached_property
    def _closed(self) -> NativeValidator:
        return native_for(closed(self.schema))

    def is_clean(self, value: Any) -> bool:
        """Whether one native call can say that there is nothing to find, by the one schema."""
        if self.also:
            return False
        try:
            return self._closed.is_valid(value)
        except (ValueError, TypeError, RecursionError):
            return False  # no JSON value: look closely

    def check(
        self, value: Any, prefix: Path = (), raw: Callable[[Path], str | None] | None = None
    ) -> list[Problem]:
        """Return the faults of a value and its near-miss keys, one for each mistake.

        `raw(path)` gives a scalar as its author wrote it, where the text is at hand: `1.10` is
        the number 1.1 by then, and the help must show what stands in the file.
        """
        if self.is_clean(value):
            return []
        from evalcontract.structure.faults import faults_of  # slow to import

        return faults_of(self, value, prefix, raw)

    @cached_property
    def fits(self) -> Fits:
        """Whether values would do elsewhere in the first schema."""
        from evalcontract.structure.fits import Fits  # only for what is wrong

        return Fits(self.schema)

    @cached_property
    def _near_misses(self) -> NearMisses:
        from evalcontract.structure.keys import NearMisses  # slow to import

        return NearMisses(self.schema, self.also)

    def misses(self, value: Any) -> list[KeyMismatch]:
        """Return the near-miss keys of a value."""
        found = list(self._near_misses.of(value))
        return [*found, *self.described.misses(value)] if self.also else found

    def errors(
        self, value: Any
    ) -> tuple[list[tuple[Schema, list[SchemaViolation]]], list[Problem]]:
        """Return what breaks each schema, and a finding where that could not be found out."""
        errors = [(self.schema, self._errors(value))]
        if not self.also:
            return errors, []
        more, unfinished = self._errors_also(value)
        return [*errors, (self.also, more)], unfinished

    def _errors(self, value: Any) -> list[SchemaViolation]:
        """Return what breaks the first schema; the fast engine says which keys to look at."""
        try:
            errors = list(self._native.iter_errors(value))
        except (ValueError, TypeError, RecursionError):
            return list(self._exact.iter_errors(value))  # no JSON value
        if not errors:
            return []
        if isinstance(value, dict) and self._simple is not None:
            keys = self._simple.union(
                each.instance_path[0] for each in errors if each.instance_path
            )
            value = {key: part for key, part in value.items() if key in keys}
        plain = plain_broken(errors[0], value, self.schema) if len(errors) == 1 else None
        return [plain] if plain else list(self._exact.iter_errors(value))

    def _errors_also(self, value: Any) -> tuple[list[SchemaViolation], list[Problem]]:
        """Return what breaks the second schema, or that it could not be found out."""
        from evalcontract.structure.exact import StepLimitExceeded  # slow to import

        code = f"{self.kind}/invalid-value"
        try:
            return self._exact_also(value), []
        except RecursionError:
            if native_for(self.also).is_valid(value):
                return [], []
            message = "the schema of the bundle refuses a part that is nested very deep"
            return [], [Problem(code, message, (), "write it flatter")]
        except StepLimitExceeded:
            message = f"checking this by the schema of its bundle takes over {MOST_STEPS:,} steps"
            advice = "let the schema lead to itself in one way only"
            return [], [Problem(code, message, (), advice)]

    def known(self, error: SchemaViolation, path: Path, schema: Schema) -> dict[str, Schema]:
        """Return the keys that a mapping may have, by either schema at the top."""
        known = known_keys(error.schema, error.instance, schema)
        if path:
            return known
        both = (self.schema, self.also)
        return {**known, **{k: v for each in both for k, v in properties(each).items()}}


@cache
def structure_of(name: str) -> SchemaValidator:
    """Return the structure stage of one of the contract's own schemas, compiled once."""
    return SchemaValidator(name, load(name))
