"""A value against its schema: every fault once, said for an author."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem
from evalcontract.structure.engine import validator_for
from evalcontract.structure.keys import meant_key, near_misses
from evalcontract.structure.schemas import known_keys
from evalcontract.structure.sentences import missing_key, sentence_for, unknown_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

    from evalcontract.model.path import Path
    from evalcontract.structure.schemas import Schema


class Structure:
    """The structure stage for one schema. `kind` is the first word of its codes."""

    def __init__(self, kind: str, schema: Schema) -> None:
        self.kind = kind
        self.schema = schema

    @cached_property
    def _validator(self) -> Validator:
        return validator_for(self.schema)

    def check(
        self,
        value: Any,
        prefix: Path = (),
        raw: Callable[[Path], str | None] | None = None,
        *,
        known: frozenset[str] = frozenset(),
        near: bool = True,
    ) -> list[Problem]:
        """Return the faults of a value and its near-miss keys, one for each mistake.

        `raw(path)` gives a scalar as its author wrote it, where the text is at hand: `1.10` is
        the number 1.1 by then, and the help must show what stands in the file.
        `known` are keys that another schema gives the value: no near misses, and candidates of
        them. `near` is False for a schema that describes a part of a value only.
        """
        errors = list(self._validator.iter_errors(value))
        misses = list(near_misses(value, self.schema, self.schema, self.kind, also=known))
        if not near:
            misses = []
        taken = {(miss.path[:-1], miss.help) for miss in misses}
        found = [*misses]
        for error in errors:
            found.extend(self._problems(error, taken, raw, prefix))
        unique = {(each.code, each.path, each.message): each for each in found}
        return [_below(prefix, each) for each in unique.values()]

    def _problems(
        self,
        error: ValidationError,
        taken: set[tuple[Path, str | None]],
        raw: Callable[[Path], str | None] | None,
        prefix: Path,
    ) -> Iterator[Problem]:
        path = tuple(error.absolute_path)
        if error.validator == "required":
            for key in error.validator_value:
                meant = (path, f"did you mean `{key}`?")
                there = key in error.instance or meant in taken
                if not there and not self._is_misspelled(key, error):
                    yield missing_key(self.kind, key, path, error, self.schema)
        elif error.validator == "additionalProperties" and error.validator_value is False:
            known = known_keys(error.schema, error.instance, self.schema)
            missing = [key for key in error.schema.get("required", ()) if key not in error.instance]
            for key in error.instance:
                if key not in known:
                    meant_one = meant_key(key, known, error.instance, missing)
                    yield unknown_key(self.kind, key, meant_one, known, path, error)
        else:
            written = raw((*prefix, *path)) if raw else None
            yield sentence_for(
                self.kind, error, path, written, "a row" if prefix else f"a {self.kind}"
            )

    def _is_misspelled(self, key: str, error: ValidationError) -> bool:
        """Whether an unknown key of a closed mapping is this missing one, misspelled."""
        if error.schema.get("additionalProperties") is not False:
            return False
        known = known_keys(error.schema, error.instance, self.schema)
        missing = [each for each in error.schema["required"] if each not in error.instance]
        unknown = [each for each in error.instance if each not in known]
        return any(meant_key(each, known, error.instance, missing) == key for each in unknown)


def _below(prefix: Path, problem: Problem) -> Problem:
    if not prefix:
        return problem
    return Problem(
        problem.code, problem.message, (*prefix, *problem.path), problem.help, problem.on_key
    )
