"""Run the checks of a rubric on outputs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from evalcontract.checks import kinds_in_use
from evalcontract.checks.outcome import PASSED, OfTexts, Output, unavailable
from evalcontract.checks.plan import OWN_EXPECTATIONS, Nested, own_needs, own_outlook
from evalcontract.grading.arithmetic import Scoring, of_composite, total
from evalcontract.grading.ready import Checks, Composite, Single, Totals, block_of
from evalcontract.grading.scoring_results import CheckResult, RowResult
from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evalcontract.checks._kind import EvalContext, Needs
    from evalcontract.checks.outcome import Executor
    from evalcontract.checks.plan import Plan

# The checks run on so many outputs at a time, or on those with so many characters.
_BLOCK_ROWS, _BLOCK_CHARACTERS = 500, 1 << 18


class Task(NamedTuple):
    """A row with its output, and by which rubric it is graded, if by any.

    `reason` is why it cannot be graded. `lacks` is why it has no output: it is graded without, so
    that checks which need none of it count.
    """

    id: str
    rubric: str | None
    row: Mapping[str, Any]
    output: Output = Output()
    reason: str | None = None
    lacks: str | None = None


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
        self._checks, how = _ready(plan, context, only_judges=only_judges)
        self._totals = Totals(self._checks.weights, partial(total, how), {})

    @property
    def asks(self) -> bool:
        """Whether it has any checks."""
        return bool(self._checks.checks)

    def grade(self, tasks: Sequence[Task]) -> list[RowResult]:
        """Return what the rubric makes of outputs, in order."""
        return [result for block in _blocks(tasks) for result in self._graded(block)]

    def _graded(self, tasks: Sequence[Task]) -> Iterator[RowResult]:
        total_of, name = self._totals.of, self.name
        ids, _, rows, outputs, _, _ = zip(*tasks, strict=True)
        all_results = self._checks.results(block_of(rows, outputs))
        for id_, results in zip(ids, all_results, strict=True):
            outcome, score, bounds, reason = total_of(results)
            yield RowResult(id_, name, outcome, score, reason, bounds, results)


def _blocks(tasks: Sequence[Task]) -> Iterator[Sequence[Task]]:
    """Divide tasks, so that what is kept of their texts while the checks run is bounded.

    Those without a text are blocks of their own.
    """
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
        return list(map(self._graded, tasks))

    def _graded(self, task: Task) -> RowResult:
        row = task.row
        block = block_of((row,), (task.output,))
        results: list[CheckResult] = []
        for key in OWN_EXPECTATIONS:
            if row.get(key) is None:
                continue
            check, outlook = self._check_for(key), own_outlook(key, row)
            results += check.judged(block) if outlook.runs else [check.unrun(outlook)]
        made = total(Scoring("all_pass"), [(result, 1.0) for result in results])
        outcome, score, bounds, reason = made
        return RowResult(task.id, None, outcome, score, reason, bounds, tuple(results))

    def _check_for(self, key: str) -> Single:
        if key not in self._prepared:
            check = {"kind": OWN_EXPECTATIONS[key]}
            self._prepared[key] = _single(key, 1.0, check, self._context, own_needs(key))
        return self._prepared[key]


def _ready(
    plan: Plan,
    context: EvalContext,
    made: dict[int, tuple[Checks, Scoring]] | None = None,
    *,
    only_judges: bool = False,
) -> tuple[Checks, Scoring]:
    """Return the checks of a plan, and how their scores are combined.

    `made` are those of the plans of composites, by `id()`.
    """
    made = {} if made is None else made
    if plan.scoring is None:
        raise ValueError(f"{plan.artifact.name} is malformed")
    scoring = plan.scoring
    how = Scoring(scoring["combine"], scoring.get("threshold"), scoring.get("weights", {}))
    checks: list[Single | Composite] = []
    own = context.of(plan.artifact)
    for part in plan.steps.parts:
        weight = how.weight_of(part.name)
        if isinstance(part, Nested):
            key = id(part.plan)
            if key not in made:
                made[key] = _ready(part.plan, context, made, only_judges=only_judges)
            inner, inner_how = made[key]
            combine = partial(of_composite, inner_how, threshold=part.check.get("threshold"))
            if inner.checks or not only_judges:
                totals = Totals(inner.weights, combine, {})
                checks.append(Composite(part.name, weight, inner, totals))
        elif part.needs.judges or not only_judges:
            check = part.check or {}
            checks.append(_single(part.name, weight, check, own, part.needs))
    return Checks(tuple(checks)), how


def _single(
    id_: str,
    weight: float,
    check: dict[str, Any],
    context: EvalContext,
    needs: Needs,
) -> Single:
    name = check["kind"]
    kind = kinds_in_use().get(name)
    if needs.never_runs is not None and not needs.never_runs.may_run:
        execute = _never("it never runs")
    elif kind is None or kind.prepare is None:
        execute = _never(f"nothing runs checks of the kind `{name}`")
    else:
        execute = kind.prepare(check, context)
    always = not (needs.fields or needs.present or needs.never_runs)
    judge = execute.judge if isinstance(execute, OfTexts) else None
    passed = CheckResult(id_, name, *PASSED)
    return Single(id_, name, weight, None if always else needs, execute, passed, judge, {})


def _never(reason: str) -> Executor:
    verdict = unavailable(reason)
    return lambda *_: verdict
