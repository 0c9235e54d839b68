"""The results of a run in numbers: by rubric, check and group, and the gate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, groupby, repeat
from math import fsum
from operator import attrgetter, contains, itemgetter
from typing import Any

from evalcontract.checks.outcome import UNANSWERED, UNMEASURED, Outcome
from evalcontract.grading.groups import Group, Grouping
from evalcontract.grading.results import CheckResult, RowResult
from evalcontract.grading.samples import SampleTally
from evalcontract.library.scores import Bounds
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped
from evalcontract.statistics.estimates import (
    ClusterSum,
    Estimate,
    mean_estimate,
    rate_estimate,
)

#: Rows are grouped by their tags alone, and each was drawn for itself.
ALL_ALIKE = Grouping()
# The name of a cluster, None for one of a row alone; empty where rows have no clusters.
Cluster = tuple[()] | tuple[str | None]
#: The id of the rubric, and the name of a check in it.
CheckKey = tuple[str | None, str]


# Answers of models differ, so that there may be as many reasons as rows; each is cut.
_MAX_REASONS, _MAX_REASON = 1000, 300
_JUDGED = "llm_judge"
_OTHER_REASONS = "other reasons"


# Of the result of a row: its outcome, score and bounds; of a check: its id, kind, outcome, score
# and bounds; the checks inside.
_of_row, _of_check, _inside = itemgetter(2, 3, 5), itemgetter(0, 1, 2, 3, 6), itemgetter(7)
# Of a check without bounds, which is faster.
_of_measured = itemgetter(slice(4))
_bounds, _details = itemgetter(6), itemgetter(5)


class Tally:
    """Outcomes, and the scores of those that have one.

    `scores` are how many results that are decided have each score.
    """

    def __init__(self) -> None:
        self.outcomes: Counter[Outcome | None] = Counter()
        self.scores: Counter[float] = Counter()
        self._bounds: Counter[Bounds] = Counter()
        self._clusters: dict[str, Tally] = {}
        self._single: Tally | None = None  # where there are clusters: each result is one

    def add(
        self,
        outcome: Outcome | None,
        score: float | None,
        bounds: Bounds | None = None,
        times: int = 1,
        cluster: Cluster = (),
    ) -> None:
        """Count a result, or several that are the same, in their cluster, if rows have any."""
        for name in cluster:
            if name is None:
                tally = self._single = self._single or Tally()
            else:
                tally = self._clusters.setdefault(name, Tally())
            tally.add(outcome, score, bounds, times)
        self.outcomes[outcome] += times
        if bounds is not None:
            self._bounds[bounds] += times
        elif score is not None and outcome is Outcome.UNDECIDED:
            self._bounds[Bounds(score, score)] += times
        elif score is not None:
            self.scores[score] += times

    def merge(self, other: Tally) -> None:
        """Count what another tally has counted."""
        self.outcomes += other.outcomes
        self.scores += other.scores
        self._bounds += other._bounds
        for name, tally in other._clusters.items():
            self._clusters.setdefault(name, Tally()).merge(tally)
        if other._single:
            self._single = self._single or Tally()
            self._single.merge(other._single)

    @property
    def clusters(self) -> int | None:
        """The number of clusters that have a name; None if rows have none."""
        return len(self._clusters) if self._clusters or self._single else None

    @property
    def alone(self) -> int:
        """The number of results without the name of a cluster, where others may have one."""
        return self._single.total if self._single else 0

    @property
    def total(self) -> int:
        """The number of results."""
        return self.outcomes.total()

    @property
    def counted(self) -> int:
        """The number of results that have a part in the mean: those that are not skipped."""
        return self.total - self.outcomes[Outcome.SKIPPED]

    @property
    def undecided(self) -> int:
        """The number of results that depend on what did not run."""
        return sum(self.outcomes[outcome] for outcome in UNMEASURED)

    @property
    def decided(self) -> int:
        """The number of results that passed, failed, or have a score where nothing says which."""
        return self.counted - self.undecided

    @property
    def scored(self) -> int:
        """The number of results that are decided and whose score is known."""
        return self.scores.total()

    @property
    def mean(self) -> float | None:
        """The mean score from 0 to 1 of the `scored`; None if there are none."""
        return fsum(self.scores.elements()) / self.scored if self.scores else None

    @property
    def estimate(self) -> Estimate | None:
        """The mean score of the `scored` with its interval; None if there are none."""
        if not self.scores:
            return None
        if self.clusters is None:
            return mean_estimate(self.scores)
        sums = [ClusterSum(1, score) for score in _elements(self._single)]
        sums += [
            ClusterSum(tally.scored, fsum(_elements(tally)))
            for tally in self._clusters.values()
            if tally.scores
        ]
        return mean_estimate(self.scores, sums)

    @property
    def pass_rate(self) -> Estimate | None:
        """The share that passed of what passed or failed; None without either."""
        passed, verdicts = self.verdicts
        if not verdicts:
            return None
        if self.clusters is None:
            return rate_estimate(passed, verdicts)
        single = self._single.verdicts if self._single else (0, 0)
        sums = [ClusterSum(1, 1)] * single[0] + [ClusterSum(1, 0)] * (single[1] - single[0])
        pairs = (tally.verdicts for tally in self._clusters.values())
        sums += [ClusterSum(number, right) for right, number in pairs if number]
        return rate_estimate(passed, verdicts, sums)

    @property
    def verdicts(self) -> tuple[int, int]:
        """How many passed, and how many passed or failed."""
        passed = self.outcomes[Outcome.PASSED]
        return passed, passed + self.outcomes[Outcome.FAILED]

    @property
    def bounds(self) -> Bounds | None:
        """The bounds of the mean score of the `counted`; None if there are none."""
        number = self.scored + self._bounds.total()
        if not number:
            return None
        ends = zip(*self._bounds.elements(), strict=True) if self._bounds else ((), ())
        low, high = (fsum(chain(self.scores.elements(), end)) / number for end in ends)
        return Bounds(low, high)


def _elements(tally: Tally | None) -> Iterable[float]:
    return tally.scores.elements() if tally else ()


class MissingVerdicts(NamedTuple):
    """Why checks of a kind, or rows if it is None, came to no verdict.

    If the outcome is passed or failed, they came to one without all of their judges.
    """

    kind: str | None
    outcome: Outcome
    reason: str


class Summary:
    """What the results of rows come to: of all `rows`, and by rubric and check.

    `checks` has each check with its kind by (rubric, name); the name of a check inside a composite
    is `composite/check`. The rubric is None for rows that have none. `groups` has the rows with a
    tag, or with a value of another key, by which `grouping` groups them; `samples` those that have
    several outputs, and `judged` each of these outputs by the checks that ask judges, in clusters.
    What did not run is that of each output: rows may be decided without it.
    """

    __slots__ = (
        "_has_errors",
        "_more",
        "_ungraded",
        "_unmeasured",
        "checks",
        "grouping",
        "groups",
        "judged",
        "rows",
        "rubrics",
        "samples",
    )

    def __init__(self, grouping: Grouping = ALL_ALIKE) -> None:
        self.grouping = grouping
        self.groups: dict[Group, Tally] = {}
        self.samples = SampleTally()
        self.judged: dict[CheckKey, Tally] = {}
        self.rows = Tally()
        self.rubrics: dict[str | None, Tally] = {}
        self.checks: dict[CheckKey, tuple[str, Tally]] = {}
        self._unmeasured: Counter[MissingVerdicts] = Counter()
        self._ungraded = 0
        self._has_errors = False  # of an output, though its row may have none
        self._more: Counter[str | None] = Counter()  # results of outputs besides those of rows

    @property
    def unmeasured(self) -> Mapping[MissingVerdicts, int]:
        """How often checks came to no verdict, and rows could not be graded, by the cause.

        The most frequent causes come first.
        """
        ordered = sorted(self._unmeasured.items(), key=lambda each: (-each[1], each[0].kind or ""))
        return dict(ordered)

    def counted(self, kind: str | None) -> int:
        """Return the number of results of checks of a kind that were not skipped; None: of rows.

        Where rows have several outputs, those of checks are counted for each output.
        """
        if kind is None:
            return self.rows.counted
        of_rows = sum(tally.counted for of, tally in self.checks.values() if of == kind)
        return of_rows + self._more[kind]

    @classmethod
    def of(cls, results: Iterable[RowResult], grouping: Grouping = ALL_ALIKE) -> Summary:
        """Return the summary of some results."""
        summary = cls(grouping)
        results = results if isinstance(results, list) else [*results]  # they are read twice
        if grouping.cluster is not None:
            for row in results:
                cluster = (grouping.cluster_of(row),)
                summary.add(row, cluster=cluster)
                summary._add_to_groups(row, cluster)
            return summary
        for row in results:
            if row.content:
                summary._add_to_groups(row)
        for rubric, rows in groupby(results, attrgetter("rubric")):
            summary._add_all(rubric, list(rows))
        return summary

    def _add_all(self, rubric: str | None, rows: list[RowResult]) -> None:
        """Count the results of rows of one rubric: check by check, if all have as many checks."""
        lists = [row.checks for row in rows]
        has_columns = rubric is not None and len(set(map(len, lists))) == 1 and lists[0]
        columns = list(zip(*lists, strict=True)) if has_columns else []
        if not columns or any(any(map(_inside, column)) for column in columns):
            for row, times in _alike(rows):
                self.add(row, times)
            return
        of_rubric = self.rubrics.setdefault(rubric, Tally())
        for (outcome, score, bounds), times in Counter(map(_of_row, rows)).items():
            self.rows.add(outcome, score, bounds, times=times)
            of_rubric.add(outcome, score, bounds, times=times)
        for column in columns:
            has_bounds = any(map(_bounds, column))
            alike = Counter(map(_of_check if has_bounds else _of_measured, column))
            for (name, kind, outcome, score, *bounds), times in alike.items():
                _, tally = self.checks.setdefault((rubric, name), (kind, Tally()))
                tally.add(outcome, score, next(iter(bounds), None), times=times)
            details = filter(None, map(_details, column))
            if has_bounds or any(map(contains, details, repeat(UNANSWERED))):
                for key, times in Counter(map(_unmeasured, column)).items():
                    self._count(key, times)

    def _add_to_groups(self, row: RowResult, cluster: Cluster = ()) -> None:
        for group in self.grouping.groups(row):
            tally = self.groups.setdefault(group, Tally())
            tally.add(row.outcome, row.score, row.bounds, cluster=cluster)

    def add(self, row: RowResult, times: int = 1, cluster: Cluster = ()) -> None:
        """Count the result of a row, or of several rows that are the same, but not in groups."""
        of_row = row.outcome, row.score, row.bounds, times, cluster
        self.rows.add(*of_row)
        if row.checks:
            self.rubrics.setdefault(row.rubric, Tally()).add(*of_row)
        elif _is_ungraded(row):
            self._ungraded += times
            self._count(_cause(None, Outcome.UNDECIDED, row.reason), times)
        for check in row.checks:
            for name, leaf in check.leaves():
                _, tally = self.checks.setdefault((row.rubric, name), (leaf.kind, Tally()))
                tally.add(leaf.outcome, leaf.score, leaf.bounds, times, cluster)
                self._count(_unmeasured(leaf), times)

    def add_samples(self, rows: Sequence[RowResult]) -> None:
        """Count the outputs of rows that have several; the results above are those of rows.

        A judge was measured on single outputs. Those of one row are alike, as a cluster is.
        """
        is_clustered = self.grouping.cluster is not None
        self.samples.add_all(rows, self.grouping.cluster_of if is_clustered else None)
        if self.samples.rows:
            self._tell_of_outputs(rows)
        for row in rows:
            if row.sample is None:
                continue
            cluster = self.grouping.cluster_of(row) or f"\0{row.id}"
            for check in row.checks:
                for name, leaf in check.leaves():
                    if leaf.kind == _JUDGED:
                        tally = self.judged.setdefault((row.rubric, name), Tally())
                        tally.add(leaf.outcome, leaf.score, leaf.bounds, cluster=(cluster,))

    def _tell_of_outputs(self, rows: Sequence[RowResult]) -> None:
        """Count what did not run of each output, in place of that of each row."""
        outputs = Summary.of(rows)
        for kind in {kind for kind, _ in outputs.checks.values()}:
            self._more[kind] += outputs.counted(kind) - self.counted(kind)
        self._unmeasured.clear()
        for cause, times in outputs.unmeasured.items():
            if cause.kind is not None:
                self._count(cause, times)
        self._ungraded, self._has_errors = 0, outputs.has_errors
        for _, samples in groupby(rows, attrgetter("id")):
            reasons = {each.reason for each in samples if _is_ungraded(each)}
            self._ungraded += bool(reasons)
            for reason in sorted(reasons, key=str):
                self._count(_cause(None, Outcome.UNDECIDED, reason), 1)

    def merge(self, other: Summary) -> None:
        """Count what another summary has counted; its rows follow those of this one."""
        self.rows.merge(other.rows)
        for rubric, tally in other.rubrics.items():
            self.rubrics.setdefault(rubric, Tally()).merge(tally)
        for key, (kind, tally) in other.checks.items():
            self.checks.setdefault(key, (kind, Tally()))[1].merge(tally)
        for group, tally in other.groups.items():
            self.groups.setdefault(group, Tally()).merge(tally)
        self.samples.merge(other.samples)
        for key, tally in other.judged.items():
            self.judged.setdefault(key, Tally()).merge(tally)
        self._ungraded += other._ungraded
        self._has_errors |= other._has_errors
        self._more.update(other._more)
        for cause, times in other.unmeasured.items():
            self._count(cause, times)

    def _count(self, cause: MissingVerdicts | None, times: int) -> None:
        if cause is None:
            return
        if cause not in self._unmeasured and len(self._unmeasured) >= _MAX_REASONS:
            cause = cause._replace(reason=_OTHER_REASONS)
        self._unmeasured[cause] += times

    @property
    def has_errors(self) -> bool:
        """Whether a row could not be graded, or a check came to no verdict because of an error."""
        tallies = (tally for _, tally in self.checks.values())
        if self._ungraded or self._has_errors:
            return True
        return any(tally.outcomes[Outcome.ERROR] for tally in tallies)

    def reaches(self, threshold: float) -> bool:
        """Whether the mean score certainly reaches a threshold; not without any score."""
        bounds = self.rows.bounds
        return bounds is not None and round(bounds.low, 12) >= threshold


class QualityGate(NamedTuple):
    """What a run has to meet: a mean score of at least `threshold`, and a verdict for each row.

    Without a threshold it is open. With `allow_undecided`, rows need no verdict.
    """

    threshold: float | None = None
    allow_undecided: bool = False

    def is_open(self, summary: Summary) -> bool:
        """Whether a run meets it."""
        if self.threshold is None:
            return True
        has_verdicts = self.allow_undecided or not summary.rows.undecided
        return has_verdicts and summary.reaches(self.threshold)


#: The gate of those who ask nothing of the results.
OPEN = QualityGate()


def counts(tally: Tally) -> Mapping[str, int]:
    """Return the number of results by the name of their outcome; `scored` for those without one."""
    return {
        str(outcome) if outcome else "scored": count
        for outcome, count in sorted(tally.outcomes.items(), key=lambda item: str(item[0]))
    }


def _alike(rows: Iterable[RowResult]) -> Iterable[tuple[RowResult, int]]:
    """Return the first of the rows that count alike, with their number."""
    alike: dict[tuple[Any, ...], tuple[RowResult, int]] = {}
    for row in rows:
        # Of a check, the id, kind, outcome and score if these are all; else its key.
        parts = [
            check.key if check.bounds or check.checks or check.details else check[:4]
            for check in row.checks
        ]
        reason = None if row.checks else row.reason
        key = (row.rubric, row.outcome, row.score, row.bounds, reason, *parts)
        first, times = alike.get(key, (row, 0))
        alike[key] = first, times + 1
    return alike.values()


def _is_ungraded(row: RowResult) -> bool:
    return row.outcome is Outcome.UNDECIDED and not row.checks


def _unmeasured(check: CheckResult) -> MissingVerdicts | None:
    reason = check.unanswered
    if reason is None:
        return None if check.is_measured else _cause(check.kind, check.outcome, check.reason)
    return _cause(check.kind, check.outcome, reason)


def _cause(kind: str | None, outcome: Outcome, reason: str | None) -> MissingVerdicts:
    return MissingVerdicts(kind, outcome, clipped(reason or str(outcome), _MAX_REASON))
