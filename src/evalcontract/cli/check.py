"""`check`: check a whole workspace."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from evalcontract.cli.options import shared_options
from evalcontract.cli.outcome import CheckArgs, run_and_report
from evalcontract.engine.pipeline import check_workspaces


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("path", default=".", metavar="[FOLDER]")
@click.option(
    "--cache/--no-cache",
    default=True,
    help="Reuse the result of an earlier check if no file has changed.",
)
@shared_options
def check(path: str, **options: Any) -> int:
    """Check a whole workspace: its datasets, rubrics, judges, bundles and targets.

    FOLDER defaults to the current folder.
    """
    folder = _folder(path)
    return run_and_report(CheckArgs(**options), partial(check_workspaces, folder))


def _folder(name: str) -> Path:
    """Return the path of a folder.

    Raises:
        UsageError: there is no such folder; for a file, the message names the right command.

    """
    path = Path(name)
    if "\0" in name or not name or not path.exists():
        raise click.UsageError(f"there is no folder `{name}`", click.get_current_context())
    if not path.is_dir():
        single = "validate-dataset, validate-rubric or validate-judge"
        message = f"`{name}` is a file, but check takes a folder; for a file use {single}"
        raise click.UsageError(message, click.get_current_context())
    return path
