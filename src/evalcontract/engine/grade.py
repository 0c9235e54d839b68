"""Grade recorded outputs by the rubrics of a dataset."""

from __future__ import annotations

import shutil
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.checks.outcome import Outcome, Output
from evalcontract.checks.plan import Plan
from evalcontract.engine.asking_ahead import asked_ahead
from evalcontract.engine.grading_work import Work
from evalcontract.engine.joining import Join, Pair
from evalcontract.engine.opening import open_dataset
from evalcontract.engine.outputs import Outputs
from evalcontract.engine.passes import NATIVE, rows_of
from evalcontract.engine.pool import map_in_parallel
from evalcontract.engine.run import Run, today
from evalcontract.library.library import Resolved
from evalcontract.model.diagnostic import Problem, sort_key
from evalcontract.model.errors import UsageError
from evalcontract.model.listing import NAME_LENGTH, clipped, listed
from evalcontract.model.reference import Kind, Reference
from evalcontract.scoring.results import RowResult
from evalcontract.scoring.runner import OwnRunner, RubricRunner
from evalcontract.source.digest import sha256_of
from evalcontract.workspace import find_root, open_workspace

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from evalcontract.checks._kind import Ask, EvalContext
    from evalcontract.engine.options import Input, Options
    from evalcontract.engine.passes import CheckedRow, DatasetPass
    from evalcontract.judging.asking import Judging

# The number of rows that a process grades at a time.
_CHUNK = 250


class Manifest(NamedTuple):
    """What results depend on: the name of each file with its digest, None for a stream.

    `artifacts` are the rubrics and judges of the workspace by their exact names. `judging` has the
    `model` of judges that name none; it is None if no judge can be asked.
    """

    dataset: tuple[str, str | None]
    outputs: tuple[str, str | None]
    artifacts: Mapping[str, str]
    judging: Mapping[str, str | None] | None = None


class _Task(NamedTuple):
    """A row to grade, and by which rubric, if any; or the `reason` why that is not possible."""

    id: str
    rubric: str | None
    row: Mapping[str, Any]
    output: Output = Output()
    reason: str | None = None


class Grading:
    """The grading of recorded outputs by the rubrics of a dataset.

    Iterate over `results` once; then `diagnostics` is complete. Without `judging`, checks that ask
    a judge are unavailable.

    Raises:
        UsageError: the dataset is in the format of another system.

    """

    def __init__(
        self, dataset: Input, outputs: Input, options: Options, judging: Judging | None = None
    ) -> None:
        root = options.files.real(options.root or find_root(dataset.path))
        has_php = shutil.which("php") is not None
        day = options.today or today()
        ask = judging.ask if judging else None
        self._run = Run(open_workspace(root), options.strict, day, has_php=has_php, ask=ask)
        has_judges = any(each.kind is Kind.JUDGE for each in self._run.workspace.library.artifacts)
        self._judging = judging if has_judges else None
        self._options = options
        self._inputs = (dataset, outputs)
        self._dataset = open_dataset(dataset, options.dialect)
        if self._dataset.dialect != NATIVE:
            raise UsageError(
                f"{self._dataset.file} is a dataset of {self._dataset.dialect}: convert it first"
            )
        source = outputs.read()
        unreadable = [file for file in (self._dataset.unreadable, source.unreadable) if file]
        self.diagnostics = list(self._run.unreadable(unreadable))
        self._outputs = None if unreadable else Outputs(source, self._run.base_policy)
        self._outputs_file = source.file
        self._plans: dict[str, Plan | str] = {}
        self._runners: dict[str, RubricRunner | str] = {}
        self._askers: dict[str, RubricRunner | None] = {}
        self._own = OwnRunner(self._run.plans.context)
        self._missing: list[str] = []
        self._work = Work()

    @property
    def threshold(self) -> float | None:
        """The highest mean score that a target of the dataset asks for; None if none does."""
        targets = self._run.workspace.targets_of(self._inputs[0].path)
        thresholds = [target.threshold for target in targets if target.threshold is not None]
        return max(thresholds, default=None)

    @property
    def manifest(self) -> Manifest:
        """What the results depend on."""
        files = (self._dataset.file, self._outputs_file)
        dataset, outputs = (
            (name, None if input_.stream else sha256_of(input_.path))
            for name, input_ in zip(files, self._inputs, strict=True)
        )
        artifacts = sorted(self._run.workspace.library.artifacts, key=lambda each: each.name)
        digests = {each.name: each.document.sha256 for each in artifacts}
        judging = {"model": self._judging.model} if self._judging else None
        return Manifest(dataset, outputs, digests, judging)

    def results(self, done: Container[str] = ()) -> Iterator[RowResult]:
        """Yield the result of each row, but for those whose ids are `done`."""
        if self._outputs is None:
            return
        path = self._inputs[0].path
        policy, graded = self._run.policy_for(path), self._run.graded_for(path)
        dataset_pass = self._dataset.begin(self._run, policy, graded)
        join = Join()
        pairs = join.pairs(self._rows(dataset_pass), self._outputs.batches())
        tasks = (task for pair in pairs if (task := self._task(pair)).id not in done)
        for results in self._in_chunks(tasks):
            yield from results
            self._show_progress(self._outputs)
        self.diagnostics += dataset_pass.finish()
        self._report_unmatched(self._outputs, join)
        self.diagnostics += [*self._outputs.diagnostics, *self._work.diagnostics(self._run)]
        self.diagnostics += self._run.artifacts()
        self.diagnostics.sort(key=sort_key)

    def _in_chunks(self, tasks: Iterator[_Task]) -> Iterator[list[RowResult]]:
        """Yield the results of tasks, in order.

        Judges are asked by threads of this process, and answers are known in it alone.
        """
        if self._judging is None:
            chunks = iter(lambda: list(islice(tasks, _CHUNK)), [])
            yield from map_in_parallel(self._grade_all, chunks, self._options.jobs)
            return
        try:
            for task in asked_ahead(tasks, self._judging, self._asking):
                yield [self._grade(task)]
        finally:
            self._judging.close()

    def _asking(self, task: _Task, ask: Ask) -> None:
        """Run only the checks of a task that ask judges."""
        if task.rubric is None or task.reason is not None:
            return
        if task.rubric not in self._askers:
            context = self._run.plans.context._replace(ask=ask)
            runner = self._runner_for(task.rubric, context, only_judges=True)
            self._askers[task.rubric] = None if isinstance(runner, str) else runner
        asker = self._askers[task.rubric]
        if asker is not None and asker.asks:
            asker.grade(task.id, task.row, task.output)

    def _rows(self, dataset_pass: DatasetPass) -> Iterator[list[CheckedRow]]:
        for checked in dataset_pass.batches(keep_rows=True):
            self.diagnostics += checked.faults
            self.diagnostics += dataset_pass.to_diagnostics(checked.problems)
            yield list(rows_of(dataset_pass, checked))

    def _task(self, pair: Pair) -> _Task:
        row, record = pair
        value: Any = row.value
        id_ = value.get("id") if isinstance(value, dict) else None
        name = id_ if isinstance(id_, str) else f"row {row.number + 1}"
        if row.fault is not None:
            return _Task(name, None, {}, reason=f"the row is not valid: {row.fault.message}")
        if record is None and self._outputs and name in self._outputs.invalid:
            return _Task(name, None, {}, reason="its recorded output is not valid")
        if record is None:
            self._missing.append(name)
            return _Task(name, None, {}, reason="no output was recorded")
        rubric = value.get("rubric_ref")
        plan = self._plan_of(rubric) if rubric is not None else None
        plan = plan if isinstance(plan, Plan) else None
        refusal = self._work.refusal(plan, value, record.output)
        return _Task(name, rubric, value, record.output, refusal)

    def _grade_all(self, tasks: list[_Task]) -> list[RowResult]:
        return [self._grade(task) for task in tasks]

    def _grade(self, task: _Task) -> RowResult:
        if task.reason is not None:
            return RowResult(task.id, None, Outcome.ERROR, None, task.reason)
        if task.rubric is None:
            return self._own.grade(task.id, task.row, task.output)
        if task.rubric not in self._runners:
            self._runners[task.rubric] = self._runner_for(task.rubric, self._run.plans.context)
        runner = self._runners[task.rubric]
        if isinstance(runner, str):
            return RowResult(task.id, None, Outcome.ERROR, None, runner)
        return runner.grade(task.id, task.row, task.output)

    def _runner_for(
        self, text: str, context: EvalContext, *, only_judges: bool = False
    ) -> RubricRunner | str:
        """Return the runner of a rubric, or why there is none; findings tell it, too."""
        plan = self._plan_of(text)
        if isinstance(plan, str):
            return plan
        try:
            return RubricRunner(plan, context, only_judges=only_judges)
        except ValueError as error:
            return str(error)

    def _plan_of(self, text: str) -> Plan | str:
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

    def _report_unmatched(self, outputs: Outputs, join: Join) -> None:
        if self._missing:
            names = listed(f"`{clipped(name, NAME_LENGTH)}`" for name in self._missing)
            rows = "1 row has" if len(self._missing) == 1 else f"{len(self._missing):,} rows have"
            message = f"{rows} no output in this file: {names}"
            advice = "record an output for every row; an empty text is one, too"
            outputs.report(Problem("output/missing", message, (), advice))
        for record in join.surplus:
            message = f"the dataset has no row `{clipped(record.id, NAME_LENGTH)}`"
            outputs.report(Problem("output/unknown-id", message, ("id",)), record.number)

    def _show_progress(self, outputs: Outputs) -> None:
        if self._options.progress and outputs.progress:
            self._options.progress(self._outputs_file, *outputs.progress)
