"""Several outputs of one row: what they come to together, and how much they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import attrgetter
from statistics import multimode
from typing import Any

from evalcontract.checks.outcome import End, HasOutcome, Outcome
from evalcontract.grading.results import CheckResult, RowResult
from evalcontract.grading.runner import Scoring, Total, total
from evalcontract.library.scores import Bounds
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import many
from evalcontract.statistics.estimates import (
    ClusterSum,
    Estimate,
    SampledRow,
    SampledVariance,
    mean_estimate,
    pass_all_k,
    pass_at_k,
    sampled_variance,
)


class Reduction(NamedTuple):
    """How the samples of a row become one result: their scores, and which share has to pass."""

    combine: str
    passes: Callable[[Sequence[bool]], bool]


def _is_majority(passed: Sequence[bool]) -> bool:
    return 2 * sum(passed) > len(passed)


#: The reductions by their names. `mode` is the score that most samples have.
REDUCTIONS: Mapping[str, Reduction] = {
    "mean": Reduction("weighted_avg", _is_majority),
    "mode": Reduction("mode", _is_majority),
    "max": Reduction("max", any),
    "pass_at_k": Reduction("any_pass", any),
}


def reduced(rows: Sequence[RowResult], how: str) -> list[RowResult]:
    """Return one result for each row; the samples of a row follow on each other.

    What did not run in a sample may have any score, as in a rubric. What all samples skip is
    skipped, and else those count that are not. What a result tells of an output is that of the
    first one with the same outcome.
    """
    if not _have_samples(rows):
        return [*rows]
    reduction = REDUCTIONS[how]
    return [
        samples[0] if samples[0].sample is None else _row(samples, reduction)
        for samples in ([*group] for _, group in groupby(rows, attrgetter("id")))
    ]


def _have_samples(rows: Iterable[RowResult]) -> bool:
    return not {None}.issuperset(map(attrgetter("sample"), rows))


def _row(samples: list[RowResult], reduction: Reduction) -> RowResult:
    outcome, score, bounds, reason = _together(samples, reduction)
    checks: tuple[CheckResult, ...] = ()
    if len({tuple(check.id for check in sample.checks) for sample in samples}) == 1:
        columns = zip(*(sample.checks for sample in samples), strict=True)
        checks = tuple(_check(column, reduction) for column in columns)
    told = next((each for each in samples if each.outcome is outcome), samples[0])
    return told._replace(
        outcome=outcome, score=score, reason=reason, bounds=bounds, checks=checks, sample=None
    )


def _check(samples: Sequence[CheckResult], reduction: Reduction) -> CheckResult:
    outcome, score, bounds, reason = _together(samples, reduction)
    inner = zip(*(sample.checks for sample in samples), strict=True)
    unanswered = (each.details for each in samples if each.unanswered)
    return samples[0]._replace(
        outcome=outcome or Outcome.SKIPPED,
        score=score,
        reason=reason,
        bounds=bounds,
        details=next(unanswered, None),
        checks=tuple(_check(column, reduction) for column in inner),
    )


def _together(samples: Sequence[Any], reduction: Reduction) -> Total:
    verdicts: list[tuple[HasOutcome, float]] = [(sample, 1.0) for sample in samples]
    decide = partial(_decide, reduction)
    combine = reduction.combine
    if combine == "mode":
        found = total(Scoring("median"), verdicts, decide)
        scores = [each.score for each in samples if each.outcome is not Outcome.SKIPPED]
        if found.score is not None and None not in scores:
            found = found._replace(score=min(multimode(scores)))
        elif found.bounds is not None:  # any score of a sample may be the one that most have
            ends = [
                each.bounds or Bounds(each.score, each.score)
                for each in samples
                if each.outcome is not Outcome.SKIPPED
            ]
            lows, highs = zip(*ends, strict=True)
            found = found._replace(bounds=Bounds(min(lows), max(highs)))
    else:
        found = total(Scoring(combine), verdicts, decide)
    if found.reason is None and found.outcome is Outcome.FAILED:
        found = found._replace(reason=next((each.reason for each in samples if each.reason), None))
    return found


def _decide(reduction: Reduction, ends: list[End], end: End) -> End:
    passed = [each.passed for each in ends if each.passed is not None]
    return End(end.score, reduction.passes(passed) if len(passed) == len(ends) else None)


# The cluster of a row: None if it is one of its own, empty where rows have no clusters.
_Cluster = tuple[()] | tuple[str | None]


class SampleTally:
    """What samples of rows come to: how many there are, how many pass, how much scores differ.

    `passes` counts the rows with so many verdicts of samples, of which so many passed, by their
    cluster; rows of which a sample has no verdict are not among them. `scores` counts the rows with
    such scores, `sizes` those with so many samples.
    """

    def __init__(self) -> None:
        self.rows = self.outputs = 0
        self.passes: Counter[tuple[int, int, _Cluster]] = Counter()
        self.scores: Counter[SampledRow] = Counter()
        self.sizes: Counter[int] = Counter()

    def add(self, samples: Sequence[RowResult], cluster: _Cluster = ()) -> None:
        """Count the samples of a row, which may be one of a cluster."""
        self.rows += 1
        self.outputs += len(samples)
        self.sizes[len(samples)] += 1
        verdicts = [each.outcome is Outcome.PASSED for each in samples if each.outcome in _VERDICTS]
        if len(verdicts) == len(samples):
            self.passes[len(verdicts), sum(verdicts), cluster] += 1
        scores = [each.score for each in samples if each.score is not None]
        if len(scores) == len(samples):
            self.scores[SampledRow.of(scores)] += 1

    def add_all(
        self,
        rows: Sequence[RowResult],
        cluster_of: Callable[[RowResult], str | None] | None = None,
    ) -> None:
        """Count the samples of rows that have several; `cluster_of` names the cluster of a row."""
        if not _have_samples(rows):
            return
        for _, group in groupby(rows, attrgetter("id")):
            samples = [*group]
            if samples[0].sample is not None:
                self.add(samples, (cluster_of(samples[0]),) if cluster_of else ())

    def merge(self, other: SampleTally) -> None:
        """Count what another tally has counted."""
        self.rows += other.rows
        self.outputs += other.outputs
        self.passes.update(other.passes)
        self.scores.update(other.scores)
        self.sizes.update(other.sizes)

    @property
    def k(self) -> int:
        """The number of samples that all rows with verdicts have at least."""
        return min((n for n, _, _ in self.passes), default=0)

    @property
    def decided(self) -> int:
        """The number of rows all of whose samples passed or failed: what chances are of."""
        return self.passes.total()

    @property
    def caveats(self) -> Iterator[str]:
        """Yield what the figures do not show: samples that are missing, or have no verdict."""
        if len(self.sizes) > 1:
            yield f"{min(self.sizes):,} to {max(self.sizes):,} of each"
        if undecided := self.rows - self.decided:
            rows = many(undecided, "row is", "rows are")
            yield f"{rows} in no rate, since an output has no verdict"

    def chance(self, *, of_all: bool, k: int | None = None) -> Estimate | None:
        """Return pass@k, or pass^k with `of_all`, over the rows; None without verdicts."""
        if not self.passes:
            return None
        figure = pass_all_k if of_all else pass_at_k
        counts: Counter[float] = Counter()
        alone, clusters = list[ClusterSum](), dict[str, ClusterSum]()
        for (n, passed, cluster), rows in self.passes.items():
            value = figure(n, passed, k or self.k)
            counts[value] += rows
            for name in cluster:
                if name is None:
                    alone += [ClusterSum(1, value)] * rows
                else:
                    known = clusters.get(name, ClusterSum(0, 0.0))
                    clusters[name] = ClusterSum(known.n + rows, known.total + rows * value)
        sums = [*alone, *clusters.values()]
        return mean_estimate(counts, sums or None)

    @property
    def variance(self) -> SampledVariance:
        """The variance of scores within rows and between them."""
        return sampled_variance(self.scores)

    @property
    def shares(self) -> Mapping[str, float]:
        """The share of rows whose samples never, sometimes and always pass."""
        rows = self.passes.total()
        never = sum(count for (_, passed, _), count in self.passes.items() if not passed)
        always = sum(count for (n, passed, _), count in self.passes.items() if n == passed)
        return {
            "never": never / rows,
            "sometimes": (rows - never - always) / rows,
            "always": always / rows,
        }


_VERDICTS = (Outcome.PASSED, Outcome.FAILED)
