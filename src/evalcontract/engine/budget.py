"""The number of findings after which a dataset is not checked further."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalcontract.policy import Policy
from evalcontract.policy.selection import is_chosen
from evalcontract.workspace.known_codes import code_named

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from evalcontract.engine.workers import BatchResult
    from evalcontract.model.diagnostic import Problem


class FindingBudget(NamedTuple):
    """At most so many findings, 0 for any number; `policy` says what becomes a finding.

    Findings with a cause that others may have, too, do not count: they become one. Neither do those
    with `ignored` codes, and those of rows that ignore some.
    """

    limit: int = 0
    policy: Policy = Policy()
    ignored: Collection[str] = ()

    def bounded(
        self, problems: Iterable[Problem], ignoring: Collection[int] = ()
    ) -> Iterator[Problem]:
        """Yield problems until one more than the limit count; `ignoring` are rows that do not."""
        left = self.limit
        for problem in problems:
            yield problem
            left -= bool(self.limit) and self._counts(problem, ignoring)
            if left < 0:
                return

    def while_left(self, results: Iterable[BatchResult]) -> Iterator[BatchResult]:
        """Yield the results of batches until more problems than the limit count."""
        left = self.limit
        for result in results:
            yield result
            if self.limit:
                ignoring = {row.row_index for row in result.ignoring}
                counted = sum(self._counts(problem, ignoring) for problem in result.problems)
                left -= len(result.batch.faults) + counted
                if left < 0:
                    return

    def _counts(self, problem: Problem, ignoring: Collection[int]) -> bool:
        if problem.cause is not None or problem.row_index in ignoring:
            return False
        is_reported = self.policy.severity_of(code_named(problem.code)) is not None
        return is_reported and not is_chosen(problem.code, self.ignored)
