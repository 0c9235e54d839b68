"""Check records against the public documentation of Databricks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import is_ignored_key, quoted, without
from evalcontract.formats.mlflow.records import RecordChecker, with_missing
from evalcontract.formats.mlflow.sources import (
    DOCUMENTED,
    documented_form,
    is_documented,
    kinds_of,
    shown,
)
from evalcontract.model.diagnostic import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.model.diagnostic import Path


class ManagedChecker(RecordChecker):
    """Checks records against the public documentation of Databricks."""

    named_by = "dataset_record_id"

    def adapt_faults(self, problems: list[Problem], row: Any, path: Path) -> list[Problem]:
        """Adapt the schema violations, and name their basis."""
        problems = with_missing(problems, row, path, "inputs")
        if isinstance(row, dict) and isinstance(source := row.get("source"), dict):
            problems = _missing_kind(problems, source, (*path, "source"))
            problems = _open_source_source(problems, source, (*path, "source"))
        return [_documented(problem) for problem in problems]

    def record_problems(self, row: dict[str, Any], path: Path) -> Iterable[Problem]:
        """Report a source of several kinds."""
        kinds = kinds_of(row.get("source"))
        if len(kinds) > 1:
            message = f"`source` has {quoted(kinds)}, but a record has one source"
            where = (*path, "source", kinds[1])
            yield _documented(
                Problem("mlflow/several-sources", message, where, "keep one", on_key=True)
            )


def _missing_kind(problems: list[Problem], source: dict[str, Any], path: Path) -> list[Problem]:
    """Report a misspelled kind as a missing one."""
    for kind in DOCUMENTED:
        if not kinds_of(source) and any(problem.path[:-1] == path for problem in problems):
            problems = with_missing(problems, source, path, kind)
    if any(p.path[:-1] == path and p.code == "mlflow/missing-key" for p in problems):
        return [problem for problem in problems if problem.path != path]
    return problems


def _open_source_source(
    problems: list[Problem], source: dict[str, Any], path: Path
) -> list[Problem]:
    """Report a source in the form of the open-source store as one problem."""
    if "source_type" not in source or is_documented(source):
        return problems
    form = documented_form(source)
    problem = Problem(
        "mlflow/open-source-source",
        "`source` with `source_type` is the form of the open-source store",
        (*path, "source_type"),
        f"write `source: {shown(form)}`" if form else "remove it: Databricks has no such source",
        on_key=True,
    )
    return [*without(problems, path), problem]


def _documented(problem: Problem) -> Problem:
    if is_ignored_key(problem):
        return problem
    return problem._replace(message=f"{problem.message}, per public documentation")
