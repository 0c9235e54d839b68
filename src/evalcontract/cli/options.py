"""The options that the checking commands share."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcontract.cli.outcome import CheckArgs
from evalcontract.model.nearest import nearest
from evalcontract.report import FORMATS, report_formats

if TYPE_CHECKING:
    from collections.abc import Callable

    _TextType = click.ParamType[str]
else:
    _TextType = click.ParamType  # click 8.1 and 8.2 know no parameter of it


class _OutputFormat(_TextType):
    """An output format: a built-in one, or one of another package."""

    name = "format"

    def get_metavar(self, *_: Any, **__: Any) -> str:
        """Return the placeholder in the help."""
        return f"[{'|'.join(sorted(FORMATS, reverse=True))}|NAME]"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """Return the value if it is the name of an output format."""
        if value in FORMATS:
            return str(value)
        names = sorted(report_formats())
        if value not in names:
            near = nearest(str(value), names)
            advice = f"did you mean `{near}`?" if near else f"choose from {', '.join(names)}"
            self.fail(f"there is no output format `{value}`; {advice}", param, ctx)
        return str(value)


class NumberRange(click.FloatRange):
    """A range of numbers without NaN, which click's own range lets through."""

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Return the number if it is in the range."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"it must be a number from {self.min:g} to {self.max:g}", param, ctx)
        return number


_DEFAULT = CheckArgs()
_OPTIONS = (
    click.option(
        "--strict/--soft",
        default=None,
        help="Report faults as errors or as warnings (default: set by targets and configuration).",
    ),
    click.option(
        "--root",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        help="Root folder of the workspace (default: detected from the files).",
    ),
    click.option(
        "--output-format",
        type=_OutputFormat(),
        default=_DEFAULT.output_format,
        show_default=True,
        help="Output format: text for people, json for programs.",
    ),
    click.option(
        "--limit",
        type=click.IntRange(min=0),
        metavar="NUMBER",
        default=_DEFAULT.limit,
        show_default=True,
        help="Maximum number of findings to print (0: no limit).",
    ),
    click.option(
        "--max-findings",
        type=click.IntRange(min=0),
        metavar="NUMBER",
        default=_DEFAULT.max_findings,
        show_default=True,
        help="Number of findings after which to stop checking (0: no limit).",
    ),
    click.option(
        "--jobs",
        type=click.IntRange(min=1),
        metavar="NUMBER",
        help="Number of processes for a large JSONL file (default: number of cores).",
    ),
    click.option(
        "--statistics",
        is_flag=True,
        help="Print the number of findings by code, and how many are fixable.",
    ),
    click.option(
        "-v",
        "--verbose",
        is_flag=True,
        help="List the files that were skipped, and every place of a finding.",
    ),
)


#: The dataset format of the files.
DIALECT = click.option(
    "--dialect",
    metavar="NAME[:VARIANT]",
    help="Dataset format, such as mlflow:oss (default: detected from the content). "
    "`evalcontract` turns detection off.",
)


def shared_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the shared options to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
