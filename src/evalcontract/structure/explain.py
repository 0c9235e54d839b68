"""What to tell of a value that is not clean: each mistake once, and causes before consequences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.structure.keys.aliases import canonical_closed_key
from evalcontract.structure.keys.fixes import Held
from evalcontract.structure.keys.fixes import unknown as fix_unknown
from evalcontract.structure.keys.spelling import meant_key, split_key_value
from evalcontract.structure.messages.keys import missing_key, near_miss, unknown_key
from evalcontract.structure.messages.values import message_for
from evalcontract.structure.schemas import alternatives, described, known_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evalcontract.model.diagnostic import Problem
    from evalcontract.model.path import Path
    from evalcontract.structure.keys.mismatches import KeyMismatch
    from evalcontract.structure.native import SchemaViolation
    from evalcontract.structure.schemas import Schema
    from evalcontract.structure.violations import SchemaPair


def explain(
    pair: SchemaPair,
    value: Any,
    mismatches: list[KeyMismatch],
    violations: list[tuple[Schema, list[SchemaViolation]]],
    prefix: Path,
    raw: Callable[[Path], str | None] | None,
) -> list[Problem]:
    """Return the problems of a value, by what breaks its schemas and by its mismatched keys.

    `prefix` is the path of the value, `raw` as for `SchemaValidator.check`.
    """
    problems = [near_miss(pair.kind, mismatch) for mismatch in mismatches]
    misspelled = {(mismatch.path, mismatch.meant) for mismatch in mismatches}
    for schema, errors in violations:
        explanation = _Explanation(pair, schema, value, misspelled, errors)
        for error in errors:
            problems += explanation.of(error, raw, prefix)
    unique = {(problem.code, problem.path, problem.message): problem for problem in problems}
    return [_below(prefix, problem) for problem in unique.values()]


class _Explanation:
    """What breaks one schema in one value, where one violation may explain another."""

    def __init__(
        self,
        pair: SchemaPair,
        schema: Schema,
        value: Any,
        misspelled: set[tuple[Path, str]],
        errors: list[SchemaViolation],
    ) -> None:
        self._pair = pair
        self._schema = schema
        self._value = value
        self._misspelled = misspelled
        self._fits = pair.fits(schema)
        self._missing: dict[Path, list[str]] = {}
        self._refused: dict[Path, SchemaViolation] = {}
        for error in errors:
            if error.validator == "required":
                absent = [key for key in error.validator_value if key not in error.instance]
                self._missing.setdefault(tuple(error.absolute_path), []).extend(absent)
        closed = [each for each in errors if _is_closed(each)]
        self._unknown = {tuple(each.absolute_path): self._meant(each) for each in closed}

    def of(
        self, error: SchemaViolation, raw: Callable[[Path], str | None] | None, prefix: Path
    ) -> Iterator[Problem]:
        """Yield the findings of one error; none where another error tells the same."""
        path = tuple(error.absolute_path)
        kind = self._pair.kind
        unknown = self._unknown.get(path, {})
        if error.validator == "required":
            yield from self._required(error, path)
        elif _is_closed(error):
            known = self._pair.known(error, path, self._schema)
            for key, meant in unknown.items():
                if (path, meant) not in self._misspelled:
                    lost, every = self._missing.get(path, ()), unknown.values()
                    held = Held(path, key, error.instance)
                    fix = fix_unknown(held, meant, every, known, lost, self._fits)
                    yield unknown_key(kind, key, meant, known, path, error.instance, lost, fix)
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
            yield message_for(kind, error, path, written, what)

    def _is_told(self, error: SchemaViolation) -> bool:
        """Whether an earlier key cannot stand here either, for the same reason."""
        if error.validator != "not":
            return False
        *reason, _key, _not = error.absolute_schema_path
        first = self._refused.setdefault((*reason, *error.absolute_path)[:-1], error)
        return first is not error

    def _required(self, error: SchemaViolation, path: Path) -> Iterator[Problem]:
        unknown = {*self._unknown.get(path, {}).values()}
        known = described(self._schema, self._value, path) | known_keys(
            error.schema, error.instance, self._schema
        )
        for key in error.validator_value:
            if key in error.instance or (path, key) in self._misspelled or key in unknown:
                continue
            # What would do instead of it may be there, misspelled.
            if not alternatives(self._schema, self._value, path, key) & unknown:
                kind = self._pair.kind
                yield missing_key(kind, key, path, error.instance, known, self._schema)

    def _unevaluated(self, error: SchemaViolation, path: Path) -> Iterator[Problem]:
        *way, key = path
        where = tuple(way)
        known = self._pair.known(error, where, self._schema)
        if where or key not in known:
            others = [each for each in known if each not in error.instance]
            meant = meant_key(str(key), known, error.instance, others)
            if (where, meant) not in self._misspelled:
                kind, value = self._pair.kind, error.instance
                held = Held(where, str(key), value)
                fix = fix_unknown(held, meant, [meant], known, (), self._fits)
                yield unknown_key(kind, str(key), meant, known, where, value, (), fix)

    def _meant(self, error: SchemaViolation) -> dict[str, str | None]:
        """Return the unknown keys of a closed mapping, each with the one that it stands for.

        One that resembles nothing stands for the one that is missing, where there is one of each.
        """
        path = tuple(error.absolute_path)
        known = self._pair.known(error, path, self._schema)
        missing = self._missing.get(path, [])
        found = {
            key: self._apart(key, error.instance, known)
            or meant_key(key, known, error.instance, missing)
            or canonical_closed_key(key, known, error.instance)
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
        apart = split_key_value(key, value[key])
        return apart[0] if apart and apart[0] in known and apart[0] not in value else None


def _is_closed(error: SchemaViolation) -> bool:
    return error.validator == "additionalProperties" and error.validator_value is False


def _below(prefix: Path, problem: Problem) -> Problem:
    return problem.relocated(lambda path: (*prefix, *path)) if prefix else problem
