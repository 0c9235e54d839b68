"""What pilot runs say of the rows that a comparison needs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import fsum

from evalcontract.grading.results import RowResult
from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import many
from evalcontract.statistics.estimates import (
    FEWEST,
    DifferenceVariance,
    SampledRow,
    sampled_variance,
)


class Pilot(NamedTuple):
    """The variance of a difference as pilot runs have it, by so many rows with so many samples.

    `is_paired`: two runs were compared, so that their correlation is known. `left_out` rows say
    nothing, since a score of them is not known, or they are in one of two runs alone.
    """

    variance: DifferenceVariance
    rows: int
    samples: int
    is_paired: bool
    left_out: int = 0


def pilot_of_one(rows: Iterable[RowResult], correlation: float) -> Pilot:
    """Return what one run says, if another one is as spread, and so correlated with it.

    Raises:
        UsageError: the rows are too few to say, or all came to the same.

    """
    scores, ids = _scores(rows)
    sampled = [*map(SampledRow.of, scores.values())]
    samples = min(map(len, scores.values()), default=0)
    within, between = sampled_variance(Counter(sampled))
    if between is None:
        between = _variance([row.mean for row in sampled]) + _noise_of_one(sampled)
        within = None
    variance = DifferenceVariance(
        2 * between * (1 - correlation), None if within is None else 2 * within
    )
    left_out = len(ids) - len(scores)
    return _known(Pilot(variance, len(scores), samples, is_paired=False, left_out=left_out))


def pilot_of_two(first: Iterable[RowResult], second: Iterable[RowResult]) -> Pilot:
    """Return what two runs say of their difference on the rows that both have.

    Raises:
        UsageError: the rows are too few to say, or no difference differs.

    """
    (one, ids), (other, other_ids) = _scores(first), _scores(second)
    both = one.keys() & other.keys()
    pairs = [(SampledRow.of(one[id_]), SampledRow.of(other[id_])) for id_ in sorted(both)]
    samples = min((row.n for pair in pairs for row in pair), default=0)
    spread = _variance([new.mean - old.mean for old, new in pairs])
    within: float | None = None
    if samples > 1:
        noises = [(old.variance or 0.0, new.variance or 0.0) for old, new in pairs]
        within = fsum(map(sum, noises)) / len(pairs)
        noise = fsum(
            before / old.n + after / new.n
            for (old, new), (before, after) in zip(pairs, noises, strict=True)
        )
        spread = max(0.0, spread - noise / len(pairs))
    else:
        spread += sum(_noise_of_one(run) for run in zip(*pairs, strict=True))
    variance, left_out = DifferenceVariance(spread, within), len(ids | other_ids) - len(pairs)
    return _known(Pilot(variance, len(pairs), samples, is_paired=True, left_out=left_out))


def _noise_of_one(rows: Sequence[SampledRow]) -> float:
    """Return by how much the variance is larger if each row has one sample, by what is known.

    The mean of n samples varies less, by 1 - 1/n of their variance.
    """
    if not rows:
        return 0.0
    return fsum((row.variance or 0.0) * (1 - 1 / row.n) for row in rows) / len(rows)


def _known(pilot: Pilot) -> Pilot:
    if pilot.rows < FEWEST:
        raise UsageError(
            f"{many(pilot.rows, 'row')} with a known score: too few to say, at least {FEWEST}"
        )
    if not pilot.variance.of(1):
        raise UsageError("all rows of the pilot run came to the same: it does not tell a variance")
    return pilot


def _scores(rows: Iterable[RowResult]) -> tuple[dict[str, list[float]], set[str]]:
    """Return the scores of the samples of rows whose scores are all known, and the ids of all."""
    scores: defaultdict[str, list[float | None]] = defaultdict(list)
    for row in rows:
        scores[row.id].append(row.score)
    known = {
        id_: [score for score in each if score is not None]
        for id_, each in scores.items()
        if None not in each
    }
    return known, {*scores}


def _variance(values: list[float]) -> float:
    if len(values) < 2:  # noqa: PLR2004 - one value has no spread
        return 0.0
    mean = fsum(values) / len(values)
    return fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
