"""The results of a run in numbers: over all rows, by rubric, and by check."""

from __future__ import annotations

from collections import Counter
from math import fsum
from typing import TYPE_CHECKING

from evalcontract.checks.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from evalcontract.scoring.results import CheckResult, RowResult


class Tally:
    """Outcomes, and the scores of those that have one."""

    def __init__(self) -> None:
        self.outcomes: Counter[Outcome | None] = Counter()
        self.scores: list[float] = []

    def add(self, outcome: Outcome | None, score: float | None) -> None:
        """Count one result."""
        self.outcomes[outcome] += 1
        if score is not None:
            self.scores.append(score)

    @property
    def total(self) -> int:
        """The number of results."""
        return self.outcomes.total()

    @property
    def mean(self) -> float | None:
        """The mean score from 0 to 1 of the results that have one; None if there are none."""
        return fsum(self.scores) / len(self.scores) if self.scores else None


class Summary:
    """What the results of rows come to.

    `checks` has each check with its kind by (rubric, name); the name of a check inside a composite
    is `composite/check`. `rubric` is None for rows that have none.
    """

    def __init__(self) -> None:
        self.rows = Tally()
        self.rubrics: dict[str | None, Tally] = {}
        self.checks: dict[tuple[str | None, str], tuple[str, Tally]] = {}

    @classmethod
    def of(cls, results: Iterable[RowResult]) -> Summary:
        """Return the summary of some results."""
        summary = cls()
        for row in results:
            summary.add(row)
        return summary

    def add(self, row: RowResult) -> None:
        """Count the result of a row."""
        self.rows.add(row.outcome, row.score)
        if not row.checks:
            return
        rubric = row.rubric
        if rubric not in self.rubrics:
            self.rubrics[rubric] = Tally()
        self.rubrics[rubric].add(row.outcome, row.score)
        for check in row.checks:
            if not check.checks:
                self._add_check(rubric, check.id, check)
                continue
            for name, leaf in check.leaves():
                self._add_check(rubric, name, leaf)

    def _add_check(self, rubric: str | None, name: str, check: CheckResult) -> None:
        key = rubric, name
        if key not in self.checks:
            self.checks[key] = check.kind, Tally()
        self.checks[key][1].add(check.outcome, check.score)

    @property
    def has_errors(self) -> bool:
        """Whether a row or a check came to no verdict because of an error."""
        tallies: Iterable[Tally] = (self.rows, *(tally for _, tally in self.checks.values()))
        return any(tally.outcomes[Outcome.ERROR] for tally in tallies)

    def reaches(self, threshold: float) -> bool:
        """Whether the mean score reaches a threshold; not without any score."""
        mean = self.rows.mean
        return mean is not None and round(mean, 12) >= threshold


def counts(tally: Tally) -> Mapping[str, int]:
    """Return the number of results by the name of their outcome; `scored` for those without one."""
    return {
        str(outcome) if outcome else "scored": count
        for outcome, count in sorted(tally.outcomes.items(), key=lambda item: str(item[0]))
    }
