"""Where the scripts start.

`--version` is answered before anything else is imported, and files with the plainest options are
checked without click.
"""

from __future__ import annotations

import gc
import sys

from evalcontract import __version__


def evalcontract() -> None:
    """Run `evalcontract`."""
    if sys.argv[1:] == ["--version"] and sys.stdout is not None:
        try:
            print(  # noqa: T201 - the command line may print
                f"evalcontract, version {__version__}", flush=True
            )
        except OSError:
            pass  # the slow way below says why
        else:
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
    # This process is ours, and most of what it makes lives to its end: look for cycles rarely.
    gc.set_threshold(500_000, 20, 100)
    asked, *files = [name, *sys.argv[1:]] if name else sys.argv[1:] or [""]
    try:
        from evalcontract.cli.plain import read_plainly, run_plainly

        if plain := read_plainly(asked, files):
            status = run_plainly(asked, *plain)
        else:
            from evalcontract.cli.main import command, group, run  # slow, by click

            status = run(command(name) if name else group)
    except KeyboardInterrupt:  # while modules are still imported
        from evalcontract.policy.exit_status import INTERRUPTED

        status = INTERRUPTED
    # At its end Python looks for cycles three times; what is frozen goes with the process.
    gc.freeze()
    sys.exit(status)
