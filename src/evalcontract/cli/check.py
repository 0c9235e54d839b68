"""`check`: a whole workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from evalcontract.api.validate import check_workspaces
from evalcontract.cli.options import Asked, run_and_report, shared_options


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument(
    "path", type=click.Path(path_type=Path, exists=True, file_okay=False), default=Path()
)
@shared_options
def check(path: Path, **options: Any) -> int:
    """Check a whole workspace.

    That is its datasets, rubrics, judges, bundles and targets. PATH is a folder, the current one
    by default.
    """
    return run_and_report(Asked(**options), lambda asked: check_workspaces(path, asked))
