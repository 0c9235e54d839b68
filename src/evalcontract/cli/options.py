"""The options that the checking commands share, and the types of their values."""

from __future__ import annotations

import math
import os
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcontract.cli.arguments import (
    MAX_FINDINGS,
    Destination,
    ReportFile,
    chosen_configuration,
    selection_of,
    uses_cache,
)
from evalcontract.cli.command import codes, dialects, formats, report_files
from evalcontract.cli.output import put
from evalcontract.cli.report_files import format_named, parse_report_file
from evalcontract.datasets.opening import Options
from evalcontract.model.errors import UsageError
from evalcontract.report import FORMATS

if TYPE_CHECKING:
    from evalcontract.datasets.columns import ColumnKeys
    from evalcontract.judging.asking import Judging

if TYPE_CHECKING:
    _ListType = click.ParamType[tuple[str, ...]]
else:
    _ListType = click.ParamType  # click 8.1 and 8.2 know no parameter of it


class CodeList(_ListType):
    """A list of codes and kinds; with `to_ignore`, only of those that can be ignored."""

    name = "codes"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[Any]:
        """Return what a list may go on with."""
        return codes(ctx, param, incomplete)

    def __init__(self, *, to_ignore: bool = False) -> None:
        self._to_ignore = to_ignore

    def get_metavar(self, *_: Any, **__: Any) -> str:
        """Return the placeholder in the help."""
        return "CODE,..."

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, ...]:
        """Return the codes and kinds in a value."""
        from evalcontract.policy import (
            RENAMED,
            parse_codes,  # slow to import
        )
        from evalcontract.workspace.catalogue import KnownCodes

        for name in RENAMED.keys() & {each.strip() for each in value.split(",")}:
            put([f"note: `{name}` is now called `{RENAMED[name]}`\n"], err=True)
        try:
            return tuple(parse_codes(value, KnownCodes(), to_ignore=self._to_ignore))
        except UsageError as error:
            self.fail(str(error), param, ctx)


def _parsed(context: Any, parameter: Any, values: tuple[str, ...]) -> ColumnKeys:
    """Return the columns and keys of `COLUMN=KEY`; the name of a column may contain `=`."""
    return _checked(context, parameter, values)


def _parsed_with_outputs(context: Any, parameter: Any, values: tuple[str, ...]) -> ColumnKeys:
    """Return as `_parsed`; a key may be one of recorded outputs, too."""
    return _checked(context, parameter, values, has_outputs=True)


def _checked(
    context: Any, parameter: Any, values: tuple[str, ...], *, has_outputs: bool = False
) -> ColumnKeys:
    if not values:
        return ()
    from evalcontract.datasets.columns import RECORDED, checked  # rarely needed

    pairs = [value.rpartition("=")[::2] for value in values]
    for value, (column, key) in zip(values, pairs, strict=True):
        if not column or not key:
            message = f"expected COLUMN=KEY, such as question=input, not `{value}`"
            raise click.BadParameter(message, context, parameter)
    try:
        return checked(pairs, RECORDED if has_outputs else ())
    except UsageError as error:
        raise click.BadParameter(str(error), context, parameter) from None


#: The keys of columns, as `columns`.
MAP = click.option(
    "--map",
    "columns",
    callback=_parsed,
    multiple=True,
    metavar="COLUMN=KEY",
    help="Column of a CSV or Parquet file, and the key of a row that it is read as, such as "
    "answer=expected.reference (default: by the names of the columns). Can be given several times.",
)
#: The same, and keys of recorded outputs.
MAP_WITH_OUTPUTS = click.option(
    "--map",
    "columns",
    callback=_parsed_with_outputs,
    multiple=True,
    metavar="COLUMN=KEY",
    help="Column of a CSV or Parquet file, and the key of a row that it is read as, such as "
    "answer=expected.reference; or key of the outputs that is read as `output` or `tool_calls`, "
    "such as response=output (default: by the names of the columns). Can be given several times.",
)


def judging_for(cache: bool | None) -> Judging | None:  # noqa: FBT001 - an option
    """Return what asks judges, if the environment names an endpoint.

    `cache` is whether answers of earlier runs are used; None outside of CI.

    Raises:
        UsageError: a variable is malformed.

    """
    from evalcontract.judging.client import read_settings

    settings = read_settings(os.environ)
    if settings is None:
        return None
    from evalcontract.cache.store import cache_folder  # only if judges can be asked
    from evalcontract.judging.asking import Judging
    from evalcontract.judging.questions import AnswerCache

    folder = cache_folder() if (uses_cache() if cache is None else cache) else None
    return Judging(settings, AnswerCache(folder) if folder else None)


def _names(context: Any, parameter: Any, values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names in lists of names."""
    del context, parameter
    names = (name.strip() for value in values for name in value.split(","))
    return tuple(dict.fromkeys(filter(None, names)))


#: The graders of another system that count.
PLAN = click.option(
    "--plan",
    metavar="NAME",
    help="Graders of another system to count, by the name of its plan, such as quality (default: "
    "those that the rows ask for).",
)
ONLY = click.option(
    "--only",
    metavar="NAME,...",
    multiple=True,
    callback=_names,
    help="Graders of another system to count, such as Correctness,Safety. Can be given several "
    "times.",
)


if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalcontract.workspace import ChosenConfiguration

    _TextType = click.ParamType[str]
    _FileType = click.ParamType[ReportFile]
    CodeLists = tuple[tuple[str, ...], ...]
    _Option = Callable[[Callable[..., Any]], Callable[..., Any]]
else:
    _TextType = _FileType = click.ParamType  # click 8.1 and 8.2 know no parameter of it


class _OutputFormat(_TextType):
    """An output format: a built-in one, or one of another package."""

    name = "format"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[Any]:
        """Return the formats that a text may begin."""
        return formats(ctx, param, incomplete)

    def get_metavar(self, *_: Any, **__: Any) -> str:
        """Return the placeholder in the help."""
        return "FORMAT"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """Return the value if it is the name of an output format."""
        try:
            return format_named(value)
        except UsageError as error:
            self.fail(str(error), param, ctx)


class _ReportFile(_FileType):
    """A file for a report, and its format."""

    name = "file"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[Any]:
        """Return the formats that a text may begin, or files."""
        return report_files(ctx, param, incomplete)

    def get_metavar(self, *_: Any, **__: Any) -> str:
        """Return the placeholder in the help."""
        return "[FORMAT:]FILE"

    def convert(self, value: Any, param: Any, ctx: Any) -> ReportFile:
        """Return the file and the format that a value names."""
        try:
            return parse_report_file(value)
        except UsageError as error:
            self.fail(str(error), param, ctx)


class NumberRange(click.FloatRange):
    """A range of numbers without NaN, which click's own range lets through."""

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Return the number if it is in the range."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"it must be a number from {self.min:g} to {self.max:g}", param, ctx)
        return number


class WholeNumber(click.IntRange):
    """A range of whole numbers, of a size that everything can be counted by."""

    _MOST = 10**12

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        """Return the number if it is in the range."""
        number: int = super().convert(value, param, ctx)
        if number > self._MOST:
            self.fail(f"it must be at most {self._MOST:,}", param, ctx)
        return number


#: The options that choose the configuration.
_CONFIGURATION = (
    click.option(
        "--config",
        type=click.Path(path_type=Path, exists=True, dir_okay=False),
        help="Configuration to use: a TOML file, or a pyproject.toml (default: the nearest one).",
    ),
    click.option("--isolated", is_flag=True, help="Use no configuration."),
)


def _root(found_from: str) -> _Option:
    return click.option(
        "--root",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        help=f"Root folder of the workspace (default: detected from {found_from}).",
    )


def chooses_configuration(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--config` and `--isolated` to a command, which gets both as `configuration`."""

    @wraps(command)
    def chosen(*args: Any, config: Path | None, isolated: bool, **options: Any) -> Any:
        configuration = chosen_configuration(config, isolated=isolated)
        return command(*args, configuration=configuration, **options)

    return _with(_CONFIGURATION, chosen)


def _selection(verb: str, not_verb: str) -> tuple[_Option, ...]:
    return (
        click.option(
            "--select",
            type=CodeList(),
            multiple=True,
            help=f"{verb} only these codes, or kinds of codes such as rubric/ (repeatable).",
        ),
        click.option(
            "--ignore",
            type=CodeList(to_ignore=True),
            multiple=True,
            help=f"Do not {not_verb} these codes, or kinds of codes (repeatable).",
        ),
    )


def selects_what_to_fix(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--select` and `--ignore` to a command, which gets both as `selection`."""

    @wraps(command)
    def selecting(*args: Any, select: CodeLists, ignore: CodeLists, **options: Any) -> Any:
        selection = selection_of(select, ignore)
        return command(*args, selection=selection, **options)

    return _with(_selection("Fix", "fix"), selecting)


def workspace_options(found_from: str) -> _Option:
    """Add `--root`, `--config` and `--isolated` to a command.

    The command gets them as `base`, the options of a call. `found_from` is what the root is
    detected from.
    """

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def based(
            *args: Any, root: Path | None, configuration: ChosenConfiguration, **options: Any
        ) -> Any:
            return command(*args, base=Options(root, configuration=configuration), **options)

        return _root(found_from)(chooses_configuration(based))

    return add


_DEFAULT = Destination()
_OPTIONS: tuple[_Option, ...] = (
    click.option(
        "--strict/--soft",
        default=None,
        help="Report faults as errors or as warnings (default: set by targets and configuration).",
    ),
    _root("the files"),
    *_CONFIGURATION,
    click.option(
        "--output-format",
        type=_OutputFormat(),
        default=_DEFAULT.output_format,
        show_default=True,
        help=f"Format of standard output: {', '.join(FORMATS)}, or one of a plugin.",
    ),
    click.option(
        "-o",
        "--output",
        type=_ReportFile(),
        multiple=True,
        help="Also write a report to FILE (repeatable). Without FORMAT, the name tells: *.sarif, "
        "*.json, *.jsonl, *.xml (junit), *.md, *.txt, *code-quality*.json (gitlab).",
    ),
    *_selection("Report", "report"),
    click.option(
        "--fail-on",
        type=click.Choice(["error", "warning", "note"]),
        help="Exit with 1 if there is a finding of this severity or a higher one (default: error).",
    ),
    click.option(
        "--exit-zero",
        is_flag=True,
        help="Exit with 0 whatever the findings are.",
    ),
    click.option(
        "--baseline",
        type=click.Path(path_type=Path, dir_okay=False),
        help="File of known findings, which are only counted; new ones alone decide the exit code.",
    ),
    click.option(
        "--write-baseline",
        metavar="[FILE]",
        is_flag=False,
        flag_value="",
        help="Write all findings to FILE as known (default: that of --baseline, or "
        ".evalcontract-baseline.json).",
    ),
    click.option(
        "--watch",
        is_flag=True,
        help="Check again whenever a file changes, until Ctrl-C.",
    ),
    click.option(
        "--limit",
        type=WholeNumber(min=0),
        metavar="NUMBER",
        default=_DEFAULT.limit,
        show_default=True,
        help="Maximum number of findings in text and markdown (0: no limit).",
    ),
    click.option(
        "--max-findings",
        type=WholeNumber(min=0),
        metavar="NUMBER",
        default=MAX_FINDINGS,
        show_default=True,
        help="Number of findings after which to stop checking (0: no limit).",
    ),
    click.option(
        "--jobs",
        type=WholeNumber(min=1),
        metavar="NUMBER",
        help="Number of processes for a large JSONL file (default: number of cores).",
    ),
    click.option(
        "--statistics",
        is_flag=True,
        help="Print the number of findings by code, and how many are fixable: in text, or else on "
        "standard error.",
    ),
    click.option(
        "-q",
        "--quiet",
        is_flag=True,
        help="Print findings only: no summary, notes or progress bar.",
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
    shell_complete=dialects,
    help="Dataset format, such as mlflow:oss (default: detected from the content). "
    "`evalcontract` turns detection off.",
)


def _with(options: Sequence[_Option], command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(options):
        command = option(command)
    return command


def shared_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the shared options to a command."""
    return _with(_OPTIONS, command)
