"""Where the scripts start: `--version` is answered before anything else is imported."""

from __future__ import annotations

import sys
from contextlib import suppress

from evalcontract import __version__
from evalcontract.policy.exit_status import INTERRUPTED


def evalcontract() -> None:
    """Run `evalcontract`."""
    if sys.argv[1:] == ["--version"] and sys.stdout is not None:
        with suppress(OSError):  # the slow way below says why
            print(  # noqa: T201 - the command line may print
                f"evalcontract, version {__version__}", flush=True
            )
            return
    _run(None)


def validate_dataset() -> None:
    """Run `validate-dataset`."""
    _run("validate-dataset")


def validate_rubric() -> None:
    """Run `validate-rubric`."""
    _run("validate-rubric")


def validate_judge() -> None:
    """Run `validate-judge`."""
    _run("validate-judge")


def _run(name: str | None) -> None:
    try:
        from evalcontract.cli.main import command, group, run  # slow, by click

        status = run(command(name) if name else group)
    except KeyboardInterrupt:  # while modules are still imported
        status = INTERRUPTED
    sys.exit(status)
