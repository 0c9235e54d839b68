"""The options that several commands share, and the types of their values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial, wraps
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcontract.cli.arguments import (
    MAX_FINDINGS,
    Destination,
    ReportFile,
    take_destination,
    take_options,
)
from evalcontract.cli.command import codes, dialects, files_of, formats, report_files
from evalcontract.cli.output import put
from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.report import FORMATS

if TYPE_CHECKING:
    from evalcontract.datasets.columns import ColumnKeys
    from evalcontract.grading.export import RecordInfo
    from evalcontract.judging.questions import QuestionBudget

#: What adds an option to a command.
Option = Callable[[Callable[..., Any]], Callable[..., Any]]


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


def parsed_by(parse: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return a callback that parses a value; what `parse` refuses is an invalid value."""

    def callback(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
        try:
            return parse(value)
        except UsageError as error:
            raise click.BadParameter(str(error), context, parameter) from None

    return callback


def _codes_in(lists: Sequence[str], *, to_ignore: bool = False) -> tuple[str, ...]:
    """Return the codes and kinds in lists of them; with `to_ignore`, those that can be ignored."""
    if not lists:
        return ()
    from evalcontract.policy import RENAMED, parse_codes  # slow to import
    from evalcontract.workspace.catalogue import KnownCodes

    for value in lists:
        for name in RENAMED.keys() & {each.strip() for each in value.split(",")}:
            put([f"note: `{name}` is now called `{RENAMED[name]}`\n"], err=True)
    parsed_lists = (parse_codes(value, KnownCodes(), to_ignore=to_ignore) for value in lists)
    return tuple(chain.from_iterable(parsed_lists))


def _column_keys(values: Sequence[str], *, has_outputs: bool = False) -> ColumnKeys:
    """Return the columns and keys of `COLUMN=KEY`; the name of a column may contain `=`."""
    if not values:
        return ()
    from evalcontract.datasets.columns import OUTPUT_ID, RECORDED, checked  # rarely needed

    pairs = [value.rpartition("=")[::2] for value in values]
    for value, (column, key) in zip(values, pairs, strict=True):
        if not column or not key:
            raise UsageError(f"expected COLUMN=KEY, such as question=input, not `{value}`")
    return checked(pairs, (*RECORDED, OUTPUT_ID) if has_outputs else ())


def _names_in(lists: Sequence[str]) -> tuple[str, ...]:
    names = (name.strip() for value in lists for name in value.split(","))
    return tuple(dict.fromkeys(filter(None, names)))


NULLS = click.option(
    "--nulls",
    type=click.Choice(("absent", "kept")),
    help="What a null in a column of a Parquet or Arrow file is: an absent key, or a value "
    "(default: by the configuration, or absent).",
)


def _map(*, has_outputs: bool) -> Option:
    of_outputs = "; or key of the outputs that is read as `output`, `tool_calls` or `output.id`, "
    of_outputs = f"{of_outputs}such as response.text=output" if has_outputs else ""
    return click.option(
        "--map",
        "columns",
        callback=parsed_by(partial(_column_keys, has_outputs=has_outputs)),
        multiple=True,
        metavar="COLUMN=KEY",
        help="Column of a CSV or Parquet file, and the key of a row that it is read as, such as "
        f"answer=expected.reference{of_outputs} (default: by the names of the columns). Can be "
        "given several times.",
    )


MAP, MAP_WITH_OUTPUTS = _map(has_outputs=False), _map(has_outputs=True)
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
    callback=parsed_by(_names_in),
    help="Graders of another system to count, such as Correctness,Safety. Can be given several "
    "times.",
)
DIALECT = click.option(
    "--dialect",
    metavar="NAME[:VARIANT]",
    shell_complete=dialects,
    help="Dataset format, such as mlflow:oss (default: detected from the content). "
    "`evalcontract` turns detection off.",
)
STDIN_FILENAME = click.option(
    "--stdin-filename", metavar="NAME", help="File name to use for standard input (`-`)."
)
CONFIGURATION = (
    click.option(
        "--config",
        type=click.Path(path_type=Path, exists=True, dir_okay=False),
        help="Configuration to use: a TOML file, or a pyproject.toml (default: the nearest one).",
    ),
    click.option("--isolated", is_flag=True, help="Use no configuration."),
)
#: What people say of a record of every_eval_ever, in the order of `RecordInfo`.
_RECORD: tuple[Option, ...] = (
    click.option(
        "--model",
        metavar="DEVELOPER/NAME",
        help="For a record: the model that produced the outputs, such as openai/gpt-5.",
    ),
    click.option("--organization", metavar="NAME", help="For a record: who publishes it."),
    click.option(
        "--relationship",
        type=click.Choice(["first_party", "third_party", "collaborative", "other"]),
        help="For a record: what you are to the developer of the model.",
    ),
    click.option(
        "--deployment",
        type=click.Choice(["self_deployed", "externally_managed", "unknown"]),
        help="For a record: who runs the model (default: unknown).",
    ),
    click.option(
        "--weights",
        type=click.Choice(["open_weights", "closed_weights", "unknown"]),
        help="For a record: whether the weights of the model are open (default: unknown).",
    ),
    click.option(
        "--schema-version",
        "schema",
        type=click.Choice(["0.3.0", "0.2.2"]),
        help="For a record: the version of its schema (default: 0.3.0).",
    ),
)


def gathered(name: str, gather: Callable[[dict[str, Any]], Any], *options: Option) -> Option:
    """Add options to a command, which gets what `gather` takes from its arguments as `name`."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def run(**arguments: Any) -> Any:
            arguments[name] = gather(arguments)
            return command(**arguments)

        added: Callable[..., Any] = run
        for option in reversed(options):
            added = option(added)
        return added

    return add


def _record_info(arguments: dict[str, Any]) -> RecordInfo:
    from evalcontract.grading.export import RecordInfo  # slow: help and completion do without

    return RecordInfo(**{name: arguments.pop(name) for name in RecordInfo._fields})


RECORD = gathered("record", _record_info, *_RECORD)


def GROUPING(command: Callable[..., Any]) -> Callable[..., Any]:  # noqa: N802 - as the other options
    """Add `--reduce`, `--by` and `--cluster`, which a command gets as `grouping`."""
    from evalcontract.grading.groups import Grouping  # slow: most commands do without
    from evalcontract.grading.samples import REDUCTIONS

    def grouping(arguments: dict[str, Any]) -> Grouping:
        by, cluster, reduce = (arguments.pop(name) for name in ("by", "cluster", "reduce"))
        return Grouping(tuple(dict.fromkeys(by)), cluster, reduce)

    reduce = click.option(
        "--reduce",
        type=click.Choice([*REDUCTIONS]),
        default="mean",
        show_default=True,
        help="How several outputs of a row (samples) become its score: their mean, the score that"
        " most of them have, the highest, or whether one of them passes. With mean and mode, a row"
        " passes if more than half of its samples do.",
    )
    by = click.option(
        "--by",
        multiple=True,
        metavar="KEY",
        help="Key of rows, or of their `metadata`, to summarise the rows by, besides their tags."
        " Can be given several times.",
    )
    cluster = click.option(
        "--cluster",
        metavar="KEY",
        help="Key of rows, or of their `metadata`: rows with the same value were drawn together,"
        " such as those of one document, and intervals account for it.",
    )
    return gathered("grouping", grouping, reduce, by, cluster)(command)


FORCE = click.option("--force", is_flag=True, help="Replace existing files.")


def mode(what: str) -> Option:
    """Return `--strict/--soft`, which sets `what`."""
    text = f"{what} (default: set by targets and configuration)."
    return click.option("--strict/--soft", default=None, help=text)


def cache(what: str) -> Option:
    """Return `--cache/--no-cache`, which does `what`."""
    return click.option("--cache/--no-cache", default=None, help=f"{what} (default: not in CI).")


#: The output formats of what can be listed, and of what also tells what is well and what is not.
TABLES = ("json", "jsonl", "csv", "markdown")
CASES = (*TABLES, "junit", "github", "gitlab", "sarif", "concise")


def output_format(*programs: str) -> Option:
    """Return `--output-format` of text, and of formats for programs."""
    return click.option(
        "--output-format",
        type=click.Choice(["text", *programs]),
        metavar="FORMAT",
        default="text",
        show_default=True,
        help=f"Output format: text for people, {', '.join(programs)} for programs.",
    )


def refuse_with_diff(output_format: str, has_diff: bool) -> None:
    """Refuse a format for programs where standard output has a diff.

    Raises:
        UsageError: both are asked for.

    """
    if has_diff and output_format != "text":
        raise UsageError("--diff prints a diff: leave out --output-format")


def flag(name: str, what: str) -> Option:
    """Return an option without a value, which does `what`."""
    return click.option(name, is_flag=True, help=what)


def file(
    name: str, what: str, *media: str, required: bool = False, multiple: bool = False, **path: bool
) -> Option:
    """Return an option for the path of a file, if any of these file formats."""
    return click.option(
        name,
        type=click.Path(path_type=Path, **path),
        metavar="FILE",
        shell_complete=files_of(*media) if media else None,
        required=required,
        multiple=multiple,
        help=what,
    )


def loss_report(what: str) -> Option:
    """Return `--loss-report`, a file for `what`."""
    return file("--loss-report", f"JSON report of {what}.")


#: The file formats of recorded outputs.
OUTPUTS = ("jsonl", "json", "csv", "parquet", "yaml")
#: Files of results that `grade` wrote, at least one.
RESULTS = click.argument(
    "results",
    nargs=-1,
    required=True,
    metavar="RESULTS...",
    type=click.Path(path_type=Path, dir_okay=False),
    shell_complete=files_of("jsonl"),
)


def number(name: str, what: str, default: int | None = None, least: int = 0) -> Option:
    """Return an option for a number, which says `what` it is."""
    return click.option(
        name,
        type=WholeNumber(min=least),
        metavar="NUMBER",
        default=default,
        show_default=default is not None,
        help=what,
    )


ENOUGH_FINDINGS = number(
    "--max-findings", "Number of findings after which to stop checking (0: no limit).", MAX_FINDINGS
)


def of_run(*options: Option) -> Option:
    """Add options to a command, which gets them and others of a run as one value, `base`."""
    return gathered("base", take_options, *options)


def workspace(found_from: str) -> Option:
    """Add `--root`, `--config` and `--isolated`; `found_from` is what the root is detected from."""
    return of_run(_root(found_from), *CONFIGURATION)


def shared(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a check, which a command gets as `base` and `destination`."""
    return of_run(*_OPTIONS)(gathered("destination", take_destination)(command))


def _root(found_from: str) -> Option:
    return click.option(
        "--root",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        help=f"Root folder of the workspace (default: detected from {found_from}).",
    )


def selection(verb: str, not_verb: str) -> Option:
    """Return `--select` and `--ignore` of a command that does something with codes."""
    option = partial(click.option, shell_complete=codes, metavar="CODE,...", multiple=True)
    select = option(
        "--select",
        callback=parsed_by(_codes_in),
        help=f"{verb} only these codes, or kinds of codes such as rubric/ (repeatable).",
    )
    ignore = option(
        "--ignore",
        callback=parsed_by(partial(_codes_in, to_ignore=True)),
        help=f"Do not {not_verb} these codes, or kinds of codes (repeatable).",
    )
    return lambda command: select(ignore(command))


def _format_named(name: str) -> str:
    from evalcontract.cli.report_files import format_named  # slow: help and completion do without

    return format_named(name)


def _report_files(files: Sequence[str]) -> tuple[ReportFile, ...]:
    from evalcontract.cli.report_files import parse_report_file  # the same

    return tuple(map(parse_report_file, files))


_DEFAULT = Destination()
_OPTIONS: tuple[Option, ...] = (
    mode("Report faults as errors or as warnings"),
    _root("the files"),
    *CONFIGURATION,
    click.option(
        "--output-format",
        callback=parsed_by(_format_named),
        shell_complete=formats,
        metavar="FORMAT",
        default=_DEFAULT.output_format,
        show_default=True,
        help=f"Format of standard output: {', '.join(FORMATS)}, or one of a plugin.",
    ),
    click.option(
        "-o",
        "--output",
        callback=parsed_by(_report_files),
        shell_complete=report_files,
        metavar="[FORMAT:]FILE",
        multiple=True,
        help="Also write a report to FILE (repeatable). Without FORMAT, the file name decides: "
        "*.sarif, *.json, *.jsonl, *.xml (junit), *.md, *.txt, *code-quality*.json (gitlab).",
    ),
    selection("Report", "report"),
    click.option(
        "--fail-on",
        type=click.Choice(["error", "warning", "note"]),
        help="Exit with 1 if there is a finding of this severity or a higher one (default: error).",
    ),
    flag("--exit-zero", "Exit with 0 whatever the findings are."),
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
    flag("--watch", "Check again whenever a file changes, until Ctrl-C."),
    number(
        "--limit", "Maximum number of findings in text and markdown (0: no limit).", _DEFAULT.limit
    ),
    ENOUGH_FINDINGS,
    number(
        "--jobs",
        "Number of processes for a large JSONL or Parquet file (default: number of cores).",
        least=1,
    ),
    flag(
        "--statistics",
        "Print the number of findings by code, and how many are fixable: in text, or else on "
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


#: What a run may ask judges, and what it would.
_ASKING = (
    flag(
        "--dry-run",
        "Ask no judge: say how many questions judges would be asked, how many of them the cache"
        " answers, and estimate tokens and cost.",
    ),
    number(
        "--max-questions",
        "Maximum number of questions to send to models; beyond it, checks do not run, and the exit "
        "status is 1.",
    ),
    number(
        "--max-tokens",
        "Number of tokens of questions and answers after which no question is sent, with the same "
        "effect.",
    ),
)


class Asking(NamedTuple):
    """How judges may be asked, by the names of the options."""

    dry_run: bool = False
    max_questions: int | None = None
    max_tokens: int | None = None

    @property
    def budget(self) -> QuestionBudget:
        """The budget of the run, which nothing has been spent of."""
        from evalcontract.judging.questions import QuestionBudget  # slow: most commands do without

        return QuestionBudget(self.max_questions, self.max_tokens)


def _asking(arguments: dict[str, Any]) -> Asking:
    return Asking(**{name: arguments.pop(name) for name in Asking._fields if name in arguments})


#: Add what may be asked to a command, which gets it as `asking`; `BUDGET` has no dry run.
ASKING = gathered("asking", _asking, *_ASKING)
BUDGET = gathered("asking", _asking, *_ASKING[1:])
