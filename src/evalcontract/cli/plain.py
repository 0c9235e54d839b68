"""The short way into a check: files and the plainest options, for which click need not be imported.

It takes as long to import as a small file takes to check, and an editor or a hook checks a file
at every change.
"""

from __future__ import annotations

import os

from evalcontract.cli.failures import guarded

TYPE_CHECKING = False  # `typing` is slow to import; type checkers know this name, too
if TYPE_CHECKING:
    from typing import Any

#: The commands that have a short way, and what they check.
KINDS = {
    "validate-dataset": "dataset",
    "validate-rubric": "rubric",
    "validate-judge": "judge",
}
#: The options that have one, and what they say; beside them `--jobs` and a number.
FLAGS = {"--strict": {"strict": True}, "--soft": {"strict": False}}


def read_plainly(name: str, arguments: list[str]) -> tuple[list[str], dict[str, Any]] | None:
    """Return the files of a command and what its options say; None where click has to read them.

    On Windows that is always so: click expands patterns there.
    """
    files: list[str] = []
    options: dict[str, Any] = {}
    rest = iter(arguments)
    for each in rest:
        if each in FLAGS:
            options |= FLAGS[each]
        elif each == "--jobs" and _is_count(number := next(rest, "")):
            options["jobs"] = int(number)
        elif each[:1] in ("", "-"):
            return None
        else:
            files.append(each)
    return (files, options) if name in KINDS and files and os.name != "nt" else None


def _is_count(text: str) -> bool:
    """Whether a text is a number from 1 to 9999, written as everybody writes it."""
    return text.isascii() and text.isdigit() and len(text) <= len("9999") and text[0] != "0"


def run_plainly(name: str, files: list[str], options: dict[str, Any]) -> int:
    """Run a command with files and options as click would; return its exit code."""
    return guarded(_validate, name, files, options)


def _validate(name: str, files: list[str], options: dict[str, Any]) -> int:
    from evalcontract.cli.outcome import CheckArgs, validate_files
    from evalcontract.model.reference import Kind

    return validate_files(Kind(KINDS[name]), tuple(files), CheckArgs(**options))
