"""What changed between two runs, row by row."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator

from evalcontract.checks.outcome import Outcome, gravest
from evalcontract.grading.results import CheckResult, RowResult
from evalcontract.grading.summary import CheckKey
from evalcontract.library.score_bounds import Bounds
from evalcontract.model.startup import NamedTuple
from evalcontract.statistics.rates import Draws, PairedDifference, paired_difference


class RowChange(NamedTuple):
    """A row whose result is another one; `checks` are the names of those that changed."""

    before: RowResult
    after: RowResult
    checks: tuple[str, ...]


class UncomparedRow(NamedTuple):
    """Why a row is in no difference: its score is not known `before`, `now`, or both times."""

    before: bool
    now: bool
    reason: str


class CheckDifference(NamedTuple):
    """A check over the rows on which its score is known in both runs.

    `rubric` is the id of its rubric without a version. `better` and `worse` count the rows on which
    it passes now and failed before, and the reverse.
    """

    rubric: str | None
    check: str
    scores: PairedDifference
    better: int
    worse: int


class Comparison:
    """The differences between the rows of an earlier run and those that are taken one by one.

    Rows are compared by id, those with the same id in their order. `versions` are the exact names
    of rubrics that graded the same rows, before and now, where they differ. `uncompared` says how
    many rows have a part in the mean of a run, and a score that is not known in both, and why.
    """

    def __init__(self, before: Iterable[RowResult]) -> None:
        self._before: dict[str, deque[RowResult]] = {}
        for row in before:
            self._before.setdefault(row.id, deque()).append(row)
        self._scores: list[tuple[float, float]] = []
        self._checks: dict[CheckKey, list[tuple[CheckResult, CheckResult]]] = {}
        self.versions: dict[tuple[str | None, str | None], int] = {}
        self.uncompared: Counter[UncomparedRow] = Counter()
        self.changed: list[RowChange] = []
        self.new: list[str] = []

    def take(self, row: RowResult) -> None:
        """Compare a row with the earlier one of the same id."""
        if row.id not in self._before:
            self.new.append(row.id)
            return
        same = self._before[row.id]
        before = same.popleft()
        if not same:
            del self._before[row.id]
        if before.rubric != row.rubric:
            names = (before.rubric, row.rubric)
            self.versions[names] = self.versions.get(names, 0) + 1
        if before.score is not None and row.score is not None:
            self._scores.append((before.score, row.score))
        elif not before.outcome is row.outcome is Outcome.SKIPPED:
            self._leave_out(before, row)
        leaves = _leaves(before)
        changed = []
        for name, check in _leaves(row).items():
            earlier = leaves.pop(name, None)
            if earlier is None or _result(earlier) != _result(check):
                changed.append(name)
            if earlier and earlier.score is not None and check.score is not None:
                key = (_id_of(row.rubric), name)
                self._checks.setdefault(key, []).append((earlier, check))
        if changed or leaves or _result(before) != _result(row):
            self.changed.append(RowChange(before, row, (*changed, *leaves)))

    def _leave_out(self, before: RowResult, now: RowResult) -> None:
        unknown = now if now.score is None else before
        leaves = (leaf for check in unknown.checks for _, leaf in check.leaves())
        reason = unknown.reason or gravest(leaves)[1] or "-"
        self.uncompared[UncomparedRow(before.score is None, now.score is None, reason)] += 1

    @property
    def lost_ids(self) -> list[str]:
        """The ids of earlier rows that are not among those taken."""
        return [row.id for rows in self._before.values() for row in rows]

    @property
    def rows(self) -> PairedDifference | None:
        """The scores of the rows whose score is known in both runs; None if there are none."""
        before, after = ([pair[at] for pair in self._scores] for at in range(2))
        return paired_difference(before, after) if before else None

    def checks(self) -> Iterator[CheckDifference]:
        """Yield the differences of the checks that changed on some row."""
        draws = Draws()
        for (rubric, name), pairs in self._checks.items():
            if all(_result(before) == _result(after) for before, after in pairs):
                continue
            scores = paired_difference(
                [before.score or 0.0 for before, _ in pairs],
                [after.score or 0.0 for _, after in pairs],
                draws,
            )
            better = sum(_is_regression(after, before) for before, after in pairs)
            worse = sum(_is_regression(before, after) for before, after in pairs)
            yield CheckDifference(rubric, name, scores, better=better, worse=worse)


def _leaves(row: RowResult) -> dict[str, CheckResult]:
    return {name: leaf for check in row.checks for name, leaf in check.leaves()}


def _result(graded: CheckResult | RowResult) -> tuple[Outcome | None, float | None, Bounds | None]:
    return graded.outcome, graded.score, graded.bounds


def _is_regression(passed: CheckResult, failed: CheckResult) -> bool:
    return passed.outcome is Outcome.PASSED and failed.outcome is Outcome.FAILED


def _id_of(rubric: str | None) -> str | None:
    return rubric.partition("@")[0] if rubric else rubric
