"""What is done with what a check found: it is printed, and becomes an exit code.

Nothing here needs click, so that a check without options need not wait for it; see `plain`.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from evalcontract import __version__
from evalcontract.cli.colour import wants_colour
from evalcontract.cli.inputs import find_inputs
from evalcontract.cli.output import put, put_json
from evalcontract.cli.progress import Bar
from evalcontract.engine.options import Options
from evalcontract.engine.pipeline import validate
from evalcontract.engine.workers import usable_cores
from evalcontract.policy import exit_status
from evalcontract.report import FORMATS, report_formats
from evalcontract.report.report import Report, Style

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from evalcontract.cache import Cache
    from evalcontract.model.diagnostic import Diagnostic, Outcome
    from evalcontract.model.reference import Kind


class CheckArgs(NamedTuple):
    """What the shared options say; the defaults are theirs."""

    root: Path | None = None
    strict: bool | None = None
    output_format: str = "text"
    limit: int = 200
    verbose: bool = False
    jobs: int | None = None
    cache: bool = False
    dialect: str | None = None


def validate_files(
    kind: Kind, files: tuple[str, ...], asked: CheckArgs, stdin_name: str | None = None
) -> int:
    """Validate files of a kind as the arguments of a command name them; return the exit code."""
    inputs = find_inputs(files, kind, stdin_name, asked.dialect)
    return run_and_report(asked, partial(validate, kind, inputs))


def run_and_report(asked: CheckArgs, work: Callable[[Options], Outcome]) -> int:
    """Run a check with a progress bar, print its report, and return the exit code."""
    with Bar() as bar:
        jobs = asked.jobs or usable_cores()
        cache = _cache() if asked.cache else None
        outcome = work(
            Options(asked.root, asked.strict, None, bar.advance, jobs, cache, asked.dialect)
        )
    report = Report(outcome.diagnostics, outcome.files, outcome.rows, outcome.left_out)
    width = _width() if outcome.diagnostics or outcome.left_out else 0
    colour = wants_colour(sys.stdout)
    style = Style(colour, width, asked.limit, asked.verbose, version=__version__)
    print_ = put_json if asked.output_format == "json" else put
    write = FORMATS.get(asked.output_format) or report_formats()[asked.output_format]
    print_(write(report, style))
    return exit_status(outcome.diagnostics)


# So many findings are shown beside another result.
_BESIDES = 50


def write_findings(diagnostics: Sequence[Diagnostic]) -> None:
    """Print findings on standard error, for a command whose result is something else.

    The gravest first, and of many a few: they are told in full by a validation.
    """
    from evalcontract.report.text import write_finding

    style = Style(wants_colour(sys.stderr), _width(), 0, version=__version__)
    ordered = sorted(diagnostics, key=lambda each: -each.severity)
    for found in ordered[:_BESIDES]:
        put([*write_finding(found, style), "\n"], err=True)
    if hidden := len(ordered[_BESIDES:]):
        findings = "finding" if hidden == 1 else "findings"
        put([f"… {hidden:,} more {findings}: `validate-dataset` shows all\n\n"], err=True)


def _cache() -> Cache | None:
    from evalcontract.cache import Cache, cache_folder  # not for those who want no cache

    folder = cache_folder()
    return Cache(folder) if folder else None


def _width() -> int:
    from shutil import get_terminal_size  # slow to import

    return get_terminal_size().columns
