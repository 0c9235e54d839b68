"""What changed between two runs, row by row: scores, verdicts, and what they say of other rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any

from evalcontract.checks.outcome import Outcome, gravest
from evalcontract.grading.earlier import CountedResult, EarlierRows, counted_of
from evalcontract.grading.groups import Group, Grouping
from evalcontract.grading.results import RowResult
from evalcontract.grading.summary import ALL_ALIKE, CheckKey
from evalcontract.model.startup import NamedTuple
from evalcontract.statistics.estimates import (
    ClusterSum,
    PairedDifference,
    mcnemar_exact,
    paired_difference,
)

# The outcome and the score, before and now.
_Change = tuple[Outcome | None, float | None, Outcome | None, float | None]


def with_output(row: RowResult, text: str | None) -> RowResult:
    """Return a row with the text of its output, if there is one."""
    return row if text is None else row._replace(content={**(row.content or {}), "output": text})


class RowChange(NamedTuple):
    """A row whose result is another one; `checks` are the names of those that changed."""

    before: RowResult
    after: RowResult
    checks: tuple[str, ...]

    @property
    def is_flip(self) -> bool:
        """Whether it passed one time and failed the other."""
        return {self.before.outcome, self.after.outcome} == _VERDICTS


_VERDICTS = {Outcome.PASSED, Outcome.FAILED}


class UncomparedRow(NamedTuple):
    """Why a row is in no difference: its score is not known `before`, `now`, or both times."""

    before: bool
    now: bool
    reason: str

    @property
    def when(self) -> str:
        """When its score is not known."""
        return "before and now" if self.before and self.now else "now" if self.now else "before"


class PairedTally:
    """Results of the same rows, before and now: those whose score is known both times."""

    def __init__(self) -> None:
        self.changes: Counter[_Change] = Counter()
        self._clusters: dict[str, list[float]] = {}
        self._alone: list[float] = []
        self.has_clusters = False

    def add_to_cluster(self, before: float, after: float, cluster: str | None) -> None:
        """Count a difference of scores in a cluster of rows; None: in one of its own."""
        self.has_clusters = True
        if cluster is None:
            self._alone.append(after - before)
            return
        sums = self._clusters.setdefault(cluster, [0, 0.0])
        sums[0] += 1
        sums[1] += after - before

    def merge(self, other: PairedTally) -> None:
        """Count what another tally has counted."""
        self.changes.update(other.changes)
        self.has_clusters |= other.has_clusters
        self._alone += other._alone
        for name, (number, total) in other._clusters.items():
            sums = self._clusters.setdefault(name, [0, 0.0])
            sums[0] += number
            sums[1] += total

    @property
    def has_changed(self) -> bool:
        """Whether a result is another one."""
        return any(change[:2] != change[2:] for change in self.changes)

    @property
    def difference(self) -> ScoreDifference | None:
        """What changed; None if no score is known both times."""
        counts: Counter[tuple[float, float]] = Counter()
        better = worse = verdicts = 0
        for (was, before, now, after), number in self.changes.items():
            if before is None or after is None:
                continue
            counts[before, after] += number
            if was in _VERDICTS and now in _VERDICTS:
                verdicts += number
                better += number if now is Outcome.PASSED and was is Outcome.FAILED else 0
                worse += number if was is Outcome.PASSED and now is Outcome.FAILED else 0
        if not counts:
            return None
        sums: Iterable[ClusterSum] | None = None
        if self.has_clusters:
            named = (ClusterSum(int(number), total) for number, total in self._clusters.values())
            sums = chain(named, (ClusterSum(1, each) for each in self._alone))
        scores = paired_difference(counts, sums)
        has_verdicts = verdicts == counts.total() and not self.has_clusters
        of_verdicts = mcnemar_exact(better, worse) if has_verdicts else None
        if has_verdicts and {0, 1}.issuperset(chain.from_iterable(counts)):
            return ScoreDifference(scores, better, worse, of_verdicts, MCNEMAR, of_verdicts)
        return ScoreDifference(scores, better, worse, scores.p_value, T_TEST, of_verdicts)


MCNEMAR, T_TEST = "mcnemar", "t"


class ScoreDifference(NamedTuple):
    """The scores of the same rows, before and now.

    `better` and `worse` count those that pass now and failed before, and the reverse. `p_value` is
    that of the `test` of the scores: the paired t test, or McNemar's exact one where all of them
    are 0 or 1 and all rows passed or failed both times; None if that says nothing. `of_verdicts`
    is McNemar's of the verdicts; None unless all rows have one both times, and for clusters.
    """

    scores: PairedDifference
    better: int
    worse: int
    p_value: float | None
    test: str
    of_verdicts: float | None


class Comparison:
    """The differences between rows of an earlier run and those of another.

    `rows`, `checks` (by the id of the rubric, without a version, and the name), and `groups` have
    the results. `versions` are the exact names of rubrics that graded the same rows, before and
    now, where they differ. `uncompared` says how many rows have a part in the mean of a run, and a
    score that is not known in both, and why. `changed` are the rows with another result, and
    `flipped` those of them with the other verdict: the first `keep`, 0: all; `change_count` and
    `flip_count` are how many there are.
    """

    def __init__(self, grouping: Grouping = ALL_ALIKE, keep: int = 0) -> None:
        self.grouping, self.keep = grouping, keep
        self.rows = PairedTally()
        self.checks: defaultdict[CheckKey, PairedTally] = defaultdict(PairedTally)
        self.groups: defaultdict[Group, PairedTally] = defaultdict(PairedTally)
        self.versions: Counter[tuple[str | None, str | None]] = Counter()
        self.uncompared: Counter[UncomparedRow] = Counter()
        self.changed: list[RowChange] = []
        self.flipped: list[RowChange] = []
        self.change_count = self.flip_count = 0
        self.new: list[str] = []
        self.seen: Counter[str] = Counter()

    @classmethod
    def of(
        cls,
        earlier: EarlierRows,
        rows: Iterable[RowResult],
        grouping: Grouping = ALL_ALIKE,
        keep: int = 0,
    ) -> Comparison:
        """Compare rows with the earlier ones of the same ids."""
        comparison = cls(grouping, keep)
        seen, has_clusters = comparison.seen, grouping.cluster is not None
        same: dict[int, _Difference] = {}  # by the identity of what they were
        others: dict[tuple[CountedResult, CountedResult], _Difference] = {}
        counted = earlier.counted
        for row in rows:
            id_ = row.id
            at = seen.get(id_, 0)
            before = counted(id_, at)
            if before is None:
                comparison.new.append(id_)
                continue
            seen[id_] = at + 1
            if before.is_of(row):
                found = same.get(id(before))
                if found is None:
                    found = same[id(before)] = comparison._difference(before, before)
            else:
                pair = before, counted_of(row)
                found = others.get(pair)
                if found is None:
                    found = others[pair] = comparison._difference(*pair)
            found.times += 1
            if found.is_noted or row.content or has_clusters:
                comparison._add_row(found, row, partial(earlier.row, id_, at))
        for found in chain(same.values(), others.values()):
            comparison._add(found, found.times)
        return comparison

    def merge(self, other: Comparison) -> None:
        """Take what another comparison has found of later rows."""
        self.rows.merge(other.rows)
        for check, tally in other.checks.items():
            self.checks[check].merge(tally)
        for group, tally in other.groups.items():
            self.groups[group].merge(tally)
        self.versions.update(other.versions)
        self.uncompared.update(other.uncompared)
        self.new += other.new
        if self.seen.keys().isdisjoint(other.seen):
            dict.update(self.seen, other.seen)  # faster, and so it mostly is
        else:
            self.seen.update(other.seen)
        self.change_count += other.change_count
        self.flip_count += other.flip_count
        self.changed = [*self.changed, *other.changed][: self.keep or None]
        self.flipped = [*self.flipped, *other.flipped][: self.keep or None]

    def lost_ids(self, earlier: EarlierRows) -> list[str]:
        """Return the ids of earlier rows that are not among those compared."""
        return earlier.lost(self.seen)

    def _difference(self, before: CountedResult, now: CountedResult) -> _Difference:
        """Return a difference, whose checks have a place already: they are in order of the rows."""
        found = _Difference(before, now)
        self._add(found, 0)
        return found

    def _add(self, found: _Difference, times: int) -> None:
        """Count rows with these results before and now, but not in their groups and clusters."""
        before, now = found.rubrics
        if before != now:
            self.versions[before, now] += times
        for tally, change in self._tallies(found):
            tally.changes[change] += times

    def _tallies(self, found: _Difference) -> Iterator[tuple[PairedTally, _Change]]:
        if found.row is not None:
            yield self.rows, found.row
        rubric = _id_of(found.rubrics[1])
        yield from ((self.checks[rubric, name], change) for name, change in found.checks)

    def _add_row(
        self, found: _Difference, row: RowResult, earlier: Callable[[], RowResult]
    ) -> None:
        """Count a row in its groups and its cluster, and note it if it has changed."""
        tallies: list[tuple[PairedTally, _Change]] = []
        if found.row is not None and row.content:
            tallies = [(self.groups[group], found.row) for group in self.grouping.groups(row)]
        for tally, change in tallies:
            tally.changes[change] += 1
        if self.grouping.cluster is not None:
            cluster = self.grouping.cluster_of(row)
            self._add_to_cluster([*self._tallies(found), *tallies], cluster)
        if found.is_unknown is not None:
            unknown = row if row.score is None else earlier()
            self.uncompared[UncomparedRow(*found.is_unknown, _reason_of(unknown))] += 1
        if found.has_changed:
            self._note(found, row, earlier)

    def _add_to_cluster(
        self, tallies: Iterable[tuple[PairedTally, _Change]], cluster: str | None
    ) -> None:
        for tally, (_, before, _, after) in tallies:
            if before is not None and after is not None:
                tally.add_to_cluster(before, after, cluster)

    def _note(self, found: _Difference, row: RowResult, earlier: Callable[[], RowResult]) -> None:
        self.change_count += 1
        self.flip_count += found.is_flip
        lists = [self.changed, self.flipped] if found.is_flip else [self.changed]
        wanting = [some for some in lists if not self.keep or len(some) < self.keep]
        if wanting:
            change = RowChange(earlier(), row, found.names)
            for some in wanting:
                some.append(change)


def _reason_of(unknown: RowResult) -> str:
    """Return why the score of a row is not known."""
    leaves = (leaf for check in unknown.checks for _, leaf in check.leaves())
    return unknown.reason or gravest(leaves)[1] or "-"


class _Difference:
    """What the results of some rows were, and are now: of so many `times`.

    `row` is what became of the score of the row, and `checks` of those of checks, by name: where it
    is known both times. `names` are the checks that changed. `is_unknown` says, of before and now,
    whether the row has no known score, if that has to be told.
    """

    def __init__(self, before: CountedResult, now: CountedResult) -> None:
        self.times = 0
        self._before = before  # it stays, and so has an identity of its own
        self.rubrics = before.rubric, now.rubric
        self.row = _change(before.row, now.row)
        pairs = [*_matched(before.checks, now.checks)]
        self.checks = [
            (name, change)
            for name, was, is_ in pairs
            if was and is_ and (change := _change(was, is_)) is not None
        ]
        self.names = tuple([name for name, was, is_ in pairs if was != is_])
        self.has_changed = bool(self.names) or before.row != now.row
        self.is_flip = {before.row[0], now.row[0]} == _VERDICTS
        self.is_unknown: tuple[bool, bool] | None = None
        if self.row is None and not before.row[0] is now.row[0] is Outcome.SKIPPED:
            self.is_unknown = before.row[1] is None, now.row[1] is None
        self.is_noted = self.has_changed or self.is_unknown is not None


def _change(before: Sequence[Any], now: Sequence[Any]) -> _Change | None:
    """Return what became of an outcome and a score; None if one of the scores is not known."""
    return None if before[1] is None or now[1] is None else (*before[:2], *now[:2])


def _matched(
    before: Sequence[tuple[str, *tuple[Any, ...]]], now: Sequence[tuple[str, *tuple[Any, ...]]]
) -> Iterator[tuple[str, Sequence[Any] | None, Sequence[Any] | None]]:
    """Yield by their names what counts of the checks of both; None where one lacks."""
    names = [name for name, *_ in before]
    if names == [name for name, *_ in now]:
        yield from ((was[0], was[1:], is_[1:]) for was, is_ in zip(before, now, strict=True))
        return
    others = {name: was for name, *was in before}
    for name, is_ in {name: is_ for name, *is_ in now}.items():
        yield name, others.pop(name, None), is_
    for name, was in others.items():
        yield name, was, None


def _id_of(rubric: str | None) -> str | None:
    return rubric.partition("@")[0] if rubric else rubric
