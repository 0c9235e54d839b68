"""The number of findings after which a dataset is not checked further."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalcontract.policy import Policy
from evalcontract.workspace.known_codes import code_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.engine.workers import BatchResult
    from evalcontract.model.diagnostic import Problem


class FindingBudget(NamedTuple):
    """At most so many findings, 0 for any number; `policy` says what becomes a finding.

    Findings with a cause that others may have, too, do not count: they become one.
    """

    limit: int = 0
    policy: Policy = Policy()

    def bounded(self, problems: Iterable[Problem]) -> Iterator[Problem]:
        """Yield problems until one more than the limit count."""
        left = self.limit
        for problem in problems:
            yield problem
            left -= bool(self.limit) and self._counts(problem)
            if left < 0:
                return

    def while_left(self, results: Iterable[BatchResult]) -> Iterator[BatchResult]:
        """Yield the results of batches until more problems than the limit count."""
        left = self.limit
        for result in results:
            yield result
            if self.limit:
                left -= len(result.batch.faults) + sum(map(self._counts, result.problems))
                if left < 0:
                    return

    def _counts(self, problem: Problem) -> bool:
        is_reported = self.policy.severity_of(code_named(problem.code)) is not None
        return problem.cause is None and is_reported
