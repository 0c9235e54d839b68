"""Run the checks of a rubric on outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.checks import State, kinds_in_use
from evalcontract.checks._kind import RUNS, Needs, outlook_of
from evalcontract.checks.outcome import PASSED, OfText, Outcome, Verdict, error, unavailable
from evalcontract.checks.plan import OWN_EXPECTATIONS, own_needs, own_outlook
from evalcontract.checks.steps import Nested
from evalcontract.scoring.arithmetic import Scoring, Total, of_composite, total
from evalcontract.scoring.results import CheckResult, RowResult

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from evalcontract.checks import Prediction
    from evalcontract.checks._kind import EvalContext
    from evalcontract.checks.outcome import Executor, Output
    from evalcontract.checks.plan import Plan

#: The outcome of a check that does not run on a row, by what is predicted of it.
_OUTCOMES = {
    State.SKIP: Outcome.SKIPPED,
    State.VACUOUS: Outcome.SKIPPED,
    State.UNAVAILABLE: Outcome.UNAVAILABLE,
    State.FAIL: Outcome.FAILED,
}


# The outcome and the score of the result of a check.
_SCORED = slice(2, 4)
# So many of both are kept, for a rubric or a check.
_MAX_TOTALS, _MAX_RESULTS = 1 << 12, 1 << 8


class _Single(NamedTuple):
    """A check that is ready to run; `needs` is None if it runs on every row.

    `passed` is its result if it passes, which is the same on all rows. `judge` is that of the text
    of an output, if the executor asks for nothing else. `known` has the results of verdicts that
    the executor gives again and again, by the `id()` of each, with the verdict.
    """

    id: str
    kind: str
    weight: float
    needs: Needs | None
    execute: Executor
    passed: CheckResult
    judge: Callable[[Mapping[str, Any], str], Verdict] | None
    known: dict[int, tuple[Verdict, CheckResult]]

    def result(self, verdict: Verdict) -> CheckResult:
        """Return the result that a verdict comes to: an error if its score is none."""
        known = self.known.get(id(verdict))
        if known is not None:
            return known[1]
        outcome, score, reason, details = verdict
        if outcome is Outcome.PASSED or outcome is Outcome.FAILED:
            if isinstance(score, int | float) and 0 <= score <= 1:
                score = float(score)
            else:
                fault = f"the executor of `{self.kind}` gave the score {score!r}"
                outcome, score, reason, details = error(fault)
        result = CheckResult(self.id, self.kind, outcome, score, reason, details)
        if verdict.details is None and len(self.known) < _MAX_RESULTS:
            self.known[id(verdict)] = verdict, result
        return result


class _Composite(NamedTuple):
    """A composite whose rubric is ready to run."""

    id: str
    weight: float
    threshold: float | None
    inner: _Checks


class _Checks(NamedTuple):
    """The checks of a rubric that are ready to run, and how their scores are combined."""

    scoring: Scoring
    checks: tuple[_Single | _Composite, ...]
    weights: tuple[float, ...]
    totals: dict[tuple[Any, ...], Total]

    def total(self, results: Sequence[CheckResult]) -> Total:
        """Combine results; what scores come to is computed once, and kept for some of them."""
        scores = tuple([result[_SCORED] for result in results])
        known = self.totals.get(scores)
        if known is not None:
            return known
        found = total(self.scoring, [*zip(results, self.weights, strict=True)])
        if found.score is not None and len(self.totals) < _MAX_TOTALS:
            self.totals[scores] = found
        return found


class RubricRunner:
    """Grades outputs by one rubric; `plan` is that of the rubric, which has to be well-formed.

    With `only_judges`, it has only the checks that ask a judge: `asks` says whether it has any.

    Raises:
        ValueError: the rubric is malformed, so that its other checks would give another score.

    """

    def __init__(self, plan: Plan, context: EvalContext, *, only_judges: bool = False) -> None:
        self.name = plan.artifact.name
        self._checks = _ready(plan, context, only_judges=only_judges)

    @property
    def asks(self) -> bool:
        """Whether it has any checks."""
        return bool(self._checks.checks)

    def grade(self, id_: str, row: Mapping[str, Any], output: Output) -> RowResult:
        """Return what the rubric makes of the output of a row."""
        results = _run(self._checks.checks, row, output)
        score = self._checks.total(results)
        return RowResult(id_, self.name, score.outcome, score.score, score.reason, tuple(results))


class OwnRunner:
    """Grades outputs of rows without a rubric by their own expectations: all have to be met."""

    def __init__(self, context: EvalContext) -> None:
        self._context = context
        self._prepared: dict[str, _Single] = {}

    def grade(self, id_: str, row: Mapping[str, Any], output: Output) -> RowResult:
        """Return what the expectations of a row make of its output."""
        results = [
            _predicted(self._check_for(key), own_outlook(key, row), row, output)
            for key in OWN_EXPECTATIONS
            if row.get(key) is not None
        ]
        score = total(Scoring("all_pass"), [(result, 1.0) for result in results])
        return RowResult(id_, None, score.outcome, score.score, score.reason, tuple(results))

    def _check_for(self, key: str) -> _Single:
        if key not in self._prepared:
            check = {"kind": OWN_EXPECTATIONS[key]}
            self._prepared[key] = _single(key, 1.0, check, self._context, own_needs(key))
        return self._prepared[key]


def _ready(
    plan: Plan,
    context: EvalContext,
    made: dict[int, _Checks] | None = None,
    *,
    only_judges: bool = False,
) -> _Checks:
    """Return the checks of a plan; `made` are those of the plans of composites, by `id()`."""
    made = {} if made is None else made
    if plan.scoring is None:
        raise ValueError(f"{plan.artifact.name} is malformed")
    scoring = plan.scoring
    how = Scoring(scoring["combine"], scoring.get("threshold"), scoring.get("weights", {}))
    checks: list[_Single | _Composite] = []
    for part in plan.steps.parts:
        weight = how.weight_of(part.name)
        if isinstance(part, Nested):
            threshold = part.check.get("threshold")
            key = id(part.plan)
            if key not in made:
                made[key] = _ready(part.plan, context, made, only_judges=only_judges)
            inner = made[key]
            if inner.checks or not only_judges:
                checks.append(_Composite(part.name, weight, threshold, inner))
        elif part.needs.judges or not only_judges:
            check = part.check or {}
            checks.append(_single(part.name, weight, check, context, part.needs))
    return _Checks(how, tuple(checks), tuple(check.weight for check in checks), {})


def _single(
    id_: str,
    weight: float,
    check: dict[str, Any],
    context: EvalContext,
    needs: Needs,
) -> _Single:
    name = check["kind"]
    kind = kinds_in_use().get(name)
    if needs.never_runs is not None:
        execute = _never("it never runs")
    elif kind is None or kind.prepare is None:
        execute = _never(f"nothing runs checks of the kind `{name}`")
    else:
        execute = kind.prepare(check, context)
    always = not (needs.fields or needs.present or needs.never_runs)
    judge = execute.judge if isinstance(execute, OfText) else None
    passed = CheckResult(id_, name, *PASSED)
    return _Single(id_, name, weight, None if always else needs, execute, passed, judge, {})


def _run(
    checks: Iterable[_Single | _Composite], row: Mapping[str, Any], output: Output
) -> list[CheckResult]:
    """Run checks on an output; what coverage predicts decides which of them do."""
    results = []
    for check in checks:
        if isinstance(check, _Composite):
            results.append(_composite(check, row, output))
        else:
            prediction = RUNS if check.needs is None else outlook_of(check.needs, row)
            results.append(_predicted(check, prediction, row, output))
    return results


def _predicted(
    check: _Single, prediction: Prediction, row: Mapping[str, Any], output: Output
) -> CheckResult:
    """Return the result of a check, which runs if that is predicted."""
    if prediction is not RUNS and prediction.state is not State.RUN:
        outcome = _OUTCOMES[prediction.state]
        return CheckResult(check.id, check.kind, outcome, None, prediction.reason)
    text = output.text
    try:
        if check.judge is None or text is None:
            verdict = check.execute(row, output)
        else:
            verdict = check.judge(row, text)
        return check.passed if verdict is PASSED else check.result(verdict)
    except MemoryError:
        raise
    except Exception as raised:  # noqa: BLE001 - the executor of another package
        fault = f"{type(raised).__name__}: {raised}"
        return check.result(error(f"the executor of `{check.kind}` failed: {fault}"))


def _composite(check: _Composite, row: Mapping[str, Any], output: Output) -> CheckResult:
    results = _run(check.inner.checks, row, output)
    inner = check.inner.total(results)
    verdict = of_composite(inner, results, check.threshold)
    return CheckResult(check.id, "composite", *verdict, tuple(results))


def _never(reason: str) -> Executor:
    verdict = unavailable(reason)
    return lambda *_: verdict
