"""The files of a calibration: labels and verdicts to read, and the judge to write."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from evalcontract.calibrating.joining import LabelRecord, Records, read_records
from evalcontract.calibrating.measuring import CalibrationResult, figures_of
from evalcontract.checking.pipeline import validate
from evalcontract.datasets.columns import ColumnKeys
from evalcontract.datasets.opening import Input, Options, Progress
from evalcontract.datasets.placing import from_source_fault, from_unreadable, to_diagnostics
from evalcontract.datasets.run import today
from evalcontract.library.library import Artifact, DanglingReference, read_artifact
from evalcontract.library.references import advise, says
from evalcontract.library.scores import Scale, ScaleError, scale_of
from evalcontract.model.codes import ILL_FORMED
from evalcontract.model.diagnostic import Diagnostic, Problem, Severity
from evalcontract.model.errors import NothingToCheck, UsageError
from evalcontract.model.reference import Kind, Reference
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import listed
from evalcontract.rules._judge import template_digest
from evalcontract.source import UnreadableFile, format_of, read_file, read_stream
from evalcontract.source.files import guess_format
from evalcontract.source.jsonl import RowStream
from evalcontract.source.setting import set_key
from evalcontract.source.tables.delimited import CsvTable
from evalcontract.source.text import sha256_of
from evalcontract.source.writing import read_bytes
from evalcontract.statistics.rates import MeasuredRate
from evalcontract.workspace import (
    NEAREST,
    ChosenConfiguration,
    Workspace,
    display_name,
    find_root,
    open_workspace,
)
from evalcontract.workspace.writing import FileFix

RowFile = CsvTable | RowStream

#: The part of the digest of labels that a validation has beside their name.
_DIGEST = 12


class ReadFile(NamedTuple):
    """A file of labels or verdicts, and its rows, of which there is one."""

    file: RowFile
    records: Records


def read_rows(
    path: Path, required: Sequence[str], workspace: Workspace, *, is_shown: bool = False
) -> ReadFile | list[Diagnostic]:
    """Read a file whose rows have to have some keys; return the findings if it has no such row.

    With `is_shown`, its rows may have what a judge is shown, too.

    Raises:
        UsageError: it is neither CSV nor JSON Lines, or it is empty.

    """
    file = _open(path)
    if isinstance(file, UnreadableFile):
        return [*problems_of_file(file, None, (), workspace=workspace)]
    records = read_records(file, required, is_shown=is_shown)
    if records.rows:
        return ReadFile(file, records)
    findings = [*problems_of_file(file, records, (), workspace=workspace)]
    if not findings:
        raise NothingToCheck(f"there are no rows in {file.file}")
    return findings


def _open(path: Path) -> RowFile | UnreadableFile:
    name = display_name(path)
    if path.suffix.lower() == ".csv":
        from evalcontract.source.external import read_external  # only for CSV

        source = read_external(path, name).source
        if isinstance(source, CsvTable | UnreadableFile):
            return source
    elif format_of(name) == "jsonl":
        stream = read_file(path, name)
        if stream.unreadable or stream.stream:
            return stream.unreadable or stream.stream
    raise UsageError(f"{name}: labels and verdicts are CSV or JSON Lines (.csv or .jsonl)")


def problems_of_file(
    file: RowFile | UnreadableFile,
    records: Records | None,
    problems: Iterable[Problem],
    workspace: Workspace,
) -> Iterator[Diagnostic]:
    """Yield the findings on a file: those of its lines, of its records, and others."""
    policy = workspace.configuration.policy
    if isinstance(file, UnreadableFile):
        yield from from_unreadable(file, policy)
        return
    for fault, text in records.faults if records else ():
        if finding := from_source_fault(fault, file.file, text, policy=policy):
            yield finding
    every = [*(records.problems if records else ()), *problems]
    yield from to_diagnostics(every, file, policy)


def validation_for(
    judge: NamedJudge,
    result: CalibrationResult,
    options: CalibrationOptions,
    model: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Return the validation that records a result, dated with the day.

    It is bound to the version and the template of the judge and to the model of the verdicts. Keys
    of the old one that no measurement decides on, such as notes, are the author's: they are kept.
    """
    known = {key: model[key] for key in ("provider", "name") if key in model} if model else None
    of_judge = judge.value.get("model") or {}
    if known and "provider" not in known and known["name"] == of_judge.get("name"):
        known = {key: of_judge[key] for key in ("provider", "name") if key in of_judge}
    against = [_named(options.labels, result.labels.sha256, judge.workspace)]
    for path in (options.dataset, options.outputs):
        against += [_named(path, sha256_of(path), judge.workspace)] if path else []
    block: dict[str, Any] = {
        "validated_against": ", ".join(against),
        "validated_at": (options.today or today()).isoformat(),
        "split": result.labels.split,
        **figures_of(result.measured),
        "judge_version": judge.value["version"],
        "template_sha256": template_digest(judge.value["template"]),
        "model": known,
    }
    old = judge.value.get("validation")
    old = old if isinstance(old, dict) else {}
    own = {key: part for key, part in old.items() if key not in block}
    return {key: part for key, part in block.items() if part is not None} | own


def _named(path: Path, sha256: str | None, workspace: Workspace) -> str:
    """Return a file without a machine's folders: its path in the workspace, else the last part."""
    name = path.name
    if workspace.contains(path):
        real = workspace.files.real(path)
        name = real.relative_to(workspace.files.real(workspace.root)).as_posix()
    return f"{name} (sha256 {sha256[:_DIGEST]})" if sha256 else name


class CalibrationOptions(NamedTuple):
    """What to compare with what.

    `verdicts` is a file with the judge's verdicts, None if the labels have them or the judge is to
    be asked; `dataset` and `outputs` have what it is shown then, as far as the labels do not.
    `split` selects labels. `threshold` is the lowest score that passes, `AUTO` for the best on
    these labels, None for that of the judge. `observed` is a pass rate to correct. `progress` is
    called with the name of the labels, the number of outputs judged, and that of all.
    `configuration` is the one that the caller chooses. `columns` are columns of the dataset, and
    keys of the outputs, with the keys that they are read as.
    """

    labels: Path
    verdicts: Path | None = None
    split: str | None = None
    threshold: float | str | None = None
    observed: MeasuredRate | None = None
    root: Path | None = None
    today: date | None = None
    dataset: Path | None = None
    outputs: Path | None = None
    progress: Progress | None = None
    configuration: ChosenConfiguration = NEAREST
    columns: ColumnKeys = ()


def scale_for(judge: NamedJudge, options: CalibrationOptions) -> Scale:
    """Return the scale of a judge with the threshold that the options ask for.

    Raises:
        UsageError: a binary judge gets a threshold, or another one has none that is on its scale.

    """
    try:
        scale = scale_of(judge.value)
    except ScaleError as error:
        raise UsageError(f"{judge.name} cannot be measured: {error}") from None
    threshold = options.threshold
    if not scale.is_numeric:
        if threshold is not None:
            raise UsageError(f"{judge.name} is binary: it takes no threshold")
        return scale
    if isinstance(threshold, float):
        if not scale.low <= threshold <= scale.high:
            ends = f"{scale.low:g} to {scale.high:g}"
            raise UsageError(f"the threshold {threshold:g} is not on the judge's scale, {ends}")
        return scale._replace(threshold=threshold, is_default=False)
    return scale


def labels_of_split(rows: Sequence[LabelRecord], split: str | None) -> list[LabelRecord]:
    """Return the labels of a split; all of them if it is None.

    Raises:
        UsageError: no label is of that split.

    """
    if split is None:
        return [*rows]
    of_split = [row for row in rows if row.values.get("split") == split]
    if not of_split:
        names = sorted({row.values["split"] for row in rows if "split" in row.values})
        have = f"they have {listed(names)}" if names else "they have no `split`"
        raise UsageError(f"no label is of the split `{split}`; {have}")
    return of_split


_REQUIRED = ("id", "version", "template")
#: Findings after which a scale cannot be read, beside those of an ill-formed judge.
_SCALE = frozenset({"judge/incomplete-scale", "judge/level-values", "judge/score-range"})


class NamedJudge(NamedTuple):
    """A judge whose keys can be relied on, except its `validation`, with the bytes of its file.

    `name` is the pinned reference to it.
    """

    path: Path
    data: bytes
    name: str
    value: dict[str, Any]
    workspace: Workspace
    artifact: Artifact

    def with_validation(
        self, validation: dict[str, Any], threshold: float | None
    ) -> FileFix | None:
        """Return the file with a validation, and with a threshold that the judge has not.

        None if it has both already.

        Raises:
            EditError: the file cannot be edited without another change.

        """
        form = format_of(display_name(self.path)) or guess_format(self.data)
        text = self.data.decode("utf-8")
        if threshold is not None and self.value.get("pass_threshold") != threshold:
            whole = int(threshold) if threshold.is_integer() else threshold
            text = set_key(text, form, ("pass_threshold",), value=whole)
        after = set_key(text, form, ("validation",), value=validation).encode("utf-8")
        return None if after == self.data else FileFix(self.path, self.data, after, ())


def find_judge(
    text: str, root: Path | None, configuration: ChosenConfiguration = NEAREST
) -> NamedJudge | list[Diagnostic]:
    """Return the judge that a path or a reference names, or why it cannot be used.

    A reference is resolved in the workspace `root`, or else in that of the current folder; what
    is there under the name is a file. Without `configuration`, it is the nearest one.

    Raises:
        UsageError: the reference does not resolve, or what is named is not a file.
        ConfigurationError: a workspace's configuration cannot be used.

    """
    reference = None if os.path.lexists(text) else Reference.parse(text)
    if reference is None:
        path = _file(text)
        workspace = open_workspace(root or find_root(path), choice=configuration)
    else:
        workspace = open_workspace(root or find_root(Path.cwd()), choice=configuration)
        path = _resolve(reference, workspace)
    name = display_name(path)
    outcome = validate(
        Kind.JUDGE, [Input(path)], Options(workspace.root, configuration=configuration)
    )
    findings = [each for each in outcome.diagnostics if each.place.file == name]
    if unreadable := [each for each in findings if each.code.startswith("source/")]:
        return unreadable
    data = read_bytes(path)
    document = read_stream(io.BytesIO(data), name).document
    value = document.value if document else None
    is_whole = isinstance(value, dict) and all(key in value for key in _REQUIRED)
    # What the judge is decides what is measured, so each of its faults is an error here.
    faults = [
        each._replace(severity=Severity.ERROR)
        for each in findings
        if not is_whole or _is_in_the_way(each)
    ]
    if faults or document is None:
        return faults
    artifact = read_artifact(Kind.JUDGE, document)
    return NamedJudge(
        path=path,
        data=data,
        name=artifact.name,
        value=document.value,
        workspace=workspace,
        artifact=artifact,
    )


def _is_in_the_way(finding: Diagnostic) -> bool:
    """Whether a judge cannot be measured because of a finding; its validation is written anew."""
    is_of_validation = finding.path[:1] == ("validation",)
    return not is_of_validation and (finding.code in _SCALE or finding.code in ILL_FORMED)


def _file(text: str) -> Path:
    if not text or "\0" in text:
        raise NothingToCheck("a file name cannot be empty, or contain a NUL")
    path = Path(text)
    if os.path.isdir(path):
        raise UsageError(f"{text} is a folder; name one judge")
    if not os.path.lexists(path):
        raise NothingToCheck(f"there is no file {text}, and it is no reference such as judge/tone")
    return path


def _resolve(reference: Reference, workspace: Workspace) -> Path:
    if reference.kind is not Kind.JUDGE:
        raise UsageError(f"`{reference}` is not a judge")
    library = workspace.library
    resolution = library.resolve(reference)
    if isinstance(resolution, DanglingReference):
        advice = advise(resolution, library, workspace.unreadable_names)
        raise UsageError(f"{says(resolution, library)}; {advice}")
    if resolution.artifact.library:
        name, owner = resolution.artifact.name, resolution.artifact.library
        raise UsageError(
            f"{name} is of the library `{owner}`, which is read-only: calibrate it there"
        )
    path = Path(resolution.artifact.file)
    if not workspace.contains(path):
        raise UsageError(f"{resolution.artifact.file} leads out of the workspace")
    return path
