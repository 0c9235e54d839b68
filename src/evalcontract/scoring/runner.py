"""Run the checks of a rubric on outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.checks import State, kinds_in_use
from evalcontract.checks._kind import Needs, outlooks_of
from evalcontract.checks.outcome import PASSED, Outcome, Verdict, error, unavailable
from evalcontract.checks.plan import OWN_EXPECTATIONS
from evalcontract.checks.steps import Nested
from evalcontract.scoring.arithmetic import Scoring, of_composite, total
from evalcontract.scoring.results import CheckResult, RowResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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


class _Single(NamedTuple):
    """A check that is ready to run."""

    id: str
    kind: str
    weight: float
    needs: Needs
    execute: Executor
    always_runs: bool


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
        score = total(self._checks.scoring, [*zip(results, self._checks.weights, strict=True)])
        return RowResult(id_, self.name, score.outcome, score.score, score.reason, tuple(results))


class OwnRunner:
    """Grades outputs of rows without a rubric by their own expectations: all have to be met."""

    def __init__(self, context: EvalContext) -> None:
        self._context = context
        self._prepared: dict[str, _Single] = {}

    def grade(self, id_: str, row: Mapping[str, Any], output: Output) -> RowResult:
        """Return what the expectations of a row make of its output."""
        checks = [self._check_for(key) for key in OWN_EXPECTATIONS if row.get(key) is not None]
        results = _run(checks, row, output)
        score = total(Scoring("all_pass"), [(result, 1.0) for result in results])
        return RowResult(id_, None, score.outcome, score.score, score.reason, tuple(results))

    def _check_for(self, key: str) -> _Single:
        if key not in self._prepared:
            kind = OWN_EXPECTATIONS[key]
            if key == "criteria":
                execute = _never("a judge reads `criteria`: the row has no rubric that names one")
                self._prepared[key] = _Single(key, kind, 1.0, Needs(), execute, always_runs=True)
            else:
                self._prepared[key] = _single(key, 1.0, {"kind": kind}, self._context)
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
    return _Checks(how, tuple(checks), tuple(check.weight for check in checks))


def _single(
    id_: str,
    weight: float,
    check: dict[str, Any],
    context: EvalContext,
    needs: Needs | None = None,
) -> _Single:
    kind = kinds_in_use()[check["kind"]]
    needs = kind.needs(check, context) if needs is None else needs
    if needs.never_runs is not None:
        execute = _never("it never runs")
    elif kind.prepare is None:
        execute = _never(f"nothing runs checks of the kind `{kind.name}`")
    else:
        execute = kind.prepare(check, context)
    always = not (needs.fields or needs.present or needs.never_runs)
    return _Single(id_, kind.name, weight, needs, execute, always)


def _run(
    checks: Iterable[_Single | _Composite], row: Mapping[str, Any], output: Output
) -> list[CheckResult]:
    """Run checks on an output; what coverage predicts decides which of them do."""
    results = []
    for check in checks:
        if isinstance(check, _Composite):
            results.append(_composite(check, row, output))
        elif check.always_runs:
            results.append(CheckResult(check.id, check.kind, *_judge(check, row, output)))
        else:
            prediction = next(outlooks_of((check.needs,), row))
            verdict = (
                _judge(check, row, output)
                if prediction.state is State.RUN
                else Verdict(_OUTCOMES[prediction.state], None, prediction.reason)
            )
            results.append(CheckResult(check.id, check.kind, *verdict))
    return results


def _judge(check: _Single, row: Mapping[str, Any], output: Output) -> Verdict:
    try:
        verdict = check.execute(row, output)
    except MemoryError:
        raise
    except Exception as raised:  # noqa: BLE001 - the executor of another package
        return error(f"the executor of `{check.kind}` failed: {type(raised).__name__}: {raised}")
    score = verdict.score
    if verdict is PASSED:
        return verdict
    is_decided = verdict.outcome is Outcome.PASSED or verdict.outcome is Outcome.FAILED
    if is_decided and not (isinstance(score, int | float) and 0 <= score <= 1):
        return error(f"the executor of `{check.kind}` gave the score {score!r}")
    return verdict


def _composite(check: _Composite, row: Mapping[str, Any], output: Output) -> CheckResult:
    results = _run(check.inner.checks, row, output)
    inner = total(check.inner.scoring, [*zip(results, check.inner.weights, strict=True)])
    verdict = of_composite(inner, results, check.threshold)
    return CheckResult(check.id, "composite", *verdict, tuple(results))


def _never(reason: str) -> Executor:
    verdict = unavailable(reason)
    return lambda *_: verdict
