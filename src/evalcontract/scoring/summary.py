"""The results of a run in numbers: over all rows, by rubric, and by check."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from math import fsum
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

from evalcontract.checks.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from evalcontract.scoring.results import RowResult


# So many rows that count differently are kept until they are counted.
_MAX_ALIKE = 1000
# Of the result of a row: its outcome and score; of a check: its id, kind, outcome and score, and
# the checks inside.
_outcome_and_score = itemgetter(slice(2, 4))
_counted, _inside = itemgetter(slice(0, 4)), itemgetter(6)


class Tally:
    """Outcomes, and the scores of those that have one."""

    def __init__(self) -> None:
        self.outcomes: Counter[Outcome | None] = Counter()
        self._scores: Counter[float] = Counter()

    def add(self, outcome: Outcome | None, score: float | None, times: int = 1) -> None:
        """Count a result, or several that are the same."""
        self.outcomes[outcome] += times
        if score is not None:
            self._scores[score] += times

    def merge(self, other: Tally) -> None:
        """Count what another tally has counted."""
        self.outcomes += other.outcomes
        self._scores += other._scores

    @property
    def scores(self) -> Mapping[float, int]:
        """How many results have each score."""
        return self._scores

    @property
    def total(self) -> int:
        """The number of results."""
        return self.outcomes.total()

    @property
    def scored(self) -> int:
        """The number of results that have a score."""
        return self._scores.total()

    @property
    def mean(self) -> float | None:
        """The mean score from 0 to 1 of the results that have one; None if there are none."""
        return fsum(self._scores.elements()) / self.scored if self._scores else None


class Summary:
    """What the results of rows come to.

    `checks` has each check with its kind by (rubric, name); the name of a check inside a composite
    is `composite/check`. `rubric` is None for rows that have none.
    """

    def __init__(self) -> None:
        self._rows = Tally()
        self._rubrics: dict[str | None, Tally] = {}
        self._checks: dict[tuple[str | None, str], tuple[str, Tally]] = {}
        # The first of the rows that count alike, with their number: they are counted together.
        self._alike: dict[tuple[Any, ...], tuple[RowResult, int]] = {}

    @property
    def rows(self) -> Tally:
        """All rows."""
        self._settle()
        return self._rows

    @property
    def rubrics(self) -> Mapping[str | None, Tally]:
        """The rows by rubric."""
        self._settle()
        return self._rubrics

    @property
    def checks(self) -> Mapping[tuple[str | None, str], tuple[str, Tally]]:
        """The checks, each with its kind."""
        self._settle()
        return self._checks

    @classmethod
    def of(cls, results: Iterable[RowResult]) -> Summary:
        """Return the summary of some results."""
        summary = cls()
        for rubric, rows in groupby(results, attrgetter("rubric")):
            summary._add_all(rubric, list(rows))
        return summary

    def _add_all(self, rubric: str | None, rows: list[RowResult]) -> None:
        """Count the results of rows of one rubric: check by check, if all have as many checks."""
        lists = [row.checks for row in rows]
        has_columns = rubric is not None and len(set(map(len, lists))) == 1 and lists[0]
        columns = list(zip(*lists, strict=True)) if has_columns else []
        if not columns or any(any(map(_inside, column)) for column in columns):
            for row in rows:
                self.add(row)
            return
        self._settle()
        of_rubric = self._rubrics.setdefault(rubric, Tally())
        for (outcome, score), times in Counter(map(_outcome_and_score, rows)).items():
            self._rows.add(outcome, score, times)
            of_rubric.add(outcome, score, times)
        for column in columns:
            for (name, kind, of_check, score), times in Counter(map(_counted, column)).items():
                _, tally = self._checks.setdefault((rubric, name), (kind, Tally()))
                tally.add(of_check, score, times)

    def add(self, row: RowResult) -> None:
        """Count the result of a row."""
        # The id, kind, outcome and score of a check; of a composite, all that is in it.
        parts = [check[:4] if not check.checks else check.key for check in row.checks]
        key = (row.rubric, row.outcome, row.score, *parts)
        known = self._alike.get(key)
        if known is None and len(self._alike) == _MAX_ALIKE:
            self._settle()
        self._alike[key] = (row, 1) if known is None else (known[0], known[1] + 1)

    def merge(self, other: Summary) -> None:
        """Count what another summary has counted; its rows follow those of this one."""
        self._settle()
        self._rows.merge(other.rows)
        for rubric, tally in other.rubrics.items():
            self._rubrics.setdefault(rubric, Tally()).merge(tally)
        for key, (kind, tally) in other.checks.items():
            self._checks.setdefault(key, (kind, Tally()))[1].merge(tally)

    def _settle(self) -> None:
        alike, self._alike = self._alike, {}
        for row, times in alike.values():
            self._rows.add(row.outcome, row.score, times)
            if row.checks:
                of_rubric = self._rubrics.setdefault(row.rubric, Tally())
                of_rubric.add(row.outcome, row.score, times)
            for check in row.checks:
                for name, leaf in check.leaves():
                    key = row.rubric, name
                    _, tally = self._checks.setdefault(key, (leaf.kind, Tally()))
                    tally.add(leaf.outcome, leaf.score, times)

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
