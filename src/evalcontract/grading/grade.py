"""Grade recorded outputs by the rubrics of a dataset, and finish, resume or compare the run."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from copy import copy
from datetime import datetime
from functools import cached_property, partial
from itertools import groupby
from operator import attrgetter
from platform import python_version
from typing import Any, TypeVar

from evalcontract._version import __version__
from evalcontract.checking.artifacts import artifact_findings, lock_findings
from evalcontract.checks.outcome import Outcome, Output
from evalcontract.datasets.columns import of_outputs
from evalcontract.datasets.opening import Advance, Input, Options, open_dataset
from evalcontract.datasets.output_files import read_outputs
from evalcontract.datasets.outputs import Join, OutputFile, OutputRecord, Pair, SampleJoin
from evalcontract.datasets.passes import NATIVE, CheckedRow, DatasetPass, NativeDataset, rows_of
from evalcontract.datasets.placing import from_unreadable_files
from evalcontract.datasets.provenance import Settings, settings_of, time_text
from evalcontract.datasets.recordings import mixed_outputs
from evalcontract.datasets.run import MAX_REJECTED, Run, today, with_libraries
from evalcontract.grading.basis import Basis, Sections
from evalcontract.grading.parts import IrregularError, Parts, parts_of
from evalcontract.grading.results import RowResult
from evalcontract.grading.rows import RowGrader, WorkBudget
from evalcontract.grading.runner import Task, invalid_row, row_name
from evalcontract.grading.summary import OPEN, QualityGate
from evalcontract.grading.used import ResultDependencies, RowDependencies
from evalcontract.judging.asking import Judging, Usage, asked_ahead, prospects_of
from evalcontract.judging.questions import Prospects
from evalcontract.library.library import Library
from evalcontract.model.diagnostic import Diagnostic, Place, Problem, sort_key
from evalcontract.model.errors import UsageError
from evalcontract.model.reference import Kind
from evalcontract.model.startup import made_of
from evalcontract.model.values import NAME_LENGTH, clipped, listed, many
from evalcontract.source.external import digest_of
from evalcontract.source.processes import map_in_parallel
from evalcontract.workspace import find_root, open_workspace

T = TypeVar("T")

#: The version of the format of results; see the schema.
VERSION = "3.0"
#: Makes something of some rows with their outputs, and of their results.
OfRows = Callable[[list[Task], list[RowResult]], T]
# The number of rows that a process grades at a time.
_CHUNK = 250
#: Why a row has no output; another finding tells it.
NO_OUTPUT, INVALID_OUTPUT = "no output was recorded", "its recorded output is not valid"


class Grading:
    """The grading of recorded outputs by the rubrics of a dataset.

    Iterate over `results` once; then `diagnostics` is complete, and `used` has what they depend on.
    Without `judging`, checks that ask a judge are unavailable. `gate` is what the caller asks of
    the results, besides the targets. With `digests_rows`, the provenance has the meaning of the
    dataset, which takes time for every row.

    Raises:
        UsageError: the dataset is in the format of another system.

    """

    def __init__(
        self,
        dataset: Input,
        outputs: Input,
        options: Options,
        judging: Judging | None = None,
        gate: QualityGate = OPEN,
        *,
        digests_rows: bool = False,
    ) -> None:
        self._options = options
        self._inputs = (dataset, outputs)
        self._judging = judging
        self._set_up()
        library = self._run.workspace.library
        every = (*library.artifacts, *library.shared.artifacts)
        if not any(each.kind is Kind.JUDGE for each in every):
            self._judging = None
        columns, self._keys = of_outputs(options.columns)
        self._dataset = open_dataset(dataset, options.dialect, columns=columns)
        if self._dataset.dialect != NATIVE:
            raise UsageError(
                f"{self._dataset.file} is a dataset of {self._dataset.dialect}: convert it first"
            )
        self._source = source = read_outputs(outputs)
        unreadable = [file for file in (self._dataset.unreadable, source.unreadable) if file]
        self.diagnostics += from_unreadable_files(unreadable, self._run.standards.base)
        self._outputs = None if unreadable else self._read_outputs()
        self._outputs_file = source.file
        self.used = ResultDependencies(
            self._run,
            self._judging,
            self._dataset.document,
            prepare=self._grader.prepare,
            digests_rows=digests_rows,
        )
        self._digests_rows = digests_rows
        self._gate = gate
        self._questions = 0

    def _set_up(self) -> None:
        """Open the workspace, of which nothing is known yet, and begin without findings."""
        options = self._options
        root = options.files.real(options.root or find_root(self._inputs[0].path))
        workspace = open_workspace(root, (), options.files, choice=options.configuration)
        has_php = shutil.which("php") is not None
        ask = self._judging.ask if self._judging else None
        day = options.today or today()
        self._run = Run(
            workspace, options.strict, day, has_php=has_php, ask=ask, max_rejected=MAX_REJECTED
        )
        self._grader = RowGrader(self._run)
        self._work = WorkBudget()
        self._lacking: list[str] = []
        self._row_count = self._undecided = 0
        self.diagnostics: list[Diagnostic] = []

    def _read_outputs(self) -> OutputFile:
        return OutputFile(
            self._source, self._run.standards.policy_for(self._inputs[0].path), self._keys
        )

    @property
    def is_unreadable(self) -> bool:
        """Whether the dataset or the outputs cannot be read; the diagnostics say why."""
        return self._outputs is None

    @cached_property
    def gate(self) -> QualityGate:
        """What the results have to meet: the threshold of the caller, or the highest of targets.

        Rows may be undecided if the caller or every target of the dataset says so.
        """
        targets = self._run.workspace.targets_of(self._inputs[0].path)
        threshold, allows = self._gate
        thresholds = [each.threshold for each in targets if each.threshold is not None]
        return QualityGate(
            max(thresholds, default=None) if threshold is None else threshold,
            allows or (bool(targets) and all(target.allow_undecided for target in targets)),
        )

    @property
    def manifest(self) -> dict[str, Any]:
        """What is known at the start of that on which the results depend; the rest is `used`."""
        dataset, outputs = self._inputs
        return {
            "version": VERSION,
            "tool": {"name": "evalcontract", "version": __version__},
            "python": python_version(),
            "started": time_text(self.used.started),
            "dataset": _file(self._dataset.file, dataset),
            "outputs": _file(self._outputs_file, outputs),
            "settings": {name: [*values] for name, values in self._settings},
        }

    @property
    def _settings(self) -> Settings:
        graded = self._run.standards.graded_for(self._inputs[0].path)
        return settings_of(self._options.columns, graded)

    def provenance(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the results depend on, as `evalcontract manifest` has it.

        `manifest` is that of the results. Without `digests_rows`, the meaning of the dataset is not
        known.
        """
        dataset, started = manifest["dataset"], manifest.get("started")
        reached = self.used.provenance((dataset["file"], dataset.get("sha256")))
        if not self._digests_rows:
            reached = reached._replace(meaning_sha256=None)
        time = datetime.fromisoformat(started) if started else self.used.started
        return reached._replace(settings=self._settings).to_dict(time)

    def basis(
        self, manifest: Mapping[str, Any], rubrics: Iterable[str], earlier: Sections
    ) -> Basis:
        """Return what results of some rubrics depend on now, before any row is read.

        `earlier` is what they used. So the meaning of the dataset is not known.
        """
        used = self.used.begin(rubrics, earlier)
        block = self.provenance(manifest)
        return Basis(manifest, used, {**block, "dataset": {"meaning_sha256": None}})

    def places(self, names: Container[str]) -> dict[str, Place]:
        """Return where the rows with some names are, which takes another pass; none for none."""
        if not names or self.is_unreadable:
            return {}
        dataset_pass = self._begin()
        return {
            name: dataset_pass.place(row.path)
            for checked in dataset_pass.batches(keep_rows=True)
            for row in rows_of(dataset_pass, checked)
            if (name := row_name(row.value, row.number)) in names
        }

    @property
    def usage(self) -> Usage | None:
        """What asking judges took; None if there was no model to ask."""
        return self._judging.usage if self._judging else None

    @property
    def library(self) -> Library:
        """The rubrics and judges of the workspace."""
        return self._run.workspace.library

    def results(self, earlier: Container[str] = ()) -> Iterator[RowResult]:
        """Yield the result of each row, but for those whose ids are in `earlier`."""
        for results in self.shares(lambda _, results: results, earlier):
            yield from results

    def shares(self, of: OfRows[T], earlier: Container[str] = ()) -> Iterator[T]:
        """Yield what `of` makes of some rows and their results, and of the next; see `results`.

        It is called by the processes that grade, so what it returns must be picklable.
        """

        def with_use(tasks: list[Task]) -> tuple[RowDependencies, int, int, T]:
            if earlier:
                self.used.note_known(task for task in tasks if task.id in earlier)
                tasks = [task for task in tasks if task.id not in earlier]
            results = self._results_of(tasks)
            undecided = sum([_is_unreported(row) for row in results if row.outcome is _UNDECIDED])
            return self.used.of(results), len(results), undecided, of(tasks, results)

        for use, rows, undecided, share in self._shares(with_use, earlier):
            self.used.add(use)
            self._row_count += rows
            self._undecided += undecided
            yield share

    def _shares(self, of: Callable[[list[Task]], T], earlier: Container[str]) -> Iterator[T]:
        if self._outputs is None:
            return
        if self._judging and self._options.progress:
            # A copy counts, so that nothing is reported twice.
            self._questions = copy(self).prospects(self._judging, earlier).questions
            self._show_progress(self._outputs)
        outputs, dataset_pass = self._outputs, self._begin()
        is_whole = self._judging is not None or self.has_samples
        parts = None if is_whole else parts_of(dataset_pass, outputs, self._are_ordinary)
        if parts:

            def grade(pairs: list[Pair]) -> T:
                return of([*map(self._task, pairs)])

            try:
                for share in parts.shares(grade, self._options.jobs):
                    yield share
                    self._show_progress(outputs)
            except IrregularError:
                dataset_pass = self._begin()
            else:
                self.diagnostics += parts.diagnostics
                self._finish(dataset_pass, parts.surplus)
                return
        join = self._join(outputs)
        pairs = join.pairs(self._rows(dataset_pass), outputs.batches())
        tasks = self._tasks_in_order(pairs, parts)
        for share in self._in_chunks(tasks, outputs, of, earlier=earlier):
            yield share
            self._show_progress(outputs)
        self._finish(dataset_pass, join.surplus)

    def prospects(self, judging: Judging, earlier: Container[str] = ()) -> Prospects:
        """Read both files, and return what judges would be asked; see `prospects_of`.

        It is for a copy of a grading that has not begun, and is its end. The copy opens a workspace
        of its own, so that it spends no time that checks of the other may take.
        """
        self._set_up()
        outputs = self._read_outputs()
        self._outputs = outputs
        pairs = self._join(outputs).pairs(self._rows(self._begin()), outputs.batches())
        tasks = (task for task in self._tasks_in_order(pairs, None) if task.id not in earlier)
        return prospects_of(tasks, judging, self._grader.ask)

    def _join(self, outputs: OutputFile) -> Join | SampleJoin:
        if not self.has_samples:
            return Join()
        if mixed := mixed_outputs(self._source, outputs.id_in):
            outputs.report(mixed.problem, mixed.number)
        outputs.take_samples()
        return SampleJoin()

    def _begin(self) -> DatasetPass:
        path = self._inputs[0].path
        policy, graded = self._run.standards.policy_for(path), self._run.standards.graded_for(path)
        return self._dataset.begin(self._run, policy, graded)

    def _results_of(self, tasks: list[Task]) -> list[RowResult]:
        self.used.note(tasks)
        results = self._grader.grade_all(tasks)
        if not self.has_samples:
            return results
        return [
            result._replace(sample=task.sample) for task, result in zip(tasks, results, strict=True)
        ]

    @cached_property
    def has_samples(self) -> bool:
        """Whether rows have several outputs."""
        if self._outputs is None:
            return False
        dataset = self._dataset
        stream = dataset.stream if isinstance(dataset, NativeDataset) else None
        return self._outputs.has_samples(stream)

    def _finish(self, dataset_pass: DatasetPass, surplus: list[OutputRecord]) -> None:
        if self._outputs is None:
            return
        self.diagnostics += dataset_pass.finish()
        self._report_unmatched(self._outputs, surplus)
        self._report_undecided(self._outputs)
        self.diagnostics += [*self._outputs.diagnostics, *self._work.diagnostics(self._run)]
        self.diagnostics += [*artifact_findings(self._run), *lock_findings(self._run)]
        self.diagnostics = with_libraries(self._run, self.diagnostics)
        self.diagnostics.sort(key=sort_key)

    def _tasks_in_order(self, pairs: Iterable[Pair], parts: Parts | None) -> Iterator[Task]:
        """Yield the tasks that `parts` had not; the work on all rows is counted in order."""
        for pair in pairs:
            row, record = pair
            refusal = None
            if row.fault is None:
                plan = self._grader.plan_of(row.value.get("rubric_ref"))
                refusal = self._work.refusal(plan, row.value, _output_of(record))
            if parts and parts.had(pair):
                continue
            task = self._task(pair)
            yield task if refusal is None else task._replace(reason=refusal)

    def _are_ordinary(self, pairs: list[Pair]) -> bool:
        """Whether the work on no pair is more than every row may have."""
        graded = [pair for pair in pairs if pair.row.fault is None]
        rows = [row.value for row, _ in graded]
        outputs = [record.output if record else _NOTHING for _, record in graded]
        return self._work.are_ordinary(self._grader.plan_of, rows, outputs)

    def _in_chunks(
        self,
        tasks: Iterator[Task],
        outputs: OutputFile,
        of: Callable[[list[Task]], T],
        *,
        earlier: Container[str],
    ) -> Iterator[T]:
        """Judges are asked by threads of this process, and answers are known in it alone."""
        if self._judging is None:
            chunks = _chunks(tasks)
            yield from map_in_parallel(of, chunks, self._options.jobs)
            return
        progress = partial(self._show_progress, outputs)
        try:
            new = self._not_known(tasks, earlier)
            asked = asked_ahead(new, self._judging, self._grader.ask, progress=progress)
            if not self.has_samples:  # each row at once: it is not asked again if the run is killed
                yield from (of([task]) for task in asked)
                return
            for _, samples in groupby(asked, attrgetter("id")):
                yield of([*samples])
        finally:
            self._judging.close()

    def _not_known(self, tasks: Iterable[Task], earlier: Container[str]) -> Iterator[Task]:
        """Yield the tasks whose results are not known, and note the rows of the others."""
        for is_known, some in groupby(tasks, lambda task: task.id in earlier):
            if is_known:
                self.used.note_known(some)
            else:
                yield from some

    def _rows(self, dataset_pass: DatasetPass) -> Iterator[list[CheckedRow]]:
        for checked in dataset_pass.batches(keep_rows=True):
            self.diagnostics += checked.faults
            self.diagnostics += dataset_pass.to_diagnostics(checked.problems)
            yield list(rows_of(dataset_pass, checked))

    def _task(self, pair: Pair) -> Task:
        (number, _, value, _, fault), record = pair
        if fault is not None:
            invalid = invalid_row(value, number, fault.message)
            return invalid._replace(sample=record.sample if record else None)
        rubric = value.get("rubric_ref")
        if record is not None:
            return _task_of((record.id, rubric, value, record.output, None, None, record.sample))
        name, lacks = row_name(value, number), NO_OUTPUT
        if self._outputs and name in self._outputs.invalid:
            lacks = INVALID_OUTPUT
        else:
            self._lacking.append(name)
        return Task(name, rubric, value, lacks=lacks)

    def _report_undecided(self, outputs: OutputFile) -> None:
        if self._undecided and not self.gate.allow_undecided:
            rows = f"{self._undecided:,} of {self._row_count:,} rows are undecided"
            advice = "run what did not run, or allow it: `--allow-undecided`"
            message = f"{rows}: what did not run could pass or fail them"
            outputs.report(Problem("output/undecided", message, (), advice))

    def _report_unmatched(self, outputs: OutputFile, surplus: list[OutputRecord]) -> None:
        if self._lacking:
            names = listed(f"`{clipped(name, NAME_LENGTH)}`" for name in self._lacking)
            rows = many(len(self._lacking), "row has", "rows have")
            message = f"{rows} no output in this file: {names}"
            advice = "record an output for every row; an empty text is one, too"
            outputs.report(Problem("output/missing", message, (), advice))
        outputs.report_unknown(surplus)

    def _show_progress(self, outputs: OutputFile) -> None:
        if self._options.progress:
            at = Advance(self._outputs_file, self._row_count, outputs.progress)
            if self._judging and self._questions:
                questions = (self._judging.answered, self._questions)
                at = at.asking(self._judging.usage_so_far, questions, self._judging.failed)
            self._options.progress(at)


def _chunks(tasks: Iterator[Task]) -> Iterator[list[Task]]:
    """Yield some tasks at a time, those of one row together."""
    chunk: list[Task] = []
    for task in tasks:
        if len(chunk) >= _CHUNK and task.id != chunk[-1].id:
            yield chunk
            chunk = []
        chunk.append(task)
    if chunk:
        yield chunk


_UNDECIDED = Outcome.UNDECIDED  # members of enums are found slowly


def _is_unreported(row: RowResult) -> bool:
    """Whether nothing is reported of a row that is undecided."""
    return bool(row.checks) and row.reason not in (NO_OUTPUT, INVALID_OUTPUT)


def _file(name: str, input_: Input) -> dict[str, Any]:
    """Return the name of a file, and the digest of what can be read again."""
    digest = None if input_.stream else digest_of(input_.path)
    return {"file": name} if digest is None else {"file": name, "sha256": digest}


_task_of = made_of(Task)
_NOTHING = Output()


def _output_of(record: OutputRecord | None) -> Output:
    return record.output if record else _NOTHING
