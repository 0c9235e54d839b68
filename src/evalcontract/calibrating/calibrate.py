"""Calibrate a judge: read its labels and verdicts, measure, and prepare its `validation`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from evalcontract.calibrating.asking import JudgeAnswers, ask_judge, prospects_of_labels
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
from evalcontract.calibrating.joining import LabelRecord, have_scores, join
from evalcontract.calibrating.measuring import AUTO, CalibrationResult, Labels, measure, remarks
from evalcontract.judging.asking import Judging
from evalcontract.judging.cost import Prospects
from evalcontract.library.scores import Scale
from evalcontract.model.diagnostic import Diagnostic, Problem, RunOutcome, Severity
from evalcontract.model.errors import EditError, UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import listed
from evalcontract.workspace import Workspace, display_name
from evalcontract.workspace.writing import FileFix, FixResult, write


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
        answers = ask_judge(judge_file, rows, options, judging=judging)
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
    return prospects_of_labels(judge_file, rows, options, judging)


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
