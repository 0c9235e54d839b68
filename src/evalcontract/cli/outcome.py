"""Run a check, print its report, watch its files if asked to, and return an exit code.

This module does not import click, for the fast path in `start`.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from stat import S_ISDIR
from typing import TYPE_CHECKING

from evalcontract._version import __version__
from evalcontract.cli.arguments import Destination, find_inputs
from evalcontract.cli.output import Bar, put, put_json, refuse, wants_colour, wants_links
from evalcontract.model.diagnostic import Diagnostic, RunOutcome
from evalcontract.model.errors import EvalContractError, UsageError
from evalcontract.model.reference import Kind
from evalcontract.policy import USAGE, exit_status
from evalcontract.report import FORMATS, BaselineCounts, Report, Style, write_of

if TYPE_CHECKING:
    from evalcontract.cache.checks import Query, RecordingFiles
    from evalcontract.datasets.opening import Options

#: What `--statistics` prints on standard error without findings.
_NONE = ("no findings\n",)
#: The columns of what is no terminal.
_USUAL_WIDTH = 80


def validate_files(
    kind: Kind,
    files: tuple[str, ...],
    options: Options,
    destination: Destination,
    stdin_name: str | None = None,
) -> int:
    """Validate the files of a kind that arguments name; return the exit code."""

    def work(options: Options) -> RunOutcome:
        from evalcontract.checking.pipeline import validate  # slow: the help does without

        inputs = find_inputs(files, kind, options, stdin_name=stdin_name)
        if destination.output:
            from evalcontract.cli.report_files import refuse_inputs  # rarely needed

            refuse_inputs(destination.output, [input_.path for input_ in inputs])
        return validate(kind, inputs, options)

    return run_and_report(work, options, destination, named=files)


def run_and_report(
    work: Callable[[Options], RunOutcome],
    options: Options,
    destination: Destination,
    *,
    folder: Path | None = None,
    named: Iterable[str] = (),
) -> int:
    """Run a check with a progress bar, write its reports, and return the exit code.

    `folder` is what is checked as a whole, or None for the files that are `named`.

    Raises:
        UsageError: a report cannot be written, or what is checked cannot be watched.

    """
    if destination.watch:
        return watch(options, destination, named, run=partial(run_and_report, work, folder=folder))
    if destination.output:
        from evalcontract.cli.report_files import refuse_unwritable  # rarely needed

        refuse_unwritable(destination.output)
    baselines = None
    if destination.baseline or destination.write_baseline is not None:
        from evalcontract.cli.report_files import Baselines  # rarely needed

        baselines = Baselines(destination, options.selection, folder)
    with Bar(is_quiet=destination.quiet) as bar:
        outcome = work(options._replace(progress=bar.progress))
    report = _report(outcome, destination, baselines.apply(outcome) if baselines else None)
    style = Style(
        limit=destination.limit,
        verbose=destination.verbose,
        version=__version__,
        statistics=destination.statistics,
        quiet=destination.quiet,
    )
    with ExitStack() as later:  # what is printed is printed even if a file cannot be written
        later.callback(_print, destination.output_format, report, style)
        if destination.output:
            from evalcontract.cli.report_files import refuse_inputs, write_files

            refuse_inputs(destination.output, map(Path, outcome.checked))
            write_files(destination.output, report, style)
    fails_from = None if destination.exit_zero else destination.fails_from
    return exit_status(outcome.diagnostics, fails_from)


def _report(
    outcome: RunOutcome, destination: Destination, baseline: BaselineCounts | None
) -> Report:
    if destination.output or destination.output_format != "text":
        from evalcontract.fixing import full_report  # slow to import

        return full_report(outcome, destination.fails_from, baseline)
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
    from evalcontract.model.values import many
    from evalcontract.report.text import write_finding

    style = Style(wants_colour(sys.stderr), terminal_width(), 0, version=__version__)
    style = style._replace(encoding=sys.stderr.encoding or style.encoding)
    ordered = sorted(diagnostics, key=lambda diagnostic: -diagnostic.severity)
    for diagnostic in ordered[:_MAX_FINDINGS]:
        put([*write_finding(diagnostic, style), "\n"], err=True)
    if hidden := len(ordered[_MAX_FINDINGS:]):
        is_shown = not any(each.code.startswith("output/") for each in ordered[_MAX_FINDINGS:])
        where = ": `validate-dataset` shows all" if is_shown else ""
        put([f"… {many(hidden, 'more finding')}{where}\n\n"], err=True)


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


# `--watch`: what a check has read is what the cache records: files, listings of folders, and the
# places where a configuration was looked for. These are looked at a few times a second, which needs
# no other package, and works on network drives and in containers, too.
_SECONDS = 0.25
_CLEAR = "\x1b[2J\x1b[3J\x1b[H"
#: What tells whether a file was written or replaced; None if there is none.
_State = tuple[int, int, int] | None
#: A folder, and the names of its data files.
_Folder = tuple[str, list[str]]


def watch(
    options: Options,
    destination: Destination,
    arguments: Iterable[str],
    run: Callable[[Options, Destination], int],
) -> int:
    """Run a check again and again, on files that record what it reads.

    `arguments` are the files that it checks. It ends by Ctrl-C, or when its output cannot be
    written; an error of one run ends nothing.

    Raises:
        UsageError: what is checked cannot be watched.

    """
    from evalcontract.cache.checks import RecordingFiles  # only here

    names = tuple(arguments)
    if "-" in names:
        raise UsageError("`--watch` cannot watch standard input")
    settings = filter(None, [destination.baseline, options.configuration.file])
    status = USAGE
    names = (*names, *map(str, settings))
    while True:
        files = RecordingFiles()
        before = time.time_ns()
        if sys.stdout.isatty():
            put([_CLEAR], raw=True)
        try:
            once = destination._replace(watch=False)
            status = run(options._replace(cache=None, files=files), once)
        except EvalContractError as error:
            status = refuse(str(error))
        seen = _WatchedFiles(files, [*names])
        if not destination.quiet:
            put([f"watching {len(seen.files):,} files: Ctrl-C ends it\n"], err=True)
        if not seen.has_changed_since(before):
            seen.wait()
    return status


class _WatchedFiles:
    """What a run has read, as it is now."""

    def __init__(self, files: RecordingFiles, names: list[str]) -> None:
        from glob import has_magic  # only here

        self._results = {
            query: result for query, result in files.results.items() if query[0] == "entries"
        }
        self._patterns = [name for name in names if has_magic(name)]
        self._named = names
        folders = {os.fspath(str(query[1])) for query in self._results}
        paths = {str(query[1]) for query in files.results} | {*names}
        self.files = sorted(path for path in paths - folders if os.path.isfile(path))
        self._paths = sorted(paths - folders)
        self._state = self._look()

    def _look(self) -> tuple[list[_State], dict[Query, str], list[list[str]], list[_Folder]]:
        from glob import glob

        from evalcontract.cache.checks import RecordingFiles

        replayed = RecordingFiles().replay([*self._results])
        return (
            [_state_of(path) for path in self._paths],
            dict(zip(self._results, replayed, strict=True)),
            [sorted(glob(pattern, recursive=True)) for pattern in self._patterns],
            [folder for name in self._named for folder in _folders_below(name)],
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


def _state_of(path: str) -> _State:
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return None
    if S_ISDIR(status.st_mode):
        return (0, 0, status.st_ino)  # its names are looked at where they matter
    return (status.st_mtime_ns, status.st_size, status.st_ino)


def _folders_below(name: str) -> Iterator[_Folder]:
    """Yield the folders below a folder that an argument names, with their data files."""
    from evalcontract.source import format_of

    for folder, folders, files in os.walk(name):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        yield folder, sorted(each for each in files if format_of(each))
