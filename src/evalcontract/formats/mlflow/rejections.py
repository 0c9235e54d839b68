"""The findings of a schema, said as MLflow's own loaders refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import without
from evalcontract.formats.mlflow.sources import (
    DOCUMENTED,
    documented_form,
    is_documented,
    is_open_source,
    open_source_form,
)
from evalcontract.model.diagnostic import Problem
from evalcontract.source.shipped import table

if TYPE_CHECKING:
    from evalcontract.model.path import Path

_MISSED = ("mlflow/near-miss-key", "mlflow/misplaced-key")


def told_missing(problems: list[Problem], row: Any, path: Path, key: str) -> list[Problem]:
    """Return findings in which a required key that is there under another name is missing.

    The schema's stage tells the other name alone, which would not stop the loader.
    """
    if not isinstance(row, dict) or key in row:
        return problems
    return [_as_missing(each, key) if _stands_for(each, path, key) else each for each in problems]


def _stands_for(problem: Problem, path: Path, key: str) -> bool:
    is_here = problem.path[:-1] == path and problem.code in _MISSED
    return is_here and f"`{key}`" in (problem.help or "")


def _as_missing(problem: Problem, key: str) -> Problem:
    message = f"`{key}` is missing; `{problem.path[-1]}` is not read"
    return problem._replace(code="mlflow/missing-key", message=message)


def explained(problems: list[Problem], path: Path) -> list[Problem]:
    """Say why the open-source store drops columns that other parts of MLflow have."""
    if all(problem.code != "mlflow/ignored-key" for problem in problems):
        return problems
    dropped = table("formats/mlflow.columns")["dropped"]
    return [
        problem._replace(help=dropped.get(problem.path[-1], problem.help))
        if problem.code == "mlflow/ignored-key" and problem.path[:-1] == path
        else problem
        for problem in problems
    ]


def in_open_source(problems: list[Problem], row: Any, path: Path) -> list[Problem]:
    """Say of a source in Databricks' form how the open-source store wants it: one finding."""
    source = row.get("source") if isinstance(row, dict) else None
    where = (*path, "source")
    if not isinstance(source, dict) or not any(_below(each, where) for each in problems):
        return problems
    if not is_documented(source):
        return problems
    form = open_source_form(source) or {"source_type": "…", "source_data": {"…": "…"}}
    kind = next(each for each in DOCUMENTED if each in source)
    told = Problem(
        "mlflow/documented-source",
        f"`source` with `{kind}` is Databricks' form: the open-source store refuses it",
        (*where, kind),
        f"write `source: {_flow(form)}`",
        on_key=True,
    )
    return [*without(problems, where), told]


def in_databricks(problems: list[Problem], row: Any, path: Path) -> list[Problem]:
    """Say of a source in the open-source form how Databricks documents it: one finding."""
    source = row.get("source") if isinstance(row, dict) else None
    where = (*path, "source")
    if not is_open_source(source) or is_documented(source):
        return problems
    form = documented_form(source)
    advice = f"write `source: {_flow(form)}`" if form else "it has no such form: leave it out"
    told = Problem(
        "mlflow/open-source-source",
        "`source` with `source_type` is the form of the open-source store",
        (*where, "source_type"),
        advice,
        on_key=True,
    )
    return [*without(problems, where), told]


def _below(problem: Problem, path: Path) -> bool:
    return problem.path[: len(path)] == path


def _flow(value: Any) -> str:
    """Write a value on one line, as YAML and people read it."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {_flow(part)}' for key, part in value.items())}}}"
    return str(value)
