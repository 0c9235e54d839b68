"""Grade outputs of rows by the rubrics that the rows name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.checks.outcome import ANY_SCORE, Outcome
from evalcontract.grading.runner import OwnRunner, RubricRunner
from evalcontract.grading.scoring_results import RowResult
from evalcontract.library.library import Resolved
from evalcontract.model.reference import Reference
from evalcontract.model.values import NAME_LENGTH, clipped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcontract.checks._kind import Ask, EvalContext
    from evalcontract.checks.plan import Plan
    from evalcontract.datasets.run import Run
    from evalcontract.grading.runner import Task


class RowGrader:
    """Grades outputs; each rubric of the workspace is made ready once."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._plans: dict[str, Plan | str] = {}
        self._runners: dict[str, RubricRunner | str] = {}
        self._askers: dict[str, RubricRunner | None] = {}
        self._own = OwnRunner(run.plans.context)

    def grade(self, task: Task) -> RowResult:
        """Return what a rubric, or the row's own expectations, make of an output."""
        return self.grade_all((task,))[0]

    def grade_all(self, tasks: Sequence[Task]) -> list[RowResult]:
        """Return the results of tasks, in order; those by the same rubric are graded together."""
        groups: dict[tuple[str | None, ...], list[int]] = {}
        for number, (_, rubric, _, _, reason, lacks) in enumerate(tasks):
            groups.setdefault((rubric, reason, lacks), []).append(number)
        if len(groups) == 1:
            return self._graded(tasks)
        results: dict[int, RowResult] = {}
        for numbers in groups.values():
            some = self._graded([tasks[number] for number in numbers])
            results.update(zip(numbers, some, strict=True))
        return [results[number] for number in range(len(tasks))]

    def _graded(self, tasks: Sequence[Task]) -> list[RowResult]:
        """Return the results of tasks that have the same rubric and the same reasons."""
        _, rubric, _, _, reason, lacks = tasks[0]
        runner = reason or self._runner(rubric)
        if isinstance(runner, str):
            undecided = RowResult("", None, Outcome.UNDECIDED, None, runner, ANY_SCORE)
            return [undecided._replace(id=task.id) for task in tasks]
        results = runner.grade(tasks)
        if lacks is None:
            return results
        return [
            row._replace(reason=lacks) if row.outcome is Outcome.UNDECIDED else row
            for row in results
        ]

    def _runner(self, rubric: str | None) -> RubricRunner | OwnRunner | str:
        if rubric is None:
            return self._own
        if rubric not in self._runners:
            self._runners[rubric] = self._runner_for(rubric, self._run.plans.context)
        return self._runners[rubric]

    def prepare(self, rubric: str) -> None:
        """Make a rubric ready, if it is valid, as its first output would."""
        self._runner(rubric)

    def ask(self, task: Task, ask: Ask) -> None:
        """Run only the checks of a task that ask judges, by `ask`."""
        rubric = task.rubric
        if rubric is None or task.reason is not None:
            return
        if rubric not in self._askers:
            context = self._run.plans.context._replace(ask=ask)
            runner = self._runner_for(rubric, context, only_judges=True)
            self._askers[rubric] = None if isinstance(runner, str) else runner
        asker = self._askers[rubric]
        if asker is not None and asker.asks:
            asker.grade((task,))

    def plan_of(self, rubric: str | None) -> Plan | None:
        """Return the plan that a row is graded by; None if it has no rubric, or no valid one."""
        plan = None if rubric is None else self._plan_for(rubric)
        return None if isinstance(plan, str) else plan

    def _plan_for(self, text: str) -> Plan | str:
        """Return the plan of a rubric, or why there is none."""
        if text not in self._plans:
            self._plans[text] = self._made_plan(text)
        return self._plans[text]

    def _made_plan(self, text: str) -> Plan | str:
        reference = Reference.parse(text)
        target = self._run.workspace.library.resolve(reference) if reference else None
        if not isinstance(target, Resolved):
            return f"there is no `{clipped(text, NAME_LENGTH)}`"
        plan, _ = self._run.plan(target.artifact)
        if plan is None or plan.scoring is None:
            return f"{target.artifact.name} is not valid"
        return plan

    def _runner_for(
        self, text: str, context: EvalContext, *, only_judges: bool = False
    ) -> RubricRunner | str:
        """Return the runner of a rubric, or why there is none; findings tell it, too."""
        plan = self._plan_for(text)
        if isinstance(plan, str):
            return plan
        try:
            return RubricRunner(plan, context, only_judges=only_judges)
        except ValueError as error:
            return str(error)
