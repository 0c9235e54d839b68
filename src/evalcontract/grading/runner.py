"""Run the checks of a rubric on blocks of outputs, composites included."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from statistics import median
from typing import Any, TypeGuard

from evalcontract.checks import Prediction, State, kinds_in_use
from evalcontract.checks._kind import RUNS, EvalContext, Needs, outlook_of
from evalcontract.checks.outcome import (
    ANY_SCORE,
    PASSED,
    End,
    Executor,
    HasOutcome,
    JudgeTexts,
    OfTexts,
    Outcome,
    Output,
    OutputTexts,
    Verdict,
    always,
    combined,
    error,
    gravest,
    unavailable,
)
from evalcontract.checks.plan import OWN_EXPECTATIONS, NestedRubric, Plan, own_needs, own_outlook
from evalcontract.grading.results import CheckResult, RowResult
from evalcontract.library.scores import Bounds
from evalcontract.model.startup import NamedTuple, made_of
from evalcontract.statistics.scores import weighted_mean

#: The combinations that ask only whether checks passed; a threshold has no meaning there.
BOOLEAN: Mapping[str, Callable[[Iterable[object]], bool]] = {"all_pass": all, "any_pass": any}
_COMBINATIONS: Mapping[str, Callable[[list[float]], float]] = {
    "min": min,
    "max": max,
    "median": median,
}
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


def total(
    scoring: Scoring,
    verdicts: Sequence[tuple[HasOutcome, float]],
    decide: Callable[[list[End], End], End] | None = None,
) -> Total:
    """Combine verdicts, or the results of checks, each with its weight.

    Checks that are skipped are left out, of the sum of the weights too. What did not run may have
    any score; see `combined`. `decide` says what passes, given the checks and what they come to; by
    default the rubric does.
    """
    counted = [verdict for verdict, _ in verdicts if verdict.outcome is not Outcome.SKIPPED]
    if not counted:
        outcome, reason = gravest(verdict for verdict, _ in verdicts)
        return Total(outcome, None, None, reason)
    weights = [weight for verdict, weight in verdicts if verdict.outcome is not Outcome.SKIPPED]
    if scoring.combine == "weighted_avg" and not any(weights):
        return Total(Outcome.SKIPPED, None, None, "the weights of all checks that count are 0")

    def end_of(ends: list[End]) -> End:
        end = _end(scoring, weights, ends)
        return decide(ends, end) if decide else end

    result = combined(counted, end_of)
    reason = gravest(counted)[1] if result.outcome is Outcome.UNDECIDED else None
    return Total(*result, reason)


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

    result = total(scoring, verdicts, decide)
    if result.outcome is not Outcome.FAILED:
        return result
    return result._replace(
        reason=f"the score of its rubric is {score_text(result.score, result.bounds)}"
    )


def score_text(score: float | None, bounds: Bounds | None, how: str = "g") -> str:
    """Return a score as text, or its bounds as `0.41 to 0.91`; `how` is a format of numbers."""
    if bounds is not None:
        return f"{bounds.low:{how}} to {bounds.high:{how}}"
    return "-" if score is None else f"{score:{how}}"


def _end(scoring: Scoring, weights: list[float], ends: list[End]) -> End:
    combine = scoring.combine
    if combine in BOOLEAN:
        passed = BOOLEAN[combine](end.passed for end in ends)
        return End(float(passed), passed)
    scores = [end.score for end in ends]
    if combine == "weighted_avg":
        score = weighted_mean(scores, weights) or 0.0
    else:
        score = _COMBINATIONS[combine](scores)
    score = round(float(score), DIGITS)
    return End(score, None if scoring.threshold is None else score >= scoring.threshold)


#: The outcome of a check that does not run on a row, by what is predicted of it.
_OUTCOMES = {
    State.SKIP: Outcome.SKIPPED,
    State.VACUOUS: Outcome.SKIPPED,
    State.UNAVAILABLE: Outcome.UNAVAILABLE,
    State.FAIL: Outcome.FAILED,
}
# The outcome, the score and the bounds of the result of a check.
_scored = itemgetter(2, 3, 6)
# What is looked up once, and not for each result: members of enums are found slowly.
_DECIDED = (Outcome.PASSED, Outcome.FAILED)
_SKIPPED, _UNDECIDED = Outcome.SKIPPED, Outcome.UNDECIDED
_result_of, _row_of = made_of(CheckResult), made_of(RowResult)
# A union would be made anew for each result.
_NUMBER = (int, float)
# So many are kept for a rubric.
_MAX_TOTALS = 1 << 12


class RowBlock(NamedTuple):
    """Some rows with their outputs; `texts` are those of the outputs, None unless all have one."""

    rows: Sequence[Mapping[str, Any]]
    outputs: Sequence[Output]
    texts: OutputTexts | None

    def some(self, numbers: Sequence[int]) -> RowBlock:
        """Return the block of some of the rows."""
        rows = [self.rows[number] for number in numbers]
        outputs = [self.outputs[number] for number in numbers]
        return RowBlock(rows, outputs, self.texts and self.texts.some(numbers))


def block_of(rows: Sequence[Mapping[str, Any]], outputs: Sequence[Output]) -> RowBlock:
    """Return a block of rows and their outputs."""
    written = [output.text for output in outputs if output.text is not None]
    return RowBlock(rows, outputs, OutputTexts(written) if len(written) == len(outputs) else None)


class Single(NamedTuple):
    """A check that is ready to run; `needs` is None if it runs on every row.

    `passed` is its result if it passes, which is the same on all rows. `judge` is that of the texts
    of outputs, if the executor asks for nothing else.
    """

    id: str
    kind: str
    weight: float
    needs: Needs | None
    execute: Executor
    passed: CheckResult
    judge: JudgeTexts | None

    def results(self, block: RowBlock) -> list[CheckResult]:
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

    def judged(self, block: RowBlock) -> list[CheckResult]:
        """Return the results on rows on which the check runs."""
        if self.judge is not None and block.texts is not None:
            try:
                verdicts = self.judge(block.rows, block.texts)
            except MemoryError:
                raise
            except Exception:  # noqa: BLE001 - then each output is judged alone, which tells whose
                verdicts = None
            if verdicts is not None:
                return self.shared(verdicts)
        return self.shared(list(map(self.executed, block.rows, block.outputs)))

    def shared(self, verdicts: Sequence[Verdict]) -> list[CheckResult]:
        """Return the results that verdicts come to; those of the same verdict are the same."""
        if verdicts.count(PASSED) == len(verdicts):
            return [self.passed] * len(verdicts)
        distinct = {id(verdict): verdict for verdict in verdicts}
        results = {id_: self.result(verdict) for id_, verdict in distinct.items()}
        return [results[id(verdict)] for verdict in verdicts]

    def executed(self, row: Mapping[str, Any], output: Output) -> Verdict:
        """Return the verdict on one output; an executor that fails is an error."""
        try:
            return self.execute(row, output)
        except MemoryError:
            raise
        except Exception as raised:  # noqa: BLE001 - the executor of another package
            return _failure(self.kind, raised)

    def result(self, verdict: Verdict) -> CheckResult:
        """Return the result that a verdict comes to: an error if it has no possible score."""
        try:
            possible = _possible(verdict, self.kind)
        except Exception as raised:  # noqa: BLE001 - it is no verdict
            possible = _failure(self.kind, raised)
        return _result_of((self.id, self.kind, *possible, ()))


def _failure(kind: str, raised: Exception) -> Verdict:
    return error(f"the executor of `{kind}` failed: {type(raised).__name__}: {raised}")


def _possible(verdict: Verdict, kind: str) -> Verdict:
    """Return a verdict with a score, or bounds, from 0 to 1; of what is skipped, with neither."""
    outcome, score, _, _, bounds = verdict
    if bounds is None and outcome in _DECIDED:
        if score is not None and score.__class__ is float and 0 <= score <= 1:
            return verdict
        return _with_score(verdict, kind)
    if outcome is Outcome.SKIPPED:
        return verdict._replace(score=None, bounds=None)
    if bounds is not None:
        low, high = bounds
        if _is_score(low) and _is_score(high) and low <= high:
            return verdict._replace(score=None)
        return error(f"the executor of `{kind}` gave the bounds {low!r} and {high!r}")
    return verdict._replace(score=None, bounds=ANY_SCORE)


def _with_score(verdict: Verdict, kind: str) -> Verdict:
    score = verdict.score
    if not _is_score(score):
        return error(f"the executor of `{kind}` gave the score {score!r}")
    return verdict._replace(score=float(score))


def _is_score(value: Any) -> TypeGuard[float]:
    return isinstance(value, _NUMBER) and 0 <= value <= 1


class Checks(NamedTuple):
    """The checks of a rubric that are ready to run.

    `combine` combines their results, each with its weight. `known` has what it made of some
    outcomes, scores and bounds: that is computed once.
    """

    checks: tuple[Single | Composite, ...]
    combine: Callable[[Sequence[tuple[HasOutcome, float]]], Total]
    known: dict[tuple[Any, ...], Total]

    def results(self, block: RowBlock) -> list[tuple[CheckResult, ...]]:
        """Return the results of the checks for each row of a block."""
        if not self.checks:
            return [()] * len(block.rows)
        return list(zip(*[check.results(block) for check in self.checks], strict=True))

    def total(self, results: tuple[CheckResult, ...]) -> Total:
        """Return what the results for a row come to."""
        scores = tuple(map(_scored, results))
        found = self.known.get(scores)
        if found is None:
            weights = (check.weight for check in self.checks)
            found = self.combine([*zip(results, weights, strict=True)])
            if found.outcome is not _SKIPPED and len(self.known) < _MAX_TOTALS:
                self.known[scores] = found
        elif found.outcome is _UNDECIDED:
            return found._replace(reason=gravest(results)[1])
        return found


class Composite(NamedTuple):
    """A composite whose rubric is ready to run."""

    id: str
    weight: float
    checks: Checks

    def results(self, block: RowBlock) -> list[CheckResult]:
        """Return the results on a block."""
        return list(map(self._result, self.checks.results(block)))

    def _result(self, results: tuple[CheckResult, ...]) -> CheckResult:
        outcome, score, bounds, reason = self.checks.total(results)
        verdict = Verdict(outcome or Outcome.SKIPPED, score, reason, None, bounds)
        return CheckResult(self.id, "composite", *verdict, results)


# The checks run on so many outputs at a time, or on those with so many characters.
_BLOCK_ROWS, _BLOCK_CHARACTERS = 500, 1 << 18


class Task(NamedTuple):
    """A row with its output, and by which rubric it is graded, if by any.

    `reason` is why it cannot be graded. `lacks` is why it has no output: it is graded without, so
    that checks which need none of it count. `sample` is which of several outputs it is.
    """

    id: str
    rubric: str | None
    row: Mapping[str, Any]
    output: Output = Output()
    reason: str | None = None
    lacks: str | None = None
    sample: int | str | None = None


def row_name(value: Any, number: int) -> str:
    """Return the id of a row, or its number, which counts from 0, if it has none."""
    id_ = value.get("id") if isinstance(value, dict) else None
    return id_ if isinstance(id_, str) else f"row {number + 1}"


def invalid_row(value: Any, number: int, fault: str) -> Task:
    """Return the task of a row that is not valid, which is undecided; `fault` says why it is."""
    keys = value if isinstance(value, dict) else {}
    return Task(row_name(value, number), None, keys, reason=f"the row is not valid: {fault}")


class RubricRunner:
    """Grades outputs by one rubric; `plan` is that of the rubric, which has to be well-formed.

    With `only_judges`, it has only the checks that ask a judge: `asks` says whether it has any.

    Raises:
        ValueError: the rubric is malformed, so that its other checks would give another score.

    """

    def __init__(self, plan: Plan, context: EvalContext, *, only_judges: bool = False) -> None:
        self.name = plan.artifact.name
        checks, scoring = _ready(plan, context, {}, only_judges=only_judges)
        self._checks = Checks(checks, partial(total, scoring), {})

        self.asks = bool(checks)

    def grade(self, tasks: Sequence[Task]) -> list[RowResult]:
        """Return what the rubric makes of outputs, in order."""
        return [result for block in _blocks(tasks) for result in self._results(block)]

    def _results(self, tasks: Sequence[Task]) -> list[RowResult]:
        name = self.name
        ids, _, rows, outputs, *_ = zip(*tasks, strict=True)
        all_results = self._checks.results(block_of(rows, outputs))
        totals = map(self._checks.total, all_results)
        return [
            _row_of((id_, name, outcome, score, reason, bounds, results, None, None))
            for id_, results, (outcome, score, bounds, reason) in zip(
                ids, all_results, totals, strict=True
            )
        ]


def _blocks(tasks: Sequence[Task]) -> Iterator[Sequence[Task]]:
    """Divide tasks, so that what is kept of their texts while the checks run is bounded."""
    # Those without a text are blocks of their own.
    start = characters = 0
    has_text = False
    for number, task in enumerate(tasks):
        text = task.output.text
        is_other = (text is not None) is not has_text
        if is_other or characters >= _BLOCK_CHARACTERS or number - start >= _BLOCK_ROWS:
            if number > start:
                yield tasks[start:number]
            start, characters, has_text = number, 0, text is not None
        characters += len(text or "")
    if start < len(tasks):
        yield tasks[start:]


class OwnRunner:
    """Grades outputs of rows without a rubric by their own expectations: all have to be met."""

    def __init__(self, context: EvalContext) -> None:
        self._context = context
        self._prepared: dict[str, Single] = {}

    def grade(self, tasks: Sequence[Task]) -> list[RowResult]:
        """Return what the expectations of rows make of their outputs, in order."""
        return list(map(self._result, tasks))

    def _result(self, task: Task) -> RowResult:
        row = task.row
        block = block_of((row,), (task.output,))
        results: list[CheckResult] = []
        for key in OWN_EXPECTATIONS:
            if row.get(key) is None:
                continue
            check, outlook = self._check_for(key), own_outlook(key, row)
            results += check.judged(block) if outlook.runs else [check.unrun(outlook)]
        verdicts = [(result, 1.0) for result in results]
        outcome, score, bounds, reason = total(Scoring("all_pass"), verdicts)
        return RowResult(task.id, None, outcome, score, reason, bounds, tuple(results))

    def _check_for(self, key: str) -> Single:
        if key not in self._prepared:
            check = {"kind": OWN_EXPECTATIONS[key]}
            self._prepared[key] = _single(key, check, self._context, needs=own_needs(key))
        return self._prepared[key]


def _ready(
    plan: Plan, context: EvalContext, known: dict[int, _Ready], *, only_judges: bool
) -> _Ready:
    """Return the checks of a plan and its scoring; `known` has those of nested plans by `id()`."""
    if plan.scoring is None:
        raise ValueError(f"{plan.artifact.name} is malformed")
    keys = plan.scoring
    scoring = Scoring(keys["combine"], keys.get("threshold"), keys.get("weights", {}))
    checks: list[Single | Composite] = []
    own = context.of(plan.artifact)
    for part in plan.steps.parts:
        weight = scoring.weight_of(part.name)
        if isinstance(part, NestedRubric):
            key = id(part.plan)
            if key not in known:
                known[key] = _ready(part.plan, context, known, only_judges=only_judges)
            inner, of_inner = known[key]
            combine = partial(of_composite, of_inner, threshold=part.check.get("threshold"))
            if inner or not only_judges:
                checks.append(Composite(part.name, weight, Checks(inner, combine, {})))
        elif part.needs.judges or not only_judges:
            single = _single(part.name, part.check or {}, own, needs=part.needs)
            checks.append(single._replace(weight=weight))
    return tuple(checks), scoring


_Ready = tuple[tuple[Single | Composite, ...], Scoring]


def _single(id_: str, check: dict[str, Any], context: EvalContext, needs: Needs) -> Single:
    """Return a check that is ready to run, with the weight 1."""
    name = check["kind"]
    kind = kinds_in_use().get(name)
    if needs.never_runs is not None and not needs.never_runs.may_run:
        execute = always(unavailable("it never runs"))
    elif kind is None or kind.prepare is None:
        execute = always(unavailable(f"nothing runs checks of the kind `{name}`"))
    else:
        execute = kind.prepare(check, context)
    has_needs = needs.fields or needs.present or needs.never_runs
    return Single(
        id=id_,
        kind=name,
        weight=1.0,
        needs=needs if has_needs else None,
        execute=execute,
        passed=CheckResult(id_, name, *PASSED),
        judge=execute.judge if isinstance(execute, OfTexts) else None,
    )
