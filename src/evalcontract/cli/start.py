"""The entry points of the console scripts.

`--version` is handled before anything else is imported, and checks of files with simple options
run without importing click.
"""

from __future__ import annotations

import gc
import os
import sys

from evalcontract._version import __version__

#: The console scripts, as in `pyproject.toml`.
SCRIPTS = (
    "evalcontract",
    "validate-dataset",
    "validate-rubric",
    "validate-judge",
    "validate-target",
)


def evalcontract() -> None:
    """Run `evalcontract`."""
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


def validate_target() -> None:
    """Run `validate-target`."""
    _run("validate-target")


def _run(name: str | None) -> None:
    if sys.argv[1:] == ["--version"] and _prints_version():
        return
    # Most objects live until the process exits, so collect garbage rarely.
    gc.set_threshold(500_000, 20, 100)
    first, *rest = [name, *sys.argv[1:]] if name else sys.argv[1:] or [""]
    try:
        from evalcontract.cli.plain import read_plainly, run_plainly

        if "_EVALCONTRACT_COMPLETE" in os.environ:  # set by completion scripts alone
            from evalcontract.cli.command import complete
            from evalcontract.cli.main import command, group

            status = complete(command(name) if name else group, name or "evalcontract")
        elif plain := read_plainly(first, rest):
            status = run_plainly(first, *plain)
        else:
            from evalcontract.cli.main import command, group, run  # slow, imports click

            status = run(command(name) if name else group)
    except KeyboardInterrupt:  # while modules are still imported
        from evalcontract.policy import INTERRUPTED

        status = INTERRUPTED
    # Python collects garbage three times at exit; freezing the objects skips that.
    gc.freeze()
    sys.exit(status)


def _prints_version() -> bool:
    """Print the version, unless standard output fails, which the regular path reports."""
    if sys.stdout is None:
        return False
    try:
        print(  # noqa: T201 - the command line may print
            f"evalcontract, version {__version__}", flush=True
        )
    except OSError:
        return False
    return True
