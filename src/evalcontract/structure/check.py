"""A value against its schema: every fault once, said for an author."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem
from evalcontract.structure.described import Described
from evalcontract.structure.engine import native_for, validator_for
from evalcontract.structure.gate import closed
from evalcontract.structure.keys import near_misses
from evalcontract.structure.schemas import alternatives, described, known_keys, load, properties
from evalcontract.structure.sentences import sentence_for
from evalcontract.structure.sentences_of_keys import missing_key, near_miss, unknown_key
from evalcontract.structure.spelling import glued, meant_key
from evalcontract.structure.words import closed_key

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
        errors: list[tuple[Schema, list[ValidationError]]] = [
            (self.schema, list(self._exact.iter_errors(value)))
        ]
        if self._also:
            more, unfinished = self._errors_also(value)
            found.extend(unfinished)
            errors.append((self._also, more))
        for schema, some in errors:
            faults = _Faults(self, schema, value, misspelled, some)
            found.extend(problem for error in some for problem in faults.of(error, raw, prefix))
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

    def known(self, error: ValidationError, path: Path, schema: Schema) -> dict[str, Schema]:
        """Return the keys that a mapping may have, by either schema at the top."""
        known = known_keys(error.schema, error.instance, schema)
        if path:
            return known
        both = (self.schema, self._also)
        return {**known, **{k: v for each in both for k, v in properties(each).items()}}


class _Faults:
    """The errors of one engine over one value, where one may explain another."""

    def __init__(
        self,
        structure: Structure,
        schema: Schema,
        value: Any,
        misspelled: set[tuple[Path, str]],
        errors: list[ValidationError],
    ) -> None:
        self._structure = structure
        self._schema = schema
        self._value = value
        self._misspelled = misspelled
        self._missing: dict[Path, list[str]] = {}
        self._refused: dict[Path, ValidationError] = {}
        for error in errors:
            if error.validator == "required":
                absent = [key for key in error.validator_value if key not in error.instance]
                self._missing.setdefault(tuple(error.absolute_path), []).extend(absent)
        closed = [each for each in errors if _is_closed(each)]
        self._unknown = {tuple(each.absolute_path): self._meant(each) for each in closed}

    def of(
        self, error: ValidationError, raw: Callable[[Path], str | None] | None, prefix: Path
    ) -> Iterator[Problem]:
        """Yield the findings of one error; none where another error tells the same."""
        path = tuple(error.absolute_path)
        kind = self._structure.kind
        unknown = self._unknown.get(path, {})
        if error.validator == "required":
            yield from self._required(error, path)
        elif _is_closed(error):
            known = self._structure.known(error, path, self._schema)
            for key, meant in unknown.items():
                if (path, meant) not in self._misspelled:
                    lost = self._missing.get(path, ())
                    yield unknown_key(kind, key, meant, known, path, error.instance, lost)
        elif error.validator == "unevaluatedProperties" and error.validator_value is False:
            yield from self._unevaluated(error, path)
        elif error.validator == "anyOf" and unknown:
            return  # what it asks for has another name
        elif self._is_told(error):
            return
        elif error.validator != "not" or path[:-1] not in {where for where, _ in self._misspelled}:
            # A key that cannot stand here is often right, and the one that allows it misspelled.
            written = raw((*prefix, *path)) if raw else None
            what = "a row" if prefix else f"a {kind}"
            yield sentence_for(kind, error, path, written, what)

    def _is_told(self, error: ValidationError) -> bool:
        """Whether an earlier key cannot stand here either, for the same reason."""
        if error.validator != "not":
            return False
        *reason, _key, _not = error.absolute_schema_path
        first = self._refused.setdefault((*reason, *error.absolute_path)[:-1], error)
        return first is not error

    def _required(self, error: ValidationError, path: Path) -> Iterator[Problem]:
        unknown = {*self._unknown.get(path, {}).values()}
        known = described(self._schema, self._value, path) | known_keys(
            error.schema, error.instance, self._schema
        )
        for key in error.validator_value:
            if key in error.instance or (path, key) in self._misspelled or key in unknown:
                continue
            # What would do instead of it may be there, misspelled.
            if not alternatives(self._schema, self._value, path, key) & unknown:
                kind = self._structure.kind
                yield missing_key(kind, key, path, error.instance, known, self._schema)

    def _unevaluated(self, error: ValidationError, path: Path) -> Iterator[Problem]:
        *way, key = path
        where = tuple(way)
        known = self._structure.known(error, where, self._schema)
        if where or key not in known:
            others = [each for each in known if each not in error.instance]
            meant = meant_key(str(key), known, error.instance, others)
            if (where, meant) not in self._misspelled:
                kind = self._structure.kind
                yield unknown_key(kind, str(key), meant, known, where, error.instance, ())

    def _meant(self, error: ValidationError) -> dict[str, str | None]:
        """Return the unknown keys of a closed mapping, each with the one that it stands for.

        One that resembles nothing stands for the one that is missing, where there is one of each.
        """
        path = tuple(error.absolute_path)
        known = self._structure.known(error, path, self._schema)
        missing = self._missing.get(path, [])
        found = {
            key: self._apart(key, error.instance, known)
            or meant_key(key, known, error.instance, missing)
            or closed_key(key, known, error.instance)
            for key in error.instance
            if key not in known
        }
        lost = [each for each in missing if each not in found.values()]
        odd = [key for key, meant in found.items() if meant is None]
        if len(lost) == len(odd) == 1:
            found[odd[0]] = lost[0]
        return found

    @staticmethod
    def _apart(key: str, value: dict[str, Any], known: dict[str, Schema]) -> str | None:
        apart = glued(key, value[key])
        return apart[0] if apart and apart[0] in known and apart[0] not in value else None


def _is_closed(error: ValidationError) -> bool:
    return error.validator == "additionalProperties" and error.validator_value is False


@cache
def structure_of(name: str) -> Structure:
    """Return the structure stage of one of the contract's own schemas, compiled once."""
    return Structure(name, load(name))


def _below(prefix: Path, problem: Problem) -> Problem:
    return replace(problem, path=(*prefix, *problem.path)) if prefix else problem
