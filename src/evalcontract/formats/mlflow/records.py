"""One pass over records: what the checkers of all three dialects share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import FirstRows, is_ignored_key, stops_loader
from evalcontract.formats._format import RowChecker
from evalcontract.formats.mlflow import expectations as expected
from evalcontract.model.diagnostic import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.formats._format import SchemaChecker
    from evalcontract.model.diagnostic import Path

_MERGED = "mlflow/equal-inputs"
_MISSPELLED = ("mlflow/near-miss-key", "mlflow/misplaced-key")


class RecordChecker(RowChecker):
    """Checks records against the schema, and for expectations that no scorer can use.

    Subclasses add what each loader checks.
    """

    #: The key that names a record, if the loader reads one.
    named_by: str | None = None

    def __init__(self, schema: SchemaChecker) -> None:
        self._schema = schema
        self._names = FirstRows()
        self._without: list[Path] = []
        self._has_expectations = False

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterable[Problem]:
        """Check the next record."""
        faults = [] if is_clean else self._faults(row, path)
        if faults and stops_loader(faults):
            return faults
        problems = [*self.record_problems(row, path)]
        if problems and stops_loader(p for p in problems if p.code != _MERGED):
            return [*faults, *problems]
        if self.named_by and self.named_by in row:
            problems += self._names.duplicate(
                row[self.named_by], path, self.named_by, self._duplicate
            )
        expectations = row.get("expectations")
        if expectations and isinstance(expectations, dict):
            self._has_expectations = True
            problems += expected.expectation_problems(expectations, (*path, "expectations"))
        elif not faults and self.needs_expectations(row):
            self._without.append(path)
        return [*faults, *problems]

    def finish(self) -> Iterable[Problem]:
        """Report the records without expectations, unless no record has any.

        Such a dataset is meant for scorers that compare with nothing, or for a simulation.
        """
        without = self._without if self._has_expectations else ()
        return [expected.no_expectations(path) for path in without]

    def _faults(self, row: Any, path: Path) -> list[Problem]:
        """Return the schema violations, except misspelled expectations, which are checked later."""
        expectations = (*path, "expectations")
        return [
            problem
            for problem in self.adapt_faults(self._schema.faults(row, path), row, path)
            if problem.path[:-1] != expectations or not is_ignored_key(problem)
        ]

    @property
    def _duplicate(self) -> Problem:
        message = f"duplicate `{self.named_by}`: record {{number}} has `{{name}}` too"
        return Problem("mlflow/duplicate-id", message, (), "record ids must be unique")

    def adapt_faults(self, problems: list[Problem], row: Any, path: Path) -> list[Problem]:  # noqa: ARG002
        """Adapt the schema violations to what the loader rejects."""
        return problems

    def record_problems(self, row: dict[str, Any], path: Path) -> Iterable[Problem]:  # noqa: ARG002
        """Yield the problems of a record that satisfies the schema."""
        return ()

    def needs_expectations(self, row: dict[str, Any]) -> bool:  # noqa: ARG002
        """Whether a record can have expectations only under `expectations`."""
        return True


def with_missing(problems: list[Problem], value: Any, path: Path, key: str) -> list[Problem]:
    """Report a misspelled or misplaced key as a missing one if the loader requires it.

    The schema stage reports only the misspelling, which would not stop the loader.
    """
    if not isinstance(value, dict) or key in value:
        return problems
    return [_as_missing(p, key) if _means(p, path, key) else p for p in problems]


def _means(problem: Problem, path: Path, key: str) -> bool:
    is_here = problem.path[:-1] == path and problem.code in _MISSPELLED
    return is_here and f"`{key}`" in (problem.help or "")


def _as_missing(problem: Problem, key: str) -> Problem:
    message = f"`{key}` is missing; `{problem.path[-1]}` is not read"
    return problem._replace(code="mlflow/missing-key", message=message)
