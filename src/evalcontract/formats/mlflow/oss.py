"""Check records as the open-source store does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import has_lone_surrogate, is_below, without
from evalcontract.formats.mlflow.records import RecordChecker, with_missing
from evalcontract.formats.mlflow.sources import (
    DOCUMENTED,
    id_of,
    is_documented,
    open_source_form,
    shown,
)
from evalcontract.formats.mlflow.store_rules import Granularity, Merging, Outputs, mixed_goal
from evalcontract.model.diagnostic import Problem, Related
from evalcontract.source.installed import table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.formats._format import SchemaChecker
    from evalcontract.model.diagnostic import Path

_USER = "mlflow.user"
_SQLITE_LIMIT = 2**63
_IGNORED = "mlflow/ignored-key"


class StoreChecker(RecordChecker):
    """Checks records as `merge_records` of the open-source store does."""

    def __init__(self, schema: SchemaChecker) -> None:
        super().__init__(schema)
        self._merging = Merging()
        self._granularity = Granularity()
        self._outputs = Outputs()
        self._first: Path | None = None

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterable[Problem]:
        """Check the next record; the store reads less of one that it merges into an earlier one."""
        inputs = row.get("inputs") if isinstance(row, dict) else None
        self._first = self._merging.first_with(inputs, path) if isinstance(inputs, dict) else None
        return super().check(row, path, is_clean=is_clean)

    def adapt_faults(self, problems: list[Problem], row: Any, path: Path) -> list[Problem]:
        """Adapt the schema violations to what the store rejects."""
        problems = with_missing(problems, row, path, "inputs")
        if not isinstance(row, dict):
            return problems
        if self._first is not None:
            problems = without(problems, (*path, "source"))
            if not row.get("expectations"):
                problems = without(problems, (*path, "expectations"))
        problems = _documented_source(problems, row.get("source"), (*path, "source"))
        if mixed := mixed_goal(row.get("inputs"), path):
            problems = [*without(problems, (*path, "inputs")), mixed]
        return _explained(problems, row, path)

    def record_problems(self, row: dict[str, Any], path: Path) -> Iterable[Problem]:
        """Yield conflicts with earlier records, and values that the store cannot write."""
        problems = [*self._granularity.observe(row["inputs"], path)]
        if row.get("outputs") is not None:
            problems += self._outputs.observe(row["outputs"], path)
        if self._first is not None:
            problems.append(_merged(self._first, path))
        elif row.get("source"):
            key, value = id_of(row["source"])
            problems += _unstorable(value, (*path, "source", "source_data", key))
        if not isinstance(row.get("tags", {}), dict):
            problems.append(_empty_tags((*path, "tags")))
        elif row.get("tags") and _USER in row["tags"]:
            problems += _unstorable(row["tags"][_USER], (*path, "tags", _USER))
        return problems

    def finish(self) -> Iterable[Problem]:
        """Also report the reserved input if nothing shows that the author knows it."""
        return [*super().finish(), *self._granularity.finish()]


def _merged(first: Path, path: Path) -> Problem:
    number = int(first[-1]) + 1
    return Problem(
        "mlflow/equal-inputs",
        f"record {number} has the same `inputs`: MLflow merges this record into it",
        (*path, "inputs"),
        "make the inputs differ, or write one record",
        related=(Related("the record with the same inputs", (*first, "inputs")),),
    )


def _empty_tags(path: Path) -> Problem:
    message = "MLflow 3.17 fails on `tags` that are empty and no mapping; 3.18 stores the record"
    return Problem("mlflow/empty-tags", message, path, "remove the key, or write `{}`")


def _unstorable(value: Any, path: Path) -> Iterator[Problem]:
    """Report a value that does not fit into the column that the store copies it to."""
    is_half = isinstance(value, str) and has_lone_surrogate(value)
    is_large = isinstance(value, int) and not -_SQLITE_LIMIT <= value < _SQLITE_LIMIT
    if isinstance(value, dict | list) or is_half or is_large:
        message = f"`{path[-1]}` is copied into a text column, which cannot hold this value"
        yield Problem("mlflow/wrong-type", message, path, "write a text")


def _documented_source(problems: list[Problem], source: Any, path: Path) -> list[Problem]:
    """Report a source in Databricks' form as one problem."""
    if not is_documented(source) or not any(is_below(problem, path) for problem in problems):
        return problems
    form = open_source_form(source) or {"source_type": "…", "source_data": {"…": "…"}}
    kind = next(kind for kind in DOCUMENTED if kind in source)
    problem = Problem(
        "mlflow/documented-source",
        f"`source` with `{kind}` is Databricks' form, which the open-source store rejects",
        (*path, kind),
        f"write `source: {shown(form)}`",
        on_key=True,
    )
    return [*without(problems, path), problem]


def _explained(problems: list[Problem], row: dict[str, Any], path: Path) -> list[Problem]:
    """Explain why the store ignores columns that other parts of MLflow have.

    A record that the store exported has them all, which is no fault.
    """
    if all(problem.code != _IGNORED for problem in problems):
        return problems
    dropped = table("formats/mlflow.columns")["dropped"]
    if isinstance(row.get("dataset_record_id"), str):
        exported = {(*path, key) for key in dropped if key != "id"}
        problems = [p for p in problems if p.code != _IGNORED or p.path not in exported]
    return [
        problem._replace(help=dropped.get(problem.path[-1], problem.help))
        if problem.code == _IGNORED and problem.path[:-1] == path
        else problem
        for problem in problems
    ]
