"""Coverage of the rows of our datasets: which checks will run, before anything is run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.checks.coverage import RowCoverage, cover
from evalcontract.library.library import Dangling

if TYPE_CHECKING:
    from evalcontract.engine.grading import Grading

_CRASHED = "what its rubric does cannot be told: a bug of evalcontract"


def cover_row(grading: Grading, index: int, row: Any, fault: str | None) -> RowCoverage:
    """Return the coverage of a row; `fault` says why it is not well-formed, if it is not."""
    if fault is not None:
        return cover(index, row, None, fault=fault)
    found = grading.rubric_of(row.get("rubric_ref"))
    if found is None:
        return cover(index, row, None)
    if isinstance(found, Dangling):
        return cover(index, row, None, fault=f"there is no `{found.reference}`")
    plan = grading.plan(found.artifact)
    return cover(index, row, plan, fault=None if plan else _CRASHED)
