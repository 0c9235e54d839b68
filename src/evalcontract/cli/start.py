"""Where the scripts start: `--version` is answered before anything else is imported."""

from __future__ import annotations

import sys

from evalcontract import __version__


def evalcontract() -> None:
    """Run `evalcontract`."""
    if sys.argv[1:] == ["--version"]:
        print(f"evalcontract, version {__version__}")  # noqa: T201 - the command line may print
        return
    from evalcontract.cli.main import group, run  # slow, by click

    sys.exit(run(group))


def validate_dataset() -> None:
    """Run `validate-dataset`."""
    _run("validate-dataset")


def validate_rubric() -> None:
    """Run `validate-rubric`."""
    _run("validate-rubric")


def validate_judge() -> None:
    """Run `validate-judge`."""
    _run("validate-judge")


def _run(name: str) -> None:
    from evalcontract.cli.main import command, run

    sys.exit(run(command(name)))
