"""How the verdicts of a jury become one."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from evalcontract.checks.outcome import Outcome, Verdict, error
from evalcontract.library.score_bounds import TOLERANCE
from evalcontract.statistics.means import weighted_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def decide(jury: Mapping[str, Any], verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict of a jury; `verdicts` are those of its judges, in order.

    The majority of the votes decides, by the weights of the judges, or `tie_break` in a tie. With
    `majority_vote` the score is 1 or 0, otherwise what `aggregation` makes of the scores. Only
    `majority_vote` and `weighted_average` use the weights.
    """
    aggregation = jury["aggregation"]
    weights = [float(juror["weight"]) for juror in jury["judges"]]
    if aggregation in ("average", "median"):
        weights = [1.0] * len(weights)
    passes = [verdict.outcome is Outcome.PASSED for verdict in verdicts]
    share = weighted_mean([float(vote) for vote in passes], weights)
    if share is None:
        return error("all judges of the jury have a weight of 0")
    is_tie = abs(share - 0.5) <= TOLERANCE
    is_pass = jury["tie_break"] == "pass" if is_tie else share > 0.5  # noqa: PLR2004 - half
    scores = [verdict.score or 0.0 for verdict in verdicts]
    if aggregation == "majority_vote":
        score = float(is_pass)
    elif aggregation == "median":
        score = float(median(scores))
    else:
        score = weighted_mean(scores, weights) or 0.0
    details = {"scores": scores, "passes": passes, "judges": [each.details for each in verdicts]}
    if is_pass:
        return Verdict(Outcome.PASSED, score, None, details)
    votes = f"{sum(passes)} of {len(passes)} judges pass it"
    return Verdict(Outcome.FAILED, score, f"{votes}, a tie" if is_tie else votes, details)
