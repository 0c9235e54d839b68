"""`grade`: grade recorded outputs by the rubrics of a dataset."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

import click

from evalcontract.cli import options
from evalcontract.cli.arguments import chosen_cache_folder, find_input
from evalcontract.cli.command import Command, files_of
from evalcontract.cli.options import Asking
from evalcontract.cli.outcome import write_findings
from evalcontract.cli.output import Bar, put, signals_as_interrupts
from evalcontract.cli.printing import forecast
from evalcontract.cli.rows import RowPrinter, printer_of
from evalcontract.datasets.opening import Input, Options, tables_in
from evalcontract.grading.basis import Basis, differences, used_line
from evalcontract.grading.compared import RunComparison, unfinished, write_comparisons
from evalcontract.grading.comparison import Comparison, with_output
from evalcontract.grading.earlier import EarlierRows, by_id, written_results
from evalcontract.grading.export import RecordFiles, RecordInfo, Samples, results_of
from evalcontract.grading.grade import Grading
from evalcontract.grading.groups import Grouping
from evalcontract.grading.judged import Correction, corrections, write_corrections
from evalcontract.grading.printed import (
    is_failure,
    row_lines,
    summary_fields,
    write_gate,
    write_results,
    write_usage,
)
from evalcontract.grading.results import (
    ResultsFile,
    RowResult,
    earlier_results,
)
from evalcontract.grading.rows import with_content, without_texts
from evalcontract.grading.runner import Task
from evalcontract.grading.samples import reduced
from evalcontract.grading.summary import ALL_ALIKE, QualityGate, Summary
from evalcontract.judging.asking import Judging, Usage
from evalcontract.model.errors import NothingToCheck, UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import NAME_LENGTH, clipped, harmless_json
from evalcontract.policy import ERRORS, OK, exit_status
from evalcontract.source.external import digest_of


class Share(NamedTuple):
    """What the process that graded some rows hands on of their results.

    `failures` are the first of them; `lines` are empty if nothing needs them, and so are `samples`,
    the lines of a record. `comparison` is None unless there is an earlier run.
    """

    summary: Summary
    failures: list[RowResult]
    lines: str
    comparison: Comparison | None
    samples: str = ""


class ShareOptions(NamedTuple):
    """What is handed on: failures up to `limit` (0: all), and whether `lines` are.

    `earlier` has the rows of an earlier run to compare. Without `texts`, the lines have none of the
    data; see `without_texts`. `samples` makes the lines of a record. `grouping` says which rows
    belong together.
    """

    limit: int
    lines: bool
    earlier: EarlierRows | None
    texts: bool
    samples: Samples | None = None
    grouping: Grouping = ALL_ALIKE

    def of(self, tasks: list[Task], rows: list[RowResult]) -> Share:
        """Return the share of some rows."""
        if self.lines and self.texts and tasks:
            rows = with_content(tasks, rows)
        if tasks:
            rows = self.grouping.told([task.row for task in tasks], rows)
        lines = self._lines_of(rows) if self.lines else ""
        samples = self.samples.lines(tasks, rows) if self.samples else ""
        rows, sampled = reduced(rows, self.grouping.reduce), rows
        failures = list(islice(filter(is_failure, rows), self.limit or None))
        summary = Summary.of(rows, self.grouping)
        summary.add_samples(sampled)
        return Share(summary, failures, lines, self._compared(tasks, rows, sampled), samples)

    def _compared(
        self, tasks: list[Task], rows: list[RowResult], sampled: list[RowResult]
    ) -> Comparison | None:
        if self.earlier is None:
            return None
        found = Comparison.of(self.earlier, rows, self.grouping, self.limit)
        texts: dict[str, str | None] = {}
        if found.flipped and tasks:
            outcomes = {change.after.id: change.after.outcome for change in found.flipped}
            for task, result in zip(tasks, sampled, strict=True):
                if outcomes.get(task.id) is result.outcome:  # as `reduced` chooses
                    texts.setdefault(task.id, task.output.text)
        found.flipped = [
            change._replace(after=with_output(change.after, texts.get(change.after.id)))
            for change in found.flipped
        ]
        return found

    def _lines_of(self, rows: list[RowResult]) -> str:
        return "".join(harmless_json(["".join(row_lines(rows, texts=self.texts))]))


class ShareTotal:
    """What is kept of the results: their summary, the first failures, and the comparison.

    `record` gets the lines of a record.
    """

    record: RecordFiles | None = None

    def __init__(self, shared: ShareOptions, put_lines: Callable[[str], None] | None) -> None:
        self.summary = Summary(shared.grouping)
        self.failures: list[RowResult] = []
        self.limit = shared.limit
        self._earlier = shared.earlier
        self._comparison = Comparison(shared.grouping, shared.limit)
        self._put_lines = put_lines

    def take(self, share: Share) -> None:
        """Count rows, and print their lines, if lines are wanted."""
        self.summary.merge(share.summary)
        if share.comparison:
            self._comparison.merge(share.comparison)
        self.failures += share.failures
        if self.limit:
            del self.failures[self.limit :]
        if self._put_lines and share.lines:
            self._put_lines(share.lines)
        if self.record:
            self.record.write(share.samples)

    def put_comparison(self, name: str, changed: Sequence[str], *, err: bool) -> None:
        """Print what changed since the earlier run; `changed` is what else differs."""
        if self._earlier is not None:
            compared = RunComparison(name, "", self._earlier, self._comparison, changed)
            put(write_comparisons([compared], self.limit, get_terminal_size().columns), err=err)

    def status(self, gate: QualityGate, usage: Usage | None) -> int:
        """Return the exit code, as far as the results decide it: a part of them never passes."""
        is_part = usage is not None and usage.unasked
        has_met = not self.summary.has_errors and gate.is_open(self.summary)
        return OK if has_met and not is_part else ERRORS


_EXAMPLE = "evalcontract grade datasets/example.yaml --outputs outputs/example.jsonl"


@click.command(
    "grade",
    cls=Command,
    examples={
        "Grade recorded outputs": _EXAMPLE,
        "Keep the results, to compare a later run with them": (
            f"{_EXAMPLE} \\\n      --results results.jsonl"
        ),
        "Say what changed since then": f"{_EXAMPLE} \\\n      --compare results.jsonl",
        "Export a record of every_eval_ever": (
            f"{_EXAMPLE} \\\n      --export every_eval_ever records --model openai/gpt-5 \\\n"
            '      --organization "Example Org" --relationship third_party'
        ),
    },
)
@click.argument("dataset", metavar="DATASET", shell_complete=files_of())
@click.option(
    "--outputs",
    required=True,
    metavar="FILE",
    shell_complete=files_of("jsonl", "json", "csv", "parquet"),
    help="Recorded outputs: JSON Lines or a table of `id`, `output` and `tool_calls`, or those of"
    " Inspect, promptfoo, OpenAI or LangSmith; `-` for standard input.",
)
@options.file(
    "--results",
    "File to write the rows of the results to: JSON Lines, or CSV or Parquet by its name; what they"
    " depend on and their summary go to a .run.json beside it.",
    "jsonl",
    "csv",
    "parquet",
    dir_okay=False,
)
@options.flag(
    "--no-texts", "Leave texts out of the results: inputs, outputs, metadata and reasons."
)
@options.flag(
    "--resume",
    "Continue earlier results: grade what is missing, and what did not run or ended in an error "
    "again.",
)
@options.flag("--force", "Replace existing results, or a record.")
@options.file(
    "--compare",
    "Results of an earlier run to compare with.",
    "jsonl",
    exists=True,
    dir_okay=False,
)
@click.option(
    "--export",
    type=(click.Choice(["every_eval_ever"]), click.Path(path_type=Path)),
    metavar="every_eval_ever FOLDER",
    help="Also write the scores as a record of every_eval_ever, below FOLDER/data.",
)
@options.RECORD
@click.option(
    "--threshold",
    type=options.NumberRange(0, 1),
    metavar="SCORE",
    help="Fail (exit 1) if the mean score may be lower, or rows are undecided (default: set by"
    " targets).",
)
@options.flag(
    "--allow-undecided",
    "Do not fail because rows are undecided, since something did not run (default: set by"
    " targets).",
)
@options.output_format(*options.CASES)
@options.number(
    "--limit",
    "Maximum number of rows to print that did not pass or changed, and of checks for each (0: no "
    "limit).",
    20,
)
@options.GROUPING
@options.mode("Report faults as errors or as warnings")
@options.workspace("the dataset")
@options.cache("Reuse answers of judges to the same question")
@options.number("--jobs", "Number of processes (default: number of cores).", least=1)
@options.MAP_WITH_OUTPUTS
@options.NULLS
@options.ASKING
def grade_command(
    dataset: str,
    outputs: str,
    results: Path | None,
    no_texts: bool,
    resume: bool,
    force: bool,
    compare: Path | None,
    export: tuple[str, Path] | None,
    record: RecordInfo,
    threshold: float | None,
    allow_undecided: bool,
    output_format: str,
    limit: int,
    grouping: Grouping,
    cache: bool | None,
    asking: Asking,
    base: Options,
) -> int:
    """Grade recorded outputs by the rubrics of a dataset.

    A row passes, fails, or is undecided: a check that did not run could decide it. The exit status
    is 1 if there are errors, if a check ends in an error, or if the mean score may be below the
    threshold. Undecided rows are errors in strict mode, and where there is a threshold.

    Judges are asked over a model if environment variables (EVALCONTRACT_BASE_URL, _API_KEY and
    _MODEL), or a file of this machine, name an endpoint.
    """
    wanted = WantedFiles(results, resume, force, export, record)
    wanted.check(dataset, outputs)
    inputs, is_printed = _inputs(dataset, outputs, base), output_format != "text"
    before, earlier = _earlier(compare, grouping) if compare else (None, None)
    lines = is_printed or results is not None
    shared = ShareOptions(limit, lines, earlier, texts=not no_texts, grouping=grouping)
    printed = printer_of(output_format) if is_printed else None
    total = ShareTotal(shared, printed.rows if printed else None)
    with signals_as_interrupts(), Bar() as bar:
        judging = Judging.of(os.environ, chosen_cache_folder(cache), asking.budget)
        gate = QualityGate(threshold, allow_undecided)
        is_told = shared.lines or export is not None
        digests_rows = is_told or _is_of_another(before, inputs[0])
        asked = base._replace(progress=bar.progress)
        grading = Grading(*inputs, asked, judging, gate, digests_rows=digests_rows)
        if asking.dry_run:
            return _forecast(grading, judging, output_format, resumes=resume)
        manifest = grading.manifest if is_told or before else {}
        end = _run(grading, wanted, shared, total, manifest=manifest, inputs=inputs)
    write_findings(grading.diagnostics)
    found = exit_status(grading.diagnostics)
    if not total.summary.rows.total and not found:
        raise NothingToCheck("the dataset has no rows")
    _put(total, grading, end=end, printed=printed)
    if before and total.summary.rows.total:
        changed = differences(before, end.basis)
        total.put_comparison(str(compare), changed, err=is_printed)
    put((f"wrote {name}\n" for name in end.exported), err=is_printed)
    _require_values(total.summary)
    return found or total.status(grading.gate, end.usage)


def _require_values(summary: Summary) -> None:
    """Refuse keys that no row has: what they should have changed is as without them.

    Raises:
        UsageError: there is one.

    """
    grouping = summary.grouping
    missing = [*(set(grouping.by) - {group.key for group in summary.groups})]
    if grouping.cluster is not None and summary.rows.total and not summary.rows.clusters:
        missing.append(grouping.cluster)
    if missing:
        names = ", ".join(f"`{clipped(key, NAME_LENGTH)}`" for key in sorted({*missing}))
        raise UsageError(f"no row, and no `metadata` of one, has {names}")


def _forecast(
    grading: Grading, judging: Judging | None, output_format: str, *, resumes: bool
) -> int:
    if resumes:
        raise UsageError("--dry-run counts all rows: leave out --resume")
    found = None if judging is None or grading.is_unreadable else grading.prospects(judging)
    return forecast(found, grading.diagnostics, output_format)


def _inputs(dataset: str, outputs: str, base: Options) -> tuple[Input, Input]:
    """Find the dataset and the outputs."""
    rows = find_input(dataset, base, None, verb="grade")
    if Path(outputs).is_dir() and not tables_in(Path(outputs), base.files, is_named=True):
        raise UsageError(f"{outputs} is a folder: name the file with the outputs")
    return rows, find_input(outputs, base, "outputs.jsonl", verb="grade")


def _earlier(path: Path, grouping: Grouping) -> tuple[Basis, EarlierRows]:
    """Return what the results of an earlier run depend on, and its rows by their ids."""
    written = written_results(path)
    if written is None:
        results = earlier_results(path)
        put((f"note: {line}\n" for line in unfinished([(path, results)])), err=True)
        basis, rows = results.basis, by_id(reduced(results.rows, grouping.reduce))
    else:
        basis, rows = written.basis, written
    gc.freeze()  # they stay: the collector need not look at them again and again
    return basis, rows


def _is_of_another(before: Basis | None, dataset: Input) -> bool:
    """Whether results may be of a dataset that means something else: its bytes are others."""
    if before is None:
        return False
    digest = None if dataset.stream else digest_of(dataset.path)
    return digest is None or before.manifest["dataset"].get("sha256") != digest


class WantedFiles(NamedTuple):
    """What is written besides what is printed: results, and a record of every_eval_ever.

    With `resume`, results are gone on with; with `force`, existing files are replaced.
    """

    results: Path | None
    resume: bool
    force: bool
    export: tuple[str, Path] | None
    record: RecordInfo

    def check(self, dataset: str, outputs: str) -> None:
        """Refuse what is not possible.

        Raises:
            UsageError: something is not, or a record lacks something.

        """
        if self.export is not None:
            self.record.require()
        elif self.record.is_given:
            names = self.record.given_names
            raise UsageError(f"{names}: only for `--export every_eval_ever FOLDER`")
        if not self.resume:
            return
        if self.results is None:
            raise UsageError("--resume needs --results: the file to go on with")
        if "-" in (dataset, outputs):
            raise UsageError("--resume needs files: standard input may be another than before")
        if self.export is not None:
            raise UsageError(
                "--export needs all rows: run it without --resume (answers of judges are cached)"
            )


class EndOfRun(NamedTuple):
    """What is known at the end: the run file, the files that were `exported`, corrected rates."""

    run: Mapping[str, Any]
    basis: Basis
    usage: Usage | None
    exported: list[str]
    corrected: list[Correction]


def _run(
    grading: Grading,
    wanted: WantedFiles,
    shared: ShareOptions,
    total: ShareTotal,
    *,
    manifest: dict[str, Any],
    inputs: Iterable[Input],
) -> EndOfRun:
    """Grade all rows of the inputs, and write the files."""
    file: ResultsFile | None = None
    with ExitStack() as stack:
        if wanted.results:
            read = [each.path for each in inputs if not each.stream]
            file = ResultsFile(
                wanted.results, replace=wanted.force, resume=wanted.resume, inputs=read
            )
            stack.enter_context(file)
        if wanted.export:
            files = RecordFiles(wanted.export[1], wanted.record, grading.provenance(manifest))
            total.record = stack.enter_context(files)
            shared = shared._replace(samples=files.samples)
        _take_all(grading, shared, total, file=file, manifest=manifest)
        begun = file.manifest if file else manifest
        provenance = grading.provenance(begun) if manifest else None
        corrected = corrections(total.summary, grading.library, grading.used.sections)
        rates = [each.to_dict() for each in corrected]
        basis = Basis(manifest, grading.used.sections, provenance)
        summary = summary_fields(total.summary, grading.gate, grading.usage, rates)
        run = basis._replace(manifest=begun).run(summary)
        if file:
            file.complete(run)
        exported = _export(total, grading, basis, replace=wanted.force)
    return EndOfRun(run, basis, grading.usage, exported, corrected)


def _export(total: ShareTotal, grading: Grading, basis: Basis, *, replace: bool) -> list[str]:
    """Write the record, if there is anything to record; return the names of its files."""
    block = basis.provenance
    if total.record is None or block is None or not total.summary.rows.total:
        return []
    results = results_of(total.summary, block, grading.library, basis.used)
    return total.record.complete(block, results, replace=replace)


def _take_all(
    grading: Grading,
    shared: ShareOptions,
    total: ShareTotal,
    file: ResultsFile | None,
    manifest: Mapping[str, Any],
) -> None:
    """Take what a file of results has already, then what is graded, and write that to it."""
    earlier = file.begin(manifest, partial(grading.basis, manifest)) if file else []
    shared.grouping.require_told(earlier)
    if earlier and not shared.texts and any(without_texts(row) != row for row in earlier):
        raise UsageError("the earlier results have texts: run it with --no-texts and --force")
    grading.used.news()
    total.take(shared._replace(samples=None).of([], earlier))
    for share in grading.shares(shared.of, {row.id for row in earlier}):
        total.take(share)
        if file:
            used = "".join(harmless_json([used_line(grading.used.news())]))
            file.write(used + share.lines)
    if manifest and grading.manifest != manifest:
        raise UsageError("the dataset or the outputs changed while they were graded: try again")


def _put(total: ShareTotal, grading: Grading, end: EndOfRun, printed: RowPrinter | None) -> None:
    """Print the results; beside a format for programs, why the exit status is not 0."""
    if printed:
        printed.finish(end.run, grading.places({*printed.failed}))
        if total.status(grading.gate, end.usage):
            put(_end_text(total, grading.gate, end), err=True)
    elif total.summary.rows.total:
        put(_text(total, gate=grading.gate, end=end))


def _text(total: ShareTotal, gate: QualityGate, end: EndOfRun) -> Iterator[str]:
    width = get_terminal_size().columns
    yield from write_results(total.summary, total.failures, total.limit, width=width)
    yield from write_corrections(end.corrected, width)
    yield from _end_text(total, gate, end)


def _end_text(total: ShareTotal, gate: QualityGate, end: EndOfRun) -> Iterator[str]:
    """Yield what judges were asked, and whether the results meet the gate."""
    width = get_terminal_size().columns
    yield from write_usage(end.usage, total.summary, width)
    yield from write_gate(total.summary, gate, width)
