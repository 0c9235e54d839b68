"""The entry points of the console scripts.

`--version` is handled before anything else is imported, and checks of files with simple options
run without importing click.
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
            pass  # the regular path below reports the error
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


def validate_target() -> None:
    """Run `validate-target`."""
    _run("validate-target")


def _run(name: str | None) -> None:
    # Most objects live until the process exits, so collect garbage rarely.
    gc.set_threshold(500_000, 20, 100)
    first, *rest = [name, *sys.argv[1:]] if name else sys.argv[1:] or [""]
    try:
        from evalcontract.cli.plain import read_plainly, run_plainly

        if plain := read_plainly(first, rest):
            status = run_plainly(first, *plain)
        else:
            from evalcontract.cli.main import command, group, run  # slow, imports click

            status = run(command(name) if name else group)
    except KeyboardInterrupt:  # while modules are still imported
        from evalcontract.policy.exit_status import INTERRUPTED

        status = INTERRUPTED
    # Python collects garbage three times at exit; freezing the objects skips that.
    gc.freeze()
    sys.exit(status)
