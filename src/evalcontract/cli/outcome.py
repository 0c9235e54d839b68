"""Run a check, print its report and return an exit code.

This module does not import click, for the fast path in `plain`.
"""

from __future__ import annotations

import os
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
    """The values of the shared options, with their defaults."""

    root: Path | None = None
    strict: bool | None = None
    output_format: str = "text"
    limit: int = 200
    verbose: bool = False
    jobs: int | None = None
    cache: bool = False
    dialect: str | None = None
    statistics: bool = False
    max_findings: int = 10_000


def validate_files(
    kind: Kind, files: tuple[str, ...], args: CheckArgs, stdin_name: str | None = None
) -> int:
    """Validate the files of a kind that arguments name; return the exit code."""
    inputs = find_inputs(files, kind, stdin_name, args.dialect)
    return run_and_report(args, partial(validate, kind, inputs))


def run_and_report(args: CheckArgs, work: Callable[[Options], Outcome]) -> int:
    """Run a check with a progress bar, print its report, and return the exit code."""
    with Bar() as bar:
        jobs = args.jobs or usable_cores()
        cache = _cache() if args.cache else None
        outcome = work(
            Options(
                args.root,
                args.strict,
                None,
                bar.advance,
                jobs,
                cache,
                args.dialect,
                max_findings=args.max_findings,
            )
        )
    report = Report(outcome.diagnostics, outcome.files, outcome.rows, outcome.left_out)
    width = _width() if outcome.diagnostics or outcome.left_out else 0
    colour = wants_colour(sys.stdout)
    style = Style(colour, width, args.limit, args.verbose, __version__, args.statistics)
    print_ = put_json if args.output_format == "json" else put
    write = FORMATS.get(args.output_format) or report_formats()[args.output_format]
    print_(write(report, style))
    return exit_status(outcome.diagnostics)


def summary_of(outcome: Outcome) -> str:
    """Return the line that sums up the findings of a check."""
    from evalcontract.report.text import summary  # not for the fast path

    report = Report(outcome.diagnostics, outcome.files, outcome.rows, outcome.left_out)
    return summary(report, Style(wants_colour(sys.stdout), 0, 0, version=__version__))


# The maximum number of findings that are printed beside another result.
_MAX_FINDINGS = 50


def write_findings(diagnostics: Sequence[Diagnostic]) -> None:
    """Print findings on standard error, for a command with another result on standard output.

    Prints the most severe ones first, up to a limit.
    """
    from evalcontract.report.text import write_finding

    style = Style(wants_colour(sys.stderr), _width(), 0, version=__version__)
    ordered = sorted(diagnostics, key=lambda diagnostic: -diagnostic.severity)
    for diagnostic in ordered[:_MAX_FINDINGS]:
        put([*write_finding(diagnostic, style), "\n"], err=True)
    if hidden := len(ordered[_MAX_FINDINGS:]):
        findings = "finding" if hidden == 1 else "findings"
        put([f"… {hidden:,} more {findings}: `validate-dataset` shows all\n\n"], err=True)


def uses_cache() -> bool:
    """Whether to use a cache that was not asked for.

    A cache of CI is often restored from somewhere else, and whoever can write to it could forge a
    result, so that in CI its folder has to be given.
    """
    from evalcontract.cache.store import FOLDER_VARIABLE  # only if the cache is used

    return not os.environ.get("CI") or FOLDER_VARIABLE in os.environ


def _cache() -> Cache | None:
    from evalcontract.cache import Cache, cache_folder  # only if the cache is used

    folder = cache_folder()
    return Cache(folder) if folder else None


def _width() -> int:
    from shutil import get_terminal_size  # slow to import

    return get_terminal_size().columns
