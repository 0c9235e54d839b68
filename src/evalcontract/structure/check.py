"""A value against its schema: every fault once, said for an author."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem
from evalcontract.structure.described import Described
from evalcontract.structure.engine import native_for, validator_for
from evalcontract.structure.gate import closed
from evalcontract.structure.keys import meant_key, near_miss, near_misses
from evalcontract.structure.schemas import known_keys, properties
from evalcontract.structure.sentences import missing_key, sentence_for, unknown_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jsonschema import ValidationError
    from jsonschema.protocols import Validator
    from jsonschema_rs import Draft202012Validator as NativeValidator

    from evalcontract.model.path import Path
    from evalcontract.structure.schemas import Schema


#: Keywords that may be applied to one row by the schema of its bundle; ten seconds, about.
MOST_STEPS = 2_000_000


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
    def _exact(self) -> Validator:
        return validator_for(self.schema)

    @cached_property
    def _exact_also(self) -> Callable[[Any], list[ValidationError]]:
        from evalcontract.structure.exact import bounded  # slow to import

        return bounded(self._also, MOST_STEPS)

    @cached_property
    def _described(self) -> Described:
        return Described(self._also, self.schema)

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
        if self._also:
            misses += self._described.misses(value)
        found = [near_miss(self.kind, miss) for miss in misses]
        misspelled = {(miss.path, miss.meant) for miss in misses}
        for error in self._exact.iter_errors(value):
            found.extend(self._problems(error, self.schema, misspelled, raw, prefix))
        if self._also:
            errors, unfinished = self._errors_also(value)
            found.extend(unfinished)
            for error in errors:
                found.extend(self._problems(error, self._also, misspelled, raw, prefix))
        unique = {(each.code, each.path, each.message): each for each in found}
        return [_below(prefix, each) for each in unique.values()]

    def _errors_also(self, value: Any) -> tuple[list[ValidationError], list[Problem]]:
        """Return what breaks the second schema, or that it could not be found out."""
        from evalcontract.structure.exact import StepsExceededError  # slow to import

        code = f"{self.kind}/invalid-value"
        try:
            return self._exact_also(value), []
        except RecursionError:
            if native_for(self._also).is_valid(value):
                return [], []
            message = "the schema of the bundle refuses a part that is nested very deep"
            return [], [Problem(code, message, (), "write it flatter")]
        except StepsExceededError:
            message = f"checking this by the schema of its bundle takes over {MOST_STEPS:,} steps"
            advice = "let the schema lead to itself in one way only"
            return [], [Problem(code, message, (), advice)]

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
        elif error.validator == "unevaluatedProperties" and error.validator_value is False:
            yield from self._unevaluated(error, path, schema, misspelled)
        elif error.validator != "not" or path[:-1] not in {where for where, _ in misspelled}:
            # A key that cannot stand here is often right, and the one that allows it misspelled.
            written = raw((*prefix, *path)) if raw else None
            what = "a row" if prefix else f"a {self.kind}"
            yield sentence_for(self.kind, error, path, written, what)

    def _unevaluated(
        self, error: ValidationError, path: Path, schema: Schema, misspelled: set[tuple[Path, str]]
    ) -> Iterator[Problem]:
        *way, key = path
        where = tuple(way)
        known = self._known(error, where, schema)
        if where or key not in known:
            others = [each for each in known if each not in error.instance]
            meant = meant_key(str(key), known, error.instance, others)
            if (where, meant) not in misspelled:
                yield unknown_key(self.kind, str(key), meant, known, where, error)

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
            for key in error.instance
            if key not in known
        }


def _below(prefix: Path, problem: Problem) -> Problem:
    return replace(problem, path=(*prefix, *problem.path)) if prefix else problem
