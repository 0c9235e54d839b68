"""Schema validation for a dialect: the implementation of `formats._format.SchemaChecker`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache, cached_property, lru_cache
from typing import Any

from evalcontract.model.codes import GUESSES
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.nearest import nearest
from evalcontract.model.startup import NamedTuple
from evalcontract.source.document import value_at
from evalcontract.structure.authored import PatternMatcher
from evalcontract.structure.gate import TimedValidator, TooMuchWork, closed
from evalcontract.structure.key_messages import near_miss
from evalcontract.structure.keys.mismatches import KeyMismatch
from evalcontract.structure.keys.names import other_name
from evalcontract.structure.native import Fits, NativeValidator, native_for
from evalcontract.structure.parts import Schema, follow
from evalcontract.structure.schema_faults import schema_faults
from evalcontract.structure.schema_keywords import remarks
from evalcontract.structure.schemas import (
    OWN_PREFIX,
    branches,
    definition,
    known_keys,
    load,
)
from evalcontract.structure.validator import SchemaValidator

Row = dict[str, Any]
#: The way to a mapping: keys, and None for each item of a list.
_Steps = tuple[str | None, ...]
_OF_OURS = "/foreign-key"
# Schemas may refer to themselves.
_DEEPEST = 8


class IgnoredKey(NamedTuple):
    """The path of an ignored key, and the key that the loader reads for it, if there is one."""

    path: Path
    meant: str | None


def ignored_keys(
    value: Any, schema: Schema, root: Schema, fits: Fits, path: Path = ()
) -> Iterator[IgnoredKey]:
    """Yield the ignored keys in a value, including nested mappings and lists.

    Custom keys, which begin with `x_`, are left out.
    """
    schema = follow(schema, root)
    if isinstance(value, list):
        for index, part in enumerate(value):
            if isinstance(part, dict | list):
                yield from ignored_keys(
                    part, schema.get("items", {}), root, fits=fits, path=(*path, index)
                )
    if not isinstance(value, dict):
        return
    known = known_keys(schema, value, root)
    if known and not any("additionalProperties" in part for part in branches(schema, value, root)):
        for key in value:
            if key not in known and not key.startswith(OWN_PREFIX):
                yield IgnoredKey((*path, key), other_name(key, value, known, fits=fits))
    for key, subschema in known.items():
        if isinstance(value.get(key), dict | list):
            yield from ignored_keys(value[key], subschema, root, fits=fits, path=(*path, key))


class _Definition:
    """A definition of the schema of a dialect, and what is made of it at its first use."""

    def __init__(self, name: str, schema: Schema) -> None:
        self.validator = SchemaValidator(name, schema)
        self.schema = schema

    @cached_property
    def fits(self) -> Fits:
        return Fits(self.schema)

    @cached_property
    def open_mappings(self) -> list[tuple[_Steps, frozenset[str]]]:
        """The mappings that may have any keys besides those that are described, and these."""
        return [*_open_mappings(self.schema, self.schema, ())]


def _open_mappings(
    schema: Any, root: Schema, steps: _Steps
) -> Iterator[tuple[_Steps, frozenset[str]]]:
    schema = follow(schema, root)
    known = schema.get("properties", {})
    if known and schema.get("additionalProperties", False) is not False:
        yield steps, frozenset(known)
    parts = [((*steps, key), part) for key, part in known.items()]
    parts += [((*steps, None), schema["items"])] if "items" in schema else []
    parts += [(steps, schema[key]) for key in ("then", "else") if key in schema]
    for place, part in parts if len(steps) < _DEEPEST else ():
        yield from _open_mappings(part, root, place)


def _mappings_at(value: Any, steps: _Steps, path: Path) -> Iterator[tuple[Path, Row]]:
    """Yield the mappings at a place of a value, each with its path."""
    if not steps:
        if isinstance(value, dict):
            yield path, value
        return
    key, *rest = steps
    if key is None:
        for index, part in enumerate(value if isinstance(value, list) else ()):
            yield from _mappings_at(part, (*rest,), (*path, index))
    elif isinstance(value, dict) and key in value:
        yield from _mappings_at(value[key], (*rest,), (*path, key))


class _OwnValidator(SchemaValidator):
    """Validates against a schema that a file brings: of keys it says only that they are misspelled.

    What other tools call the same is unknown there.
    """

    def mismatches(self, value: Any) -> list[KeyMismatch]:
        found = (each for each in super().mismatches(value) if each.fault == "near-miss-key")
        return [each for each in found if each.meant not in value_at(value, each.path)]


class DialectChecker:
    """Checks values against the definitions of the schema `of`.

    `name` is the prefix of the codes, `title` the display name of the system. `others` are the
    schemas of other readers of the same files, each with the name of the reader.
    """

    def __init__(
        self, name: str, title: str, of: str, others: tuple[tuple[str, str], ...] = ()
    ) -> None:
        self._name = name
        self._title = title
        self._of = of
        self._others = [(reader, DialectChecker(name, title, each)) for each, reader in others]
        self._definitions: dict[str, _Definition] = {}

    def faults(self, value: Any, path: Path, of: str = "row") -> list[Problem]:
        """Return the problems of a value, including the keys that the system does not read."""
        problems = self._definition(of).validator.check(value, path)
        if any(problem.code.endswith(GUESSES) for problem in problems):
            misspelled = self._misspelled(value, path, of)
            problems = [_as_missing(problem, misspelled.get(problem.path)) for problem in problems]
            # The names of other tools for keys of ours are no keys of theirs.
            problems = [problem for problem in problems if not problem.code.endswith(_OF_OURS)]
        reported = {problem.path for problem in problems}
        return [*problems, *self._ignored(value, path, of, reported=reported)]

    def unread(self, value: Any, path: Path, of: str = "row") -> list[Problem]:
        """Return the keys in a value that the system does not read, mismatched keys included."""
        mismatches = self._definition(of).validator.mismatches(value)
        problems = [_below(path, near_miss(self._name, mismatch)) for mismatch in mismatches]
        reported = {problem.path for problem in problems}
        return [*problems, *self._ignored(value, path, of, reported=reported)]

    def keywords(self, schema: Schema, path: Path) -> list[Problem]:
        """Return the misspelled keywords and required keys of a valid schema that a file brings."""
        code = f"{self._name}/near-miss-key"
        found = (each for each in remarks(schema) if each.fault.startswith("near-miss"))
        return [
            Problem(code, each.message, (*path, *each.path), each.help, each.on_key)
            for each in found
        ]

    def own(self, schema: Schema) -> Callable[[Any, Path], list[Problem]] | str:
        """Return a check against a schema that a file brings; why not if it is invalid."""
        faults = schema_faults(schema)
        if faults:
            return faults[0].message
        search = PatternMatcher().matches
        quick = TimedValidator(schema, search)
        exact = _OwnValidator(self._name, {}, schema, search=search)

        def check(value: Any, path: Path) -> list[Problem]:
            try:
                if quick.is_valid(value):
                    misspelled = exact.mismatches(value)
                    return [_below(path, near_miss(self._name, each)) for each in misspelled]
            except (TooMuchWork, ValueError, TypeError, RecursionError):
                pass  # the exact engine decides, and counts its steps
            return exact.check(value, path)

        return check

    def near_misses(self, value: Any, path: Path, of: str = "row") -> list[Problem]:
        """Return the keys of open mappings in a value that are probably misspelled.

        Any other key is allowed there, so that the gate does not know of them.
        """
        return [
            Problem(
                f"{self._name}/near-miss-key",
                f"unknown key `{place[-1]}`",
                place,
                f"did you mean `{near}`?",
                on_key=True,
            )
            for place, near in self._near_keys(value, path, of)
        ]

    def _near_keys(self, value: Any, path: Path, of: str) -> Iterator[tuple[Path, str]]:
        for steps, known in self._definition(of).open_mappings:
            for place, mapping in _mappings_at(value, steps, path):
                if mapping.keys() <= known:
                    continue
                for key in mapping:
                    near = None if key in known else _nearest(key, known)
                    if near and near not in mapping:
                        yield (*place, key), near

    def passes(self, rows: list[Any]) -> bool:
        """Whether all rows are proved to have no problems in their structure."""
        try:
            return bool(self._gate.is_valid(rows))
        except (ValueError, TypeError, RecursionError):
            return False  # not a JSON value: the exact engine decides

    def _misspelled(self, value: Any, path: Path, of: str) -> dict[Path, str]:
        """Return the required keys that are present under another name, by their actual path."""
        # The loader of the system does not find them.
        validator = self._definition(of).validator
        missing = validator.missing_keys(value)
        misspelled: dict[Path, str] = {}
        for mismatch in validator.mismatches(value):
            required = (mismatch.path, mismatch.meant)
            if required in missing:
                missing.remove(required)
                misspelled[*path, *mismatch.path, mismatch.key] = mismatch.meant
        return misspelled

    def _ignored(self, value: Any, path: Path, of: str, *, reported: set[Path]) -> list[Problem]:
        schema, fits = self._definition(of).schema, self._definition(of).fits
        found = [
            each
            for each in ignored_keys(value, schema, schema, fits=fits, path=path)
            if each.path not in reported
        ]
        if all(each.meant for each in found):
            return [self._ignored_key(each, None, []) for each in found]
        elsewhere = self._meant_elsewhere(value, path, of)
        read = self._read_elsewhere(value, path, of)
        return [
            self._ignored_key(each, elsewhere.get(each.path), read[each.path]) for each in found
        ]

    def _read_elsewhere(self, value: Any, path: Path, of: str) -> defaultdict[Path, list[str]]:
        """Return the keys of a mapping that other readers read, each with these readers."""
        read: defaultdict[Path, list[str]] = defaultdict(list)
        for reader, other in self._others:
            root = load(other._of)  # noqa: SLF001 - of this class
            for key in known_keys(root["$defs"].get(of, {}), value, root):
                read[*path, key].append(reader)
        return read

    def _meant_elsewhere(self, value: Any, path: Path, of: str) -> dict[Path, str]:
        """Return the keys that stand for one of another reader, each with what was meant."""
        return {
            (*path, *place): f"`{meant}`, which {reader} reads"
            for reader, other in reversed(self._others)
            for place, meant in other.meant_keys(value, of).items()
        }

    def meant_keys(self, value: Any, of: str) -> dict[Path, str]:
        """Return the keys of a value that stand for others by their spelling or their meaning."""
        if of not in load(self._of)["$defs"]:
            return {}
        known = self._definition(of)
        named = ignored_keys(value, known.schema, known.schema, fits=known.fits)
        found = dict(self._near_keys(value, (), of))
        found |= {each.path: each.meant for each in named if each.meant}
        for mismatch in known.validator.mismatches(value):
            if mismatch.fault == "near-miss-key":
                found[*mismatch.path, mismatch.key] = mismatch.meant
        return found

    def _ignored_key(self, key: IgnoredKey, elsewhere: str | None, readers: list[str]) -> Problem:
        """Report a key that is not read: a near miss if it stands for one that is, somewhere."""
        advice = "remove it, or prefix its name with `x_` to mark it as a custom key"
        near, path = f"`{key.meant}`" if key.meant else elsewhere, key.path
        code = f"{self._name}/{'near-miss-key' if near else 'ignored-key'}"
        message = f"{self._title} does not read `{path[-1]}`"
        if readers and not near:
            message = f"`{path[-1]}` is read by {' and '.join(readers)} alone"
            advice = "remove it if the file is not meant for that"
        return Problem(
            code, message, path, f"did you mean {near}?" if near else advice, on_key=True
        )

    def _definition(self, of: str) -> _Definition:
        if of not in self._definitions:
            self._definitions[of] = _Definition(self._name, definition(of, of=self._of))
        return self._definitions[of]

    @cached_property
    def _gate(self) -> NativeValidator:
        row = closed(self._definition("row").schema)
        root = {key: part for key, part in row.items() if key in ("$schema", "$defs")}
        items = {key: part for key, part in row.items() if key not in root}
        return native_for({**root, "type": "array", "items": items})


@cache
def dialect_checker(
    name: str, title: str, of: str, others: tuple[tuple[str, str], ...] = ()
) -> DialectChecker:
    """Return the checker of a dialect, which all its files share with what it has compiled."""
    return DialectChecker(name, title, of, others)


@lru_cache(maxsize=4096)
def _nearest(key: str, known: frozenset[str]) -> str | None:
    """Return the key that one probably stands for, which may lack its first word."""
    whole = f"expected_{key}"
    return nearest(key, sorted(known)) or (whole if whole in known else None)


def _as_missing(problem: Problem, key: str | None) -> Problem:
    if key is None:
        return problem
    name = problem.code.partition("/")[0]
    return problem._replace(code=f"{name}/missing-key", message=f"`{key}` is missing")


def _below(path: Path, problem: Problem) -> Problem:
    return problem.relocated(lambda relative_path: (*path, *relative_path))
