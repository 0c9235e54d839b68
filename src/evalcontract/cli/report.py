"""`report`: write findings, coverage, references and results as one HTML page."""

from __future__ import annotations

from pathlib import Path

import click

from evalcontract.cli import options
from evalcontract.cli.arguments import find_inputs
from evalcontract.cli.command import Command, files_of
from evalcontract.cli.output import put, signals_as_interrupts
from evalcontract.datasets.opening import Input, Options
from evalcontract.grading.groups import Grouping
from evalcontract.model.errors import UsageError
from evalcontract.model.reference import Kind
from evalcontract.model.values import many
from evalcontract.page.content import JudgeLabels
from evalcontract.page.judges import labels_of
from evalcontract.page.report import ReportInputs, html_report, page_file, write_page
from evalcontract.policy import OK

#: The modes of the page, each with the value of `Options.strict`.
_MODES = {"configured": None, "soft": False, "strict": True}


@click.command(
    "report",
    cls=Command,
    examples={
        "Write report.html": "evalcontract report datasets/example.yaml",
        "Replace it": "evalcontract report datasets -o report.html --force",
        "Show results": "evalcontract report datasets/example.yaml --results results.jsonl --force",
        "Show what changed, too": "evalcontract report datasets --against HEAD --force",
    },
)
@click.argument("files", nargs=-1, required=True, metavar="DATASET...", shell_complete=files_of())
@click.option(
    "-o",
    "--output",
    default="report.html",
    show_default=True,
    metavar="FILE",
    help="File to write the page to; `-` for standard output.",
)
@options.flag("--force", "Replace an existing file.")
@options.file(
    "--results",
    "Results that `grade --results` wrote, to show scores; can be given several times.",
    "jsonl",
    multiple=True,
    dir_okay=False,
)
@options.file(
    "--outputs",
    "Outputs that were graded, as `grade` reads them, if the results have no texts; can be given "
    "several times.",
    *options.OUTPUTS,
    multiple=True,
    dir_okay=False,
)
@click.option(
    "--labels",
    metavar="JUDGE=FILE",
    multiple=True,
    callback=options.parsed_by(lambda values: [*map(labels_of, values)]),
    help="Human labels, as `calibrate-judge` reads them, to measure a judge with, such as "
    "judge/tone=labels.jsonl; its verdicts are those of the labels, or of the results. Can be "
    "given several times.",
)
@click.option(
    "--against", metavar="REV", help="Revision of git; the page also shows what changed since then."
)
@options.GROUPING
@options.mode("Mode that the page shows first")
@options.workspace("the files")
@options.number(
    "--max-rows",
    "Maximum number of rows in a table, those with findings or gaps first (0: no limit).",
    20_000,
)
@options.ENOUGH_FINDINGS
@options.STDIN_FILENAME
@options.DIALECT
@options.PLAN
@options.ONLY
@options.MAP_WITH_OUTPUTS
@options.NULLS
def report_command(
    files: tuple[str, ...],
    output: str,
    force: bool,
    results: tuple[Path, ...],
    outputs: tuple[Path, ...],
    labels: list[JudgeLabels],
    against: str | None,
    grouping: Grouping,
    max_rows: int,
    stdin_filename: str | None,
    base: Options,
) -> int:
    """Write findings, coverage and results as one HTML page.

    The page shows rows with their findings in the text, which checks run on which rows, and the
    references between datasets, rubrics and judges. It is one file that loads nothing else, and can
    be kept as an artifact of CI. DATASET is a file or a folder. The exit code is 0 if the page was
    written, whatever it shows.
    """
    if grouping != Grouping() and not results:
        raise UsageError("--by, --cluster and --reduce are for the rows of --results")
    inputs = find_inputs(files, Kind.DATASET, base, stdin_name=stdin_filename)
    modes = {name: base._replace(strict=mode) for name, mode in _MODES.items()}
    first = next(name for name, mode in _MODES.items() if mode is base.strict)
    settings = ReportInputs(
        inputs,
        modes,
        first,
        results,
        max_rows,
        against,
        outputs=[Input(path) for path in outputs],
        labels=labels,
        grouping=grouping,
    )
    if output == "-":
        put(write_page(html_report(settings)), raw=True)
        return OK
    with signals_as_interrupts(), page_file(Path(output), force=force) as write:
        report = html_report(settings)
        name = write(write_page(report))
    shown = report.count_by_severity()
    counts = ", ".join(many(count, noun) for noun, count in shown)
    put([f"wrote {name}: {counts or 'no findings'}\n"])
    return OK
