"""Convert datasets: read, check and convert row by row, then write all files or none."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any

from evalcontract.converting.output import (
    STANDARD_OUTPUT,
    ConvertedFiles,
    ConvertedRows,
    ConvertOptions,
    medium_for,
)
from evalcontract.converting.placing import ConversionTarget, DialectTarget, NativeTarget
from evalcontract.datasets.dialect_pass import faults_of
from evalcontract.datasets.losses import ordered_like, without_restored
from evalcontract.datasets.opening import TABLE, Input, Options, is_table, open_dataset
from evalcontract.datasets.passes import (
    NATIVE,
    CheckedRow,
    Dataset,
    DatasetPass,
    RowReader,
    rows_of,
)
from evalcontract.datasets.placing import (
    NO_BUGS,
    from_unreadable_files,
    one_finding,
    to_diagnostics,
)
from evalcontract.datasets.run import Run, today
from evalcontract.formats import OURS, Format, dialect_of
from evalcontract.formats._conversion import Loss
from evalcontract.model.diagnostic import Diagnostic, Problem, Severity, sort_key
from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import listed, many
from evalcontract.policy import Policy
from evalcontract.report.losses import Losses
from evalcontract.source import DISK
from evalcontract.workspace import display_name, find_root, open_workspace
from evalcontract.workspace.writing import refuse_inside


@dataclass
class ConvertResult:
    """The result of a conversion. `written` are the names of the files.

    If nothing was written, `refusal` is the reason. `left_out` counts the rows that have faults and
    cannot be converted. `remarks` are sentences on the rows as they are now, for people. `judged`
    counts the rows that got a rubric that asks a judge.
    """

    source: str
    from_: str
    to: str
    diagnostics: list[Diagnostic] = field(default_factory=list)
    losses: Losses = field(default_factory=Losses)
    rows: int = 0
    left_out: int = 0
    written: list[str] = field(default_factory=list)
    refusal: str | None = None
    remarks: Sequence[str] = ()
    judged: int = 0


def convert(
    input_: Input, out: Path, convert_options: ConvertOptions, options: Options
) -> ConvertResult:
    """Convert a dataset to another dialect, or to another medium in the same dialect.

    Nothing is written if the system of the source cannot load it, if a row cannot be written, or if
    data is lost and the conversion must be lossless.

    Raises:
        UsageError: there is no such dialect, the target does not support the medium of the file
            `out`, or a file already exists.
        ConfigurationError: a workspace's configuration cannot be used.

    """
    if convert_options.to == TABLE:
        if not is_table(out):
            raise UsageError(f"`{out.name}` is no table: use a name that ends with `.csv`, `.tsv`")
        convert_options = convert_options._replace(to=NATIVE)
    dialect = None if convert_options.to == NATIVE else dialect_of(convert_options.to)
    medium = medium_for(out, dialect)
    piped = convert_options.stream is not None
    for written in filter(None, (None if piped else out, convert_options.loss_report)):
        refuse_inside(written, input_.path, "what is written needs")
    root = options.files.real(options.root or find_root(input_.path))
    workspace = open_workspace(root, (), options.files, choice=options.configuration)
    run = Run(workspace, None, options.today or today())
    dataset = open_dataset(input_, convert_options.from_, columns=options.columns)
    result = ConvertResult(display_name(input_.path), dataset.dialect, str(dialect or NATIVE))
    graded = run.standards.graded_for(input_.path)
    asks = convert_options.asks_judge
    command = _init_command(input_, convert_options.from_, options)
    ours = NativeTarget(_stem(out), medium, command=command, graded=graded, asks_judge=asks)
    target: ConversionTarget = DialectTarget(dialect, medium) if dialect else ours
    if dataset.unreadable:
        result.diagnostics += from_unreadable_files([dataset.unreadable], run.standards.base)
        result.refusal = f"the source {dataset.unreadable.refusal}"
        return result
    dataset_pass = dataset.begin(run, run.standards.policy_for(input_.path), graded)
    with ConvertedFiles(out, medium, convert_options, root=options.root) as output:
        result.losses.report = output.report
        head = {
            "from": result.from_,
            "to": result.to,
            "source": result.source,
            "target": STANDARD_OUTPUT if convert_options.stream else display_name(out),
        }
        result.losses.begin(head)
        with one_finding(dataset.file, result.diagnostics.append):
            convert_rows(dataset, dataset_pass, target=target, output=output, result=result)
        result.losses.end()
        result.diagnostics.sort(key=sort_key)
        result.refusal = refusal_of(dataset_pass, result, lossless=convert_options.lossless)
        if result.refusal is None:
            result.written = output.commit(target.extra_files)
            result.remarks, result.judged = target.remarks, ours.judged
    return result


def _init_command(input_: Input, dialect: str | None, options: Options) -> str:
    """Return the command that makes a workspace of a dataset, with a rubric and a judge."""
    # It is a folder of its own: no dataset that is in a workspace already is changed.
    name = display_name(input_.path)
    is_file = name.isprintable() and input_.stream is None
    words = ["evalcontract", "init", free_folder(), "--from", name if is_file else "FILE"]
    words += ["--dialect", dialect] if dialect else []
    for column, key in options.columns:
        words += ["--map", f"{column}={key}"]
    return shlex.join(words)


def free_folder() -> str:
    """Return the name of a folder that is not there yet, for a workspace."""
    names = chain(("judged",), (f"judged_{number}" for number in count(2)))
    return next(name for name in names if not DISK.is_there(Path(name)))


def convert_rows(
    dataset: Dataset,
    dataset_pass: DatasetPass,
    *,
    target: ConversionTarget,
    output: ConvertedRows,
    result: ConvertResult,
) -> None:
    """Convert each row that has no fault; findings, losses and counts are added to the result.

    An exception is not a finding here; see `one_finding`.
    """
    place_of = partial(dataset_pass.place, on_key=True)
    reader = dataset_pass.reader()
    same = _within_system(result)
    for checked in dataset_pass.batches(keep_rows=True):
        result.diagnostics += [*checked.faults, *dataset_pass.to_diagnostics(checked.problems)]
        for source in rows_of(dataset_pass, checked):
            converted = (
                None if source.fault else _convert_row(source, reader, target, result=result)
            )
            if converted is None:
                result.left_out += 1
                continue
            row, losses, problems = converted
            if same is not None:
                losses = without_restored(losses, source.value, row, dialect=same)
                row = ordered_like(source.value, row)
            result.losses.note(losses, source.number, source.path, place=place_of)
            if problems:
                relocated = _relocate(problems, source)
                faults = to_diagnostics(relocated, dataset_pass, Policy())
                result.diagnostics += [fault._replace(severity=Severity.ERROR) for fault in faults]
                result.left_out += 1
                continue
            comments = output.row(row, source.path, dataset.document)
            result.losses.note_comments(comments, source.number, source.path)
            result.rows += 1
    result.diagnostics += dataset_pass.finish()
    whole, losses = target.wrap(output.rows, reader.root)
    of_root = reader.root_losses(losses)
    lost_paths = {loss.path for loss in of_root if not loss.is_kept}
    # What the reader preserved of the file is lost where the target has no place for it.
    losses = [*(each for each in reader.losses if each.path not in lost_paths), *of_root]
    if dataset.document is not None:
        whole = ordered_like(dataset.document.value, whole)
        if same is not None:
            losses = without_restored(losses, dataset.document.value, whole, dialect=same)
    result.losses.note(losses, None, (), place=dataset_pass.place_beside)
    result.losses.note_comments(output.lost_header(dataset.document), None, ())
    output.document(whole)


class _ConvertedRow(NamedTuple):
    """A row as the target writes it, what it loses, and the problems that prevent writing it."""

    row: Any
    losses: Sequence[Loss]
    problems: Sequence[Problem]


def _convert_row(
    source: CheckedRow, reader: RowReader, target: ConversionTarget, result: ConvertResult
) -> _ConvertedRow | None:
    """Convert a row from its source to its target; None if it cannot be read."""
    # What a row preserves was valid when a conversion wrote it, and anybody may have changed it
    # since: no target gets what it restores unless that is valid. If the row can be converted only
    # without what it preserves, that is a problem of the row.
    names = {OURS, result.to.partition(":")[0]}
    bare = source._replace(value=_without(source.value, names))
    is_restored = bare.value is not source.value

    def converted(row: CheckedRow) -> _ConvertedRow | None:
        read = reader.read(row)
        if read is None:
            return None
        if (is_restored or result.to == NATIVE) and (problems := [*faults_of(read)]):
            return _ConvertedRow(read.row, (), problems)
        written, losses, problem = target.take(read, row.number)
        return _ConvertedRow(written, reader.row_losses(row, read, losses), problem)

    try:
        return converted(source)
    except NO_BUGS:
        raise
    except Exception:
        if not is_restored:
            raise
        converted(bare)  # a bug of ours shows here, too
    message = "what its metadata preserves is not what a conversion wrote"
    advice = f"remove {listed(f'`{name}`' for name in sorted(names))} from it, or convert it anew"
    return _ConvertedRow(source.value, (), [Problem("dataset/invalid-value", message, (), advice)])


def _without(row: Any, names: AbstractSet[str]) -> Any:
    """Return a row without what its mappings, such as `metadata`, preserve under some names."""
    if not isinstance(row, dict):
        return row
    preserving = {
        key: {inner: value for inner, value in part.items() if inner not in names}
        for key, part in row.items()
        if isinstance(part, dict) and not names.isdisjoint(part)
    }
    return {**row, **preserving} if preserving else row


def _relocate(problems: Iterable[Problem], source: CheckedRow) -> Iterator[Problem]:
    for problem in problems:
        yield problem._replace(path=(*source.path, *problem.path), row_index=source.number)


def refusal_of(
    dataset_pass: DatasetPass, result: ConvertResult, *, lossless: bool = False
) -> str | None:
    """Return why nothing is written; None if the conversion succeeded."""
    findings = result.diagnostics
    errors = [each for each in findings if each.is_error]
    in_the_way = [
        each.code for each in findings if each.is_error or dataset_pass.rejects(each.code)
    ]
    if in_the_way:
        what = "errors" if errors else "faults"
        codes = listed(dict.fromkeys(in_the_way))
        return f"the source has {what} that prevent a complete conversion: {codes}"
    if result.left_out:
        rows = many(result.left_out, "row has", "rows have")
        return f"{rows} faults that prevent the conversion"
    if lossless and result.losses.total:
        return "the conversion would lose data (--strict)"
    return None


def _within_system(result: ConvertResult) -> Format | None:
    """Return the dialect of the target if the source is of the same system; else None."""
    systems = {name.partition(":")[0] for name in (result.from_, result.to)}
    return dialect_of(result.to) if len(systems) == 1 and NATIVE not in systems else None


def piped_name(input_: Input, to: str) -> str:
    """Return the name of a file for what is written to standard output.

    It is JSON wherever the system of the target reads that.
    """
    media = ("json",) if to == NATIVE else dialect_of(to).media
    medium = "json" if "json" in media else media[0]
    return f"{_stem(input_.path)}.{medium}"


def _stem(out: Path) -> str:
    return out.name.split(".")[0]
