"""The entry points of the console scripts.

`--version` is handled before anything else is imported, and checks of files with simple options
run without importing click.
"""

from __future__ import annotations

import gc
import os
import sys
from functools import partial

from evalcontract._version import __version__
from evalcontract.cli.output import guarded

TYPE_CHECKING = False  # `typing` is slow to import; type checkers know this name, too
if TYPE_CHECKING:
    from typing import Any


#: The commands with a fast path, and the kinds that they check.
KINDS = {
    "validate-dataset": "dataset",
    "validate-rubric": "rubric",
    "validate-judge": "judge",
    "validate-target": "target",
}
#: The options of the fast path and their values, in addition to `--jobs` with a number.
FLAGS = {
    "--strict": {"strict": True},
    "--soft": {"strict": False},
    "--quiet": {"quiet": True},
    "-q": {"quiet": True},
    "--exit-zero": {"exit_zero": True},
}


def read_plainly(name: str, arguments: list[str]) -> tuple[list[str], dict[str, Any]] | None:
    """Return the files and options of a command, or None if click has to parse them.

    Always None on Windows, where click expands patterns.
    """
    files: list[str] = []
    options: dict[str, Any] = {}
    rest = iter(arguments)
    for argument in rest:
        if argument in FLAGS:
            options |= FLAGS[argument]
        elif argument == "--jobs" and _is_count(number := next(rest, "")):
            options["jobs"] = int(number)
        elif argument[:1] in ("", "-"):
            return None
        else:
            files.append(argument)
    return (files, options) if name in KINDS and files and os.name != "nt" else None


def _is_count(text: str) -> bool:
    """Whether a text is a number from 1 to 9999 in plain ASCII digits."""
    return text.isascii() and text.isdigit() and len(text) <= len("9999") and text[0] != "0"


def _validate(name: str, files: list[str], options: dict[str, Any]) -> int:
    from evalcontract.cli.arguments import MAX_FINDINGS, take_destination, take_options
    from evalcontract.cli.outcome import validate_files
    from evalcontract.model.reference import Kind

    destination = take_destination(options)
    run = take_options({"max_findings": MAX_FINDINGS, **options})
    return validate_files(Kind(KINDS[name]), tuple(files), run, destination=destination)


def evalcontract(name: str | None = None) -> None:
    """Run `evalcontract`, or the command that a console script has the name of."""
    if sys.argv[1:] == ["--version"] and _prints_version():
        return
    # Most objects live until the process exits, so collect garbage rarely.
    gc.set_threshold(500_000, 20, 100)
    first, *rest = [name, *sys.argv[1:]] if name else sys.argv[1:] or [""]
    try:
        if "_EVALCONTRACT_COMPLETE" in os.environ:  # set by completion scripts alone
            from evalcontract.cli.command import command, complete, group

            status = complete(command(name) if name else group, name or "evalcontract")
        elif plain := read_plainly(first, rest):
            status = guarded(_validate, first, *plain)
        else:
            from evalcontract.cli.command import command, group, run  # slow, imports click

            status = run(command(name) if name else group)
    except KeyboardInterrupt:  # while modules are still imported
        from evalcontract.policy import INTERRUPTED

        status = INTERRUPTED
    # Python collects garbage three times at exit; freezing the objects skips that.
    gc.freeze()
    sys.exit(status)


validate_dataset = partial(evalcontract, "validate-dataset")
validate_rubric = partial(evalcontract, "validate-rubric")
validate_judge = partial(evalcontract, "validate-judge")
validate_target = partial(evalcontract, "validate-target")


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
