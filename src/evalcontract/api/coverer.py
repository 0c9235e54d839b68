"""The coverage of loaded rows."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

from evalcontract.checks import EvalContext
from evalcontract.datasets.plans import Grading, cover_row
from evalcontract.model.codes import ILL_FORMED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.api.loaded import LoadedRow
    from evalcontract.checks.coverage import RowCoverage
    from evalcontract.datasets.run import Run


class Coverer:
    """Computes the coverage of the rows of one dataset; `root` has its other keys.

    `graded` are the keys of rows that the graders of the runner read.
    """

    def __init__(
        self, run: Run, root: dict[str, Any], graded: frozenset[str] = frozenset()
    ) -> None:
        workspace = run.workspace
        has_php = shutil.which("php") is not None
        declared = workspace.configuration.declared_kinds
        context = EvalContext(
            workspace.library,
            has_php,
            workspace.read_json,
            workspace.schemas,
            declared=declared,
        )
        default = root.get("bundle")
        name = default if isinstance(default, str) else None
        self._grading = Grading(context, workspace.usable_bundles, name, graded=graded)

    def cover(self, rows: Iterable[LoadedRow]) -> tuple[RowCoverage, ...]:
        """Return the coverage of rows, in order."""
        return tuple(self._cover(row.index, row.value) for row in rows)

    def _cover(self, index: int, row: Any) -> RowCoverage:
        bundle = self._grading.bundle_of(row) if isinstance(row, dict) else None
        problems = self._grading.structure(bundle).check(row)
        # Runners ignore misspelled keys; the coverage shows which checks are skipped for that.
        faults = (problem.message for problem in problems if problem.code in ILL_FORMED)
        return cover_row(self._grading, index, row, next(faults, None))
