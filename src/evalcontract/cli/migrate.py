"""`migrate`: move the cases and graders of ai_best_practices and ai_eval to a workspace."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

import click

from evalcontract.cli.candidates import files
from evalcontract.cli.command import Command
from evalcontract.cli.inputs import find_inputs
from evalcontract.cli.options import chooses_configuration
from evalcontract.cli.outcome import write_findings
from evalcontract.cli.output import put
from evalcontract.cli.signals import signals_as_interrupts
from evalcontract.model.errors import UsageError
from evalcontract.model.reference import Kind
from evalcontract.model.values import escape_controls, listed
from evalcontract.policy import ERRORS, OK
from evalcontract.report.losses import write_losses
from evalcontract.starting.migrate import SYSTEMS, MigrateOptions, migrate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.starting.migrate import MigrateResult
    from evalcontract.workspace import ChosenConfiguration

_WIDTH = 80


@click.command(
    "migrate",
    cls=Command,
    examples=[
        (
            "Move the cases of ai_best_practices to a workspace",
            "evalcontract migrate evals.json --output evals",
        ),
        (
            "Also write what is lost as JSON",
            "evalcontract migrate evals.json --output evals --loss-report losses.json",
        ),
    ],
)
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, shell_complete=files("yaml", "json")
)
@click.option(
    "--from",
    "from_",
    type=click.Choice(SYSTEMS),
    help="System that the files are of (default: detected from their keys).",
)
@click.option(
    "-o",
    "--output",
    "folder",
    metavar="FOLDER",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder to write the datasets, rubrics and judges to.",
)
@click.option(
    "--loss-report",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="JSON report of what is lost.",
)
@click.option("--force", is_flag=True, help="Replace existing files.")
@click.option("--stdin-filename", metavar="NAME", help="File name to use for standard input (`-`).")
@chooses_configuration
def migrate_command(
    files: tuple[str, ...],
    from_: str | None,
    folder: Path,
    loss_report: Path | None,
    force: bool,  # noqa: FBT001 - click passes flags by name
    stdin_filename: str | None,
    configuration: ChosenConfiguration,
) -> int:
    """Move the cases and graders of other tools to a workspace of evalcontract.

    FILE is an `evals.json` of ai_best_practices, or the graders of a target of ai_eval (YAML or
    JSON), with its datasets or without. Each file of cases becomes a dataset. Rubrics are shared
    by all cases that are graded in the same way.
    """
    inputs = find_inputs(files, Kind.DATASET, stdin_filename, chosen=configuration)
    with signals_as_interrupts():
        done = migrate(inputs, MigrateOptions(from_, folder, loss_report, force))
    write_findings(done.diagnostics)
    put(told(done), err=True)
    if done.refusal:
        _refuse_if_unused(done)
        put([f"nothing was written: {done.refusal}\n"], err=True)
        return ERRORS
    put(_summary(done))
    return OK


def _refuse_if_unused(done: MigrateResult) -> None:
    """Refuse a call that names nothing to migrate.

    Raises:
        UsageError: no file was migrated, and none has errors.

    """
    if not done.diagnostics:
        raise UsageError(str(done.refusal))


def told(done: MigrateResult) -> Iterator[str]:
    """Yield what is lost or changes its meaning."""
    yield from write_losses(done.losses, "kept under `metadata`, where no check reads it:")
    if done.changes:
        yield "graded in another way than before:\n"
        room = max(len(f"{count:,}") for count in done.changes.values())
        for text, count in done.changes.items():
            yield from _wrapped(f"  {count:>{room},}  ", text)
    for text in done.notes:
        yield from _wrapped("note: ", escape_controls(text))
    if done.judges:
        names = listed(f"`{name}`" for name in done.judges)
        yield from _wrapped(
            "note: ",
            f"the starter judges ({names}) were never compared with people: until each has a "
            "`validation`, `check --strict` reports it (judge/unvalidated)",
        )


def _wrapped(head: str, text: str) -> Iterator[str]:
    lines = wrap(text, _WIDTH - len(head), break_long_words=False, break_on_hyphens=False)
    for number, line in enumerate(lines):
        yield f"{' ' * len(head) if number else head}{line}\n"


def _summary(done: MigrateResult) -> Iterator[str]:
    rows = "1 row" if done.rows == 1 else f"{done.rows:,} rows"
    files = "1 file" if len(done.sources) == 1 else f"{len(done.sources):,} files"
    yield f"migrated {rows} of {files} ({', '.join(done.systems)})\n"
    yield from (f"written: {escape_controls(name)}\n" for name in done.written)
