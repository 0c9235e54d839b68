"""What a judge is shown of each labelled output: from the labels, or a dataset and its outputs."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract.analysis.template import scan
from evalcontract.calibrating.joining import SHOWN, LabelRecord, Records
from evalcontract.checks._judges import needs_of, variables_of
from evalcontract.checks._kind import Needs, outlook_of
from evalcontract.checks.outcome import Outcome, Output
from evalcontract.datasets.columns import ColumnKeys, of_outputs
from evalcontract.datasets.opening import Advance, Input, open_dataset
from evalcontract.datasets.outputs import OutputFile
from evalcontract.datasets.passes import NATIVE, rows_of
from evalcontract.datasets.placing import from_unreadable_files
from evalcontract.datasets.recordings import read_outputs
from evalcontract.datasets.run import Run, today
from evalcontract.judging.asking import Judging, asked_ahead, prospects_of
from evalcontract.judging.cost import Prospects
from evalcontract.model.diagnostic import Diagnostic, Problem, Related
from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import NAME_LENGTH, clipped, listed, many
from evalcontract.workspace import Workspace, display_name

if TYPE_CHECKING:
    from evalcontract.calibrating.files import CalibrationOptions, NamedJudge
    from evalcontract.checks._kind import Ask

_OUTPUT = "output"
_OF_ROW = tuple(key for key in SHOWN if key != _OUTPUT)


class JudgeView(NamedTuple):
    """A row and an output as a judge sees them."""

    row: Mapping[str, Any]
    output: Output


class _JudgeViews:
    """What a judge is shown of labelled outputs; `diagnostics` are those on the files with that."""

    def __init__(
        self, labels: Sequence[LabelRecord], options: CalibrationOptions, workspace: Workspace
    ) -> None:
        _require_one_source(labels, options)
        self.diagnostics: list[Diagnostic] = []
        self._run = Run(workspace, None, options.today or today())
        ids = {label.id for label in labels}
        self._rows = self._outputs = None
        columns, keys = of_outputs(options.columns)
        if options.dataset:
            self._rows = dict(self._rows_of(options.dataset, columns, ids))
        if options.outputs:
            self._outputs = self._outputs_of(options.outputs, keys, ids)

    def of(self, label: LabelRecord) -> JudgeView | str:
        """Return what the judge is shown, or why it cannot be asked."""
        row: Any = {key: label.values[key] for key in _OF_ROW if key in label.values}
        if self._rows is not None:
            row = self._rows.get(label.id, "the dataset has no such row")
        if isinstance(row, str):
            return row
        if self._outputs is not None:
            output = self._outputs.get(label.id, Output())
        else:
            output = Output(label.values.get(_OUTPUT))
        return "it has no recorded output" if output.text is None else JudgeView(row, output)

    def _rows_of(
        self, path: Path, columns: ColumnKeys, ids: Container[str]
    ) -> Iterator[tuple[str, Mapping[str, Any] | str]]:
        """Yield the rows with these ids, the first of each; or why one cannot be used."""
        dataset = open_dataset(Input(path), columns=columns)
        if dataset.dialect != NATIVE:
            raise UsageError(f"{dataset.file} is a dataset of {dataset.dialect}: convert it first")
        if dataset.unreadable:
            self.diagnostics += from_unreadable_files(
                [dataset.unreadable], self._run.standards.base
            )
            return
        dataset_pass = dataset.begin(self._run, self._run.standards.policy_for(path))
        seen: set[str] = set()
        for checked in dataset_pass.batches(keep_rows=True):
            self.diagnostics += checked.faults
            for row in rows_of(dataset_pass, checked):
                id_ = row.value.get("id") if isinstance(row.value, dict) else None
                if isinstance(id_, str) and id_ in ids and id_ not in seen:
                    seen.add(id_)
                    fault = row.fault
                    yield id_, f"its row is not valid: {fault.message}" if fault else row.value

    def _outputs_of(self, path: Path, keys: ColumnKeys, ids: Container[str]) -> dict[str, Output]:
        source = read_outputs(Input(path))
        if source.unreadable:
            self.diagnostics += from_unreadable_files([source.unreadable], self._run.standards.base)
            return {}
        outputs = OutputFile(source, self._run.standards.base, keys)
        records = (record for batch in outputs.batches() for record in batch)
        found = {record.id: record.output for record in records if record.id in ids}
        self.diagnostics += outputs.diagnostics
        return found


def _require_one_source(labels: Sequence[LabelRecord], options: CalibrationOptions) -> None:
    own = {key for label in labels for key in SHOWN if key in label.values}
    if options.outputs and _OUTPUT in own:
        raise UsageError("the labels have outputs themselves: leave out `--outputs`")
    if not options.outputs and _OUTPUT not in own:
        raise UsageError(
            "there is nothing to show the judge: add the key `output` to the labels, and what else "
            "its template reads; or name recorded outputs with `--outputs`, and `--dataset`"
        )
    both = sorted(own.intersection(_OF_ROW))
    if options.dataset and both:
        raise UsageError(f"the labels have `{both[0]}` themselves: leave out `--dataset`")


class JudgeAnswers(NamedTuple):
    """What a judge said about labelled outputs.

    `records` have its verdicts, in the rows of the labels. `problems` tell of the outputs without
    one, whose ids are `without`; `unreadable` counts those with an answer that is no verdict.
    `diagnostics` are the findings on the files that were shown.
    """

    records: Records
    problems: Sequence[Problem]
    without: frozenset[str]
    unreadable: int
    diagnostics: Sequence[Diagnostic]


# A label, and the variables of the template of the judge.
_Task = tuple[LabelRecord, dict[str, Any]]


def ask_judge(
    judge: NamedJudge, labels: Sequence[LabelRecord], options: CalibrationOptions, judging: Judging
) -> JudgeAnswers:
    """Ask a judge about each labelled output once, several at a time.

    Raises:
        UsageError: the judge cannot be asked at all, or there is nothing to show it.

    """
    try:
        return _Questions(judge, labels, options, judging=judging).answers()
    finally:
        judging.close()


def prospects_of_labels(
    judge: NamedJudge, labels: Sequence[LabelRecord], options: CalibrationOptions, judging: Judging
) -> tuple[Prospects, Sequence[Diagnostic]]:
    """Return what a judge would be asked about labelled outputs, and the findings on the files.

    Raises:
        UsageError: there is nothing to show it.

    """
    questions = _Questions(judge, labels, options, judging=judging)
    return questions.prospects()


class _Questions:
    def __init__(
        self,
        judge: NamedJudge,
        labels: Sequence[LabelRecord],
        options: CalibrationOptions,
        judging: Judging,
    ) -> None:
        self._judge, self._options, self._judging = judge, options, judging
        self._labels: dict[str, LabelRecord] = {}  # the first of each id
        self._problems: list[Problem] = []
        for label in labels:
            self._take(label)
        self._views = _JudgeViews(labels, options, judge.workspace)
        self._needs = _needs(judge)
        self._failures: dict[tuple[str, str], list[LabelRecord]] = {}

    def _take(self, label: LabelRecord) -> None:
        """Take the first label of an output; the others must show the same."""
        first = self._labels.setdefault(label.id, label)
        for key in SHOWN:
            value = label.values.get(key)
            if value is not None and value != first.values.get(key):
                message = f"`{clipped(label.id, NAME_LENGTH)}` is shown with two different texts"
                problem = Problem(
                    _CONFLICT,
                    message,
                    path=(label.row, key),
                    help="give each output an id of its own",
                    row=label.id,
                    related=(Related("first here", (first.row,)),),
                    row_index=label.row,
                )
                self._problems.append(problem)
                return

    def prospects(self) -> tuple[Prospects, Sequence[Diagnostic]]:
        """Return what would be asked; what cannot be is counted by its reason."""
        found = prospects_of(self._tasks(), self._judging, self._ask)
        for (_, reason), labels in self._failures.items():
            found.impossible[reason] += len(labels)
        return found, self._views.diagnostics

    def _ask(self, task: _Task, ask: Ask) -> None:
        ask(self._judge.artifact, task[1])

    def answers(self) -> JudgeAnswers:
        records = [*self._records()]
        problems = [_problem(*why, rows) for why, rows in self._failures.items()]
        unreadable = (rows for (code, _), rows in self._failures.items() if code == _UNREADABLE)
        return JudgeAnswers(
            records=Records(records, ()),
            problems=[*problems, *self._problems],
            without=frozenset(row.id for rows in self._failures.values() for row in rows),
            unreadable=sum(map(len, unreadable)),
            diagnostics=self._views.diagnostics,
        )

    def _tasks(self) -> Iterator[_Task]:
        for label in self._labels.values():
            view = self._views.of(label)
            if isinstance(view, JudgeView):
                outlook = outlook_of(self._needs, view.row)
                if outlook.runs:
                    yield label, variables_of(view.row, view.output)
                    continue
                view = outlook.reason or "it lacks what the template shows"
            self._failures.setdefault((_NOT_ASKED, view), []).append(label)

    def _records(self) -> Iterator[LabelRecord]:
        name, total = display_name(self._options.labels), len(self._labels)
        asked = asked_ahead(self._tasks(), self._judging, self._ask)
        for number, (label, variables) in enumerate(asked, 1):
            verdict = self._judging.ask(self._judge.artifact, variables)
            if self._options.progress:
                spent, failed = self._judging.usage_so_far, self._judging.failed
                self._options.progress(Advance(name).asking(spent, (number, total), failed))
            is_unasked = self._judging.usage_so_far.unasked > 0  # the budget is used up
            if verdict.outcome is Outcome.UNAVAILABLE and not is_unasked:
                raise UsageError(f"{self._judge.name} cannot be asked: {verdict.reason}")
            details = verdict.details or {}
            if verdict.score is None:
                code = _UNREADABLE if "answer" in details else _UNANSWERED
                why = code, verdict.reason or "it was given up"
                self._failures.setdefault(why, []).append(label)
                continue
            values = {"judge": details["verdict"], "model": {"name": details["model"]}}
            yield label._replace(values=values)


_NOT_ASKED, _UNANSWERED = "labels/not-asked", "labels/unanswered"
_UNREADABLE, _CONFLICT = "labels/unreadable-answer", "labels/conflicting-output"
_WORDS = {
    _NOT_ASKED: ("the judge cannot be asked about", "add what is missing, or remove the labels"),
    _UNANSWERED: ("there is no answer on", "run it again: the other answers are in the cache"),
    _UNREADABLE: (
        "the judge gives no verdict on",
        "they are left out; say in the template which answers it may give",
    ),
}


def _needs(judge: NamedJudge) -> Needs:
    """Return what a judge needs: beside that of rows, the `input`, which labels may lack."""
    needs = needs_of([judge.artifact])
    if "input" in scan(judge.value["template"]).shown:
        return needs._replace(present=("input", *needs.present))
    return needs


def _problem(code: str, reason: str, rows: Sequence[LabelRecord]) -> Problem:
    first = rows[0]
    what, advice = _WORDS[code]
    names = listed(f"`{clipped(row.id, NAME_LENGTH)}`" for row in rows)
    message = f"{what} {many(len(rows), 'output')}, {names}: {reason}"
    return Problem(code, message, (first.row,), advice, row=first.id, row_index=first.row)
