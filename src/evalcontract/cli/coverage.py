"""`coverage`: show which checks will run on which rows."""

from __future__ import annotations

import shutil

import click

from evalcontract._version import __version__
from evalcontract.cli import options
from evalcontract.cli.arguments import find_inputs
from evalcontract.cli.command import Command, files_of
from evalcontract.cli.outcome import write_findings
from evalcontract.cli.output import put, put_json
from evalcontract.covering.coverage import coverage, write_json, write_text
from evalcontract.datasets.opening import Options
from evalcontract.model.errors import NothingToCheck
from evalcontract.model.reference import Kind
from evalcontract.policy import ERRORS, exit_status


@click.command(
    "coverage",
    cls=Command,
    examples={
        "Show which checks will not run": "evalcontract coverage datasets/example.yaml",
        "Fail if fewer than 90 % of the checks will run": (
            "evalcontract coverage --min-coverage 90 datasets/example.yaml"
        ),
        "Count what a plan of another system grades": (
            "evalcontract coverage --dialect northstar --plan quality cases.json"
        ),
        "List the keys that a row needs for a rubric": (
            "evalcontract coverage rubrics/example.yaml"
        ),
    },
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=files_of())
@click.option(
    "--min-coverage",
    type=options.NumberRange(0, 100),
    metavar="PERCENT",
    help="Fail (exit 1) if a smaller percentage of the checks will run.",
)
@options.output_format("json")
@options.workspace("the files")
@options.number("--limit", "Maximum number of gaps to print per file (0: no limit).", 50)
@options.STDIN_FILENAME
@options.DIALECT
@options.PLAN
@options.ONLY
@options.MAP
@options.NULLS
def coverage_command(
    files: tuple[str, ...],
    min_coverage: float | None,
    output_format: str,
    limit: int,
    stdin_filename: str | None,
    base: Options,
) -> int:
    """Show which checks will run on which rows.

    A check runs, is skipped (because a key is missing), passes whatever the output is, or is
    unavailable on this machine. FILE is a dataset; given a rubric, the keys that a row must have
    are listed. For the datasets of other systems, the graders of those systems are shown.
    """
    inputs = find_inputs(files, Kind.DATASET, base, stdin_name=stdin_filename)
    outcome = coverage(inputs, base, all_rows=output_format == "json")
    if min_coverage is not None and not outcome.files and not outcome.diagnostics:
        raise NothingToCheck("--min-coverage needs a dataset: a rubric has no rows")
    write_findings(outcome.diagnostics)
    if output_format == "json":
        put_json(write_json(outcome.files, outcome.plans, outcome.totals, version=__version__))
    else:
        width = shutil.get_terminal_size().columns
        put(write_text(outcome.files, outcome.plans, outcome.totals, limit=limit, width=width))
    status = exit_status(outcome.diagnostics)
    if min_coverage is not None and outcome.totals.percent < min_coverage:
        put([f"coverage is below {min_coverage:g} %\n"], err=True)
        status = status or ERRORS
    return status
