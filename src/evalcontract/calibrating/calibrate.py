"""Calibrate a judge: read its labels, ask it, measure, and prepare its `validation`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract.analysis.template import scan
from evalcontract.calibrating.files import (
    CalibrationOptions,
    NamedJudge,
    ReadFile,
    find_judge,
    labels_of_split,
    problems_of_file,
    read_rows,
    scale_for,
    validation_for,
)
from evalcontract.calibrating.joining import SHOWN, LabelRecord, Records, have_scores, join
from evalcontract.calibrating.measuring import AUTO, CalibrationResult, Labels, measure, remarks
from evalcontract.checks._judges import needs_of, variables_of
from evalcontract.checks._kind import Needs, outlook_of
from evalcontract.checks.outcome import Outcome, Output
from evalcontract.datasets.columns import ColumnKeys, of_outputs
from evalcontract.datasets.opening import Advance, Input, open_dataset
from evalcontract.datasets.output_files import read_outputs
from evalcontract.datasets.outputs import OutputFile
from evalcontract.datasets.passes import NATIVE, rows_of
from evalcontract.datasets.placing import from_unreadable_files
from evalcontract.datasets.run import Run, today
from evalcontract.judging.asking import Judging, asked_ahead, prospects_of
from evalcontract.judging.questions import Prospects
from evalcontract.library.scores import Scale
from evalcontract.model.diagnostic import Diagnostic, Problem, Related, RunOutcome, Severity
from evalcontract.model.errors import EditError, UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import NAME_LENGTH, clipped, listed, many
from evalcontract.workspace import Workspace, display_name
from evalcontract.workspace.writing import FileFix, FixResult, write

if TYPE_CHECKING:
    from evalcontract.checks._kind import Ask


class CalibrationOutcome(NamedTuple):
    """The findings on the files, the result, and the change of the judge's file that records it.

    Without a `result` there is nothing to measure: the findings say why, or `nothing` does.
    `change` is None if the validation must not, or cannot be written.
    """

    diagnostics: Sequence[Diagnostic]
    result: CalibrationResult | None = None
    change: FileFix | None = None
    nothing: str | None = None

    def write(self) -> None:
        """Write the validation into the file of the judge, unless it is there already.

        Raises:
            UsageError: the file cannot be written, or has changed in the meantime.

        """
        write(FixResult((self.change,) if self.change else (), (), RunOutcome()))


def calibrate(
    judge: str, options: CalibrationOptions, judging: Judging | None = None
) -> CalibrationOutcome:
    """Compare a judge, by its path or a reference, with human labels.

    Without verdicts, the judge is asked through `judging`.

    Raises:
        UsageError: the judge, or what is needed for it, is not there.
        ConfigurationError: a workspace's configuration cannot be used.

    """
    judge_file = find_judge(judge, options.root, options.configuration)
    if not isinstance(judge_file, NamedJudge):
        return CalibrationOutcome(judge_file)
    scale = scale_for(judge_file, options)
    labels = read_rows(options.labels, ("id", "human"), judge_file.workspace, is_shown=True)
    if isinstance(labels, list):
        return CalibrationOutcome(labels)
    rows = labels_of_split(labels.records.rows, options.split)
    answers = None
    if _asks(labels, options, judging) and judging:
        try:
            answers = _Questions(judge_file, rows, options, judging=judging).answers()
        finally:
            judging.close()
        verdicts: ReadFile | list[Diagnostic] = ReadFile(labels.file, answers.records)
    else:
        verdicts = _verdicts(labels, options, judge_file.workspace)
    if isinstance(verdicts, list):
        return CalibrationOutcome(verdicts)
    compared = _Comparison(
        judge=judge_file,
        scale=scale,
        options=options,
        rows=rows,
        labels=labels,
        verdicts=verdicts,
        answers=answers,
    )
    findings = compared.findings()
    if not compared.joined.items:
        return CalibrationOutcome(findings, nothing="no output has both a label and a verdict")
    return compared.result(findings)


def prospects(
    judge: str, options: CalibrationOptions, judging: Judging | None
) -> tuple[Prospects | None, Sequence[Diagnostic]]:
    """Return what a judge would be asked: None without an endpoint; and the findings on files.

    Raises:
        UsageError, ConfigurationError: as for `calibrate`.

    """
    judge_file = find_judge(judge, options.root, options.configuration)
    if not isinstance(judge_file, NamedJudge):
        return None, judge_file
    labels = read_rows(options.labels, ("id", "human"), judge_file.workspace, is_shown=True)
    if isinstance(labels, list):
        return None, labels
    if _has_verdicts(labels, options):
        return Prospects(), ()
    if judging is None:
        return None, ()
    rows = labels_of_split(labels.records.rows, options.split)
    return _Questions(judge_file, rows, options, judging=judging).prospects()


def _has_verdicts(labels: ReadFile, options: CalibrationOptions) -> bool:
    """Whether the judge is not asked, since something has its verdicts."""
    shown = "--dataset" if options.dataset else "--outputs" if options.outputs else None
    if not (labels.records.have("judge") or options.verdicts):
        return False
    if shown:
        raise UsageError(f"there are verdicts, so the judge is not asked: leave out `{shown}`")
    return True


def _asks(labels: ReadFile, options: CalibrationOptions, judging: Judging | None) -> bool:
    """Whether the judge is to be asked, since nothing has its verdicts."""
    if _has_verdicts(labels, options):
        return False
    if judging is None:
        raise UsageError(
            f"{labels.file.file} has no verdicts: give what the judge said in a column `judge`, or "
            "in a file of their own with `--verdicts FILE`, rows of `id` and `judge`; or set "
            "EVALCONTRACT_BASE_URL or EVALCONTRACT_API_KEY to ask the judge over a model"
        )
    return True


def _verdicts(
    labels: ReadFile, options: CalibrationOptions, workspace: Workspace
) -> ReadFile | list[Diagnostic]:
    """Return the file with the verdicts, or its findings; it may be that of the labels."""
    if options.verdicts is None:
        return labels
    if labels.records.have("judge"):
        raise UsageError(f"{labels.file.file} has verdicts itself: leave out `--verdicts`")
    return read_rows(options.verdicts, ("id", "judge"), workspace)


class _Comparison:
    """The labels and verdicts of one calibration, joined; `rows` are the labels of the split."""

    def __init__(
        self,
        judge: NamedJudge,
        scale: Scale,
        options: CalibrationOptions,
        *,
        rows: Sequence[LabelRecord],
        labels: ReadFile,
        verdicts: ReadFile,
        answers: JudgeAnswers | None,
    ) -> None:
        self._judge, self._scale, self._options = judge, scale, options
        self._rows, self._labels, self._verdicts, self._answers = rows, labels, verdicts, answers
        self._splits = Counter(row.values["split"] for row in rows if "split" in row.values)
        self._have_scores = have_scores(scale, (row.values["human"] for row in rows))
        unused = {row.id for row in labels.records.rows} - {row.id for row in rows}
        given = [row for row in verdicts.records.rows if row.id not in unused]
        given = [row for row in given if "judge" in row.values]
        if verdicts is labels:
            given = [*_once(row for row in rows if "judge" in row.values)]
        cutoff = scale.threshold if self._have_scores else None
        without = answers.without if answers else ()
        self.joined = join(rows, given, scale, cutoff=cutoff, without=without)
        used = {item.id for item in self.joined.items}
        self._with_model = [row for row in given if "model" in row.values and row.id in used]
        if not self._with_model:
            self._with_model = [row for row in rows if "model" in row.values and row.id in used]
        self._verdicts_have_model = any("model" in row.values for row in given)

    def findings(self) -> list[Diagnostic]:
        """Return the findings on both files, which may be one."""
        labels, verdicts, workspace = self._labels, self._verdicts, self._judge.workspace
        of_labels = [*self.joined.label_problems, *self._of_splits()]
        of_verdicts = [*self.joined.verdict_problems]
        shown: Sequence[Diagnostic] = ()
        if self._answers:
            of_labels += self._answers.problems
            shown = self._answers.diagnostics
        of_models = of_verdicts if self._verdicts_have_model else of_labels
        of_models += _of_models(self._with_model)
        if verdicts.file is labels.file:
            return [*shown, *problems_of_file(*labels, [*of_labels, *of_verdicts], workspace)]
        return [
            *problems_of_file(*labels, of_labels, workspace),
            *problems_of_file(*verdicts, of_verdicts, workspace),
        ]

    def _of_splits(self) -> Iterator[Problem]:
        names = [*self._splits]
        if len(names) > 1:
            first = next(row for row in self._rows if row.values.get("split") == names[1])
            message = f"the labels are of {len(names)} splits: {listed(names)}"
            name = "test" if "test" in names else "NAME"
            advice = f"measure on one that the template never saw, with `--split {name}`"
            yield Problem("labels/mixed-splits", message, (first.row, "split"), advice)

    def result(self, findings: list[Diagnostic]) -> CalibrationOutcome:
        options, scale, joined = self._options, self._scale, self.joined
        judge, file, splits = self._judge, self._labels.file, self._splits
        threshold = options.threshold if options.threshold == AUTO else scale.threshold
        measured = measure(
            joined.items,
            threshold,
            options.observed,
            is_numeric=scale.is_numeric,
            levels=(scale.levels or {}).values(),
        )
        if not measured.is_complete:
            findings += problems_of_file(
                file, None, [_one_class(measured.rates)], workspace=judge.workspace
            )
        labels = Labels(
            file=display_name(options.labels),
            sha256=file.sha256,
            split=next(iter(splits)) if len(splits) == 1 else None,
            splits=splits,
            labelled=joined.labelled,
            compared=len(joined.items),
            unreadable=self._answers.unreadable if self._answers else 0,
            ties=joined.ties,
            are_scores=self._have_scores,
            annotators=joined.annotators,
        )
        is_chosen = options.threshold == AUTO
        is_default = scale.is_default and not is_chosen
        result = CalibrationResult(
            judge=judge.name,
            file=display_name(judge.path),
            score_type=scale.score_type,
            labels=labels,
            measured=measured,
            remarks=[*remarks(measured, labels, is_chosen=is_chosen, is_default=is_default)],
            is_chosen=is_chosen,
        )
        if any(each.severity is Severity.ERROR for each in findings):
            return CalibrationOutcome(findings, result._replace(refusal="correct the errors first"))
        rows = self._with_model
        model = rows[0].values["model"] if rows else judge.value.get("model")
        validation = validation_for(judge, result, options, model=model)
        result = result._replace(validation=validation)
        try:
            change = judge.with_validation(validation, measured.threshold)
            return CalibrationOutcome(findings, result, change)
        except EditError as error:
            return CalibrationOutcome(findings, result._replace(refusal=str(error)))


def _once(rows: Iterable[LabelRecord]) -> Iterator[LabelRecord]:
    """Yield the rows of labels whose verdict is not a repetition: each annotator's row has it."""
    seen: dict[str, object] = {}
    for row in rows:
        if row.id not in seen or seen[row.id] != row.values["judge"]:
            seen.setdefault(row.id, row.values["judge"])
            yield row


def _of_models(rows: Sequence[LabelRecord]) -> Iterator[Problem]:
    for row in rows:
        if row.values["model"] != rows[0].values["model"]:
            names = listed(dict.fromkeys(f"`{each.values['model']['name']}`" for each in rows))
            message = f"the verdicts are of several models: {names}"
            advice = "another model is another judge: measure each on its own"
            yield Problem("labels/several-models", message, (row.row, "model"), advice)
            return


def _one_class(rates: Iterable[str]) -> Problem:
    missing, what = ("tnr", "failed") if "tpr" in rates else ("tpr", "passed")
    message = f"people {what} none of the outputs compared, so there is no {missing.upper()}"
    advice = "label outputs of both sorts, 50 of each if possible"
    return Problem("labels/one-class", message, (), advice)


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


class _Questions:
    """The questions to a judge about labelled outputs, each of which it is asked about once.

    Raises:
        UsageError: there is nothing to show it.

    """

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
        """Ask the judge, several questions at a time.

        Raises:
            UsageError: it cannot be asked at all.

        """
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
