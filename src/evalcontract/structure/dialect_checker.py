"""The structure stage of a dialect, as formats borrow it: `SchemaChecker` of `formats._format`."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem
from evalcontract.structure.codes import GUESSES
from evalcontract.structure.gate import closed
from evalcontract.structure.keys.ignored import ignored_keys
from evalcontract.structure.messages.keys import near_miss
from evalcontract.structure.native import native_for
from evalcontract.structure.schemas import definition
from evalcontract.structure.validator import SchemaValidator

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator as NativeValidator

    from evalcontract.model.path import Path
    from evalcontract.structure.schemas import Schema


class DialectChecker:
    """Judges values by the definitions of the schema `of`.

    `name` is the first word of codes, `title` what people call the system.
    """

    def __init__(self, name: str, title: str, of: str) -> None:
        self._name = name
        self._title = title
        self._of = of
        self._structures: dict[str, SchemaValidator] = {}

    def faults(self, value: Any, path: Path, of: str = "row") -> list[Problem]:
        """Return what the schema refuses in a value, and the keys in it that nobody reads."""
        found = self._structure(of).check(value, path)
        if any(each.code.endswith(GUESSES) for each in found):
            missing = self._missing(value, path, of)
            found = [_wanted(each, missing.get(each.path)) for each in found]
        return [*found, *self._unread(value, path, of, {each.path for each in found})]

    def unread(self, value: Any, path: Path, of: str = "row") -> list[Problem]:
        """Return the keys in a value that nobody reads: near misses of known ones, and others."""
        mismatches = self._structure(of).mismatches(value)
        found = [_below(path, near_miss(self._name, mismatch)) for mismatch in mismatches]
        return [*found, *self._unread(value, path, of, {each.path for each in found})]

    def passes(self, rows: list[Any]) -> bool:
        """Whether there is nothing to say of the structure of any of these rows."""
        try:
            return bool(self._gate.is_valid(rows))
        except (ValueError, TypeError, RecursionError):
            return False  # no JSON value: look closely

    def _missing(self, value: Any, path: Path, of: str) -> dict[Path, str]:
        """Return the keys that must be there and are written otherwise, by where they stand.

        The loader of the system finds none of them.
        """
        structure = self._structure(of)
        missing = structure.missing_keys(value)
        found: dict[Path, str] = {}
        for mismatch in structure.mismatches(value):
            place = (mismatch.path, mismatch.meant)
            if place in missing:
                missing.remove(place)
                found[*path, *mismatch.path, mismatch.key] = mismatch.meant
        return found

    def _unread(self, value: Any, path: Path, of: str, told: set[Path]) -> list[Problem]:
        schema = self._schema(of)
        found = ((*path, *where) for where in ignored_keys(value, schema, schema))
        return [self._ignored(where) for where in found if where not in told]

    def _ignored(self, path: Path) -> Problem:
        return Problem(
            f"{self._name}/ignored-key",
            f"{self._title} does not read `{path[-1]}`",
            path,
            "remove it, or let its name begin with `x_` to say that it is yours",
            on_key=True,
        )

    def _structure(self, of: str) -> SchemaValidator:
        if of not in self._structures:
            self._structures[of] = SchemaValidator(self._name, definition(of, of=self._of))
        return self._structures[of]

    def _schema(self, of: str) -> Schema:
        return self._structure(of).schema

    @cached_property
    def _gate(self) -> NativeValidator:
        row = closed(self._schema("row"))
        head = {key: part for key, part in row.items() if key in ("$schema", "$defs")}
        inner = {key: part for key, part in row.items() if key not in head}
        return native_for({**head, "type": "array", "items": inner})


def _wanted(problem: Problem, key: str | None) -> Problem:
    if key is None:
        return problem
    name = problem.code.partition("/")[0]
    return problem._replace(code=f"{name}/missing-key", message=f"`{key}` is missing")


def _below(path: Path, problem: Problem) -> Problem:
    return problem.relocated(lambda inner: (*path, *inner))
