"""Calibrate a judge: read its labels and verdicts, measure, and prepare its `validation`."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from evalcontract.calibration.joining import Verdict, join
from evalcontract.calibration.measuring import AUTO, measure
from evalcontract.calibration.remarks import remarks
from evalcontract.calibration.result import Labels, Result
from evalcontract.calibration.scale import Scale
from evalcontract.engine.calibration_files import problems_of_file, read_rows, validated
from evalcontract.engine.named_judge import NamedJudge, find_judge
from evalcontract.engine.run import today
from evalcontract.model.diagnostic import Diagnostic, Problem, Severity
from evalcontract.model.errors import EditError, UsageError
from evalcontract.model.listing import listed
from evalcontract.workspace import display_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date
    from pathlib import Path

    from evalcontract.calibration.joining import Joined
    from evalcontract.calibration.records import Record, Records
    from evalcontract.engine.calibration_files import ReadFile, RowFile
    from evalcontract.engine.fix_options import FileFix
    from evalcontract.statistics.corrected import Measured
    from evalcontract.workspace import Workspace


class CalibrationOptions(NamedTuple):
    """What to compare with what.

    `verdicts` is a file with the judge's verdicts, None if the labels have them. `split` selects
    labels. `threshold` is the lowest score that passes, `AUTO` for the best on these labels, None
    for that of the judge. `observed` is a pass rate to correct.
    """

    labels: Path
    verdicts: Path | None = None
    split: str | None = None
    threshold: float | str | None = None
    observed: Measured | None = None
    root: Path | None = None
    today: date | None = None


class Calibrated(NamedTuple):
    """The findings on the files, the result, and the change of the judge's file that records it.

    Without a `result` there is nothing to measure: the findings say why, or `nothing` does.
    `change` is None if the validation must not, or cannot be written.
    """

    diagnostics: Sequence[Diagnostic]
    result: Result | None = None
    change: FileFix | None = None
    nothing: str | None = None


def calibrate(judge: str, options: CalibrationOptions) -> Calibrated:
    """Compare a judge, by its path or a reference, with human labels.

    Raises:
        UsageError: the judge, or what is needed for it, is not there.
        ConfigurationError: a workspace's configuration cannot be used.

    """
    named = find_judge(judge, options.root)
    if not isinstance(named, NamedJudge):
        return Calibrated(named)
    scale = _scale_of(named, options)
    labels = read_rows(options.labels, ("id", "human"), named.workspace)
    if isinstance(labels, list):
        return Calibrated(labels)
    chosen = _of_split(labels.records.rows, options)
    verdicts = _verdicts(labels, options, named.workspace)
    if isinstance(verdicts, list):
        return Calibrated(verdicts)
    compared = _Comparison(named, scale, options, chosen, labels.records, verdicts.records)
    found = compared.findings(labels, verdicts)
    if not compared.joined.items:
        return Calibrated(found, nothing="no output has both a label and a verdict")
    return compared.result(labels.file, found)


def _verdicts(
    labels: ReadFile, options: CalibrationOptions, workspace: Workspace
) -> ReadFile | list[Diagnostic]:
    """Return the file with the verdicts, which may be that of the labels, or what is wrong with it.

    Raises:
        UsageError: there are no verdicts, or both files have them.

    """
    name, has_own = labels.file.file, labels.records.have("judge")
    if options.verdicts is None:
        if has_own:
            return labels
        raise UsageError(
            f"{name} has no verdicts: give what the judge said in a column `judge`, or in a file "
            "of their own with `--verdicts FILE`, rows of `id` and `judge`"
        )
    if has_own:
        raise UsageError(f"{name} has verdicts itself: leave out `--verdicts`")
    return read_rows(options.verdicts, ("id", "judge"), workspace)


def _scale_of(judge: NamedJudge, options: CalibrationOptions) -> Scale:
    """Return the scale of a judge with the threshold that the options ask for.

    Raises:
        UsageError: a binary judge gets a threshold, another one has none, or one not on its scale.

    """
    scale, threshold = Scale.of(judge.value), options.threshold
    numbers = (scale.lowest, scale.highest, scale.pass_threshold or 0.0)
    if scale.is_numeric and not all(map(isfinite, numbers)):
        raise UsageError(f"the scale of {judge.name} is too wide: no float is as large")
    if not scale.is_numeric:
        if threshold is not None:
            raise UsageError(f"{judge.name} is binary: it takes no threshold")
        return scale
    if threshold is None and scale.pass_threshold is None:
        raise UsageError(
            f"{judge.name} has no `pass_threshold`: add it, or choose one with `--threshold auto` "
            "or `--threshold NUMBER`"
        )
    if isinstance(threshold, float):
        if not scale.lowest <= threshold <= scale.highest:
            ends = f"{scale.lowest:g} to {scale.highest:g}"
            raise UsageError(f"the threshold {threshold:g} is not on the judge's scale, {ends}")
        return scale._replace(pass_threshold=threshold)
    return scale


def _of_split(rows: Sequence[Record], options: CalibrationOptions) -> list[Record]:
    """Return the labels of the split that is asked for.

    Raises:
        UsageError: no label is of that split.

    """
    if options.split is None:
        return [*rows]
    chosen = [row for row in rows if row.values.get("split") == options.split]
    if not chosen:
        names = sorted({row.values["split"] for row in rows if "split" in row.values})
        have = f"they have {listed(names)}" if names else "they have no `split`"
        raise UsageError(f"no label is of the split `{options.split}`; {have}")
    return chosen


class _Comparison:
    """The labels and verdicts of one calibration, joined."""

    def __init__(
        self,
        judge: NamedJudge,
        scale: Scale,
        options: CalibrationOptions,
        chosen: Sequence[Record],
        labels: Records,
        verdicts: Records,
    ) -> None:
        self._judge, self._scale, self._options = judge, scale, options
        self._rows = chosen
        self.have_scores = scale.has_scores(row.values["human"] for row in chosen)
        if self.have_scores and scale.pass_threshold is None:
            raise UsageError(
                "the labels are scores, so what people passed depends on a threshold: add "
                f"`pass_threshold` to {judge.name}, or pass `--threshold NUMBER`"
            )
        cutoff = scale.pass_threshold if self.have_scores else None
        ids = {row.id for row in chosen}
        unused = {row.id for row in labels.rows} - ids
        said = [row for row in verdicts.rows if "judge" in row.values and row.id not in unused]
        if verdicts is labels:
            said = [*_once(row for row in chosen if "judge" in row.values)]
        self.joined: Joined = join(
            chosen, (Verdict(row.row, row.id, row.values["judge"]) for row in said), scale, cutoff
        )
        used = {item.id for item in self.joined.items}
        judged_on = [row for row in said if "model" in row.values and row.id in used]
        if not judged_on:
            judged_on = [row for row in chosen if "model" in row.values and row.id in used]
        self.model = judged_on[0].values["model"] if judged_on else judge.value.get("model")
        self.problems = [*self.joined.label_problems, *self._of_splits()]
        self.problems_of_models = [*_of_models(judged_on)]
        if not any("model" in row.values for row in said):
            self.problems += self.problems_of_models
            self.problems_of_models = []

    def findings(self, labels: ReadFile, verdicts: ReadFile) -> list[Diagnostic]:
        """Return the findings on both files, which may be one."""
        workspace = self._judge.workspace
        of_verdicts = [*self.joined.verdict_problems, *self.problems_of_models]
        if verdicts is labels:
            every = [*self.problems, *of_verdicts]
            return [*problems_of_file(*labels, every, workspace)]
        return [
            *problems_of_file(*labels, self.problems, workspace),
            *problems_of_file(*verdicts, of_verdicts, workspace),
        ]

    @property
    def _splits(self) -> dict[str, int]:
        splits: dict[str, int] = {}
        for row in self._rows:
            if "split" in row.values:
                splits[row.values["split"]] = splits.get(row.values["split"], 0) + 1
        return splits

    def _of_splits(self) -> Iterator[Problem]:
        names = [*self._splits]
        if len(names) > 1:
            first = next(row for row in self._rows if row.values.get("split") == names[1])
            message = f"the labels are of {len(names)} splits: {listed(names)}"
            name = "test" if "test" in names else "NAME"
            advice = f"measure on one that the template never saw, with `--split {name}`"
            yield Problem("labels/mixed-splits", message, (first.row, "split"), advice)

    def result(self, file: RowFile, found: list[Diagnostic]) -> Calibrated:
        """Measure, and prepare the validation."""
        options, scale, joined = self._options, self._scale, self.joined
        threshold = options.threshold if options.threshold == AUTO else scale.pass_threshold
        measured = measure(joined.items, threshold, options.observed, is_numeric=scale.is_numeric)
        if not measured.is_complete:
            found += problems_of_file(
                file, None, [_one_class(measured.rates)], self._judge.workspace
            )
        splits = self._splits
        labels = Labels(
            display_name(options.labels),
            file.sha256,
            next(iter(splits)) if len(splits) == 1 else None,
            splits,
            joined.labelled,
            len(joined.items),
            joined.ties,
            joined.annotators,
            self.have_scores,
        )
        is_chosen = options.threshold == AUTO
        result = Result(
            self._judge.name,
            display_name(self._judge.path),
            scale.score_type,
            labels,
            measured,
            [*remarks(measured, is_chosen=is_chosen)],
            is_chosen,
            None,
        )
        if any(each.severity is Severity.ERROR for each in found):
            return Calibrated(found, result._replace(refusal="correct the errors first"))
        day = (options.today or today()).isoformat()
        block = validated(self._judge, result, options.labels, day, self.model)
        result = result._replace(validation=block.value)
        try:
            return Calibrated(found, result, block.change(measured.threshold))
        except EditError as error:
            return Calibrated(found, result._replace(refusal=str(error)))


def _once(rows: Iterable[Record]) -> Iterator[Record]:
    """Yield the rows of labels whose verdict is not a repetition: each annotator's row has it."""
    seen: dict[str, object] = {}
    for row in rows:
        if row.id not in seen or seen[row.id] != row.values["judge"]:
            seen.setdefault(row.id, row.values["judge"])
            yield row


def _of_models(rows: Sequence[Record]) -> Iterator[Problem]:
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
