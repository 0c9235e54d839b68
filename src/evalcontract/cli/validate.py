"""`validate-dataset`, `validate-rubric`, `validate-judge` and `validate-target`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evalcontract.cli.candidates import files as files_of
from evalcontract.cli.columns import MAP
from evalcontract.cli.command import Command
from evalcontract.cli.options import DIALECT, shared_options
from evalcontract.cli.outcome import CheckArgs, validate_files
from evalcontract.model.reference import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def _command(
    kind: Kind,
    texts: tuple[str, str],
    media: tuple[str, ...],
    examples: Sequence[tuple[str, str]],
    *others: Callable[[Any], Any],
) -> click.Command:
    @click.command(
        name=f"validate-{kind}",
        cls=Command,
        examples=examples,
        help=" ".join(texts),
        short_help=texts[0],
    )
    @click.argument(
        "files", nargs=-1, required=True, metavar="FILE...", shell_complete=files_of(*media)
    )
    @click.option(
        "--stdin-filename",
        metavar="NAME",
        help="File name to use for standard input (`-`).",
    )
    @shared_options
    @_all(others)
    def command(files: tuple[str, ...], stdin_filename: str | None, **options: Any) -> int:
        return validate_files(kind, files, CheckArgs(**options), stdin_filename)

    return command


def _all(options: tuple[Callable[[Any], Any], ...]) -> Callable[[Any], Any]:
    def apply(command: Any) -> Any:
        for option in options:
            command = option(command)
        return command

    return apply


_AUTHORED = ("yaml", "json")

validate_dataset = _command(
    Kind.DATASET,
    (
        "Validate datasets and the rubrics and judges they reference.",
        (
            "References are followed transitively. "
            "FILE is a YAML, JSON or JSONL file, a folder, a pattern such as 'data/**/*.yaml', "
            "or - for standard input. Datasets of other systems are checked the way those systems "
            "load them."
        ),
    ),
    (),
    [
        ("Check a dataset", "evalcontract validate-dataset datasets/example.yaml"),
        (
            "Check all datasets of a folder, with faults as errors",
            "evalcontract validate-dataset --strict datasets",
        ),
        (
            "Check a dataset of MLflow as MLflow loads it",
            "evalcontract validate-dataset --dialect mlflow:oss mlflow.jsonl",
        ),
    ],
    DIALECT,
    MAP,
)
validate_rubric = _command(
    Kind.RUBRIC,
    (
        "Validate rubrics and what they reference.",
        (
            "References are followed transitively. "
            "FILE is a YAML or JSON file, a folder, a pattern such as 'rubrics/**/*.yaml', "
            "or - for standard input."
        ),
    ),
    _AUTHORED,
    [
        ("Check all rubrics", "evalcontract validate-rubric rubrics"),
        (
            "Print one line for each finding",
            "evalcontract validate-rubric --output-format concise rubrics/example.yaml",
        ),
    ],
)
validate_judge = _command(
    Kind.JUDGE,
    (
        "Validate judges: their prompts and validation records.",
        (
            "This does not compare the judge with people. "
            "FILE is a YAML or JSON file, a folder, a pattern, or - for standard input."
        ),
    ),
    _AUTHORED,
    [
        ("Check a judge", "evalcontract validate-judge judges/accuracy.yaml"),
        (
            "Check all judges, whenever they were validated",
            "evalcontract validate-judge --ignore judge/stale-validation judges",
        ),
    ],
)
validate_target = _command(
    Kind.TARGET,
    (
        "Validate targets and the datasets that they run.",
        (
            "The dataset of a target, and the rubrics and judges that its rows reach, are "
            "checked as strictly as the target demands. "
            "FILE is a YAML or JSON file, a folder, a pattern, or - for standard input."
        ),
    ),
    _AUTHORED,
    [
        (
            "Check a target and what it runs",
            "evalcontract validate-target targets/nightly.yaml",
        ),
        ("Print the findings as JSON", "evalcontract validate-target --output-format json targets"),
    ],
)
