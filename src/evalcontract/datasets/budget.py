"""The number of findings after which a dataset is not checked further."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.startup import NamedTuple
from evalcontract.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Collection

    from evalcontract.datasets.workers import BatchResult
    from evalcontract.model.diagnostic import Problem


class FindingBudget(NamedTuple):
    """At most so many findings, 0 for any number; `policy` says what becomes a finding.

    Findings with a cause that others may have, too, do not count: they become one. Neither do those
    with `ignored` codes, and those of rows that ignore some.
    """

    limit: int = 0
    policy: Policy = Policy()
    ignored: Collection[str] = ()

    def spending(self, ignoring: Collection[int] = ()) -> Spending:
        """Begin to spend it; `ignoring` are the rows whose problems do not count."""
        return Spending(self, ignoring)

    def counts(self, problem: Problem, ignoring: Collection[int]) -> bool:
        """Whether a problem counts; `ignoring` are rows whose problems do not."""
        if problem.cause is not None or problem.row_index in ignoring:
            return False
        from evalcontract.policy import is_chosen  # neither is needed for clean rows
        from evalcontract.workspace.known_codes import code_named

        is_reported = self.policy.severity_of(code_named(problem.code)) is not None
        return is_reported and not is_chosen(problem.code, self.ignored)


class Spending:
    """What is left of a budget, in the order in which problems are found."""

    def __init__(self, budget: FindingBudget, ignoring: Collection[int]) -> None:
        self._budget = budget
        self._ignoring = ignoring
        self._left = budget.limit

    @property
    def is_spent(self) -> bool:
        """Whether more problems than the limit count."""
        return self._left < 0

    def add(self, problem: Problem) -> None:
        """Count a problem."""
        if self._budget.limit:
            self._left -= self._budget.counts(problem, self._ignoring)

    def add_batch(self, result: BatchResult) -> None:
        """Count the problems and faults of a batch, of which those of some rows do not count."""
        if self._budget.limit:
            ignoring = {row.row_index for row in result.ignoring}
            counted = [
                problem for problem in result.problems if self._budget.counts(problem, ignoring)
            ]
            self._left -= len(result.batch.faults) + len(counted)
