"""Coverage of the rows of evalcontract datasets: predict which checks will run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.checks.coverage import RowCoverage, cover
from evalcontract.library.library import Dangling

if TYPE_CHECKING:
    from evalcontract.datasets.grading import Grading
    from evalcontract.model.diagnostic import Problem

_CRASHED = "its rubric cannot be analyzed: this is a bug in evalcontract"


def cover_row(grading: Grading, index: int, row: Any, fault: str | None) -> RowCoverage:
    """Return the coverage of a row; `fault` is the reason if the row is ill-formed."""
    if fault is not None:
        return cover(index, row, None, fault=fault)
    rubric = grading.rubric_of(row.get("rubric_ref"))
    if rubric is None:
        return cover(index, row, None, graded=grading.graded)
    if isinstance(rubric, Dangling):
        return cover(index, row, None, fault=f"there is no `{rubric.reference}`")
    plan = grading.plan_for_row(rubric.artifact)
    why = None if plan else _why_unknown(grading.crashes[rubric.artifact.file])
    return cover(index, row, plan, fault=why, graded=grading.graded)


def _why_unknown(problem: Problem) -> str:
    return problem.message if problem.code == "source/limit-exceeded" else _CRASHED
