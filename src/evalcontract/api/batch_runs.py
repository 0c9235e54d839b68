"""Cover and grade record batches of Arrow wherever an engine has them; sums of results merge."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evalcontract.api.batches import BatchCheck, RowsOfPart
from evalcontract.checks import State
from evalcontract.checks.coverage import RowCoverage, count_states
from evalcontract.checks.outcome import Output
from evalcontract.datasets.outputs import read_record
from evalcontract.datasets.passes import CheckedRow, rows_of
from evalcontract.datasets.run import Run, today
from evalcontract.grading.grade import INVALID_OUTPUT, NO_OUTPUT
from evalcontract.grading.printed import row_lines
from evalcontract.grading.results import RowResult, result_of
from evalcontract.grading.rows import RowGrader, WorkBudget
from evalcontract.grading.runner import Task, invalid_row
from evalcontract.grading.summary import Summary
from evalcontract.source.tables.columnar import rows_of as mappings_of

if TYPE_CHECKING:
    from pyarrow import RecordBatch

#: The numbers of checks on a row, by what becomes of them.
STATES = tuple(map(str, State))
_SEVERAL = 2
_CELL = ("check", "kind", "state", "reason", "field")


class BatchCoverage(BatchCheck):
    """Tells which checks will run on the rows of batches; it is picklable as `BatchCheck` is.

    A call yields a line for each row: its name, the rubric, the `fault` if its checks are unknown,
    the number of checks by `STATES`, and the checks.
    """

    def __call__(self, batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
        """Yield the coverage of rows, some at a time."""
        run = self._run_for(runs_rules=False)
        part, dataset_pass = self._begin(batches, run)
        for checked in dataset_pass.batches(keep_rows=True):
            rows = [dataset_pass.cover(row) for row in rows_of(dataset_pass, checked)]
            rows += [RowCoverage(-1, name, None, (), why) for name, why in part.take_lost(checked)]
            lines = [self._line(row, part) for row in rows]
            yield _batch_of(lines, coverage_columns())

    def _line(self, row: RowCoverage, part: RowsOfPart) -> dict[str, Any]:
        has_key = self.settings.key is not None and row.index >= 0
        name = part.name(row.index) if has_key else row.row
        states = {str(state): count for state, count in count_states(row.cells).items()}
        cells = (
            (
                cell.check,
                cell.kind,
                str(cell.outlook.state),
                cell.outlook.reason,
                cell.outlook.field,
            )
            for cell in row.cells
        )
        return {
            "row": name,
            "rubric": row.rubric,
            "fault": row.fault,
            **{state: states.get(state, 0) for state in STATES},
            "checks": [dict(zip(_CELL, cell, strict=True)) for cell in cells],
        }

    def _run_for(self, *, runs_rules: bool) -> Run:
        has_php = shutil.which("php") is not None
        day = self.settings.on_day or today()
        options: dict[str, Any] = {"runs_rules": runs_rules, "is_part": not self.needs_one_part}
        return Run(self._workspace, None, day, has_php=has_php, **options)


class BatchGrader(BatchCoverage):
    """Grades the outputs of the rows of batches, without judges; picklable as `BatchCheck` is.

    A batch has a `row`, its `answer`, which is the record of an output or null, and the number of
    its `answers`. A call yields a line for each row: its name, what came of it, and the `result` as
    a line of JSON.
    """

    def __call__(self, batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
        """Yield the results of rows, some at a time."""
        run = self._run_for(runs_rules=True)
        grader, work, answers = RowGrader(run), WorkBudget(), _Answers(self.settings.keeps_nulls)
        part, dataset_pass = self._begin(answers.rows(batches), run)
        for checked in dataset_pass.batches(keep_rows=True):
            pairs = [
                (row, answers.of(part.given(row.number))) for row in rows_of(dataset_pass, checked)
            ]
            tasks = [_task(row, answer, part.name(row.number)) for row, answer in pairs]
            allowed = [_allowed(task, grader, work) for task in tasks]
            lines = [*_result_lines(grader.grade_all(allowed))]
            unread = [
                invalid_row({"id": name or ""}, 0, why) for name, why in part.take_lost(checked)
            ]
            lines += _result_lines(grader.grade_all(unread))
            yield _batch_of(lines, result_columns())

    def sums(self, batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
        """Yield the `Summary` of the results of batches, pickled: `merge` adds them."""
        import pyarrow as pa  # an extra, and slow to import

        summary = Summary()
        for batch in batches:
            lines = batch.column("result").to_pylist()
            summary.merge(Summary.of([result_of(json.loads(line)) for line in lines]))
        yield pa.record_batch({"sums": pa.array([pickle.dumps(summary)], pa.binary())})


class _Answers:
    """The answers to the rows of batches, by the number of the row."""

    def __init__(self, keeps_nulls: bool) -> None:  # noqa: FBT001 - of one caller
        self._keeps_nulls = keeps_nulls
        self._answers: dict[int, dict[str, Any]] = {}
        self._count = 0

    def rows(self, batches: Iterable[RecordBatch]) -> Iterator[RecordBatch]:
        """Yield the rows of batches, whose answers are kept until they are asked for."""
        import pyarrow as pa  # an extra, and slow to import

        for batch in batches:
            for number, each in enumerate(self._mappings(batch), self._count):
                self._answers[number] = each
            self._count += batch.num_rows
            yield pa.RecordBatch.from_struct_array(batch.column("row"))

    def _mappings(self, batch: RecordBatch) -> list[dict[str, Any]]:
        return mappings_of(batch.select(["answer", "answers"]), keeps_nulls=self._keeps_nulls)

    def of(self, number: int) -> dict[str, Any]:
        """Return the answer to a row and the number of its answers, once."""
        return self._answers.pop(number, {})


def _task(row: CheckedRow, given: Mapping[str, Any], key: str | None) -> Task:
    """Return the task of a row: it is graded without an output that is not there, or not valid."""
    value, answer, answers = row.value, given.get("answer"), given.get("answers") or 0
    if row.fault is not None:
        task = invalid_row(value, row.number, row.fault.message)
        return task._replace(id=key or task.id)
    read = read_record(answer) if answer is not None else None
    lacks = NO_OUTPUT if read is None else INVALID_OUTPUT if read.output is None else None
    output = (read.output if read else None) or Output()
    task = Task(value["id"], value.get("rubric_ref"), value, output, lacks=lacks)
    why = f"the row has {answers} outputs, and nothing says which of them counts"
    return task if answers < _SEVERAL else task._replace(reason=why)


def _allowed(task: Task, grader: RowGrader, work: WorkBudget) -> Task:
    if task.reason is not None:
        return task
    refusal = work.refusal(grader.plan_of(task.rubric), task.row, task.output)
    return task if refusal is None else task._replace(reason=refusal)


def _result_lines(results: Iterable[RowResult]) -> Iterator[dict[str, Any]]:
    rows = [*results]
    for row, line in zip(rows, row_lines(rows), strict=True):
        low, high = row.bounds or (None, None)
        yield {
            "id": row.id,
            "rubric": row.rubric,
            "outcome": str(row.outcome) if row.outcome else None,
            "score": row.score,
            "low": low,
            "high": high,
            "reason": row.reason,
            "result": line,
        }


def coverage_columns() -> dict[str, Any]:
    """Return the columns of coverage, with their types."""
    import pyarrow as pa  # an extra, and slow to import

    cell = pa.struct([(name, pa.string()) for name in _CELL])
    texts = dict.fromkeys(("row", "rubric", "fault"), pa.string())
    return {**texts, **dict.fromkeys(STATES, pa.int64()), "checks": pa.list_(cell)}


def result_columns() -> dict[str, Any]:
    """Return the columns of results, with their types."""
    import pyarrow as pa  # an extra, and slow to import

    texts = dict.fromkeys(("id", "rubric", "outcome"), pa.string())
    numbers = dict.fromkeys(("score", "low", "high"), pa.float64())
    return {**texts, **numbers, **dict.fromkeys(("reason", "result"), pa.string())}


def _batch_of(lines: Sequence[dict[str, Any]], columns: dict[str, Any]) -> RecordBatch:
    import pyarrow as pa  # as above

    return pa.RecordBatch.from_pylist([*lines], pa.schema([*columns.items()]))
