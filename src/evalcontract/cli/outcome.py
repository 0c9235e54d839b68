"""Run a check, print its report and return an exit code.

This module does not import click, for the fast path in `plain`.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import ExitStack
from functools import partial
from glob import glob, has_magic
from itertools import chain
from pathlib import Path
from stat import S_ISDIR
from typing import TYPE_CHECKING

from evalcontract._version import __version__
from evalcontract.cache.store import RecordingFiles
from evalcontract.cli.inputs import find_inputs
from evalcontract.cli.output import Bar, put, put_json, refuse, wants_colour, wants_links
from evalcontract.datasets.opening import Options
from evalcontract.model.diagnostic import Severity
from evalcontract.model.errors import EvalContractError, UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.policy import USAGE, exit_status
from evalcontract.report import FORMATS, write_of
from evalcontract.report.report import Report, Style
from evalcontract.source import DISK
from evalcontract.workspace import ChosenConfiguration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from evalcontract.cache import Cache
    from evalcontract.cache.store import Query
    from evalcontract.cli.report_files import ReportFile
    from evalcontract.datasets.columns import ColumnKeys
    from evalcontract.model.diagnostic import Diagnostic, RunOutcome
    from evalcontract.model.reference import Kind
    from evalcontract.policy import Selection
    from evalcontract.report.report import BaselineCounts
    from evalcontract.source import Files

#: What `--statistics` prints on standard error without findings.
_NONE = ("no findings\n",)
#: The columns of what is no terminal.
_USUAL_WIDTH = 80


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
    output: tuple[ReportFile, ...] = ()
    select: tuple[tuple[str, ...], ...] = ()
    ignore: tuple[tuple[str, ...], ...] = ()
    fail_on: str | None = None
    exit_zero: bool = False
    quiet: bool = False
    config: Path | None = None
    isolated: bool = False
    baseline: Path | None = None
    write_baseline: str | None = None
    watch: bool = False
    files: Files = DISK
    columns: ColumnKeys = ()

    @property
    def configuration(self) -> ChosenConfiguration:
        """The configuration that the options choose.

        Raises:
            UsageError: they contradict each other.

        """
        if self.config and self.isolated:
            raise UsageError("`--isolated` contradicts `--config`: use one of them")
        return ChosenConfiguration(self.config, self.isolated)

    @property
    def fails_from(self) -> Severity:
        """The lowest severity that fails the run, unless `exit_zero`."""
        return Severity[(self.fail_on or "error").upper()]

    @property
    def selection(self) -> Selection | None:
        """The codes to report; None for all."""
        if not self.select and not self.ignore:
            return None
        from evalcontract.policy import Selection  # rarely needed

        return Selection(tuple(chain(*self.select)), tuple(chain(*self.ignore)))


def validate_files(
    kind: Kind, files: tuple[str, ...], args: CheckArgs, stdin_name: str | None = None
) -> int:
    """Validate the files of a kind that arguments name; return the exit code."""
    from evalcontract.checking.pipeline import validate  # slow: the help does without

    if args.watch:
        return watch(args, files, partial(validate_files, kind, files))
    inputs = find_inputs(files, kind, stdin_name, args.dialect, args.configuration, args.files)
    if args.output:
        from evalcontract.cli.report_files import refuse_inputs  # rarely needed

        refuse_inputs(args.output, [input_.path for input_ in inputs])
    return run_and_report(args, partial(validate, kind, inputs))


def run_and_report(
    args: CheckArgs, work: Callable[[Options], RunOutcome], folder: Path | None = None
) -> int:
    """Run a check with a progress bar, write its reports, and return the exit code.

    `folder` is what is checked as a whole, or None for single files.

    Raises:
        UsageError: the options contradict each other, or a report cannot be written.

    """
    if args.exit_zero and args.fail_on:
        raise UsageError("`--exit-zero` contradicts `--fail-on`: use one of them")
    if args.output:
        from evalcontract.cli.report_files import refuse_unwritable  # rarely needed

        refuse_unwritable(args.output)
    from evalcontract.datasets.workers import usable_cores  # slow to import

    baselines = None
    if args.baseline or args.write_baseline is not None:
        from evalcontract.cli.report_files import Baselines  # rarely needed

        baselines = Baselines(args, folder)
    with Bar(is_quiet=args.quiet) as bar:
        outcome = work(
            Options(
                args.root,
                args.strict,
                None,
                bar.progress,
                args.jobs or usable_cores(),
                _cache() if args.cache else None,
                args.dialect,
                max_findings=args.max_findings,
                selection=args.selection,
                configuration=args.configuration,
                files=args.files,
                columns=args.columns,
            )
        )
    report = _report(outcome, args, baselines.apply(outcome) if baselines else None)
    style = Style(limit=args.limit, verbose=args.verbose, version=__version__)
    style = style._replace(statistics=args.statistics, quiet=args.quiet)
    with ExitStack() as later:  # what is printed is printed even if a file cannot be written
        later.callback(_print, args.output_format, report, style)
        if args.output:
            from evalcontract.cli.report_files import refuse_inputs, write_files

            refuse_inputs(args.output, map(Path, outcome.checked))
            write_files(args.output, report, style)
    return exit_status(outcome.diagnostics, None if args.exit_zero else args.fails_from)


def _report(outcome: RunOutcome, args: CheckArgs, baseline: BaselineCounts | None) -> Report:
    if args.output or args.output_format != "text":
        from evalcontract.fixing.fixing import full_report  # slow to import

        return full_report(outcome, args.fails_from, baseline)
    return _short_report(outcome, baseline)


def _short_report(outcome: RunOutcome, baseline: BaselineCounts | None = None) -> Report:
    """Return what the text for people needs."""
    short = Report(outcome.diagnostics, outcome.files, outcome.rows, outcome.left_out)
    return short._replace(ignored=outcome.ignored, baseline=baseline)


def _print(name: str, report: Report, style: Style) -> None:
    """Print a report on standard output."""
    if name == "text":
        is_wrapped = report.diagnostics or report.left_out or sys.stdout.isatty()
        width = terminal_width() if is_wrapped else 0
        style = style._replace(width=width, colour=wants_colour(sys.stdout))
        style = style._replace(encoding=sys.stdout.encoding or style.encoding)
        if report.diagnostics and wants_links(sys.stdout):
            from evalcontract.workspace.catalogue import url_of  # only for terminals

            report, style = report._replace(url_of=url_of), style._replace(links=True)
    medium = FORMATS.get(name)
    pieces = write_of(name)(report, style)
    if medium == "json":
        put_json(pieces)
    else:
        put(pieces, raw=medium == "commands")
    if style.statistics and name != "text":
        from evalcontract.report.frame import write_statistics  # rarely needed

        # The other formats are for programs, which read nothing else.
        put(write_statistics(report.diagnostics) if report.diagnostics else _NONE, err=True)


def summary_of(outcome: RunOutcome) -> str:
    """Return the line that sums up the findings of a check."""
    from evalcontract.report.text import summary  # not for the fast path

    return summary(
        _short_report(outcome), Style(wants_colour(sys.stdout), 0, 0, version=__version__)
    )


# The maximum number of findings that are printed beside another result.
_MAX_FINDINGS = 50


def write_findings(diagnostics: Sequence[Diagnostic]) -> None:
    """Print findings on standard error, for a command with another result on standard output.

    Prints the most severe ones first, up to a limit.
    """
    from evalcontract.report.text import write_finding

    style = Style(wants_colour(sys.stderr), terminal_width(), 0, version=__version__)
    style = style._replace(encoding=sys.stderr.encoding or style.encoding)
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


def terminal_width() -> int:
    """Return the width of the terminal as `shutil` does, which is slow to import."""
    try:
        columns = int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        columns = 0
    if columns <= 0:
        try:
            columns = os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else 1).columns
        except (ValueError, OSError):  # no terminal
            columns = 0
    return columns or _USUAL_WIDTH


_SECONDS = 0.25
_CLEAR = "\x1b[2J\x1b[3J\x1b[H"
#: What tells whether a file was written or replaced; None if there is none.
_State = tuple[int, int, int] | None


def watch(args: CheckArgs, arguments: Iterable[str], run: Callable[[CheckArgs], int]) -> int:
    """Run a check with its options again and again; `arguments` are the files that it checks.

    It ends by Ctrl-C, or when its output cannot be written; an error of one run ends nothing.

    Raises:
        UsageError: what is checked cannot be watched.

    """
    named = tuple(arguments)
    if "-" in named:
        raise UsageError("`--watch` cannot watch standard input")
    if args.write_baseline is not None:
        raise UsageError("`--watch` contradicts `--write-baseline`: use one of them")
    status = USAGE
    while True:
        files = RecordingFiles()
        before = time.time_ns()
        if sys.stdout.isatty():
            put([_CLEAR], raw=True)
        try:
            status = run(args._replace(watch=False, cache=False, files=files))
        except EvalContractError as error:
            status = refuse(str(error))
        seen = _WatchedFiles(files, [*named, *map(str, filter(None, [args.baseline, args.config]))])
        if not args.quiet:
            put([f"watching {len(seen.files):,} files: Ctrl-C ends it\n"], err=True)
        if not seen.has_changed_since(before):
            seen.wait()
    return status


class _WatchedFiles:
    """What a run has read, as it is now."""

    def __init__(self, files: RecordingFiles, named: list[str]) -> None:
        self._results = {
            query: result for query, result in files.results.items() if query[0] == "entries"
        }
        self._patterns = [name for name in named if has_magic(name)]
        self._named = named
        folders = {os.fspath(str(query[1])) for query in self._results}
        paths = {str(query[1]) for query in files.results} | {*named}
        self.files = sorted(path for path in paths - folders if os.path.isfile(path))
        self._paths = sorted(paths - folders)
        self._state = self._look()

    def _look(self) -> tuple[list[_State], dict[Query, str], list[list[str]], list[_Folder]]:
        replayed = RecordingFiles().replay([*self._results])
        return (
            [_state_of(path) for path in self._paths],
            dict(zip(self._results, replayed, strict=True)),
            [sorted(glob(pattern, recursive=True)) for pattern in self._patterns],
            [_Folder(*item) for name in self._named for item in _folders_below(name)],
        )

    def has_changed_since(self, moment: int) -> bool:
        """Whether a file was written since a moment, in nanoseconds, or a listing is another."""
        states, listings, _, _ = self._state
        now = time.time_ns()
        is_late = any(state and moment <= state[0] <= now for state in states)
        return is_late or listings != self._results

    def wait(self) -> None:
        """Wait until something is different."""
        while self._look() == self._state:
            time.sleep(_SECONDS)


class _Folder(NamedTuple):
    """The names in a folder that an argument names."""

    path: str
    names: tuple[str, ...]


def _state_of(path: str) -> _State:
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return None
    if S_ISDIR(status.st_mode):
        return (0, 0, status.st_ino)  # its names are looked at where they matter
    return (status.st_mtime_ns, status.st_size, status.st_ino)


def _folders_below(name: str) -> Iterable[tuple[str, tuple[str, ...]]]:
    """Yield the folders below a folder that an argument names, with their data files."""
    from evalcontract.source import format_of

    for folder, folders, files in os.walk(name):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        yield folder, tuple(sorted(each for each in files if format_of(each)))
