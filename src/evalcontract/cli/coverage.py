"""`coverage`: show which checks will run on which rows."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import click

from evalcontract._version import __version__
from evalcontract.checks.coverage import RowCoverage
from evalcontract.cli import options
from evalcontract.cli.arguments import find_inputs
from evalcontract.cli.command import Command, files_of
from evalcontract.cli.outcome import write_findings
from evalcontract.cli.output import put
from evalcontract.cli.printing import Case, CaseOutcome, CommandAnswer, MarkdownTable, put_answer
from evalcontract.covering import (
    FOREIGN_STATES,
    MAX_SENTENCE,
    STATES,
    CoverageOutcome,
    counts_of,
    coverage,
    gaps_of,
    records_of,
    totals_line,
    write_json,
    write_text,
)
from evalcontract.datasets.opening import Options
from evalcontract.model.diagnostic import Place, Severity
from evalcontract.model.errors import NothingToCheck
from evalcontract.model.reference import Kind
from evalcontract.model.values import NAME_LENGTH, clipped
from evalcontract.policy import ERRORS, exit_status
from evalcontract.report.markdown import code, text


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
@options.output_format(*options.CASES)
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
    outcome = coverage(inputs, base, all_rows=output_format in _WHOLE)
    if min_coverage is not None and not outcome.files and not outcome.diagnostics:
        raise NothingToCheck("--min-coverage needs a dataset: a rubric has no rows")
    write_findings(outcome.diagnostics)
    if output_format != "text":
        put_answer(_answer(outcome), output_format)
    else:
        width = shutil.get_terminal_size().columns
        put(write_text(outcome.files, outcome.plans, outcome.totals, limit=limit, width=width))
    status = exit_status(outcome.diagnostics)
    if min_coverage is not None and outcome.totals.percent < min_coverage:
        put([f"coverage is below {min_coverage:g} %\n"], err=True)
        status = status or ERRORS
    return status


# The formats with the rows on which every check runs.
_WHOLE = ("json", "jsonl", "csv", "junit")
_OUTCOMES = {
    "nothing runs": CaseOutcome("failure", Severity.WARNING),
    "gaps": CaseOutcome("skipped", Severity.NOTE),
}


def _answer(outcome: CoverageOutcome) -> CommandAnswer:
    files, plans, totals = outcome.files, outcome.plans, outcome.totals
    return CommandAnswer(
        "coverage",
        totals_line(totals).strip(),
        document=write_json(files, plans, totals, version=__version__),
        records=records_of(files, plans),
        tables=_tables(outcome),
        cases=(_case(row, place) for file in files for row, place in file.rows),
        outcomes=_OUTCOMES,
        subject=files[0].file if len(files) == 1 else "evalcontract",
    )


def _case(row: RowCoverage, place: Place) -> Case:
    gaps = [clipped(gap, MAX_SENTENCE) for gap in gaps_of(row)]
    outcome = ("gaps" if row.runs else "nothing runs") if gaps else "covered"
    name = f"row {row.index}" if row.row is None else clipped(row.row, NAME_LENGTH)
    return Case(name, row.rubric or "expectations", outcome, gaps, place)


def _tables(outcome: CoverageOutcome) -> Iterator[MarkdownTable]:
    """Yield the checks of each file, its rows with gaps, and the checks of rubrics."""
    states = (*STATES, *FOREIGN_STATES)
    for file in outcome.files:
        lines = (
            [code(file.file), code(rubric.name or "-"), code(check), *rest]
            for rubric in file.rubrics
            for check, *rest in counts_of(rubric, states)
        )
        yield MarkdownTable(("File", "Rubric", "Check", "Kind", *states), lines, numbers=4)
        cases = [_case(row, place) for row, place in file.rows]
        gaps = [
            [code(str(case.place)), code(case.name), "<br>".join(map(text, case.reasons))]
            for case in cases
            if case.reasons
        ]
        yield MarkdownTable(("Place", "Row", "Will not run"), gaps)
    steps = records_of((), outcome.plans)
    lines = (
        [
            code(each["rubric"] or each["file"]),
            code(each["check"]),
            each["kind"],
            ", ".join(map(code, each["needs"])) or "-",
        ]
        for each in steps
    )
    yield MarkdownTable(("Rubric", "Check", "Kind", "Needs"), lines)
