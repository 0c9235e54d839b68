"""`fix`: apply the fixes of findings to files."""

from __future__ import annotations

import sys
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalcontract.cli.code_list import CodeList
from evalcontract.cli.inputs import find_paths, standard_input
from evalcontract.cli.output import OutputError, is_log, put, put_bytes
from evalcontract.cli.signals import signals_as_interrupts
from evalcontract.engine.fix_options import FixOptions, write
from evalcontract.engine.fixing import fix
from evalcontract.engine.options import Options
from evalcontract.engine.workers import usable_cores
from evalcontract.model.errors import UsageError
from evalcontract.policy import exit_status
from evalcontract.policy.exit_status import ERRORS, OK
from evalcontract.report.fixes import (
    write_diff,
    write_fixable,
    write_fixed,
    write_refused,
    write_summary,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.engine.fix_options import FixResult


@click.command(
    "fix",
    context_settings={"help_option_names": ["-h", "--help"]},
    short_help="Fix findings that have a safe fix, in place.",
)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--diff", is_flag=True, help="Print a diff of the changes instead of writing them.")
@click.option(
    "--unsafe-fixes",
    is_flag=True,
    help="Also apply unsafe fixes, which are probably but not certainly right.",
)
@click.option(
    "--select",
    type=CodeList(),
    multiple=True,
    help="Fix only findings with these codes, or of a kind such as `reference` (repeatable).",
)
@click.option(
    "--strict/--soft",
    default=None,
    help="Report the remaining faults as errors or as warnings (default: set by targets and "
    "configuration).",
)
@click.option(
    "--root",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Root folder of the workspace (default: detected from the paths).",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    metavar="NUMBER",
    default=200,
    show_default=True,
    help="Maximum number of fixes to print (0: no limit).",
)
@click.option("--stdin-filename", metavar="NAME", help="File name to use for standard input (`-`).")
def fix_command(
    paths: tuple[str, ...],
    diff: bool,  # noqa: FBT001 - click passes flags by name
    unsafe_fixes: bool,  # noqa: FBT001 - the same
    select: tuple[tuple[str, ...], ...],
    strict: bool | None,  # noqa: FBT001 - the same
    root: Path | None,
    limit: int,
    stdin_filename: str | None,
) -> int:
    """Fix findings that have a safe fix: misspelled keys, versions without quotes and so on.

    PATH is a file, a folder, a pattern such as 'data/**/*.yaml', or - for standard input, which
    is printed; it defaults to the current folder. Only these files are written, and in them only
    the fixed parts change: comments, quotes, order and whitespace are preserved.

    \b
    evalcontract fix                        fix all files of the workspace
    evalcontract fix --diff datasets        show what would change
    evalcontract fix --select reference     only pin references
    """  # noqa: D301 - click wants the character
    stdin = None
    if "-" in paths:
        to_fix, stdin = _read_stdin(paths, stdin_filename)
    else:
        to_fix = find_paths(paths or (".",))
    options = Options(root, strict, jobs=usable_cores())
    result = fix(to_fix, options, FixOptions(unsafe_fixes, tuple(chain(*select))), stdin)
    if diff:
        _print_diff(result, limit)
        return ERRORS if result.files else OK
    if stdin is None:
        with signals_as_interrupts():
            write(result)
    else:
        put_bytes(result.files[0].after if result.files else stdin)
    report = put if stdin is None else _put_on_stderr
    report(write_fixed(result.fixed, limit))
    _print_rest(result, limit)
    report(write_summary(len(result.fixed), len(result.files), result.left.diagnostics))
    return exit_status(result.left.diagnostics)


def _read_stdin(paths: tuple[str, ...], name: str | None) -> tuple[list[Path], bytes]:
    if len(paths) > 1:
        raise UsageError("`-` (standard input) cannot be combined with other paths")
    source = standard_input(name)
    return [source.path], source.stream.read() if source.stream else b""


def _print_diff(result: FixResult, limit: int) -> None:
    for file in result.files:
        texts = (data.decode("utf-8", "replace") for data in (file.before, file.after))
        diff = write_diff(file.name, *texts, for_people=sys.stdout.isatty())
        put(diff, raw=not is_log())
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
