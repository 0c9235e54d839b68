"""Validate a value against its schema, and report each mistake once.

The steps of `check`, in order: `violations` collects the schema violations, `keys` the mismatched
keys, `explain` decides which of them to report, and `messages` writes the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

from evalcontract.model.codes import GUESSES
from evalcontract.model.diagnostic import Path, Problem, below
from evalcontract.structure.gate import closed
from evalcontract.structure.native import Matches, NativeValidator, matches, native_for
from evalcontract.structure.parts import Schema
from evalcontract.structure.schemas import load
from evalcontract.structure.violations import SchemaPair

if TYPE_CHECKING:
    from evalcontract.structure.keys.bundle_fields import BundleFields
    from evalcontract.structure.keys.mismatches import KeyMismatch, KeyMismatches


class SchemaValidator:
    """Validates values of one kind; `kind` is the prefix of the codes.

    `bundle_schema` is a second schema for the same value. A key defined by either schema is known,
    and no problem is reported twice. `search` tells whether one of its patterns matches in a text.
    `closed_schema` returns the first schema as `gate.closed` does, if it ships so.
    """

    def __init__(
        self,
        kind: str,
        schema: Schema,
        bundle_schema: Schema | None = None,
        search: Matches = matches,
        closed_schema: Callable[[], Schema] | None = None,
    ) -> None:
        self.schema = schema
        self._closed_schema = closed_schema or partial(closed, schema)
        self._pair = SchemaPair(kind, schema, bundle_schema, search=search)

    def with_bundle(self, bundle_schema: Schema, search: Matches = matches) -> SchemaValidator:
        """Return a validator with a second schema, which shares what is compiled of the first."""
        validator = SchemaValidator(self._pair.kind, self.schema)
        validator._pair = self._pair.with_bundle(bundle_schema, search)
        return validator

    def is_clean(self, value: Any) -> bool:
        """Whether a single native call proves the value valid; always False with a bundle."""
        if self._pair.bundle_schema:
            return False
        try:
            return self._closed.is_valid(value)
        except (ValueError, TypeError, RecursionError):
            return False  # not a JSON value: the exact engine decides

    def are_clean(self, values: list[Any]) -> bool:
        """Whether a single native call proves several values valid; see `is_clean`."""
        if self._pair.bundle_schema:
            return False
        try:
            return self._closed_list.is_valid(values)
        except (ValueError, TypeError, RecursionError):
            return False

    def check(
        self, value: Any, prefix: Path = (), source_text: Callable[[Path], str | None] | None = None
    ) -> list[Problem]:
        """Return the problems of a value, one for each mistake, including mismatched keys.

        `prefix` is the path of the value. `source_text(path)` returns a scalar as written in the
        file, if the text is available: `1.10` is parsed as the number 1.1, but the help must show
        what the file contains.
        """
        if self.is_clean(value):
            return []
        from evalcontract.structure.explain import explain  # slow to import

        violations, unfinished = self._pair.violations(value)
        mismatches = self.mismatches(value)
        problems = explain(
            self._pair,
            value,
            mismatches,
            violations=violations,
            prefix=prefix,
            source_text=source_text,
        )
        return [*problems, *(below(prefix, problem) for problem in unfinished)]

    def mismatches(self, value: Any) -> list[KeyMismatch]:
        """Return the keys of a value that are misspelled, misplaced or named as in another tool."""
        own = list(self.key_mismatches.of(value))
        return [*own, *self.bundle_fields.mismatches(value)] if self._pair.bundle_schema else own

    def missing_keys(self, value: Any) -> set[tuple[Path, str]]:
        """Return the required keys that are missing, each with the path of its mapping."""
        return {
            (violation.path, key)
            for _, violations in self._pair.violations(value)[0]
            for violation in violations
            if violation.keyword == "required"
            for key in violation.keyword_value
            if key not in violation.instance
        }

    @cached_property
    def bundle_fields(self) -> BundleFields:
        """The fields that the bundle schema describes below its top-level keys."""
        from evalcontract.structure.keys.bundle_fields import BundleFields  # slow to import

        return BundleFields(self._pair.bundle_schema, self.schema)

    @cached_property
    def _closed(self) -> NativeValidator:
        return native_for(self._closed_schema())

    @cached_property
    def _closed_list(self) -> NativeValidator:
        return native_for({"items": self._closed_schema()})

    @cached_property
    def key_mismatches(self) -> KeyMismatches:
        """Finds mismatched keys, without the fields that a bundle describes."""
        from evalcontract.structure.keys.mismatches import KeyMismatches  # slow to import

        return KeyMismatches(self.schema, self._pair.bundle_schema)


@cache
def structure_of(name: str) -> SchemaValidator:
    """Return the cached validator of one of the contract's own schemas."""
    return SchemaValidator(name, load(name))


#: The checks of a rubric, each with its path.
Checks = tuple[tuple[Path, dict[str, Any]], ...]


def valid_parts_of_rubric(
    value: dict[str, Any], declared: frozenset[str] = frozenset()
) -> tuple[dict[str, Any], Checks]:
    """Check the structure of a rubric, and return its valid top-level keys and its valid checks.

    Checks of the kinds that are `declared` are valid, too, since only another runner knows them.
    """
    problems = structure_of("rubric").check(value)
    return valid_parts(value, without_declared(problems, value, declared))


def without_declared(
    problems: Iterable[Problem], value: Any, declared: frozenset[str]
) -> list[Problem]:
    """Return problems of a rubric but for those of the kinds of checks that are declared."""
    return [problem for problem in problems if declared_kind(problem, value, declared) is None]


def declared_kind(problem: Problem, value: Any, declared: frozenset[str]) -> str | None:
    """Return the kind that a problem is about, if it is unknown and declared."""
    match problem.path:
        case ("checks", int() as index, "kind") if problem.code == "rubric/unknown-value":
            kind = value["checks"][index]["kind"]
            return kind if isinstance(kind, str) and kind in declared else None
    return None


def valid_parts(
    value: dict[str, Any], problems: Iterable[Problem]
) -> tuple[dict[str, Any], Checks]:
    """Return the valid top-level keys of an artifact, and its valid checks.

    An invalid check of a rubric is left out alone; any other problem excludes its top-level key. If
    not all faults were listed, nothing is known to be valid.
    """
    problems = tuple(problems)
    if any(problem.code == "source/limit-exceeded" for problem in problems):
        return {}, ()
    paths = [problem.path for problem in problems if not problem.code.endswith(GUESSES)]
    invalid_checks = {path[:2] for path in paths if path[:1] == ("checks",) and len(path) > 1}
    invalid_keys = {path[0] for path in paths if path and path[:2] not in invalid_checks}
    valid = {key: part for key, part in value.items() if key not in invalid_keys}
    checks = valid.get("checks")
    numbered = enumerate(checks) if isinstance(checks, list) else ()
    valid_checks = tuple(
        (("checks", index), check)
        for index, check in numbered
        if ("checks", index) not in invalid_checks and "kind" in check  # may be misspelled
    )
    return valid, valid_checks
