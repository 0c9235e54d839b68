"""The files of a calibration: labels and verdicts to read, and the judge to write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.calibrating.records import Records, read_records
from evalcontract.calibrating.validation import Subject, validation_of
from evalcontract.datasets.placing import from_source_fault, from_unreadable, to_diagnostics
from evalcontract.model.errors import NothingToCheck, UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.rules._judge import template_digest
from evalcontract.source import UnreadableFile, format_of, read_file
from evalcontract.source.files import guess_format
from evalcontract.source.setting import set_key
from evalcontract.source.tables import CsvTable
from evalcontract.source.text import sha256_of
from evalcontract.workspace import display_name
from evalcontract.workspace.writing import FileFix

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from evalcontract.calibrating.calibration_options import CalibrationOptions
    from evalcontract.calibrating.named_judge import NamedJudge
    from evalcontract.calibrating.result import Result
    from evalcontract.model.diagnostic import Diagnostic, Problem
    from evalcontract.source.json.lines import RowStream
    from evalcontract.workspace import Workspace

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
        return [*problems_of_file(file, None, (), workspace)]
    records = read_records(file, required, is_shown=is_shown)
    if records.rows:
        return ReadFile(file, records)
    found = [*problems_of_file(file, records, (), workspace)]
    if not found:
        raise NothingToCheck(f"there are no rows in {file.file}")
    return found


def _open(path: Path) -> RowFile | UnreadableFile:
    """Open a file of labels or verdicts; its extension says whether it is CSV or JSON Lines.

    Raises:
        UsageError: it has another extension.

    """
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
        if found := from_source_fault(fault, file.file, text, policy):
            yield found
    every = [*(records.problems if records else ()), *problems]
    yield from to_diagnostics(every, file, policy, {})


class Block(NamedTuple):
    """The validation of a judge, to be written into its file."""

    judge: NamedJudge
    value: dict[str, Any]

    def change(self, threshold: float | None) -> FileFix | None:
        """Return the file with the validation, and with a threshold that the judge has not.

        None if it has both already.

        Raises:
            EditError: the file cannot be edited without another change.

        """
        judge = self.judge
        form = format_of(display_name(judge.path)) or guess_format(judge.data)
        text = judge.data.decode("utf-8")
        if threshold is not None and judge.value.get("pass_threshold") != threshold:
            whole = int(threshold) if threshold.is_integer() else threshold
            text = set_key(text, form, ("pass_threshold",), whole)
        text = set_key(text, form, ("validation",), self.value)
        after = text.encode("utf-8")
        return None if after == judge.data else FileFix(judge.path, judge.data, after, ())


def validated(
    judge: NamedJudge,
    result: Result,
    options: CalibrationOptions,
    day: str,
    model: Mapping[str, Any] | None,
) -> Block:
    """Return the validation that records a result, dated with a day.

    It is bound to the version and the template of the judge and to the model of the verdicts.
    """
    known = {key: model[key] for key in ("provider", "name") if key in model} if model else None
    of_judge = judge.value.get("model") or {}
    if known and "provider" not in known and known["name"] == of_judge.get("name"):
        known = {key: of_judge[key] for key in ("provider", "name") if key in of_judge}
    against = [_named(options.labels, result.labels.sha256, judge.workspace)]
    for path in (options.dataset, options.outputs):
        against += [_named(path, sha256_of(path), judge.workspace)] if path else []
    subject = Subject(
        ", ".join(against),
        day,
        result.labels.split,
        judge.value["version"],
        template_digest(judge.value["template"]),
        known,
    )
    block = validation_of(result.measured, subject, judge.value.get("validation"))
    return Block(judge, block)


def _named(path: Path, sha256: str | None, workspace: Workspace) -> str:
    digest = f" (sha256 {sha256[:_DIGEST]})" if sha256 else ""
    return f"{_name_of(path, workspace)}{digest}"


def _name_of(path: Path, workspace: Workspace) -> str:
    """Return a name without a machine's folders: the path in the workspace, else the last part."""
    if workspace.contains(path):
        real = workspace.files.real(path)
        return real.relative_to(workspace.files.real(workspace.root)).as_posix()
    return path.name
