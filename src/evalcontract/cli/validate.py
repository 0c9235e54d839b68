"""`validate-dataset`, `validate-rubric` and `validate-judge`."""

from __future__ import annotations

from typing import Any

import click

from evalcontract.cli.options import shared_options
from evalcontract.cli.outcome import Asked, validate_files
from evalcontract.model.reference import Kind


def _command(kind: Kind, summary: str, details: str) -> click.Command:
    @click.command(
        name=f"validate-{kind}",
        help=f"{summary} {details}",
        short_help=summary,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    @click.argument("files", nargs=-1, required=True, metavar="FILE...")
    @click.option(
        "--stdin-filename",
        metavar="NAME",
        help="The name that standard input (the file `-`) stands for.",
    )
    @shared_options
    def command(files: tuple[str, ...], stdin_filename: str | None, **options: Any) -> int:
        return validate_files(kind, files, Asked(**options), stdin_filename)

    return command


validate_dataset = _command(
    Kind.DATASET,
    "Check datasets and what their rows reach.",
    "That is the rubrics and judges that they refer to, and those that these do. "
    "FILE is a YAML, JSON or JSONL file, a folder, a pattern such as 'data/**/*.yaml', "
    "or - for standard input.",
)
validate_rubric = _command(
    Kind.RUBRIC,
    "Check rubrics and what they reach.",
    "That is the rubrics and judges that they refer to, and those that these do. "
    "FILE is a YAML or JSON file, a folder, a pattern such as 'rubrics/**/*.yaml', "
    "or - for standard input.",
)
validate_judge = _command(
    Kind.JUDGE,
    "Check judges: prompt and validation.",
    "This does not measure a judge against people. "
    "FILE is a YAML or JSON file, a folder, a pattern, or - for standard input.",
)
