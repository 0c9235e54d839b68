"""`fix`: what can be mended without a question is mended."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalcontract.cli.inputs import find_paths, standard_input
from evalcontract.cli.output import OutputError, put, put_bytes
from evalcontract.engine.fix_options import FixOptions, write
from evalcontract.engine.fixing import fix
from evalcontract.engine.options import Options
from evalcontract.engine.workers import usable_cores
from evalcontract.model.errors import UsageError
from evalcontract.model.nearest import nearest
from evalcontract.policy import exit_status
from evalcontract.policy.exit_status import ERRORS, OK
from evalcontract.report.fixes import (
    write_diff,
    write_fixed,
    write_prospect,
    write_refused,
    write_sum,
)
from evalcontract.workspace.known_codes import KnownCodes, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.engine.fix_options import FixResult


def _codes(
    context: click.Context, option: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    """Refuse what is no code, nor the first word of one: nothing would be fixed by it."""
    del context, option
    codes = KnownCodes()
    for value in values:
        if value not in codes and value not in map(kind_of, codes):
            near = nearest(value, sorted({*codes, *map(kind_of, codes)}))
            advice = f"did you mean `{near}`?" if near else "`evalcontract explain` lists them all"
            raise click.BadParameter(f"there is no code `{value}`; {advice}")
    return values


@click.command(
    "fix",
    context_settings={"help_option_names": ["-h", "--help"]},
    short_help="Fix what has one certain fix, in place.",
)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--diff", is_flag=True, help="Print what would change, and write nothing.")
@click.option(
    "--unsafe-fixes",
    is_flag=True,
    help="Make those fixes too that are probably meant, and not certainly.",
)
@click.option(
    "--select",
    metavar="CODE",
    multiple=True,
    callback=_codes,
    help="Fix findings of this code alone, or of a kind such as `reference`; may be repeated.",
)
@click.option(
    "--strict/--soft",
    default=None,
    help="Whether faults that are left are errors, or warnings; else targets and configuration.",
)
@click.option(
    "--root",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="The workspace; without it, it is found from the paths.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    metavar="NUMBER",
    default=200,
    show_default=True,
    help="Name that many fixes at the most; 0 names all.",
)
@click.option("--stdin-filename", metavar="NAME", help="What standard input (`-`) stands for.")
def fix_command(
    paths: tuple[str, ...],
    diff: bool,  # noqa: FBT001 - click passes flags by name
    unsafe_fixes: bool,  # noqa: FBT001 - the same
    select: tuple[str, ...],
    strict: bool | None,  # noqa: FBT001 - the same
    root: Path | None,
    limit: int,
    stdin_filename: str | None,
) -> int:
    r"""Fix what has one certain fix: misspelled keys, versions without quotes, and the like.

    PATH is a file, a folder, a pattern such as 'data/**/*.yaml', or - for standard input, which
    is printed; without one it is the current folder. Only these files are written, and of them
    only what a fix touches: comments, quotes, order and spaces stay.

    \b
    evalcontract fix                        all files of the workspace
    evalcontract fix --diff datasets        show what would change
    evalcontract fix --select reference     pin references, and nothing else
    """
    given = None
    if "-" in paths:
        found, given = _given(paths, stdin_filename)
    else:
        found = find_paths(paths or (".",))
    options = Options(root, strict, jobs=usable_cores())
    fixed = fix(found, options, FixOptions(unsafe_fixes, select), given)
    if diff:
        _print_diff(fixed, limit)
        return ERRORS if fixed.files else OK
    if given is None:
        write(fixed)
    else:
        put_bytes(fixed.files[0].after if fixed.files else given)
    say = put if given is None else _remark
    say(write_fixed(fixed.fixed, limit))
    _print_rest(fixed, limit)
    say(write_sum(len(fixed.fixed), len(fixed.files), fixed.left.diagnostics))
    return exit_status(fixed.left.diagnostics)


def _given(paths: tuple[str, ...], name: str | None) -> tuple[list[Path], bytes]:
    """Read standard input."""
    if len(paths) > 1:
        raise UsageError("standard input stands alone: name no other path beside `-`")
    source = standard_input(name)
    return [source.path], source.stream.read() if source.stream else b""


def _print_diff(fixed: FixResult, limit: int) -> None:
    for each in fixed.files:
        texts = (data.decode("utf-8", "replace") for data in (each.before, each.after))
        put(write_diff(each.name, *texts, for_people=sys.stdout.isatty()))
    _print_rest(fixed, limit)
    _remark(write_prospect(len(fixed.fixed), len(fixed.files)))


def _print_rest(fixed: FixResult, limit: int) -> None:
    _remark(write_refused(fixed.refused, limit))
    if not fixed.is_settled:
        _remark(["stopped after many rounds: run it again for what is left\n"])


def _remark(pieces: Iterable[str]) -> None:
    """Print beside the result; where that cannot be, the result is the same."""
    with suppress(OutputError):
        put(pieces, err=True)
