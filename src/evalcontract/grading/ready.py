"""Checks that are ready to run, on some outputs at a time."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeGuard

from evalcontract.checks import State
from evalcontract.checks._kind import RUNS, Needs, outlook_of
from evalcontract.checks.outcome import (
    ANY_SCORE,
    PASSED,
    Outcome,
    OutputTexts,
    Verdict,
    error,
    gravest,
)
from evalcontract.grading.scoring_results import CheckResult
from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evalcontract.checks import Prediction
    from evalcontract.checks.outcome import Executor, Judged, JudgeTexts, Output
    from evalcontract.grading.arithmetic import Total

#: The outcome of a check that does not run on a row, by what is predicted of it.
_OUTCOMES = {
    State.SKIP: Outcome.SKIPPED,
    State.VACUOUS: Outcome.SKIPPED,
    State.UNAVAILABLE: Outcome.UNAVAILABLE,
    State.FAIL: Outcome.FAILED,
}
# The outcome, the score and the bounds of the result of a check.
_scored = itemgetter(2, 3, 6)
# A union would be made anew for each result.
_NUMBER = (int, float)
# So many of both are kept, for a rubric or a check.
_MAX_TOTALS, _MAX_RESULTS = 1 << 12, 1 << 8


class Block(NamedTuple):
    """Some rows with their outputs; `texts` are those of the outputs, None unless all have one."""

    rows: Sequence[Mapping[str, Any]]
    outputs: Sequence[Output]
    texts: OutputTexts | None

    def some(self, numbers: Sequence[int]) -> Block:
        """Return the block of some of the rows."""
        return Block(
            [self.rows[number] for number in numbers],
            [self.outputs[number] for number in numbers],
            self.texts and self.texts.some(numbers),
        )


def block_of(rows: Sequence[Mapping[str, Any]], outputs: Sequence[Output]) -> Block:
    """Return a block of rows and their outputs."""
    written = [output.text for output in outputs if output.text is not None]
    return Block(rows, outputs, OutputTexts(written) if len(written) == len(outputs) else None)


class Single(NamedTuple):
    """A check that is ready to run; `needs` is None if it runs on every row.

    `passed` is its result if it passes, which is the same on all rows. `judge` is that of the texts
    of outputs, if the executor asks for nothing else. `known` has the results of verdicts that the
    executor gives again and again, by the `id()` of each, with the verdict.
    """

    id: str
    kind: str
    weight: float
    needs: Needs | None
    execute: Executor
    passed: CheckResult
    judge: JudgeTexts | None
    known: dict[int, tuple[Verdict, CheckResult]]

    def results(self, block: Block) -> list[CheckResult]:
        """Return the results on a block; what coverage predicts decides where the check runs."""
        needs = self.needs
        if needs is None:
            return self.judged(block)
        outlooks = [outlook_of(needs, row) for row in block.rows]
        if outlooks.count(RUNS) == len(outlooks):
            return self.judged(block)
        running = [number for number, outlook in enumerate(outlooks) if outlook.is_tried]
        judged = iter(self.judged(block.some(running)))
        return [next(judged) if outlook.is_tried else self.unrun(outlook) for outlook in outlooks]

    def unrun(self, outlook: Prediction) -> CheckResult:
        """Return the result on a row on which the check does not run."""
        outcome = _OUTCOMES[outlook.state]
        score = 0.0 if outcome is Outcome.FAILED else None
        bounds = ANY_SCORE if outcome is Outcome.UNAVAILABLE else None
        return CheckResult(self.id, self.kind, outcome, score, outlook.reason, None, bounds)

    def judged(self, block: Block) -> list[CheckResult]:
        """Return the results on rows on which the check runs."""
        if self.judge is not None and block.texts is not None:
            try:
                verdicts = self.judge(block.rows, block.texts)
            except MemoryError:
                raise
            except Exception:  # noqa: BLE001 - then each output is judged alone, which tells whose
                verdicts = None
            if verdicts is not None:
                passed = self.passed
                return [passed if each is PASSED else self.result(each) for each in verdicts]
        return list(map(self.executed, block.rows, block.outputs))

    def executed(self, row: Mapping[str, Any], output: Output) -> CheckResult:
        """Return the result on one output; an executor that fails is an error."""
        try:
            verdict = self.execute(row, output)
            return self.passed if verdict is PASSED else self.result(verdict)
        except MemoryError:
            raise
        except Exception as raised:  # noqa: BLE001 - the executor of another package
            fault = f"{type(raised).__name__}: {raised}"
            return self.result(error(f"the executor of `{self.kind}` failed: {fault}"))

    def result(self, verdict: Verdict) -> CheckResult:
        """Return the result that a verdict comes to: an error if it has no possible score."""
        known = self.known.get(id(verdict))
        if known is not None:
            return known[1]
        result = CheckResult(self.id, self.kind, *_possible(verdict, self.kind))
        may_return = verdict.details is None or verdict.score == 1
        if may_return and len(self.known) < _MAX_RESULTS:
            self.known[id(verdict)] = verdict, result
        return result


def _possible(verdict: Verdict, kind: str) -> Verdict:
    """Return a verdict with a score, or bounds, from 0 to 1; of what is skipped, with neither."""
    outcome, score, _, _, bounds = verdict
    if outcome is Outcome.SKIPPED:
        return verdict._replace(score=None, bounds=None)
    if bounds is not None:
        low, high = bounds
        if _is_score(low) and _is_score(high) and low <= high:
            return verdict._replace(score=None)
        return error(f"the executor of `{kind}` gave the bounds {low!r} and {high!r}")
    if outcome is Outcome.PASSED or outcome is Outcome.FAILED:
        if _is_score(score):
            return verdict._replace(score=float(score))
        return error(f"the executor of `{kind}` gave the score {score!r}")
    return verdict._replace(score=None, bounds=ANY_SCORE)


def _is_score(value: Any) -> TypeGuard[float]:
    return isinstance(value, _NUMBER) and 0 <= value <= 1


class Totals(NamedTuple):
    """What the results of some checks come to.

    `combine` combines them, each with its weight. `known` has what it made of some outcomes, scores
    and bounds: that is computed once.
    """

    weights: tuple[float, ...]
    combine: Callable[[Sequence[tuple[Judged, float]]], Total]
    known: dict[tuple[Any, ...], Total]

    def of(self, results: tuple[CheckResult, ...]) -> Total:
        """Return what the results of checks come to."""
        scores = tuple(map(_scored, results))
        found = self.known.get(scores)
        if found is None:
            found = self.combine([*zip(results, self.weights, strict=True)])
            if found.outcome is not Outcome.SKIPPED and len(self.known) < _MAX_TOTALS:
                self.known[scores] = found
        elif found.outcome is Outcome.UNDECIDED:
            return found._replace(reason=gravest(results)[1])
        return found


class Composite(NamedTuple):
    """A composite whose rubric is ready to run."""

    id: str
    weight: float
    checks: Checks
    totals: Totals

    def results(self, block: Block) -> list[CheckResult]:
        """Return the results on a block."""
        return list(map(self._result, self.checks.results(block)))

    def _result(self, results: tuple[CheckResult, ...]) -> CheckResult:
        outcome, score, bounds, reason = self.totals.of(results)
        verdict = Verdict(outcome or Outcome.SKIPPED, score, reason, None, bounds)
        return CheckResult(self.id, "composite", *verdict, results)


class Checks(NamedTuple):
    """The checks of a rubric that are ready to run."""

    checks: tuple[Single | Composite, ...]

    def results(self, block: Block) -> list[tuple[CheckResult, ...]]:
        """Return the results of the checks for each row of a block."""
        if not self.checks:
            return [()] * len(block.rows)
        return list(zip(*[check.results(block) for check in self.checks], strict=True))

    @property
    def weights(self) -> tuple[float, ...]:
        """The weight of each check."""
        return tuple(check.weight for check in self.checks)
