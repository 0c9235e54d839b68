"""What changed between two runs, row by row: scores, verdicts, and what they say of other rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from operator import itemgetter
from typing import Any

from evalcontract.checks.outcome import Outcome, gravest
from evalcontract.grading.groups import Group, Grouping
from evalcontract.grading.printed import row_heads
from evalcontract.grading.results import CheckResult, RowResult, WrittenResults, bytes_of
from evalcontract.grading.rows import without_texts
from evalcontract.grading.summary import ALL_ALIKE, CheckKey
from evalcontract.library.scores import Bounds
from evalcontract.model.startup import NamedTuple
from evalcontract.statistics.estimates import (
    ClusterSum,
    PairedDifference,
    mcnemar_exact,
    paired_difference,
)

#: The rows of an earlier run by their ids; those with the same id in their order.
EarlierRows = Mapping[str, Sequence[RowResult]]
# The outcome and the score, before and now.
_Change = tuple[Outcome | None, float | None, Outcome | None, float | None]


class WrittenRows(Mapping[str, Sequence[RowResult]]):
    """The rows of complete results by their ids; each is read when it is asked for.

    The line of a row that has not changed need not be: it begins as that of its result now.
    """

    def __init__(self, written: WrittenResults) -> None:
        self._written = written
        self._with_texts: bool | None = True

    def __getitem__(self, id_: str) -> Sequence[RowResult]:
        return [self._written.row(id_)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._written.starts)

    def __len__(self) -> int:
        return len(self._written.starts)

    def __contains__(self, id_: object) -> bool:
        return id_ in self._written.starts

    def are_same(self, rows: Sequence[RowResult]) -> Sequence[bool]:
        """Say which rows have certainly the same result: all but what is kept of their texts."""
        if self._with_texts is None or not rows:
            return [False] * len(rows)
        same = self._begin_as(rows, with_texts=self._with_texts)
        if 2 * sum(same) < len(rows):  # the lines may be those of `--no-texts`, or the reverse
            others = self._begin_as(rows, with_texts=not self._with_texts)
            if sum(others) > sum(same):
                self._with_texts, same = not self._with_texts, others
            if len(rows) > _FEW_ROWS and _LEAST_SAME * sum(same) < len(rows):
                self._with_texts = None
        return same

    def _begin_as(self, rows: Sequence[RowResult], *, with_texts: bool) -> Sequence[bool]:
        """Say which lines begin as those of some rows would."""
        heads = row_heads(rows if with_texts else [*map(without_texts, rows)])
        starts, begins_with = self._written.starts, self._written.data.startswith
        return [
            (start := starts.get(row.id)) is not None and begins_with(head, start)
            for row, head in zip(rows, bytes_of("\n".join(heads)).split(b"\n"), strict=True)
        ]


# Of more rows than a few, so small a part has to be the same; else all lines are read.
_FEW_ROWS, _LEAST_SAME = 100, 4


def by_id(rows: Iterable[RowResult]) -> EarlierRows:
    """Return rows by their ids."""
    found: dict[str, list[RowResult]] = {}
    for row in rows:
        found.setdefault(row.id, []).append(row)
    return found


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
        has_test = verdicts == counts.total() and not self.has_clusters
        p_value = mcnemar_exact(better, worse) if has_test else scores.p_value
        return ScoreDifference(scores, better, worse, p_value, MCNEMAR if has_test else T_TEST)


MCNEMAR, T_TEST = "mcnemar", "t"


class ScoreDifference(NamedTuple):
    """The scores of the same rows, before and now.

    `better` and `worse` count those that pass now and failed before, and the reverse. `p_value` is
    that of `test`: McNemar's exact one if all of them passed or failed both times, else the paired
    t test; None if that says nothing.
    """

    scores: PairedDifference
    better: int
    worse: int
    p_value: float | None
    test: str


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
        before: EarlierRows,
        rows: Iterable[RowResult],
        grouping: Grouping = ALL_ALIKE,
        keep: int = 0,
    ) -> Comparison:
        """Compare rows with the earlier ones of the same ids."""
        comparison = cls(grouping, keep)
        rows = [*rows]
        are_same: Iterable[bool] = repeat(False)
        if isinstance(before, WrittenRows) and grouping.cluster is None:
            are_same = before.are_same(rows)
        unchanged: dict[_Unchanged, int] = {}
        seen = comparison.seen
        for row, is_same in zip(rows, are_same, strict=False):
            id_, result, earlier = row.id, None, None
            at = seen.get(id_, 0)
            if is_same and not at:
                result = _result_of(row)
            if result is None:
                same = before.get(id_, ())
                if at >= len(same):
                    comparison.new.append(id_)
                    continue
                earlier = same[at]
                result = _unchanged(earlier, row) if grouping.cluster is None else None
            seen[id_] = at + 1
            if result is not None:
                times = unchanged.get(result, 0)
                if not times:  # the checks have the order of the rows, whatever has changed
                    comparison._add_unchanged(result, 0)
                unchanged[result] = times + 1
                comparison._add_to_groups(row)
            elif earlier is not None:
                comparison._compare(earlier, row)
        for result, times in unchanged.items():
            comparison._add_unchanged(result, times)
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
        self.seen.update(other.seen)
        self.change_count += other.change_count
        self.flip_count += other.flip_count
        self.changed = [*self.changed, *other.changed][: self.keep or None]
        self.flipped = [*self.flipped, *other.flipped][: self.keep or None]

    def lost_ids(self, before: EarlierRows) -> list[str]:
        """Return the ids of earlier rows that are not among those compared."""
        seen = self.seen
        if isinstance(before, WrittenRows):  # each has one line
            return [id_ for id_ in before if id_ not in seen]
        return [id_ for id_, rows in before.items() for _ in rows[seen[id_] :]]

    def _compare(self, before: RowResult, row: RowResult) -> None:
        if before.rubric != row.rubric:
            self.versions[before.rubric, row.rubric] += 1
        rubric = _id_of(row.rubric)
        tallies = [*self._of_row(before, row)]
        changed: list[str] = []
        for name, earlier, check in _matched(before, row):
            # Of a check, the outcome and the score; the bounds.
            if earlier is None or check is None:
                changed.append(name)
                continue
            if earlier[2:4] != check[2:4] or earlier[6] != check[6]:
                changed.append(name)
            if earlier[3] is not None and check[3] is not None:
                tallies.append((self.checks[rubric, name], (*earlier[2:4], *check[2:4])))
        for tally, change in tallies:
            tally.changes[change] += 1
        if self.grouping.cluster is not None:
            self._add_to_cluster(tallies, self.grouping.cluster_of(row))
        if changed or _result(before) != _result(row):
            self._note(RowChange(before, row, tuple(changed)))

    def _add_to_groups(self, row: RowResult) -> None:
        """Count a row that has not changed in its groups."""
        if row.content:
            change = (row.outcome, row.score, row.outcome, row.score)
            for group in self.grouping.groups(row):
                self.groups[group].changes[change] += 1

    def _add_unchanged(self, result: _Unchanged, times: int) -> None:
        """Count rows that had this result before, and have it now, but not in their groups."""
        self.rows.changes[*result.row, *result.row] += times
        rubric = _id_of(result.rubric)
        for name, outcome, score, _ in result.checks:
            if score is not None:
                self.checks[rubric, name].changes[outcome, score, outcome, score] += times

    def _of_row(self, before: RowResult, row: RowResult) -> Iterator[tuple[PairedTally, _Change]]:
        """Yield where the result of a row counts, if its score is known both times."""
        if before.score is not None and row.score is not None:
            change = (before.outcome, before.score, row.outcome, row.score)
            yield self.rows, change
            if row.content:
                yield from ((self.groups[group], change) for group in self.grouping.groups(row))
        elif not before.outcome is row.outcome is Outcome.SKIPPED:
            self._leave_out(before, row)

    def _add_to_cluster(
        self, tallies: Iterable[tuple[PairedTally, _Change]], cluster: str | None
    ) -> None:
        for tally, (_, before, _, after) in tallies:
            if before is not None and after is not None:
                tally.add_to_cluster(before, after, cluster)

    def _note(self, change: RowChange) -> None:
        self.change_count += 1
        self.flip_count += change.is_flip
        if not self.keep or len(self.changed) < self.keep:
            self.changed.append(change)
        if change.is_flip and (not self.keep or len(self.flipped) < self.keep):
            self.flipped.append(change)

    def _leave_out(self, before: RowResult, now: RowResult) -> None:
        unknown = now if now.score is None else before
        leaves = (leaf for check in unknown.checks for _, leaf in check.leaves())
        reason = unknown.reason or gravest(leaves)[1] or "-"
        self.uncompared[UncomparedRow(before.score is None, now.score is None, reason)] += 1


class _Unchanged(NamedTuple):
    """A result that a row had before, and has now, by the same rubric."""

    rubric: str | None
    row: tuple[Outcome | None, float | None]
    checks: tuple[tuple[Any, ...], ...]


# The id, the outcome, the score and the bounds of the result of a check; the checks inside.
_of_check, _inside = itemgetter(0, 2, 3, 6), itemgetter(7)


def _unchanged(before: RowResult, now: RowResult) -> _Unchanged | None:
    """Return the result of a row if it is the same, with a score and without checks inside."""
    if before[1:4] != now[1:4] or before.bounds != now.bounds:
        return None
    result = _result_of(now)
    if result is None or tuple(map(_of_check, before.checks)) != result.checks:
        return None
    return result


def _result_of(row: RowResult) -> _Unchanged | None:
    """Return the result of a row if it has a score, and no checks inside."""
    if row.score is None or any(map(_inside, row.checks)):
        return None
    return _Unchanged(row.rubric, (row.outcome, row.score), tuple(map(_of_check, row.checks)))


def _matched(
    before: RowResult, now: RowResult
) -> Iterator[tuple[str, CheckResult | None, CheckResult | None]]:
    """Yield the checks of both by name, those that ran inside of others; None where one lacks."""
    ids, new_ids = [check[0] for check in before.checks], [check[0] for check in now.checks]
    if ids == new_ids and not any(check[7] for check in chain(before.checks, now.checks)):
        yield from zip(ids, before.checks, now.checks, strict=True)
        return
    leaves = _leaves(before)
    for name, check in _leaves(now).items():
        yield name, leaves.pop(name, None), check
    for name, check in leaves.items():
        yield name, check, None


def _leaves(row: RowResult) -> dict[str, CheckResult]:
    return {name: leaf for check in row.checks for name, leaf in check.leaves()}


def _result(graded: CheckResult | RowResult) -> tuple[Outcome | None, float | None, Bounds | None]:
    return graded.outcome, graded.score, graded.bounds


def _id_of(rubric: str | None) -> str | None:
    return rubric.partition("@")[0] if rubric else rubric
