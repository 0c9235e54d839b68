"""What the check of a row depends on besides the row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.datasets.budget import FindingBudget
from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.checks import EvalContext
    from evalcontract.datasets.gates import SharedGates
    from evalcontract.datasets.grading import Plans
    from evalcontract.library.artifact import UnreadableNames
    from evalcontract.library.library import Library
    from evalcontract.structure.parts import Schema


class RowContext(NamedTuple):
    """What the check of a row depends on besides the row.

    `bundles` are the usable schemas; `declared` are the names of all bundles, including those whose
    schema is invalid. `plans` and `gates` may be shared with other datasets. `graded` are the keys
    of rows that the graders of the runner read. `budget` limits the number of problems. Without
    `runs_rules`, only what makes rows ill-formed, and their references, are checked.
    """

    checks: EvalContext
    bundles: Mapping[str, Schema]
    declared: frozenset[str]
    unreadable: UnreadableNames
    plans: Plans | None = None
    gates: SharedGates | None = None
    graded: frozenset[str] = frozenset()
    budget: FindingBudget = FindingBudget()
    runs_rules: bool = True

    @property
    def library(self) -> Library:
        """The rubrics and judges that rows may refer to."""
        return self.checks.library
