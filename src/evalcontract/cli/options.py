"""The options that the checking commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcontract.cli.outcome import Asked
from evalcontract.report import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable

_DEFAULT = Asked()
_OPTIONS = (
    click.option(
        "--strict/--soft",
        default=None,
        help="Faults are errors, or warnings. Without it targets and configuration decide.",
    ),
    click.option(
        "--root",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        help="The workspace; without it, it is found from the files.",
    ),
    click.option(
        "--output-format",
        type=click.Choice(sorted(FORMATS, reverse=True)),
        default=_DEFAULT.output_format,
        show_default=True,
        help="Text for people, JSON for programs.",
    ),
    click.option(
        "--limit",
        type=click.IntRange(min=0),
        metavar="NUMBER",
        default=_DEFAULT.limit,
        show_default=True,
        help="Show that many findings at the most as text; 0 shows all.",
    ),
    click.option(
        "--jobs",
        type=click.IntRange(min=1),
        metavar="NUMBER",
        help="Processes for one large JSONL file; without it, as many as there are cores.",
    ),
    click.option("-v", "--verbose", is_flag=True, help="Name the files that were left out."),
)


#: Whose datasets the files are.
DIALECT = click.option(
    "--dialect",
    metavar="NAME[:VARIANT]",
    help="Whose datasets these are, such as mlflow:oss; without it, what they hold decides. "
    "`evalcontract` says that they are ours.",
)


def shared_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the shared options."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
