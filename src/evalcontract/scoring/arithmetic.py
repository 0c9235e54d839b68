"""How the scores of checks become one: the arithmetic of `combine`, weights and thresholds.

`docs/grading.md` documents it, with known answers that a test computes again.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple, Protocol

from evalcontract.checks.outcome import Outcome, Verdict
from evalcontract.statistics.means import weighted_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

#: The combinations that ask only whether checks passed; a threshold has no meaning there.
BOOLEAN = ("all_pass", "any_pass")
#: Scores are rounded to so many digits, so that 0.1 + 0.2 reaches a threshold of 0.3.
DIGITS = 12
#: The outcomes without a score, the gravest first: why a rubric has none.
WITHOUT_SCORE = (Outcome.ERROR, Outcome.UNAVAILABLE, Outcome.SKIPPED)


class Judged(Protocol):
    """What has an outcome: a verdict, or the result of a check."""

    @property
    def outcome(self) -> Outcome:
        """The outcome."""
        ...

    @property
    def score(self) -> float | None:
        """The score from 0 to 1, if there is one."""
        ...

    @property
    def reason(self) -> str | None:
        """Why it did not pass."""
        ...


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

    `score` is from 0 to 1, None if no check has a score; then `outcome` is why: an error before
    what is unavailable, and that before what is skipped. `passed` is None without a score, and
    where nothing says what passes: the rubric combines numbers and has no threshold.
    """

    outcome: Outcome | None
    score: float | None
    passed: bool | None
    reason: str | None = None


def total(scoring: Scoring, verdicts: Sequence[tuple[Judged, float]]) -> Total:
    """Combine verdicts, or the results of checks, each with its weight.

    Only checks with a score count. Checks that are skipped, unavailable or in error are left out
    of every combination, of the sum of the weights too.
    """
    counted = [pair for pair in verdicts if pair[0].score is not None]
    if not counted:
        outcome, reason = _why_none(verdict for verdict, _ in verdicts)
        return Total(outcome, None, None, reason)
    combine = scoring.combine
    if combine in BOOLEAN:
        passing = [verdict.outcome is Outcome.PASSED for verdict, _ in counted]
        passed = all(passing) if combine == "all_pass" else any(passing)
        return _decided(float(passed), passed=passed)
    scores = [verdict.score or 0.0 for verdict, _ in counted]
    if combine == "weighted_avg":
        mean = weighted_mean(scores, [weight for _, weight in counted])
        if mean is None:
            reason = "the weights of all checks with a score are 0"
            return Total(Outcome.SKIPPED, None, None, reason)
        score = mean
    else:
        score = _COMBINATIONS[combine](scores)
    score = round(float(score), DIGITS)
    if scoring.threshold is None:
        return Total(None, score, None)
    return _decided(score, passed=score >= scoring.threshold)


def of_composite(inner: Total, verdicts: Iterable[Judged], threshold: float | None) -> Verdict:
    """Return the verdict of a composite, given what its rubric comes to.

    Its own threshold decides, else that of the rubric; without any, all checks of the rubric that
    have a score must have passed.
    """
    if inner.score is None:
        return Verdict(inner.outcome or Outcome.SKIPPED, None, inner.reason)
    if threshold is not None:
        passed = inner.score >= threshold
    elif inner.passed is not None:
        passed = inner.passed
    else:
        passed = all(verdict.outcome is not Outcome.FAILED for verdict in verdicts)
    reason = None if passed else f"the score of its rubric is {inner.score:g}"
    return Verdict(Outcome.PASSED if passed else Outcome.FAILED, inner.score, reason)


def _decided(score: float, *, passed: bool) -> Total:
    return Total(Outcome.PASSED if passed else Outcome.FAILED, score, passed)


def _why_none(verdicts: Iterable[Judged]) -> tuple[Outcome, str | None]:
    """Return the gravest outcome without a score, and its first reason."""
    reasons: dict[Outcome, str | None] = {}
    for verdict in verdicts:
        reasons.setdefault(verdict.outcome, verdict.reason)
    for outcome in WITHOUT_SCORE:
        if outcome in reasons:
            return outcome, reasons[outcome]
    return Outcome.SKIPPED, "there are no checks"


_COMBINATIONS: Mapping[str, Callable[[list[float]], float]] = {
    "min": min,
    "max": max,
    "median": median,
}
