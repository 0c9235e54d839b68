"""`init` and `migrate`: make a workspace from nothing, or from the files of other tools."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import indent

import click

from evalcontract.checking.pipeline import check_workspaces
from evalcontract.cli import options
from evalcontract.cli.arguments import find_inputs
from evalcontract.cli.command import Command, dialects, files_of
from evalcontract.cli.outcome import summary_of, write_findings
from evalcontract.cli.output import put, signals_as_interrupts
from evalcontract.converting.convert import free_folder
from evalcontract.converting.placing import ADD_EXPECTATIONS, ADD_RUBRIC
from evalcontract.covering import coverage, totals_line
from evalcontract.datasets.columns import ColumnKeys
from evalcontract.datasets.opening import Input, Options
from evalcontract.model.errors import UsageError
from evalcontract.model.reference import Kind
from evalcontract.model.values import escape_controls, listed, many
from evalcontract.policy import ERRORS, OK
from evalcontract.report.frame import display_width, note, wrapped_lines
from evalcontract.report.losses import write_losses
from evalcontract.source import SCHEMA_SUFFIX
from evalcontract.starting.init import (
    CI_FILES,
    EXAMPLE_OUTPUTS,
    Addition,
    InitOptions,
    InitResult,
    Lack,
    UngradedRows,
    init,
    ungraded,
)
from evalcontract.starting.migrate import SYSTEMS, MigrateOptions, MigrateResult, migrate
from evalcontract.workspace import display_name

_WIDTH = 80


@click.command(
    "migrate",
    cls=Command,
    examples={
        "Move the cases of ai_best_practices to a workspace": (
            "evalcontract migrate evals.json --output evals"
        ),
        "Also write what is lost as JSON": (
            "evalcontract migrate evals.json --output evals --loss-report losses.json"
        ),
    },
)
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, shell_complete=files_of("yaml", "json")
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
@options.loss_report("what is lost")
@options.FORCE
@options.STDIN_FILENAME
@options.of_run(*options.CONFIGURATION)
def migrate_command(
    files: tuple[str, ...],
    from_: str | None,
    folder: Path,
    loss_report: Path | None,
    force: bool,
    stdin_filename: str | None,
    base: Options,
) -> int:
    """Migrate the cases and graders of other tools to a workspace of evalcontract.

    FILE is an `evals.json` of ai_best_practices, or the graders of a target of ai_eval (YAML or
    JSON), with its datasets or without. Each file of cases becomes a dataset. Rubrics are shared
    by all cases that are graded in the same way.
    """
    inputs = find_inputs(files, Kind.DATASET, base, stdin_name=stdin_filename)
    with signals_as_interrupts():
        result = migrate(inputs, MigrateOptions(from_, folder, loss_report, force))
    write_findings(result.diagnostics)
    put(migration_lines(result), err=True)
    if result.refusal:
        if not result.diagnostics:  # no file was migrated, and none has errors
            raise UsageError(str(result.refusal))
        put([f"nothing was written: {result.refusal}\n"], err=True)
        return ERRORS
    rows, files_ = many(result.rows, "row"), many(len(result.sources), "file")
    put([f"migrated {rows} of {files_} ({', '.join(result.systems)})\n"])
    put(f"written: {escape_controls(name)}\n" for name in result.written)
    return OK


def migration_lines(result: MigrateResult) -> Iterator[str]:
    """Yield what is lost or changes its meaning."""
    yield from write_losses(result.losses, "kept under `metadata`, where no check reads it:")
    if result.changes:
        yield "graded in another way than before:\n"
        room = max(len(f"{count:,}") for count in result.changes.values())
        for text, count in result.changes.items():
            yield from _wrap(f"  {count:>{room},}  ", text)
    for text in result.notes:
        yield from _wrap("note: ", escape_controls(text))
    if result.judges:
        names = listed(f"`{name}`" for name in result.judges)
        yield from _wrap(
            "note: ",
            f"the starter judges ({names}) were never compared with people: until each has a "
            "`validation`, `check --strict` reports it (judge/unvalidated)",
        )


def _wrap(head: str, text: str) -> Iterator[str]:
    for number, line in enumerate(wrapped_lines(text, _WIDTH - len(head))):
        yield f"{' ' * len(head) if number else head}{line}\n"


_NO_CI = "none"
#: The lines of a snippet that is printed without `--snippets`.
_SHORT = 6
_UNVALIDATED = """\
note: nobody has compared the judges with people yet, so evalcontract.toml
      ignores `judge/unvalidated`: measure them, and delete that line
"""
_NO_SOURCE = """\
note: {} was not written, since evalcontract
      is not published: name a wheel in the repository, or a git URL, with
      `--source`, or ask for no CI with `--ci none`
"""
#: What a file is for, by its name or its folder.
_ABOUT = {
    "evalcontract.toml": "the settings",
    "datasets": "what the model is asked",
    "rubrics": "how answers are graded",
    "judges": "what an LLM judge is asked",
    "targets": "what a run evaluates",
    "bundles": "row keys of a domain",
    "outputs": "recorded answers, to be graded",
    "schema": "the schemas, for editors",
    ".vscode": "VS Code",
    ".idea": "IDEs of JetBrains",
    ".pre-commit-config.yaml": "pre-commit",
    ".github": "GitHub Actions",
    ".gitlab-ci.yml": "GitLab CI",
}


@click.command(
    "init",
    cls=Command,
    examples={
        "Make a workspace with examples": "evalcontract init evals",
        "Start from a dataset that you have": "evalcontract init evals --from support.yaml",
        "Write a workflow that installs from a git URL": (
            "evalcontract init --source https://example.org/evalcontract.git@v0.1.0"
        ),
        "Print what to add to settings that exist": "evalcontract init evals --snippets",
    },
)
@click.argument("folder", default=".", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--from",
    "sources",
    metavar="FILE",
    shell_complete=files_of(),
    multiple=True,
    help="Dataset to start from, of evalcontract or of another system, or a table of rows; can be "
    "given several times.",
)
@click.option(
    "--dialect",
    metavar="NAME[:VARIANT]",
    shell_complete=dialects,
    help="Format of FILE, such as mlflow:oss (default: detected from the content).",
)
@options.MAP
@click.option(
    "--ci",
    type=click.Choice([*CI_FILES, _NO_CI]),
    default=next(iter(CI_FILES)),
    show_default=True,
    help="System of CI to write a configuration for.",
)
@click.option(
    "--source",
    metavar="PATH|URL",
    shell_complete=files_of(),
    help="What CI installs: a wheel or folder in the repository, or the URL of git or of an "
    "archive (default: what this evalcontract was installed from, if others can reach it).",
)
@options.flag("--bare", "Write no settings of editors, pre-commit and CI, only FOLDER.")
@options.flag("--snippets", "Print what to add to settings that exist, and write nothing.")
def init_command(
    folder: Path,
    sources: tuple[str, ...],
    dialect: str | None,
    columns: ColumnKeys,
    ci: str,
    source: str | None,
    bare: bool,
    snippets: bool,
) -> int:
    """Make a workspace in FOLDER, which defaults to the current folder.

    It has a dataset, a rubric, a judge, a target and recorded outputs as examples, with comments
    that explain them, and the schemas for editors. With --from, or if FOLDER has datasets, the
    workspace is made for those. Settings of editors, pre-commit and CI are written to the
    repository that FOLDER is in. Files that exist are never changed: short settings that they lack
    are printed, all of them with --snippets.
    """
    if "-" in sources:
        raise UsageError("--from takes files, and cannot read standard input")
    inputs = find_inputs(sources, Kind.DATASET, Options(dialect=dialect))
    system = None if ci == _NO_CI else ci
    settings = InitOptions(inputs, dialect, system, bare, snippets, columns, source)
    with signals_as_interrupts():
        result = init(folder, settings)
    write_findings(result.start.diagnostics)
    put(_init_lines(result), err=True)
    if result.refusal:
        put([f"nothing was written: {result.refusal}\n"], err=True)
        return ERRORS
    if snippets:
        put(_snippets(result.additions) if result.additions else ["there is nothing to add\n"])
        return OK
    put(_file_lines(result))
    put(_next(folder, result))
    return OK


def _init_lines(result: InitResult) -> Iterator[str]:
    yield from write_losses(result.start.losses)
    if result.start.migrated:
        if result.ignores_unvalidated:
            result.start.migrated.judges.clear()  # said of all judges at once
        yield from migration_lines(result.start.migrated)


def _file_lines(result: InitResult) -> Iterator[str]:
    for source, system, name in result.start.origins:
        yield f"took {escape_controls(source)} ({system}) as {escape_controls(name)}\n"
    yield from _file_list("made:", result.written)
    yield from _file_list("left alone, since they exist:", result.kept)
    if not result.written:
        yield "nothing was made: all files exist\n"
    if result.ignores_unvalidated:
        yield _UNVALIDATED
    yield from _about_source(result)
    short = [each for each in result.additions if each.snippet.count("\n") <= _SHORT]
    yield from _snippets(short)
    if long := [each.name for each in result.additions if each not in short]:
        yield "\nlonger additions, which `--snippets` prints, belong in:\n"
        yield from (f"  {escape_controls(name)}\n" for name in long)


def _about_source(result: InitResult) -> Iterator[str]:
    """Yield what somebody has to know, or to do, that CI can install evalcontract."""
    if result.missing_ci:
        yield _NO_SOURCE.format(escape_controls(result.missing_ci))
    if not result.source:
        return
    what = escape_controls(result.source.requirement)
    if result.source.is_own:
        yield f"note: CI installs what is installed here: {what}\n"
    if not result.source.is_remote:
        yield f"note: commit {what}, which CI installs\n"
    if result.source.is_moving:
        yield "note: the URL names no commit, so that it may install something else\n"
        yield "      tomorrow: append @COMMIT\n"


def _snippets(additions: Iterable[Addition]) -> Iterator[str]:
    for name, snippet in additions:
        yield f"\nadd to {escape_controls(name)}:\n\n{indent(snippet, '    ')}"


def _file_list(title: str, names: list[str]) -> Iterator[str]:
    """Yield the names of files, each with what it is for; the schemas on one line."""
    if not names:
        return
    lines = {}
    for name in names:
        parts = reversed(name.split("/"))
        lines[_display_pattern(name)] = next((_ABOUT[part] for part in parts if part in _ABOUT), "")
    width = max(map(display_width, lines))
    yield f"{title}\n"
    for name, about in lines.items():
        room = " " * (width - display_width(name))
        yield f"  {name}{room}  {about}".rstrip() + "\n"


def _display_pattern(name: str) -> str:
    folder, _, file = name.rpartition("/")
    return escape_controls(f"{folder}/*{SCHEMA_SUFFIX}" if file.endswith(SCHEMA_SUFFIX) else name)


def _coverage_lines(folder: Path, result: InitResult) -> Iterator[str]:
    """Yield how many of the checks will run, and what to do about rows on which none will."""
    datasets = {folder / name: name for name in result.datasets}
    if not datasets:
        return
    inputs = [*map(Input, datasets)]
    base = Options(folder)
    totals = coverage(inputs, base, all_rows=False).totals
    yield f"\nevalcontract coverage:\n  {totals_line(totals)}"
    if totals.rows_on_which_nothing_runs:
        for each in ungraded(inputs, folder, base):
            why = result.start.unedited.get(datasets[each.input.path])
            yield from note(_remedy(each, why), indent=2)


def _remedy(rows_without_check: UngradedRows, why: str | None) -> str:
    """Return what to do with rows on which nothing runs; `why` they got no rubric, if known."""
    path = rows_without_check.input.path
    name = display_name(path)
    is_shown = name.isprintable()
    rows = f"{many(rows_without_check.rows, 'row')} of {escape_controls(name)}"
    match rows_without_check.lack:
        case Lack.EXPECTATIONS:
            return f"no check or judge of evalcontract can grade {rows}: {ADD_EXPECTATIONS}"
        case Lack.CORRECTION:
            return f"{rows}: correct first what `evalcontract check` reports of them"
        case Lack.NEEDS:
            command = shlex.join(["evalcontract", "coverage", name if is_shown else "FILE"])
            return f"{rows}: `{command}` says what their checks lack"
        case Lack.JUDGE if rows_without_check.has_rubrics:
            return f"only a judge can grade {rows}: {ADD_RUBRIC}"
    first, source = "", name if is_shown else "FILE"
    if why is not None:
        lines = f"{path.name.partition('.')[0]}.jsonl" if is_shown else "rows.jsonl"
        convert = shlex.join(["evalcontract", "convert", source, lines])
        first, source = f", which {why}: `{convert}`, then", lines
    command = shlex.join(["evalcontract", "init", free_folder(), "--from", source])
    return (
        f"only a judge can grade {rows}{first or ':'} `{command}` gives them a rubric that asks one"
    )


def _next(folder: Path, result: InitResult) -> Iterator[str]:
    """Yield what `check` finds, and the next commands."""
    checked = check_workspaces(folder, Options())
    yield f"\nevalcontract check:\n  {summary_of(checked)}\n"
    yield from _coverage_lines(folder, result)
    yield "\nnext:\n"
    if folder.resolve() != Path.cwd():
        yield f"  cd {shlex.quote(escape_controls(display_name(folder)))}\n"
    yield "  evalcontract check --strict\n"
    dataset = shlex.quote(escape_controls(result.datasets[0])) if result.datasets else "."
    yield f"  evalcontract coverage {dataset}\n"
    if result.has_example:
        yield f"  evalcontract grade {dataset} --outputs {EXAMPLE_OUTPUTS}\n"
    if any(diagnostic.fix for diagnostic in checked.diagnostics):
        yield "  evalcontract fix --diff\n"
