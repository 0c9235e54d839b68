"""`fix`: apply the fixes of findings to files."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import click

from evalcontract.cli import options
from evalcontract.cli.arguments import find_paths, standard_input
from evalcontract.cli.command import Command, files_of
from evalcontract.cli.output import OutputError, StandardOutput, put, signals_as_interrupts
from evalcontract.cli.printing import CommandAnswer, listing, put_answer
from evalcontract.datasets.opening import Options
from evalcontract.fixing import (
    fix,
    write_diff,
    write_fixable,
    write_fixed,
    write_refused,
    write_summary,
)
from evalcontract.model.errors import UsageError
from evalcontract.model.values import many
from evalcontract.policy import ERRORS, OK, exit_status
from evalcontract.workspace.writing import FixOptions, FixResult, write


@click.command(
    "fix",
    cls=Command,
    examples={
        "Show what would change in a folder": "evalcontract fix --diff datasets",
        "Fix all files of the workspace": "evalcontract fix",
        "Pin references, and fix nothing else": "evalcontract fix --select reference",
    },
)
@click.argument(
    "paths", nargs=-1, metavar="[PATH]...", shell_complete=files_of("yaml", "json", "jsonl")
)
@options.flag("--diff", "Print a diff of the changes instead of writing them.")
@options.flag(
    "--unsafe-fixes", "Also apply unsafe fixes, which are probably but not certainly right."
)
@options.selection("Fix", "fix")
@options.mode("Report the remaining faults as errors or as warnings")
@options.workspace("the paths")
@options.number("--limit", "Maximum number of fixes to print (0: no limit).", 200)
@options.output_format(*options.TABLES)
@options.STDIN_FILENAME
def fix_command(
    paths: tuple[str, ...],
    diff: bool,
    unsafe_fixes: bool,
    limit: int,
    output_format: str,
    stdin_filename: str | None,
    base: Options,
) -> int:
    """Fix findings that have a safe fix: misspelled keys, unquoted versions and so on.

    PATH is a file, a folder, a pattern such as 'data/**/*.yaml', or - for standard input, which
    is printed; it defaults to the current folder. Only these files are written, and in them only
    the fixed parts change: comments, quotes, order and whitespace are preserved. What the
    configuration or a comment ignores is not fixed.
    """
    options.refuse_with_diff(output_format, diff)
    stdin = None
    if "-" in paths and output_format != "text":
        raise UsageError("standard output has the fixed file: leave out --output-format")
    if "-" in paths:
        to_fix, stdin = _read_stdin(paths, stdin_filename)
    else:
        to_fix = find_paths(paths or (".",))
    settings = FixOptions(unsafe_fixes, base.selection)
    result = fix(to_fix, base._replace(selection=None), settings, content=stdin)
    if diff:
        _print_diff(result, limit)
        return ERRORS if result.files else OK
    if stdin is None:
        with signals_as_interrupts():
            write(result)
    else:
        StandardOutput().write(result.files[0].after if result.files else stdin)
    if output_format != "text":
        put_answer(_answer(result), output_format)
        _print_rest(result, limit)
        return exit_status(result.left.diagnostics)
    report = put if stdin is None else _put_on_stderr
    report(write_fixed(result.fixed, limit))
    _print_rest(result, limit)
    report(write_summary(len(result.fixed), len(result.files), result.left.diagnostics))
    return exit_status(result.left.diagnostics)


def _answer(result: FixResult) -> CommandAnswer:
    """Return what was fixed, and what is left."""
    lists = {
        name: [
            {
                "code": found.code,
                "severity": str(found.severity),
                "file": found.place.file,
                "line": found.place.span.line if found.place.span else None,
                "row": found.row,
                "message": found.message,
            }
            for found in some
        ]
        for name, some in (("fixed", result.fixed), ("left", result.left.diagnostics))
    }
    changed = many(len(result.files), "file")
    sentence = (
        f"fixed {many(len(lists['fixed']), 'finding')} in {changed}, {len(lists['left']):,} left"
    )
    return listing("fix", sentence, fixed=lists["fixed"], left=lists["left"])


def _read_stdin(paths: tuple[str, ...], name: str | None) -> tuple[list[Path], bytes]:
    if len(paths) > 1:
        raise UsageError("`-` (standard input) cannot be combined with other paths")
    source = standard_input(name)
    return [source.path], source.stream.read() if source.stream else b""


def _print_diff(result: FixResult, limit: int) -> None:
    put(line for file in result.files for line in write_diff(file))
    _print_rest(result, limit)
    _put_on_stderr(write_fixable(len(result.fixed), len(result.files)))


def _print_rest(result: FixResult, limit: int) -> None:
    _put_on_stderr(write_refused(result.refused, limit))
    if not result.is_settled:
        _put_on_stderr(["stopped after many rounds: run it again to fix the rest\n"])


def _put_on_stderr(pieces: Iterable[str]) -> None:
    """Print on standard error; ignore failures, which do not affect the result."""
    with suppress(OutputError):
        put(pieces, err=True)
