"""The options that the checking commands share, and what is done with their findings."""

from __future__ import annotations

import gc
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from evalcontract import __version__
from evalcontract.api.options import Options
from evalcontract.api.workers import usable_cores
from evalcontract.cli.colour import wants_colour
from evalcontract.cli.output import put, put_json
from evalcontract.cli.progress import Bar
from evalcontract.policy import exit_status
from evalcontract.report import FORMATS
from evalcontract.report.report import Report, Style
from evalcontract.report.text import write_finding

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcontract.api import Outcome
    from evalcontract.model.diagnostic import Diagnostic


@dataclass(frozen=True, slots=True)
class Asked:
    """What the shared options say."""

    root: Path | None
    strict: bool | None
    output_format: str
    limit: int
    verbose: bool
    jobs: int | None


_OPTIONS = (
    click.option(
        "--strict/--soft",
        default=None,
        help="Faults are errors, or warnings. Without it targets and configuration decide.",
    ),
    click.option(
        "--root",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        help="The workspace; without it, it is found from the files.",
    ),
    click.option(
        "--output-format",
        type=click.Choice(sorted(FORMATS, reverse=True)),
        default="text",
        show_default=True,
        help="Text for people, JSON for programs.",
    ),
    click.option(
        "--limit",
        type=click.IntRange(min=0),
        metavar="NUMBER",
        default=200,
        show_default=True,
        help="Show that many findings at the most as text; 0 shows all.",
    ),
    click.option(
        "--jobs",
        type=click.IntRange(min=1),
        help="Processes for one large JSONL file; without it, as many as there are cores.",
    ),
    click.option("-v", "--verbose", is_flag=True, help="Name the files that were left out."),
)


def shared_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the shared options."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def run_and_report(asked: Asked, work: Callable[[Options], Outcome]) -> int:
    """Run a check with a progress bar, print its report, and return the exit code."""
    # This process is ours, and most of what it makes lives to its end: look for cycles rarely.
    gc.set_threshold(500_000, 20, 100)
    with Bar() as bar:
        outcome = work(
            Options(
                asked.root, asked.strict, progress=bar.advance, jobs=asked.jobs or usable_cores()
            )
        )
    report = Report(outcome.diagnostics, outcome.files, outcome.rows, outcome.left_out)
    style = _style(sys.stdout, asked.limit, verbose=asked.verbose)
    print_ = put_json if asked.output_format == "json" else put
    print_(FORMATS[asked.output_format](report, style))
    return exit_status(outcome.diagnostics)


def write_findings(diagnostics: Sequence[Diagnostic]) -> None:
    """Print findings on standard error, for a command whose result is something else."""
    style = _style(sys.stderr, 0, verbose=False)
    put((piece for found in diagnostics for piece in write_finding(found, style)), err=True)


def _style(stream: IO[Any], limit: int, *, verbose: bool) -> Style:
    width = shutil.get_terminal_size().columns
    return Style(wants_colour(stream), width, limit, verbose, version=__version__)
