"""The fast path of the validate commands: files and simple options, without importing click.

Importing click takes as long as checking a small file, and editors and hooks check a file at every
change.
"""

from __future__ import annotations

import os

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


def run_plainly(name: str, files: list[str], options: dict[str, Any]) -> int:
    """Run a command with the given files and options; return its exit code."""
    return guarded(_validate, name, files, options)


def _validate(name: str, files: list[str], options: dict[str, Any]) -> int:
    from evalcontract.cli.arguments import read_arguments
    from evalcontract.cli.outcome import validate_files
    from evalcontract.model.reference import Kind

    return validate_files(Kind(KINDS[name]), tuple(files), *read_arguments(options))
