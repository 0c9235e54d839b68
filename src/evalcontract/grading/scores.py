"""How the scores of checks become one: the arithmetic of `combine`, weights and thresholds.

`docs/grading.md` documents it, with known answers that a test computes again.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from evalcontract.checks.outcome import End, Outcome, combined, gravest
from evalcontract.model.startup import NamedTuple
from evalcontract.statistics.scores import weighted_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evalcontract.checks.outcome import HasOutcome
    from evalcontract.library.score_bounds import Bounds

#: The combinations that ask only whether checks passed; a threshold has no meaning there.
BOOLEAN = ("all_pass", "any_pass")
#: Scores are rounded to so many digits, so that 0.1 + 0.2 reaches a threshold of 0.3.
DIGITS = 12


class Scoring(NamedTuple):
    """How a rubric combines the scores of its checks; `weights` are by the id of a check."""

    combine: str
    threshold: float | None = None
    weights: Mapping[str, float] = {}

    def weight_of(self, check: str) -> float:
        """Return the weight of a check: 1 unless the rubric is a weighted average and names it."""
        return self.weights.get(check, 1.0) if self.combine == "weighted_avg" else 1.0


class Total(NamedTuple):
    """What the checks of a rubric come to.

    `score` is from 0 to 1. It is None if all checks are skipped, and if it depends on what did not
    run; then `bounds` are the scores that it lies between. `outcome` is passed or failed where all
    scores between them agree, else undecided, with the `reason`. It is None where nothing says what
    passes: the rubric combines numbers, and has no threshold.
    """

    outcome: Outcome | None
    score: float | None
    bounds: Bounds | None = None
    reason: str | None = None


def total(scoring: Scoring, verdicts: Sequence[tuple[HasOutcome, float]]) -> Total:
    """Combine verdicts, or the results of checks, each with its weight.

    Checks that are skipped are left out, of the sum of the weights too. What did not run may have
    any score; see `combined`.
    """
    return _total(scoring, verdicts, lambda _, end: end)


def of_composite(
    scoring: Scoring, verdicts: Sequence[tuple[HasOutcome, float]], threshold: float | None
) -> Total:
    """Return what a composite comes to whose rubric has this scoring and these verdicts.

    Its own threshold decides, else that of the rubric; without any, all checks of the rubric that
    are not skipped must have passed.
    """

    def decide(ends: list[End], end: End) -> End:
        if threshold is not None:
            return End(end.score, end.score >= threshold)
        if end.passed is None:
            return End(end.score, all(each.passed for each in ends))
        return end

    made = _total(scoring, verdicts, decide)
    if made.outcome is Outcome.FAILED:
        return made._replace(
            reason=f"the score of its rubric is {score_text(made.score, made.bounds)}"
        )
    return made


def _total(
    scoring: Scoring,
    verdicts: Sequence[tuple[HasOutcome, float]],
    decide: Callable[[list[End], End], End],
) -> Total:
    """Combine verdicts; `decide` says what passes, given the checks and what they come to."""
    counted = [verdict for verdict, _ in verdicts if verdict.outcome is not Outcome.SKIPPED]
    if not counted:
        outcome, reason = gravest(verdict for verdict, _ in verdicts)
        return Total(outcome, None, None, reason)
    weights = [weight for verdict, weight in verdicts if verdict.outcome is not Outcome.SKIPPED]
    if scoring.combine == "weighted_avg" and not any(weights):
        return Total(Outcome.SKIPPED, None, None, "the weights of all checks that count are 0")
    made = combined(counted, lambda ends: decide(ends, _end(scoring, weights, ends)))
    reason = gravest(counted)[1] if made.outcome is Outcome.UNDECIDED else None
    return Total(*made, reason)


def score_text(score: float | None, bounds: Bounds | None, how: str = "g") -> str:
    """Return a score as text, or its bounds as `0.41 to 0.91`; `how` is a format of numbers."""
    if bounds is not None:
        return f"{bounds.low:{how}} to {bounds.high:{how}}"
    return "-" if score is None else f"{score:{how}}"


def _end(scoring: Scoring, weights: list[float], ends: list[End]) -> End:
    """Return what a rubric makes of checks whose scores are known."""
    combine = scoring.combine
    if combine in BOOLEAN:
        passing = [end.passed for end in ends]
        passed = all(passing) if combine == "all_pass" else any(passing)
        return End(float(passed), passed)
    scores = [end.score for end in ends]
    if combine == "weighted_avg":
        score = weighted_mean(scores, weights) or 0.0
    else:
        score = _COMBINATIONS[combine](scores)
    score = round(float(score), DIGITS)
    return End(score, None if scoring.threshold is None else score >= scoring.threshold)


_COMBINATIONS: Mapping[str, Callable[[list[float]], float]] = {
    "min": min,
    "max": max,
    "median": median,
}
