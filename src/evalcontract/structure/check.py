"""A value against its schema: every fault once, said for an author."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evalcontract.structure.engine import native_for, validator_for
from evalcontract.structure.gate import closed
from evalcontract.structure.keys import meant_key, near_miss, near_misses
from evalcontract.structure.schemas import known_keys, properties
from evalcontract.structure.sentences import missing_key, sentence_for, unknown_key
from evalcontract.structure.words import key_of_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jsonschema import ValidationError
    from jsonschema.protocols import Validator
    from jsonschema_rs import Draft202012Validator as NativeValidator

    from evalcontract.model.diagnostic import Problem
    from evalcontract.model.path import Path
    from evalcontract.structure.schemas import Schema


class Structure:
    """The structure stage for one schema. `kind` is the first word of its codes.

    `also` is a second schema for the same value: that of a bundle. A key that either knows is
    known, and nothing is reported twice.
    """

    def __init__(self, kind: str, schema: Schema, also: Schema | None = None) -> None:
        self.kind = kind
        self.schema = schema
        self._also = also or {}

    @cached_property
    def _validators(self) -> list[tuple[Validator, Schema]]:
        schemas = [self.schema, *([self._also] if self._also else [])]
        return [(validator_for(schema), schema) for schema in schemas]

    @cached_property
    def _closed(self) -> NativeValidator:
        return native_for(closed(self.schema))

    def _is_clean(self, value: Any) -> bool:
        """Whether one native call can say that there is nothing to find."""
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
        if not self._also and self._is_clean(value):
            return []
        misses = list(near_misses(value, self.schema, self.schema, self._also))
        found = [near_miss(self.kind, miss) for miss in misses]
        misspelled = {(miss.path, miss.meant) for miss in misses}
        for validator, schema in self._validators:
            for error in validator.iter_errors(value):
                found.extend(self._problems(error, schema, misspelled, raw, prefix))
        unique = {(each.code, each.path, each.message): each for each in found}
        return [_below(prefix, each) for each in unique.values()]

    def _problems(
        self,
        error: ValidationError,
        schema: Schema,
        misspelled: set[tuple[Path, str]],
        raw: Callable[[Path], str | None] | None,
        prefix: Path,
    ) -> Iterator[Problem]:
        path = tuple(error.absolute_path)
        if error.validator == "required":
            for key in error.validator_value:
                there = key in error.instance or (path, key) in misspelled
                if not there and key not in self._unknown(error, path, schema).values():
                    yield missing_key(self.kind, key, path, error, schema)
        elif error.validator == "additionalProperties" and error.validator_value is False:
            known = self._known(error, path, schema)
            for key, meant in self._unknown(error, path, schema).items():
                if (path, meant) not in misspelled:
                    yield unknown_key(self.kind, key, meant, known, path, error)
        elif error.validator != "not" or path[:-1] not in {where for where, _ in misspelled}:
            # A key that cannot stand here is often right, and the one that allows it misspelled.
            written = raw((*prefix, *path)) if raw else None
            what = "a row" if prefix else f"a {self.kind}"
            yield sentence_for(self.kind, error, path, written, what)

    def _known(self, error: ValidationError, path: Path, schema: Schema) -> dict[str, Schema]:
        """Return the keys that a mapping may have, by either schema at the top."""
        known = known_keys(error.schema, error.instance, schema)
        if path:
            return known
        both = (self.schema, self._also)
        return {**known, **{k: v for each in both for k, v in properties(each).items()}}

    def _unknown(self, error: ValidationError, path: Path, schema: Schema) -> dict[str, str | None]:
        """Return the unknown keys of a closed mapping, each with the one that it stands for."""
        if error.schema.get("additionalProperties") is not False:
            return {}
        known = self._known(error, path, schema)
        missing = [key for key in error.schema.get("required", ()) if key not in error.instance]
        return {
            key: meant_key(key, known, error.instance, missing)
            or key_of_target(key, known, error.instance)
            for key in error.instance
            if key not in known
        }


def _below(prefix: Path, problem: Problem) -> Problem:
    return replace(problem, path=(*prefix, *problem.path)) if prefix else problem
