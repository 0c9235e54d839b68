"""`check` and the four `validate-…` commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalcontract.cli import options
from evalcontract.cli.arguments import Destination, chosen_cache_folder
from evalcontract.cli.command import Command, files_of
from evalcontract.cli.outcome import run_and_report, validate_files
from evalcontract.cli.output import put
from evalcontract.model.diagnostic import RunOutcome
from evalcontract.model.reference import Kind
from evalcontract.model.values import escape_controls

if TYPE_CHECKING:
    from evalcontract.datasets.opening import Options


@click.command(
    "check",
    cls=Command,
    examples={
        "Check all files below the current folder": "evalcontract check",
        "Check what a target runs, as strictly as it demands": (
            "evalcontract check targets/nightly.yaml"
        ),
        "Fail on warnings, and write a report for code scanning": (
            "evalcontract check --fail-on warning --output report.sarif"
        ),
    },
)
@click.argument(
    "path", default=".", metavar="[FOLDER|TARGET]", shell_complete=files_of("yaml", "json")
)
@options.cache("Reuse the result of an earlier check if no file has changed")
@options.flag("--allow-empty", "Exit with 0 if FOLDER contains nothing to check.")
@options.shared
def check_command(
    path: str,
    allow_empty: bool,
    cache: bool | None,
    base: Options,
    destination: Destination,
) -> int:
    """Check a whole workspace: its datasets, rubrics, judges, bundles and targets.

    FOLDER defaults to the current folder. With a file of `targets/`, check that target, its
    dataset, and the rubrics and judges that it reaches, as `validate-target` does.
    """
    if folder := chosen_cache_folder(cache):
        from evalcontract.cache import Cache  # only if it is used

        base = base._replace(cache=Cache(folder))
    checked = _existing(path, base.root)
    if not checked.is_dir():
        return validate_files(Kind.TARGET, (path,), base, destination=destination)
    work = partial(_check_folder, checked, allow_empty, destination.quiet)
    return run_and_report(work, base, destination, folder=checked)


def _check_folder(path: Path, allow_empty: bool, quiet: bool, base: Options) -> RunOutcome:
    from evalcontract.checking.pipeline import NOTHING, check_workspaces  # slow to import
    from evalcontract.workspace import display_name

    outcome = check_workspaces(path, base._replace(allows_empty=allow_empty))
    if not outcome.is_checked and not outcome.diagnostics and not quiet:
        put([f"note: {escape_controls(display_name(path))} contains {NOTHING}\n"], err=True)
    return outcome


def _existing(name: str, root: Path | None) -> Path:
    """Return the path of a folder or target."""
    from evalcontract.datasets.opening import is_target  # slow to import

    path = Path(name)
    if "\0" in name or not name or not path.exists():
        raise click.UsageError(f"there is no folder `{name}`", click.get_current_context())
    if not path.is_dir() and not is_target(path, root):
        single = "validate-dataset, validate-rubric, validate-judge or validate-target"
        message = (
            f"`{name}` is a file, but check takes a folder or a file below `targets/`; "
            f"for a file use {single}"
        )
        raise click.UsageError(message, click.get_current_context())
    return path


def _command(
    kind: Kind,
    summary: str,
    details: str,
    examples: Mapping[str, str],
    media: Sequence[str] = ("yaml", "json"),
    more: options.Option = lambda command: command,
) -> click.Command:
    @click.command(
        name=f"validate-{kind}",
        cls=Command,
        examples=examples,
        help=f"{summary} {details}",
        short_help=summary,
    )
    @click.argument(
        "files", nargs=-1, required=True, metavar="FILE...", shell_complete=files_of(*media)
    )
    @options.STDIN_FILENAME
    @options.shared
    @more
    def command(
        files: tuple[str, ...], stdin_filename: str | None, base: Options, destination: Destination
    ) -> int:
        return validate_files(kind, files, base, destination=destination, stdin_name=stdin_filename)

    return command


validate_dataset_command = _command(
    Kind.DATASET,
    "Validate datasets and the rubrics and judges they reference.",
    "References are followed transitively. FILE is a YAML, JSON or JSONL file, a folder, a pattern "
    "such as 'data/**/*.yaml', or - for standard input. Datasets of other systems are checked the "
    "way those systems load them.",
    examples={
        "Check a dataset": "evalcontract validate-dataset datasets/example.yaml",
        "Check all datasets of a folder, with faults as errors": (
            "evalcontract validate-dataset --strict datasets"
        ),
        "Check a dataset of MLflow as MLflow loads it": (
            "evalcontract validate-dataset --dialect mlflow:oss mlflow.jsonl"
        ),
    },
    media=(),
    more=lambda command: options.MAP(options.NULLS(options.DIALECT(command))),
)
validate_rubric_command = _command(
    Kind.RUBRIC,
    "Validate rubrics and what they reference.",
    "References are followed transitively. FILE is a YAML or JSON file, a folder, a pattern such "
    "as 'rubrics/**/*.yaml', or - for standard input.",
    examples={
        "Check all rubrics": "evalcontract validate-rubric rubrics",
        "Print one line for each finding": (
            "evalcontract validate-rubric --output-format concise rubrics/example.yaml"
        ),
    },
)
validate_judge_command = _command(
    Kind.JUDGE,
    "Validate judges: their prompts and validation records.",
    "This does not compare the judge with people. FILE is a YAML or JSON file, a folder, a "
    "pattern, or - for standard input.",
    examples={
        "Check a judge": "evalcontract validate-judge judges/accuracy.yaml",
        "Check all judges, whenever they were validated": (
            "evalcontract validate-judge --ignore judge/stale-validation judges"
        ),
    },
)
validate_target_command = _command(
    Kind.TARGET,
    "Validate targets and the datasets that they run.",
    "The dataset of a target, and the rubrics and judges that its rows reach, are checked as "
    "strictly as the target demands. FILE is a YAML or JSON file, a folder, a pattern, or - for "
    "standard input.",
    examples={
        "Check a target and what it runs": "evalcontract validate-target targets/nightly.yaml",
        "Print the findings as JSON": ("evalcontract validate-target --output-format json targets"),
    },
)
