"""Checks that are ready to run, on some outputs at a time."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.checks import State
from evalcontract.checks._kind import RUNS, Needs, outlook_of
from evalcontract.checks._output_texts import OutputTexts
from evalcontract.checks.outcome import PASSED, Outcome, Verdict, error
from evalcontract.scoring.arithmetic import Scoring, Total, of_composite, total
from evalcontract.scoring.results import CheckResult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcontract.checks import Prediction
    from evalcontract.checks.outcome import Executor, JudgeTexts, Output

#: The outcome of a check that does not run on a row, by what is predicted of it.
_OUTCOMES = {
    State.SKIP: Outcome.SKIPPED,
    State.VACUOUS: Outcome.SKIPPED,
    State.UNAVAILABLE: Outcome.UNAVAILABLE,
    State.FAIL: Outcome.FAILED,
}
# The outcome and the score of the result of a check.
_scored = itemgetter(slice(2, 4))
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
        running = [number for number, outlook in enumerate(outlooks) if outlook.runs]
        judged = iter(self.judged(block.some(running)))
        return [next(judged) if outlook.runs else self.unrun(outlook) for outlook in outlooks]

    def unrun(self, outlook: Prediction) -> CheckResult:
        """Return the result on a row on which the check does not run."""
        return CheckResult(self.id, self.kind, _OUTCOMES[outlook.state], None, outlook.reason)

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
        """Return the result that a verdict comes to: an error if its score is none."""
        known = self.known.get(id(verdict))
        if known is not None:
            return known[1]
        outcome, score, reason, details = verdict
        if outcome is Outcome.PASSED or outcome is Outcome.FAILED:
            if isinstance(score, _NUMBER) and 0 <= score <= 1:
                score = float(score)
            else:
                fault = f"the executor of `{self.kind}` gave the score {score!r}"
                outcome, score, reason, details = error(fault)
        result = CheckResult(self.id, self.kind, outcome, score, reason, details)
        may_return = verdict.details is None or verdict.score == 1
        if may_return and len(self.known) < _MAX_RESULTS:
            self.known[id(verdict)] = verdict, result
        return result


class Composite(NamedTuple):
    """A composite whose rubric is ready to run."""

    id: str
    weight: float
    threshold: float | None
    inner: Checks

    def results(self, block: Block) -> list[CheckResult]:
        """Return the results on a block."""
        return [self._result(results) for results in self.inner.results(block)]

    def _result(self, results: tuple[CheckResult, ...]) -> CheckResult:
        verdict = of_composite(self.inner.total(results), results, self.threshold)
        return CheckResult(self.id, "composite", *verdict, results)


class Checks(NamedTuple):
    """The checks of a rubric that are ready to run, and how their scores are combined."""

    scoring: Scoring
    checks: tuple[Single | Composite, ...]
    weights: tuple[float, ...]
    totals: dict[tuple[Any, ...], Total]

    def results(self, block: Block) -> list[tuple[CheckResult, ...]]:
        """Return the results of the checks for each row of a block."""
        if not self.checks:
            return [()] * len(block.rows)
        return list(zip(*[check.results(block) for check in self.checks], strict=True))

    def total(self, results: tuple[CheckResult, ...]) -> Total:
        """Combine results; what scores come to is computed once, and kept for some of them."""
        scores = tuple(map(_scored, results))
        known = self.totals.get(scores)
        if known is not None:
            return known
        found = total(self.scoring, [*zip(results, self.weights, strict=True)])
        if found.score is not None and len(self.totals) < _MAX_TOTALS:
            self.totals[scores] = found
        return found
