"""How the verdicts of a jury become one."""

from __future__ import annotations

from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any

from evalcontract.checks.outcome import End, Outcome, Verdict, combined, error, of_judges
from evalcontract.library.score_bounds import TOLERANCE
from evalcontract.statistics.scores import weighted_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def decide(
    jury: Mapping[str, Any], verdicts: Sequence[Verdict], threshold: float | None = None
) -> Verdict:
    """Return the verdict of a jury; `verdicts` are those of its judges, in order.

    The majority of the votes decides, by the weights of the judges, or `tie_break` in a tie; with a
    `threshold`, the score decides. With `majority_vote` the score is 1 or 0, otherwise what
    `aggregation` makes of the scores. Only `majority_vote` and `weighted_average` use the weights.
    A judge that gave no verdict may have given any; see `combined`.
    """
    weights = _weights(jury)
    if not any(weights):
        return error("all judges of the jury have a weight of 0")
    made = combined(verdicts, partial(_end, jury, weights, threshold))
    details = {
        "scores": [verdict.score for verdict in verdicts],
        "passes": [_vote(verdict) for verdict in verdicts],
        "judges": [verdict.details for verdict in verdicts],
    }
    return of_judges(made, verdicts, _reason(verdicts, weights), details)


def _weights(jury: Mapping[str, Any]) -> list[float]:
    if jury["aggregation"] in ("average", "median"):
        return [1.0] * len(jury["judges"])
    return [float(juror["weight"]) for juror in jury["judges"]]


def _end(
    jury: Mapping[str, Any], weights: list[float], threshold: float | None, ends: list[End]
) -> End:
    """Return what a jury makes of verdicts that are known."""
    share = _share([bool(end.passed) for end in ends], weights)
    passes = jury["tie_break"] == "pass" if _is_half(share) else share > 0.5  # noqa: PLR2004 - half
    scores = [end.score for end in ends]
    if jury["aggregation"] == "majority_vote":
        score = float(passes)
    elif jury["aggregation"] == "median":
        score = float(median(scores))
    else:
        score = weighted_mean(scores, weights) or 0.0
    return End(score, passes if threshold is None else score + TOLERANCE >= threshold)


def _share(votes: list[bool], weights: list[float]) -> float:
    return weighted_mean([float(vote) for vote in votes], weights) or 0.0


def _is_half(share: float) -> bool:
    return abs(share - 0.5) <= TOLERANCE


def _vote(verdict: Verdict) -> bool | None:
    return {Outcome.PASSED: True, Outcome.FAILED: False}.get(verdict.outcome)


def _reason(verdicts: Sequence[Verdict], weights: list[float]) -> str:
    votes = [_vote(verdict) for verdict in verdicts]
    told = f"{votes.count(True)} of {len(votes)} judges pass it"
    if None in votes:
        return f"{told}, {votes.count(None)} gave no verdict"
    return f"{told}, a tie" if _is_half(_share([bool(vote) for vote in votes], weights)) else told
